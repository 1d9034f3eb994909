// SPDX-License-Identifier: Apache-2.0
// The segments of a rollback journal, one after the other: a header, and the records that it counts.
//
//   header | records | header | records …
//
// SQLite reads up to the first record that does not hold and the first header that is none. What was
// damaged there is one place: all records of a segment have the same nonce, and each checksum tells
// it, so that those behind the place prove by themselves that the journal goes on.

/// A walk over the segments of a journal.
struct JournalWalk {
  /// What a header says of the records behind it.
  struct Header {
    /// How many there are; nil where they go to the end of the file.
    let recordCount: Int?
    let nonce: UInt32
    let pageCount: Int
    let sectorSize: Int
    let pageSize: Int
  }

  /// How a segment ended.
  private enum Ending {
    /// The next one can begin there; the records went up to `end`.
    case next(Int, end: Int)
    /// Nothing of the journal follows.
    case end
  }

  /// How many sectors behind damage are searched for a header.
  private static let searchMax = 1 << 14
  /// How often each record may be read that no header counts.
  private static let readingsMax = 16

  private let source: any PageSource
  private let pageSize: Int
  private let sectorSize: Int
  /// The size of the database before the transaction, in pages, as the headers say.
  private(set) var pageCount: Int?
  /// The records that SQLite reads.
  private(set) var records: [RollbackJournal.Record] = []
  /// The records behind the first damage that belong to the same transaction.
  private(set) var continued: [RollbackJournal.Record] = []
  /// The records that a header counts and that do not hold.
  private var broken: [RollbackJournal.Record] = []
  /// Whether SQLite's reading ends before the journal does.
  private(set) var isBroken = false
  /// Whether records are lost.
  private(set) var isCut = false
  /// Whether what is read is behind the place where SQLite stops.
  private var isBehind = false
  private var seen: Set<PageNumber> = []
  /// How many records may still be read that may prove nothing: each header can be followed by such.
  private var patience: Int

  init(_ source: any PageSource, pageSize: Int, sectorSize: Int) {
    self.source = source
    self.pageSize = pageSize
    self.sectorSize = sectorSize
    patience = Self.readingsMax * (source.byteCount / (pageSize + 8) + 1)
  }

  private var recordSize: Int { pageSize + 8 }

  /// The records that do not hold, of pages that no other record has.
  var unproven: [RollbackJournal.Record] { broken.filter { !seen.contains($0.page) } }

  /// The page that holds the byte for locks; the name of a super-journal begins with its number.
  private var lockPage: Int { (1 << 30) / pageSize + 1 }

  /// Reads the segments, the first of which has this header; nil where it is damaged.
  mutating func run(from first: Header?) throws(FormatError) {
    pageCount = first?.pageCount
    isBehind = first == nil
    var header = first
    var nonce: UInt32?
    var (start, end) = (0, 0)
    while true {
      var ending: Ending?
      if let header {
        ending = try segment(header, at: start)
        nonce = header.nonce
      } else {
        if start > 0, try endsCleanly(at: start) { return }
        // The count of the segment before can be too small.
        if let nonce { ending = try rest(from: end, nonce) }
        if ending == nil {
          ending = try rest(from: start + sectorSize, nil)
        }
        nonce = nil
        if ending != nil { isBroken = true }
        if ending == nil, try isCutHeader(at: start) { (isBroken, isCut) = (true, true) }
      }
      guard case .next(let place, let last)? = ending else {
        guard ending == nil, isBroken, let found = try search(from: start) else { return }
        isCut = true
        (start, header) = (found.start, found.header)
        continue
      }
      (start, end) = (place, last)
      header = try self.header(at: start)
    }
  }

  /// Reads the records that a header counts.
  private mutating func segment(_ header: Header, at start: Int) throws(FormatError) -> Ending {
    var offset = start + sectorSize
    var nonce = header.nonce
    let fits = max(0, source.byteCount - offset) / recordSize
    let count = header.recordCount ?? fits
    for _ in 0..<min(count, fits) {
      let bytes = try source.bytes(at: offset, count: recordSize)
      let stated = Int(bytes.big32(at: 0) ?? 0)
      if stated == lockPage { return .end }
      if let number = PageNumber(stated), own(bytes) == nonce {
        add(RollbackJournal.Record(page: number, offset: offset + 4))
      } else if stated == 0 || stated <= header.pageCount {
        let isFirst = offset == start + sectorSize
        let other = try commonNonce(from: offset)
        // Where SQLite does not count, nothing is synchronized: those of an earlier transaction can
        // follow, behind one that was being written.
        if header.recordCount == nil {
          let earlier = if let other { other } else { try commonNonce(from: offset + recordSize) }
          if let earlier, earlier != nonce { return .end }
        }
        (isBroken, isBehind) = (true, true)
        if !isFirst, try self.header(at: place(behind: offset)) != nil { break }
        if isFirst, let other, let number = PageNumber(stated) {
          nonce = other
          add(RollbackJournal.Record(page: number, offset: offset + 4))
        } else {
          isCut = true
          if let number = PageNumber(stated) {
            broken.append(RollbackJournal.Record(page: number, offset: offset + 4))
          }
        }
      }
      offset += recordSize
    }
    if count > fits, offset >= start + sectorSize + fits * recordSize {
      (isBroken, isCut) = (true, true)
    }
    return .next(place(behind: offset), end: offset)
  }

