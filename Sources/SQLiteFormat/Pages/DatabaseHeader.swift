// SPDX-License-Identifier: Apache-2.0
// The 100 bytes that every database starts with.
//
// offset size
//      0   16  "SQLite format 3" and a NUL
//     16    2  page size; 1 means 65536
//     18    1  write version: 1 rollback journal, 2 WAL
//     19    1  read version
//     20    1  reserved bytes at the end of each page
//     21    3  64, 32, 32: payload fractions
//     24    4  file change counter
//     28    4  size in pages; valid only while 24 equals 92
//     32    4  first trunk page of the free list
//     36    4  number of pages of the free list
//     40    4  schema cookie
//     44    4  schema format, 1...4
//     48    4  default cache size
//     52    4  largest root page in auto-vacuum databases, else 0
//     56    4  text encoding
//     60    4  user_version
//     64    4  nonzero: incremental vacuum
//     68    4  application_id
//     72   20  zero
//     92    4  version-valid-for
//     96    4  number of the SQLite version that last wrote

/// The file header, field by field, as stored.
///
/// File format, section 1.3.
package struct DatabaseHeader: Hashable, Sendable {
  /// Whether the first 16 bytes are the magic string.
  package let hasMagic: Bool
  /// The page size in bytes; 1 has become 65536, anything else is as stored.
  package let pageSize: Int
  /// The write version.
  package let writeVersion: UInt8
  /// The read version.
  package let readVersion: UInt8
  /// Reserved bytes at the end of each page.
  package let reserved: Int
  /// Whether the three payload fractions are 64, 32 and 32.
  package let hasPayloadFractions: Bool
  /// The file change counter.
  package let changeCounter: UInt32
  /// The size in pages, as stored.
  package let pageCount: Int
  /// The first trunk page of the free list.
  package let firstFreelistTrunk: PageNumber?
  /// The number of pages of the free list.
  package let freelistCount: Int
  /// The schema cookie.
  package let schemaCookie: UInt32
  /// The schema format number.
  package let schemaFormat: UInt32
  /// The largest root page, nonzero exactly in auto-vacuum databases.
  package let largestRoot: UInt32
  /// The text encoding; nil when the field holds none (a database without a schema has 0).
  package let encoding: TextEncoding?
  /// The application's own version number.
  package let userVersion: Int32
  /// Whether vacuum is incremental.
  package let incrementalVacuum: Bool
  /// The application id.
  package let applicationID: Int32
  /// The change counter at which `pageCount` was valid.
  package let versionValidFor: UInt32
  /// The SQLite version that last wrote, such as 3040001.
  package let writerVersion: UInt32

  /// The SQLite version that last wrote as people write it, such as `3.40.1`; nil when none is
  /// noted.
  package var writer: String? {
    guard writerVersion > 0 else { return nil }
    return "\(writerVersion / 1_000_000).\(writerVersion / 1000 % 1000).\(writerVersion % 1000)"
  }

  /// The length of the header in bytes.
  package static let byteCount = 100
  /// The magic string.
  package static let magic = Bytes("SQLite format 3\u{0}".utf8)

  /// Whether bytes begin with the magic string, of which up to half may be destroyed.
  ///
  /// That so many bytes stand in their places by chance is out of the question.
  package static func beginsAsMagic(_ bytes: Bytes) -> Bool {
    zip(bytes, magic).count { $0 == $1 } * 2 >= magic.count
  }

  /// The geometry that the header states; nil when it cannot be.
  package var geometry: Geometry? { Geometry(pageSize: pageSize, reserved: reserved) }
  /// Whether `pageCount` can be believed.
  ///
  /// Section 1.3.7.
  package var isPageCountValid: Bool { changeCounter == versionValidFor && pageCount > 0 }

  /// How many pages there are, where that is valid.
  package var countedPages: Int? { isPageCountValid ? pageCount : nil }

  /// Where the numbers stand that count changes, of the database and of its schema, and the version that
  /// wrote last.
  ///
  /// File format, sections 1.3.6, 1.3.9 and 1.3.17.
  package static let counters = [24..<28, 40..<44, 92..<100]
  /// Where the file format versions stand, which tell the journal mode.
  ///
  /// File format, section 1.3.3.
  package static let versions = 18..<20
  /// Whether pointer-map pages exist.
  package var isAutoVacuum: Bool { largestRoot != 0 }
  /// Whether the database was last in WAL mode.
  package var isWAL: Bool { writeVersion == 2 || readVersion == 2 }
}

extension DatabaseHeader {
  /// Reads the header from the first bytes of a database; nil when there are fewer than 100.
  package init?(_ bytes: Bytes) {
    guard bytes.count >= Self.byteCount else { return nil }
    func number(_ offset: Int) -> UInt32 { bytes.big32(at: offset) ?? 0 }
    let storedSize = bytes.big16(at: 16) ?? 0
    hasMagic = bytes.matches(Self.magic)
    pageSize = storedSize == 1 ? 65536 : storedSize
    writeVersion = bytes[18]
    readVersion = bytes[19]
    reserved = Int(bytes[20])
    hasPayloadFractions = bytes[21] == 64 && bytes[22] == 32 && bytes[23] == 32
    changeCounter = number(24)
    pageCount = Int(number(28))
    firstFreelistTrunk = PageNumber(number(32))
    freelistCount = Int(number(36))
    schemaCookie = number(40)
    schemaFormat = number(44)
    largestRoot = number(52)
    encoding = TextEncoding(rawValue: number(56))
    userVersion = Int32(bitPattern: number(60))
    incrementalVacuum = number(64) != 0
    applicationID = Int32(bitPattern: number(68))
    versionValidFor = number(92)
    writerVersion = number(96)
  }
}
