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
  /// The records that SQLite plays back, in order: those before the first that does not hold.
  package let records: [Record]
  /// The records behind damage that are of the same transaction, as their checksums prove; SQLite
  /// does not get to them.
  package private(set) var continued: [Record] = []
  /// The records that should be of the transaction and do not hold: their pages, or the checksums
  /// alone, are damaged.
  package let unproven: [Record]
  /// Whether something of it was damaged before its end: SQLite reads up to there.
  package let isBroken: Bool
  /// Whether records of it are lost: pages that the transaction changed have no other copy.
  package private(set) var isCut: Bool
  /// Whether a header behind the first one is there, where that was lost.
  package private(set) var hasLaterSegments = false
  /// The super-journal of a transaction over several databases, by name.
  package let superJournal: Bytes?

  /// The magic of a journal's header.
  package static let magic: [UInt8] = [0xD9, 0xD5, 0x05, 0xF9, 0x20, 0xA1, 0x63, 0xD7]
  /// The fewest bytes of a journal that SQLite looks into: a sector, before it knows how large one
  /// was.
  static let headSize = 512
  /// The bytes of the first header, which a commit overwrites with zeros where the journal stays.
  package static let retiredHeadSize = 28
  /// The sizes that a sector can have.
  private static let sectorSizes = [512, 1024, 2048, 4096, 8192, 16384, 32768, 65536]
  /// The longest name of a super-journal that SQLite reads.
  private static let nameMax = 512
}

extension RollbackJournal {
  /// Reads a journal.
  ///
  /// - Throws: ``FormatError`` when the header is not that of a journal: it was
  ///   zeroed after a commit, and nothing of it counts.
  package init(_ source: some PageSource, databasePageSize: Int?) throws(FormatError) {
    let first = source.byteCount < Self.headSize ? nil : try JournalWalk.header(of: source, at: 0)
    guard let first else { throw FormatError(.notAJournal, offset: 0) }
    // Very old journals have no page size: the database's counts.
    let pageSize = first.pageSize == 0 ? databasePageSize : first.pageSize
    guard let pageSize, Geometry.pageSizes.contains(pageSize),
      (32...65536).contains(first.sectorSize), first.sectorSize.nonzeroBitCount == 1
    else { throw FormatError(.journalSizes, offset: 20) }
    self.pageSize = pageSize
    pageCount = first.pageCount
    superJournal = try Self.superJournal(of: source)

    var walk = JournalWalk(source, pageSize: pageSize, sectorSize: first.sectorSize)
    try walk.run(from: first)
    records = walk.records
    continued = walk.continued
    unproven = walk.unproven
    isBroken = walk.isBroken
    isCut = walk.isCut
  }

  /// Reads a journal of which the first header is damaged, or was overwritten when its transaction
  /// was committed; nil where no records prove that it is one.
  ///
  /// No record of it is one that SQLite plays back. What the database had for its size is told by a
  /// later header, or else by `pageCount`, which is given the first page of before, where that is
  /// there.
  ///
  /// - Throws: ``FormatError`` when the journal cannot be read.
  package init?(
    headless source: some PageSource, pageSize: Int, pageCount: (Record?) -> Int?
  ) throws(FormatError) {
    var best: JournalWalk?
    for sectorSize in Self.sectorSizes {
      var walk = JournalWalk(source, pageSize: pageSize, sectorSize: sectorSize)
      try walk.run(from: nil)
      if walk.continued.count > best?.continued.count ?? 0 { best = walk }
    }
    guard let best,
      let count = best.pageCount ?? pageCount(best.continued.first { $0.page == .first })
    else { return nil }
    hasLaterSegments = best.pageCount != nil
    self.pageSize = pageSize
    self.pageCount = count
    records = []
    continued = best.continued
    unproven = best.unproven
    isBroken = true
    isCut = best.isCut
    superJournal = try Self.superJournal(of: source)
  }

  /// All records that are proven to be of the transaction.
  package var allRecords: [Record] { records + continued }

  /// The journal as far as SQLite reads it.
  package var withoutContinuation: RollbackJournal {
    var journal = self
    journal.continued = []
    journal.isCut = isBroken
    return journal
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
    for sectorSize in sectorSizes {
      var records: [Record] = []
      var nonce: UInt32?
      var offset = sectorSize
      while offset + pageSize + 8 <= source.byteCount {
        let bytes = try source.bytes(at: offset, count: pageSize + 8)
        guard let page = PageNumber(bytes.big32(at: 0) ?? 0),
          let own = JournalWalk.nonce(of: bytes, pageSize: pageSize), own == nonce ?? own
        else { break }
        nonce = own
        records.append(Record(page: page, offset: offset + 4))
        offset += pageSize + 8
      }
      if records.count > max(1, best.count) { best = records }
    }
    return best
  }

  /// The name at a journal's end: name, length, sum of its bytes, magic; nil where there is none.
  ///
  /// SQLite looks for it whatever the journal begins with. Section 3.
  ///
  /// - Throws: ``FormatError`` when the journal cannot be read.
  package static func superJournal(of source: some PageSource) throws(FormatError) -> Bytes? {
    guard source.byteCount >= 16 else { return nil }
    let tail = try source.bytes(at: source.byteCount - 16, count: 16)
    guard tail.count == 16, tail.matches(magic, at: 8), let length = tail.big32(at: 0),
      length > 0, length <= nameMax, Int(length) <= source.byteCount - 16
    else { return nil }
    let start = source.byteCount - 16 - Int(length)
    let name = try source.bytes(at: start, count: Int(length))
    let sum = name.reduce(UInt32(0)) { $0 &+ UInt32(bitPattern: Int32(Int8(bitPattern: $1))) }
    return sum == tail.big32(at: 4) && name.first != 0 ? name : nil
  }
}