  /// Reads records that no header counts, as long as they have one nonce; nil where they prove
  /// nothing.
  private mutating func rest(
    from start: Int, _ known: UInt32?
  ) throws(FormatError) -> Ending? {
    var offset = start
    var nonce = known
    var found: [RollbackJournal.Record] = []
    var pages: Set<PageNumber> = []
    while offset + recordSize <= source.byteCount, patience > 0 {
      patience -= 1
      let bytes = try source.bytes(at: offset, count: recordSize)
      // A transaction keeps a page once: one that comes again is of an earlier one.
      guard let number = PageNumber(bytes.big32(at: 0) ?? 0), let own = own(bytes),
        own == nonce ?? own, number.number <= pageCount ?? .max, number.number != lockPage,
        !seen.contains(number), pages.insert(number).inserted
      else { break }
      nonce = own
      found.append(RollbackJournal.Record(page: number, offset: offset + 4))
      offset += recordSize
    }
    let next = place(behind: offset)
    let wasBehind = isBehind
    isBehind = true
    let isFollowed = try header(at: next) != nil
    // Any record has a nonce: one alone proves nothing unless a header follows. Records that are not
    // counted yet are those of the last header.
    guard !found.isEmpty, isFollowed || known == nil && found.count > 1 else {
      isBehind = wasBehind
      return nil
    }
    for record in found { add(record) }
    // What else is there may have been of it.
    if !isFollowed, source.byteCount - next >= sectorSize, try !endsCleanly(at: next) {
      isCut = true
    }
    return .next(next, end: offset)
  }

  private mutating func add(_ record: RollbackJournal.Record) {
    seen.insert(record.page)
    if isBehind { continued.append(record) } else { records.append(record) }
  }

  /// The nonce that this record and the next one have in common; nil where they have none.
  private func commonNonce(from offset: Int) throws(FormatError) -> UInt32? {
    var nonce: UInt32?
    for place in [offset, offset + recordSize] {
      let bytes = try source.bytes(at: place, count: recordSize)
      guard let stated = bytes.big32(at: 0), stated > 0, stated <= pageCount ?? .max,
        let own = own(bytes), own == nonce ?? own
      else { return nil }
      nonce = own
    }
    return nonce
  }

  /// Where the next header can be.
  private func place(behind offset: Int) -> Int {
    (offset + sectorSize - 1) / sectorSize * sectorSize
  }

  /// The header at a place, which has all of a sector; behind damage, only one of this transaction.
  private mutating func header(at place: Int) throws(FormatError) -> Header? {
    guard place + sectorSize <= source.byteCount,
      let header = try Self.header(of: source, at: place)
    else { return nil }
    guard isBehind else { return header }
    guard header.pageCount == pageCount ?? header.pageCount, header.sectorSize == sectorSize else {
      return nil
    }
    pageCount = header.pageCount
    return header
  }

  /// Whether the journal ends inside the sector of a header: those are written as a whole.
  private func isCutHeader(at place: Int) throws(FormatError) -> Bool {
    guard place + sectorSize > source.byteCount else { return false }
    return try source.bytes(at: place, count: RollbackJournal.magic.count)
      .elementsEqual(RollbackJournal.magic)
  }

  /// Whether no header that counts is there because of what SQLite does: it marks that of an earlier
  /// transaction, and completes its own when the records behind it are on the disk.
  ///
  /// Before that, no page of the database is written. What lies behind is of an earlier transaction.
  private func endsCleanly(at place: Int) throws(FormatError) -> Bool {
    let bytes = try source.bytes(at: place, count: 28)
    let isMarked =
      bytes.first == 0
      && bytes.prefix(8).dropFirst().elementsEqual(RollbackJournal.magic.dropFirst())
    return isMarked
      || bytes.count == 28 && bytes.prefix(12).allSatisfy { $0 == 0 }
        && bytes.big32(at: 20) == UInt32(sectorSize) && bytes.big32(at: 24) == UInt32(pageSize)
  }

  /// The next header of this transaction behind damage.
  private mutating func search(
    from start: Int
  ) throws(FormatError) -> (start: Int, header: Header)? {
    isBehind = true
    for index in 1...Self.searchMax {
      let place = start + index * sectorSize
      guard place + sectorSize <= source.byteCount else { return nil }
      if let header = try header(at: place) { return (place, header) }
    }
    return nil
  }

  private func own(_ bytes: Bytes) -> UInt32? { Self.nonce(of: bytes, pageSize: pageSize) }

  /// The nonce that the checksum of a record tells; nil where the record is not whole.
  ///
  /// File format, section 3.
  static func nonce(of bytes: Bytes, pageSize: Int) -> UInt32? {
    guard bytes.count == pageSize + 8, let stored = bytes.big32(at: pageSize + 4) else {
      return nil
    }
    return stride(from: pageSize - 200, to: 0, by: -200).reduce(stored) { rest, index in
      rest &- UInt32(bytes[4 + index])
    }
  }

  /// The header at a place; nil where there is none.
  static func header(
    of source: some PageSource, at offset: Int
  ) throws(FormatError) -> Header? {
    let bytes = try source.bytes(at: offset, count: 28)
    guard bytes.count == 28, bytes.matches(RollbackJournal.magic) else { return nil }
    let count = bytes.big32(at: 8) ?? 0
    return Header(
      recordCount: count == .max ? nil : Int(count), nonce: bytes.big32(at: 12) ?? 0,
      pageCount: Int(bytes.big32(at: 16) ?? 0), sectorSize: Int(bytes.big32(at: 20) ?? 0),
      pageSize: Int(bytes.big32(at: 24) ?? 0))
  }
}
