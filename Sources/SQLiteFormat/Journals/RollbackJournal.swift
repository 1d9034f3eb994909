// SPDX-License-Identifier: Apache-2.0
// The rollback journal beside a database: pages as they were before a transaction.
//
// header, padded to a sector     record
// offset size                    offset size
//      0    8 magic                   0    4 page number
//      8    4 records; −1: to end     4      the page
//     12    4 nonce                   .    4 checksum: nonce + every 200th byte
//     16    4 first size in pages
//     20    4 sector size
//     24    4 page size

/// What a rollback journal holds.
///
/// File format, section 3.
package struct RollbackJournal: Sendable {
  /// One page as it was before the transaction.
  package struct Record: Hashable, Sendable {
    /// The page's number.
    package let page: PageNumber
    /// Where the page starts in the journal.
    package let offset: Int
  }

  /// The page size that the journal states.
  package let pageSize: Int
  /// The size of the database in pages before the transaction.
  package let pageCount: Int
  /// The records whose checksums hold, in order.
  package let records: [Record]
  /// Whether a record before the stated end does not hold.
  package let isBroken: Bool
  /// The super-journal of a transaction over several databases, by name.
  package let superJournal: Bytes?

  /// The magic of a journal's header.
  package static let magic: [UInt8] = [0xD9, 0xD5, 0x05, 0xF9, 0x20, 0xA1, 0x63, 0xD7]
  /// The fewest bytes of a journal that SQLite looks into: a sector, before it knows how large one
  /// was.
  static let headSize = 512
  /// The byte of a database that is only ever locked; its page is in no journal.
  private static let lockByte = 1 << 30
  /// The longest name of a super-journal that SQLite reads.
  private static let nameMax = 512
}

extension RollbackJournal {
  /// Reads a journal.
  ///
  /// - Throws: ``FormatError`` when the header is not that of a journal: it was
  ///   zeroed after a commit, and nothing of it counts.
  package init(_ source: some PageSource, databasePageSize: Int?) throws(FormatError) {
    let first = source.byteCount < Self.headSize ? nil : try Self.header(of: source, at: 0)
    guard let first else { throw FormatError(.notAJournal, offset: 0) }
    // Very old journals have no page size: the database's counts.
    let pageSize = first.pageSize == 0 ? databasePageSize : first.pageSize
    guard let pageSize, Geometry.pageSizes.contains(pageSize),
      (32...65536).contains(first.sectorSize), first.sectorSize.nonzeroBitCount == 1
    else { throw FormatError(.journalSizes, offset: 20) }
    self.pageSize = pageSize
    pageCount = first.pageCount
    superJournal = try Self.superJournal(of: source)

    let end = source.byteCount
    var records: [Record] = []
    var isBroken = false
    var header: Header? = first
    var start = 0
    reading: while let current = header {
      var offset = start + first.sectorSize
      let fits = max(0, end - offset) / (pageSize + 8)
      let count = current.recordCount ?? fits
      if count > fits { isBroken = true }
      for _ in 0..<min(count, fits) {
        let bytes = try Self.read(source, at: offset, count: pageSize + 8)
        let stated = Int(bytes.big32(at: 0) ?? 0)
        // Where no page can be, the name of a super-journal begins.
        if stated == Self.lockByte / pageSize + 1 { break reading }
        let holds =
          bytes.big32(at: pageSize + 4)
          == Self.checksum(bytes, pageSize: pageSize, nonce: current.nonce)
        if let number = PageNumber(stated), holds {
          records.append(Record(page: number, offset: offset + 4))
        } else if stated == 0 || stated <= first.pageCount {
          isBroken = true
          break reading
        }
        offset += pageSize + 8
      }
      if isBroken { break }
      // The next header, if any, starts at the next sector, and has all of it.
      start = (offset + first.sectorSize - 1) / first.sectorSize * first.sectorSize
      header = start + first.sectorSize <= end ? try Self.header(of: source, at: start) : nil
    }
    self.records = records
    self.isBroken = isBroken
  }

  /// The records of a journal whose first header was overwritten when its transaction was committed.
  ///
  /// The nonce went with the header, but each record's checksum tells it: of a journal, all have
  /// the same. Fewer than two records prove nothing. Section 3.
  ///
  /// - Throws: ``FormatError`` when the journal cannot be read.
  package static func retiredRecords(
    of source: some PageSource, pageSize: Int
  ) throws(FormatError) -> [Record] {
    var best: [Record] = []
    for sectorSize in [512, 1024, 2048, 4096, 8192, 16384, 32768, 65536] {
      var records: [Record] = []
      var nonce: UInt32?
      var offset = sectorSize
      while offset + pageSize + 8 <= source.byteCount {
        let bytes = try read(source, at: offset, count: pageSize + 8)
        guard let page = PageNumber(bytes.big32(at: 0) ?? 0),
          let stored = bytes.big32(at: pageSize + 4)
        else { break }
        let own = stored &- checksum(bytes, pageSize: pageSize, nonce: 0)
        guard own == nonce ?? own else { break }
        nonce = own
        records.append(Record(page: page, offset: offset + 4))
        offset += pageSize + 8
      }
      if records.count > max(1, best.count) { best = records }
    }
    return best
  }

  private struct Header {
    let recordCount: Int?
    let nonce: UInt32
    let pageCount: Int
    let sectorSize: Int
    let pageSize: Int
  }

  private static func header(
    of source: some PageSource, at offset: Int
  ) throws(FormatError) -> Header? {
    let bytes = try read(source, at: offset, count: 28)
    guard bytes.count == 28, bytes.matches(magic) else { return nil }
    let count = bytes.big32(at: 8) ?? 0
    return Header(
      recordCount: count == .max ? nil : Int(count), nonce: bytes.big32(at: 12) ?? 0,
      pageCount: Int(bytes.big32(at: 16) ?? 0), sectorSize: Int(bytes.big32(at: 20) ?? 0),
      pageSize: Int(bytes.big32(at: 24) ?? 0))
  }

  /// The name at a journal's end: name, length, sum of its bytes, magic; nil where there is none.
  ///
  /// SQLite looks for it whatever the journal begins with. Section 3.
  ///
  /// - Throws: ``FormatError`` when the journal cannot be read.
  package static func superJournal(of source: some PageSource) throws(FormatError) -> Bytes? {
    guard source.byteCount >= 16 else { return nil }
    let tail = try read(source, at: source.byteCount - 16, count: 16)
    guard tail.count == 16, tail.matches(magic, at: 8), let length = tail.big32(at: 0),
      length > 0, length <= nameMax, Int(length) <= source.byteCount - 16
    else { return nil }
    let name = try read(source, at: source.byteCount - 16 - Int(length), count: Int(length))
    let sum = name.reduce(UInt32(0)) { $0 &+ UInt32(bitPattern: Int32(Int8(bitPattern: $1))) }
    return sum == tail.big32(at: 4) && name.first != 0 ? name : nil
  }

  private static func checksum(_ bytes: Bytes, pageSize: Int, nonce: UInt32) -> UInt32 {
    guard bytes.count == pageSize + 8 else { return ~nonce }
    return stride(from: pageSize - 200, to: 0, by: -200).reduce(nonce) { sum, index in
      sum &+ UInt32(bytes[4 + index])
    }
  }

  private static func read(
    _ source: some PageSource, at offset: Int, count: Int
  ) throws(FormatError) -> Bytes {
    do {
      return try source.read(at: offset, count: count)
    } catch {
      throw FormatError(.unreadable(error.reason), offset: offset)
    }
  }
}
