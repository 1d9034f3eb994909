// SPDX-License-Identifier: Apache-2.0
// What a file is, by name, before anything is said about its health.

import SQLiteFormat

/// What a file is.
package enum FileKind: Hashable, Sendable {
  /// An SQLite database with its magic string.
  case database
  /// Pages of an SQLite database whose header is gone.
  case headlessDatabase
  /// No bytes at all.
  case empty
  /// Nothing but zeros.
  case zeros
  /// Nothing but 255, as flash memory reads that was erased.
  case erased
  /// The `-wal` of a database.
  case writeAheadLog
  /// The `-journal` of a database.
  case rollbackJournal
  /// Bytes without any pattern: encrypted or random.
  case encrypted
  /// A backup of this program.
  case backup
  /// Another known format, by name.
  case other(String)
  /// Text of no known format.
  case text
  /// None of the above.
  case unknown

  /// The kind in words.
  package var name: String {
    switch self {
    case .database: "SQLite database"
    case .headlessDatabase: "SQLite database without its header"
    case .empty: "empty file"
    case .zeros: "nothing but zeros"
    case .erased: "nothing but 255"
    case .writeAheadLog: "SQLite write-ahead log"
    case .rollbackJournal: "SQLite rollback journal"
    case .encrypted: "encrypted or random data (SQLCipher databases look like this)"
    case .backup: "dbrescue backup (a gzip archive of a database)"
    case .other(let name): name
    case .text: "text"
    case .unknown: "unknown data"
    }
  }

  /// Whether it can have been put in the place of a database that left its log or journal behind.
  var canHideLog: Bool {
    switch self {
    case .empty, .zeros, .erased, .encrypted, .other, .text, .unknown: true
    case .database, .headlessDatabase, .writeAheadLog, .rollbackJournal, .backup: false
    }
  }

  /// Whether its first bytes can have been written over the beginning of a database.
  var canLieOverHead: Bool {
    switch self {
    case .writeAheadLog, .rollbackJournal, .other: true
    case .database, .headlessDatabase, .empty, .zeros, .erased, .encrypted, .backup, .text,
      .unknown:
      false
    }
  }

  /// Whether there may be pages to read.
  package var isDatabase: Bool { self == .database || self == .headlessDatabase }
}

extension FileKind {
  /// How the `-shm` of a database is called: the index of its log, without any page.
  static let logIndex = "SQLite log index (-shm)"

  /// How a file is called that stands for one in iCloud, `.app.db.icloud` for `app.db`.
  static let cloudPlaceholder = "placeholder of iCloud"
  /// The key by which such a property list is known.
  private static let cloudKey = Array("NSURLNameKey".utf8)
  private static let propertyList = "binary property list"

