// SPDX-License-Identifier: Apache-2.0
// Files that were sent as if they were text: what that did to them, and how it is undone.

import SQLiteFormat

/// What a transfer as text did to a file.
package enum TextTransfer: Hashable, Sendable {
  /// Every line feed became carriage return and line feed; so many were taken out again.
  case lineFeedsExpanded(removed: Int)
  /// Carriage returns before line feeds were dropped: nothing tells where.
  case carriageReturnsDropped
  /// Every byte that is not ASCII became the replacement character.
  case reencoded
}

extension TextTransfer {
  /// The files as they were before a transfer that can be undone, and what it did.
  ///
  /// - Throws: ``ReadFailure`` when a file cannot be read.
  static func undone(_ files: FileSet) throws(ReadFailure) -> (files: FileSet, TextTransfer?) {
    if try startsExpanded(files.main), let main = try LineFeedView(files.main),
      try PageVote(main, reserved: 0).weight > PageVote(files.main, reserved: 0).weight
    {
      let undone = FileSet(
        main: main, wal: try logUndone(files.wal), journal: files.journal,
        failures: files.failures, superJournalExists: files.superJournalExists)
      return (undone, .lineFeedsExpanded(removed: main.removedCount))
    }
    if try isReencoded(files.main) { return (files, .reencoded) }
    return (files, try lacksCarriageReturns(files.main) ? .carriageReturnsDropped : nil)
  }

  /// The log as it was before the transfer, where its header says that it went the same way.
  private static func logUndone(
    _ wal: (any PageSource)?
  ) throws(ReadFailure) -> (any PageSource)? {
    guard let wal, (try? WriteAheadLog(wal).committed.isEmpty) ?? true,
      let view = try LineFeedView(wal), (try? WriteAheadLog(view).committed.isEmpty) == false
    else { return wal }
    return view
  }

  /// Whether every line feed of a file follows a carriage return, over a run long enough to tell.
  ///
  /// A database has lone line feeds everywhere: the first byte of each index leaf is one.
  private static func startsExpanded(_ source: any PageSource) throws(ReadFailure) -> Bool {
    let bytes = try source.read(at: 0, count: 1 << 20)
    var pairs = 0
    var previous: UInt8 = 0
    for byte in bytes {
      if byte == 0x0A {
        guard previous == 0x0D else { return false }
        pairs += 1
      }
      previous = byte
    }
    return pairs >= 8
  }

  /// Whether all that is not ASCII is the replacement character, and there is much of it.
  private static func isReencoded(_ source: any PageSource) throws(ReadFailure) -> Bool {
    let bytes = try source.read(at: 0, count: 1 << 16)
    var replaced = 0
    var index = 0
    while index < bytes.count - 2 {
      if bytes[index] >= 0x80 {
        guard bytes.matches([0xEF, 0xBF, 0xBD], at: index) else { return false }
        replaced += 1
        index += 2
      }
      index += 1
    }
    return replaced >= 16
  }

  /// Whether a file that is too short has no carriage return before a line feed although, of so
  /// many of both, some should stand side by side.
  private static func lacksCarriageReturns(_ source: any PageSource) throws(ReadFailure) -> Bool {
    guard let header = DatabaseHeader(try source.read(at: 0, count: DatabaseHeader.byteCount)),
      header.hasMagic, header.geometry != nil, header.isPageCountValid,
      source.byteCount % header.pageSize != 0, source.byteCount / header.pageSize < header.pageCount
    else { return false }
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
          if previous == 0x0D { return false }
          feeds += 1
        }
        previous = byte
      }
    }
    return Double(returns) * Double(feeds) / Double(source.byteCount) >= 16
  }
}
