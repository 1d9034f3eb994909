// SPDX-License-Identifier: Apache-2.0
// Files that were sent as if they were text: what that did to them, and how it is undone.

import SQLiteFormat

/// What a transfer as text did to a file.
package enum TextTransfer: Hashable, Sendable {
  /// Every line feed became carriage return and line feed; so many were taken out again.
  case lineFeedsExpanded(removed: Int)
  /// Every byte above 127 became a character of Latin-1 in UTF-8; so many bytes were taken out again.
  case bytesWidened(removed: Int)
  /// Carriage returns before line feeds were dropped: nothing tells where.
  case carriageReturnsDropped
  /// Every carriage return was dropped, also those that were none: nothing tells where.
  case carriageReturnsRemoved
  /// Every byte that is not UTF-8 became the replacement character.
  case reencoded
  /// Every byte above 127 became a character of some code page, in UTF-8.
  case charactersWidened
  /// Every byte above 127 became a question mark.
  case questionMarks
  /// Every byte above 127 lost its highest bit, or was left out.
  case sevenBits
}

extension TextTransfer {
  /// The files as they were before a transfer that can be undone, and what it did.
  ///
  /// - Throws: ``ReadFailure`` when a file cannot be read.
  static func undone(_ files: FileSet) throws(ReadFailure) -> (files: FileSet, TextTransfer?) {
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
        main: main, wal: try logUndone(files.wal, pairing), journal: files.journal,
        failures: files.failures, superJournalExists: files.superJournalExists)
      return (undone, Self(pairing, removed: files.main.byteCount - main.byteCount))
    }
    if let replaced = replacement(in: head) { return (files, replaced) }
    return (files, try loss(of: files.main))
  }

  private init(_ pairing: BytePairing, removed: Int) {
    switch pairing {
    case .lineFeed: self = .lineFeedsExpanded(removed: removed)
    case .wideCharacter: self = .bytesWidened(removed: removed)
    }
  }

  /// The log as it was before the transfer, where its header says that it went the same way.
  private static func logUndone(
    _ wal: (any PageSource)?, _ pairing: BytePairing
  ) throws(ReadFailure) -> (any PageSource)? {
    guard let wal, (try? WriteAheadLog(wal).committed.isEmpty) ?? true,
      let view = try PairedBytesView(wal, pairing),
      (try? WriteAheadLog(view).committed.isEmpty) == false
    else { return wal }
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
      return .carriageReturnsRemoved
    }
    return Double(returns) * Double(feeds) / Double(source.byteCount) >= 16
      ? .carriageReturnsDropped : nil
  }
}
