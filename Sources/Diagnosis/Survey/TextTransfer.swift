// SPDX-License-Identifier: Apache-2.0
// Files that were sent as if they were text: what that did to them, and how it is undone.

import SQLiteFormat

/// What a transfer as text did to a file.
package enum TextTransfer: Hashable, Sendable {
  /// Every line feed became carriage return and line feed; so many were taken out again.
  case lineFeedsExpanded(removed: Int)
  /// Of its log alone, every line feed became carriage return and line feed; so many were taken out again.
  case logLineFeedsExpanded(removed: Int)
  /// Every byte above 127 became a character of Latin-1 in UTF-8; so many bytes were taken out again.
  case bytesWidened(removed: Int)
  /// So many bytes were put in after each block of so many, and taken out again: the end of a line, or
  /// what a disk keeps with each of its sectors.
  case blocksParted(block: Int, added: Int)
  /// It was saved with the lengths of so many chunks, in which HTTP sent it, and is read without them.
  case chunked(count: Int)
  /// Carriage returns before line feeds were dropped: nothing tells where.
  case carriageReturnsDropped
  /// Every carriage return was dropped, also those that were none: nothing tells where.
  case carriageReturnsRemoved
  /// Every carriage return became a line feed, and those before one were dropped: nothing tells where.
  case carriageReturnsReplaced
  /// Every byte that is not UTF-8 became the replacement character.
  case reencoded
  /// Every byte above 127 became a character of some code page, in UTF-8.
  case charactersWidened
  /// Every byte above 127 became a question mark.
  case questionMarks
  /// Every byte above 127 lost its highest bit, or was left out.
  case sevenBits

  /// Whether it made text of bytes, and did not only put something between them.
  var isText: Bool {
    switch self {
    case .chunked: false
    case .blocksParted(_, let added): added < Self.sectorRest
    default: true
    }
  }
}

extension TextTransfer {
  /// The files as they were before a transfer that can be undone, and what it did.
  ///
  /// - Throws: ``ReadFailure`` when a file cannot be read.
  static func undone(_ files: FileSet) throws(ReadFailure) -> (files: FileSet, TextTransfer?) {
    if let chunked = try ChunkedTransfer(files.main) {
      return (files.with(main: chunked.file), .chunked(count: chunked.count))
    }
    let head = try files.main.read(at: 0, count: 1 << 20)
    for pairing in [BytePairing.lineFeed, .wideCharacter] where starts(head, with: pairing) {
      guard let once = try PairedBytesView(files.main, pairing) else { continue }
      // Some programs do it twice: carriage return, carriage return and line feed.
      var main = once
      if pairing == .lineFeed, starts(try once.read(at: 0, count: 1 << 20), with: pairing) {
        main = try PairedBytesView(once, pairing) ?? once
      }
      guard try PageVote(main, reserved: 0).weight > PageVote(files.main, reserved: 0).weight
      else { continue }
      let undone = FileSet(
        main: main, wal: try logUndone(files.wal, pairing) ?? files.wal, journal: files.journal,
        failures: files.failures, superJournalExists: files.superJournalExists)
      return (undone, Self(pairing, removed: files.main.byteCount - main.byteCount))
    }
    if let view = try interleaved(files.main, head) {
      let undone = FileSet(
        main: view, wal: files.wal, journal: files.journal, failures: files.failures,
        superJournalExists: files.superJournalExists)
      return (undone, .blocksParted(block: view.block, added: view.added))
    }
    // Where the file tells nothing of it, the log has to.
    if let wal = files.wal, starts(try wal.read(at: 0, count: 1 << 20), with: .lineFeed),
      let log = try logUndone(wal, .lineFeed)
    {
      let undone = FileSet(
        main: files.main, wal: log, journal: files.journal, failures: files.failures,
        superJournalExists: files.superJournalExists)
      return (undone, .logLineFeedsExpanded(removed: wal.byteCount - log.byteCount))
    }
    if let replaced = replacement(in: head) { return (files, replaced) }
    return (files, try loss(of: files.main))
  }

  /// How many bytes are put in: the two of a line end, one of them, or those of a sector of 520.
  private static let lineEnds: [Bytes] = [[0x0D, 0x0A], [0x0A], [0x0D]]
  private static let sectorRest = 8
  /// From how many places on it tells that bytes were put in at each.
  private static let placesMin = 8
  /// How long lines and sectors are at most.
  private static let blockMax = 4096

  /// A file with the same after each so many bytes, without what was put in; nil for any other.
  ///
  /// Without it, the file is as long as the pages that it counts. What was put in may stand in the
  /// header, too, which counts them.
  private static func interleaved(
    _ main: any PageSource, _ head: Bytes
  ) throws(ReadFailure) -> InterleavedView? {
    guard head.matches(DatabaseHeader.magic) else { return nil }
    // A file that is no longer than its pages had nothing put in.
    if let header = DatabaseHeader(head.slice(0..<DatabaseHeader.byteCount)),
      header.geometry != nil, header.isPageCountValid,
      header.pageCount * header.pageSize >= main.byteCount
    {
      return nil
    }
    for (block, added) in lines(of: head) + [
      (Image.sectorSize, sectorRest), (blockMax, sectorRest),
    ] {
      let view = InterleavedView(main, block: block, added: added)
      guard let header = DatabaseHeader(try view.read(at: 0, count: DatabaseHeader.byteCount)),
        header.geometry != nil, header.isPageCountValid
      else { continue }
      let length = header.pageCount * header.pageSize
      // The last block may be a part of one, with or without what was put in behind it.
      guard (length...length + added).contains(view.byteCount),
        main.byteCount - view.byteCount >= placesMin * added,
        try PageVote(view, reserved: 0).weight > PageVote(main, reserved: 0).weight
      else { continue }
      return view.prefix(length)
    }
    return nil
  }