  /// Formats that are told by fixed bytes at a fixed place.
  private static let signatures: [(offset: Int, bytes: [UInt8], name: String)] = [
    (16, Array("T-DB".utf8), "Realm database"),
    (16, [0xED, 0x0C, 0xDA, 0xED], "BoltDB database"),
    (16, [0xED, 0xDA, 0x0C, 0xED], "BoltDB database"),
    (16, [0xDE, 0xC0, 0xEF, 0xBE], "database of LMDB"),
    (12, [0x62, 0x31, 0x05, 0], "Berkeley DB database"),
    (12, [0x61, 0x15, 0x06, 0], "Berkeley DB database"),
    (8, Array("DUCK".utf8), "DuckDB database"),
    (4, Array("Standard Jet DB\u{0}".utf8), "Microsoft Access database"),
    (4, Array("Standard ACE DB\u{0}".utf8), "Microsoft Access database"),
    (4, [0xEF, 0xCD, 0xAB, 0x89], "ESE database of Windows"),
    (0, Array("** This file contains an SQLite 2".utf8), "SQLite 2 database"),
    (0, Array("H2:".utf8), "H2 database"),
    (0, Array("PGDMP".utf8), "dump of a PostgreSQL database"),
    (0, Array("PAR1".utf8), "Parquet file"),
    (
      0, [0xD0, 0xCF, 0x11, 0xE0, 0xA1, 0xB1, 0x1A, 0xE1],
      "OLE file, as older Office programs write"
    ),
    (0, [0x03, 0xD9, 0xA2, 0x9A], "KeePass database"),
    (0, Array("Salted__".utf8), "file encrypted by openssl"),
    // Version 3007000 in the order of most machines, and four bytes that are not used.
    (0, [0x18, 0xE2, 0x2D, 0, 0, 0, 0, 0], logIndex),
    (0, [0x1F, 0x8B], "gzip archive"),
    (0, Array("PK\u{3}\u{4}".utf8), "zip archive"),
    (0, [0, 0x05, 0x16, 0x07, 0, 0x02, 0, 0], "AppleDouble file, which macOS puts beside a file"),
    (0, [0x4C, 0, 0, 0, 0x01, 0x14, 0x02, 0], "shortcut of Windows"),
    (0, [0x28, 0xB5, 0x2F, 0xFD], "zstd archive"),
    (0, Array("BZh".utf8), "bzip2 archive"),
    (0, [0xFD, 0x37, 0x7A, 0x58, 0x5A], "xz archive"),
    (0, [0x37, 0x7A, 0xBC, 0xAF, 0x27, 0x1C], "7z archive"),
    (0, Array("Rar!".utf8), "rar archive"),
    (0, [0x04, 0x22, 0x4D, 0x18], "lz4 archive"),
    (4, Array("ftyp".utf8), "video or photo"),
    (0, Array("LTX1".utf8), "Litestream LTX file"),
    (0, Array("bplist00".utf8), propertyList),
    (0, [0xFF, 0xD8, 0xFF], "JPEG image"),
    (0, [0x89, 0x50, 0x4E, 0x47], "PNG image"),
    (0, Array("GIF8".utf8), "GIF image"),
    (0, Array("%PDF".utf8), "PDF document"),
    (0, [0x7F, 0x45, 0x4C, 0x46], "ELF program"),
    (0, Array("version https://git-lfs".utf8), "Git LFS pointer, not the file itself"),
    (0, Array("-- SQLite".utf8), "SQL script"),
    (0, Array("PRAGMA ".utf8), "SQL script"),
    (0, Array("CREATE ".utf8), "SQL script"),
    (0, Array("BEGIN TRANSACTION".utf8), "SQL script"),
    // "SQLite format 3" in base64.
    (0, Array("U1FMaXRlIGZvcm1hdCAz".utf8), "database written as base64 text"),
    // The same in digits, as xxd -p, xxd and hexdump -C write them.
    (0, Array("53514c69746520666f726d6174203300".utf8), "database written as hexadecimal text"),
    (0, Array("53514C69746520666F726D6174203300".utf8), "database written as hexadecimal text"),
    (0, Array("00000000: 5351 4c69 7465 2066".utf8), "dump of a database by xxd"),
    (0, Array("00000000  53 51 4c 69 74 65 20 66".utf8), "dump of a database by hexdump"),
    (0, [0x53, 0, 0x51, 0, 0x4C, 0, 0x69, 0], "database written as UTF-16 text"),
    (0, [0xFF, 0xFE, 0x53, 0, 0x51, 0, 0x4C, 0], "database written as UTF-16 text"),
    (0, [0xFE, 0xFF, 0, 0x53, 0, 0x51, 0, 0x4C], "database written as UTF-16 text"),
    (0, [0, 0x53, 0, 0x51, 0, 0x4C, 0, 0x69], "database written as UTF-16BE text"),
  ]

  /// What a file is, as far as its bytes tell without looking for pages.
  ///
  /// - Returns: nil when only looking for pages can tell.
  /// - Throws: ``ReadFailure`` when the file cannot be read.
  static func named(_ source: any PageSource) throws(ReadFailure) -> FileKind? {
    guard source.byteCount > 0 else { return .empty }
    let head = try source.read(at: 0, count: 4096)
    if head.matches(DatabaseHeader.magic) || isCutMagic(head) { return .database }
    if let magic = head.big32(at: 0), magic & ~1 == WriteAheadLog.magic { return .writeAheadLog }
    if head.matches(RollbackJournal.magic) { return .rollbackJournal }
    for signature in signatures where head.matches(signature.bytes, at: signature.offset) {
      if signature.bytes == [0x1F, 0x8B], head.matches(Array("DR".utf8), at: 12) {
        return .backup
      }
      let isPlaceholder =
        signature.name == propertyList
        && head.indices.contains { head.matches(cloudKey, at: $0) }
      return .other(isPlaceholder ? cloudPlaceholder : signature.name)
    }
    if try isZeroedJournal(head, source) { return .rollbackJournal }
    if head.first == 0xFF { return try holdsOnly(0xFF, source) ? .erased : nil }
    return try holdsOnly(0, source) ? .zeros : nil
  }

  /// Whether a file is so short that nothing but the beginning of the magic is in it.
  private static func isCutMagic(_ head: Bytes) -> Bool {
    (6..<DatabaseHeader.magic.count).contains(head.count)
      && DatabaseHeader.magic.starts(with: head)
  }