  /// After how many bytes the same line end stands again and again, and how long that is.
  private static func lines(of head: Bytes) -> [(block: Int, added: Int)] {
    lineEnds.flatMap { end in
      (DatabaseHeader.magic.count...blockMax).filter { block in
        head.matches(end, at: block)
          && stride(from: block, through: head.count - end.count, by: block + end.count)
            .allSatisfy { head.matches(end, at: $0) }
      }.map { ($0, end.count) }
    }
  }

  private init(_ pairing: BytePairing, removed: Int) {
    switch pairing {
    case .lineFeed: self = .lineFeedsExpanded(removed: removed)
    case .wideCharacter: self = .bytesWidened(removed: removed)
    }
  }

  /// A log as it was before the transfer, where its frames hold only so; nil where it did not go that
  /// way.
  private static func logUndone(
    _ wal: (any PageSource)?, _ pairing: BytePairing
  ) throws(ReadFailure) -> (any PageSource)? {
    guard let wal, (try? WriteAheadLog(wal).committed.isEmpty) ?? true,
      let view = try PairedBytesView(wal, pairing),
      (try? WriteAheadLog(view).committed.isEmpty) == false
    else { return nil }
    return view
  }

  /// Whether the beginning of a file has pairs alone where such a transfer leaves nothing else, and
  /// enough of them to tell.
  ///
  /// A database has lone line feeds everywhere: the first byte of each index leaf is one. And the
  /// first pointer above 127 stands alone.
  private static func starts(_ bytes: Bytes, with pairing: BytePairing) -> Bool {
    var pairs = 0
    var previous: UInt8?
    for byte in bytes {
      let last = previous
      previous = byte
      if let last, pairing.joined(last, byte) != nil {
        pairs += 1
        previous = nil
      } else if let last, pairing.isPaired(last) {
        return false
      }
    }
    return pairs >= 8
  }

  /// The fewest bytes of a database that tell, without its zeros.
  private static let bytesMin = 2048

  /// What a transfer made of bytes above 127, where the beginning of a file is valid UTF-8; nil where
  /// it is not.
  ///
  /// No database is: SQLite puts the first row at the end of its page, with less than 128 bytes up to
  /// a multiple of 256, or with a length of two bytes, the first of them above 127. Characters of the
  /// text in it that are not ASCII go through such a transfer unharmed.
  private static func replacement(in bytes: Bytes) -> Self? {
    // The last character may be cut off.
    guard (0...3).contains(where: { String(validating: bytes.dropLast($0), as: UTF8.self) != nil })
    else { return nil }
    if bytes.indices.count(where: { bytes.matches([0xEF, 0xBF, 0xBD], at: $0) }) >= 16 {
      return .reencoded
    }
    var counts = [Int](repeating: 0, count: 256)
    for byte in bytes { counts[Int(byte)] += 1 }
    let filled = bytes.count - counts[0]
    guard bytes.matches(DatabaseHeader.magic), filled >= bytesMin else { return nil }
    let wide = counts[0xC2...].reduce(0, +)
    if wide > 0 { return wide >= 16 ? .charactersWidened : nil }
    let marks = counts[Int(UInt8(ascii: "?"))]
    let others = max(counts[Int(UInt8(ascii: ">"))], counts[Int(UInt8(ascii: "@"))])
    return marks * 64 >= filled && marks >= 8 * others ? .questionMarks : .sevenBits
  }

  /// From how many pages on a database has carriage returns: the leaves of its tables begin with them.
  private static let pagesMin = 8

  /// Which carriage returns a file that is too short has lost; nil for none.
  ///
  /// It has none at all, or none before a line feed although, of so many of both, some should stand
  /// side by side.
  private static func loss(of source: any PageSource) throws(ReadFailure) -> Self? {
    guard let header = DatabaseHeader(try source.read(at: 0, count: DatabaseHeader.byteCount)),
      header.hasMagic, header.geometry != nil, header.isPageCountValid,
      source.byteCount % header.pageSize != 0, source.byteCount / header.pageSize < header.pageCount
    else { return nil }
    var (returns, feeds) = (0, 0)
    var previous: UInt8 = 0
    var offset = 0
    while let range = source.dataRange(from: offset) {
      let bytes = try source.read(at: range.lowerBound, count: min(range.count, 1 << 18))
      if bytes.isEmpty { break }
      if range.lowerBound > offset { previous = 0 }
      offset = range.lowerBound + bytes.count
      for byte in bytes {
        if byte == 0x0D { returns += 1 }
        if byte == 0x0A {
          if previous == 0x0D { return nil }
          feeds += 1
        }
        previous = byte
      }
    }
    if returns == 0, source.byteCount >= pagesMin * header.pageSize {
      // The schema table begins with 13 or 5, and nothing but the leaf of an index with 10.
      return try source.read(at: DatabaseHeader.byteCount, count: 1) == [0x0A]
        ? .carriageReturnsReplaced : .carriageReturnsRemoved
    }
    return Double(returns) * Double(feeds) / Double(source.byteCount) >= 16
      ? .carriageReturnsDropped : nil
  }
}