  /// Whether a file is a journal that is kept with its header blanked: behind that, records follow
  /// one another, each a number, a page and a checksum.
  ///
  /// File format, section 3.
  private static func isZeroedJournal(
    _ head: Bytes, _ source: any PageSource
  ) throws(ReadFailure) -> Bool {
    guard head.count == 4096, head[..<28].allSatisfy({ $0 == 0 }) else { return false }
    for sector in [512, 4096] {
      for size in Geometry.pageSizes {
        var count = 0
        while count < recordsMin,
          isRecord(try source.read(at: sector + count * (size + 8), count: 32))
        {
          count += 1
        }
        if count == recordsMin { return true }
      }
    }
    return false
  }

  /// How many records behind one another show that a file is a journal.
  private static let recordsMin = 3

  /// Whether a record of a journal begins with these bytes, with a page of a tree.
  private static func isRecord(_ bytes: Bytes) -> Bool {
    guard bytes.count == 32, let number = bytes.big32(at: 0), (1..<(1 << 24)).contains(number)
    else { return false }
    return number == 1
      ? bytes.matches(DatabaseHeader.magic, at: 4) : BTreePage.Kind(rawValue: bytes[4]) != nil
  }

  /// What a file without pages is.
  ///
  /// - Throws: ``ReadFailure`` when the file cannot be read.
  static func pageless(_ source: any PageSource) throws(ReadFailure) -> FileKind {
    let sample = try source.read(at: 0, count: 1 << 20)
    // Where it is not compressed, the database in it is found.
    if sample.matches(Array("ANDROID BACKUP\n".utf8)) { return .other("Android backup") }
    if looksRandom(sample), source.byteCount % 512 == 0 { return .encrypted }
    if sample.matches(DatabaseHeader.magic.dropLast()), !sample.contains(0) {
      return .other("database whose zero bytes were taken out or replaced")
    }
    guard isText(sample) else { return .unknown }
    let start = sample.first { ![0x20, 0x09, 0x0A, 0x0D].contains($0) }
    switch start {
    case UInt8(ascii: "<"): return .other("HTML or XML text, perhaps a downloaded error page")
    case UInt8(ascii: "{"), UInt8(ascii: "["): return .other("JSON text")
    default: return .text
    }
  }

  /// Whether a database that no page size makes sense of is one that is encrypted and keeps the
  /// beginning of its header readable, as SQLCipher and others can.
  ///
  /// Each page of such a database ends in bytes that its cipher needs, and the header counts them.
  ///
  /// - Throws: ``ReadFailure`` when the file cannot be read.
  static func isEncryptedBehindHeader(_ source: any PageSource) throws(ReadFailure) -> Bool {
    let sample = try source.read(at: 0, count: 1 << 20)
    guard sample.count >= 1024, sample[20] >= 12 else { return false }
    return looksRandom(Bytes(sample.dropFirst(DatabaseHeader.byteCount)))
  }

  /// Whether every byte of a file is the same one; those of a hole are 0.
  private static func holdsOnly(
    _ byte: UInt8, _ source: any PageSource
  ) throws(ReadFailure) -> Bool {
    var offset = 0
    while let range = source.dataRange(from: offset) {
      guard byte == 0 || range.lowerBound == offset else { return false }
      let bytes = try source.read(at: range.lowerBound, count: min(range.count, 1 << 18))
      if bytes.isEmpty { break }
      guard bytes.allSatisfy({ $0 == byte }) else { return false }
      offset = range.lowerBound + bytes.count
    }
    return byte == 0 || offset == source.byteCount
  }

  private static func isText(_ bytes: Bytes) -> Bool {
    String(
      validating: bytes.prefix(4096).dropLast(min(3, max(0, bytes.count - 4093))), as: UTF8.self
    )
    .map { !$0.unicodeScalars.contains { $0.value < 9 } } ?? false
  }

  /// Whether the distribution of byte values is that of random data.
  ///
  /// A chi-squared test over the 256 byte values: six real SQLCipher files gave
  /// 233...284 at 255 degrees of freedom; the limit lies well above.
  private static func looksRandom(_ bytes: Bytes) -> Bool {
    guard bytes.count >= 512 else { return false }
    var counts = [Double](repeating: 0, count: 256)
    for byte in bytes { counts[Int(byte)] += 1 }
    let expected = Double(bytes.count) / 256
    let chiSquared = counts.reduce(0) { $0 + ($1 - expected) * ($1 - expected) / expected }
    return chiSquared < 360
  }
}
