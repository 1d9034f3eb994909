// SPDX-License-Identifier: Apache-2.0
// Whether a database file is ahead of its own log, which was cut off since a checkpoint copied it: what
// is left of the log would put older pages over those of the file.
//
//   log as it was    7 v1 | 8 v1 | 7 v2 | 8 v2 | 9 v1 | 8 v3
//   file             7 v2   8 v3   9 v1
//   what is left     7 v1 | 8 v1 | 7 v2                        8 v3 is none of its versions

import SQLiteFormat

/// A log that does not come to its end, beside the file that it may have been copied to.
struct CutLog {
  /// How far the file is.
  enum Advance {
    /// Nothing shows that it is ahead of the log.
    case none
    /// It has pages that the log has in no version, and others that the log has; a checkpoint that was cut
    /// off leaves such a file, too.
    case possible
    /// So it has, and no checkpoint leaves such a file before the end of what is left: it writes one page
    /// after the other by their numbers.
    case proven
  }

  /// How many rows at least that the log has put on a page and the file has make it younger.
  private static let rowsMin = 3
  /// How many frames the log has at most for its pages to be compared.
  private static let framesMax = 1 << 14

  /// How far the file is.
  let advance: Advance

  /// Compares the pages of the file, which is `bare`, with their versions in the log; nil where that came
  /// to its end.
  ///
  /// A checkpoint copies the last version of each page. File format, section 4.2.
  init?(_ full: Image, beside bare: Image) {
    guard case .applied(let log) = full.wal, let source = full.files.wal, full.start == 0,
      full.journal.isUnused, log.committed.count <= Self.framesMax
    else { return nil }
    let isCutOff = if case .cutOff = log.ending { true } else { false }
    guard isCutOff || log.ending == .complete && !log.uncommitted.isEmpty else { return nil }
    var copied: [(page: PageNumber, index: Int, isLater: Bool)] = []
    var strange: [(page: PageNumber, index: Int)] = []
    var hasNewRows = false
    for (page, frames) in Dictionary(grouping: log.committed, by: \.page) where page != .first {
      guard let bytes = try? bare.bytes(of: page), !bytes.isZero else { continue }
      let place = frames.firstIndex {
        (try? source.read(at: $0.offset, count: log.pageSize)) == bytes
      }
      if let place {
        // A page may have been written as it was.
        copied.append((page, frames[place].index, place > 0))
      } else if let tree = try? bare.btreePage(page), tree.layoutFaults.isEmpty {
        strange.append((page, frames[0].index))
        hasNewRows = hasNewRows || Self.has(tree, rowsOf: frames, of: log, in: source)
      }
    }
    func isAhead(_ other: (page: PageNumber, index: Int), of copies: [(PageNumber, Int)]) -> Bool {
      copies.contains { page, index in other.index <= index && other.page < page }
    }
    let later = copied.filter(\.isLater).map { ($0.page, $0.index) }
    if hasNewRows || strange.contains(where: { isAhead($0, of: later) }) {
      advance = .proven
    } else if isCutOff, let last = copied.map(\.index).max(),
      strange.contains(where: { $0.index <= last })
    {
      advance = .possible
    } else {
      advance = .none
    }
  }

  /// Whether a leaf of a table has the rows that the log has put there from its first version of the
  /// page to its last one.
  private static func has(
    _ leaf: BTreePage, rowsOf frames: [WriteAheadLog.Frame], of log: WriteAheadLog,
    in source: any PageSource
  ) -> Bool {
    func rows(_ frame: WriteAheadLog.Frame) -> LeafRows? {
      let bytes = try? source.read(at: frame.offset, count: log.pageSize)
      return bytes.flatMap { try? BTreePage($0, number: leaf.number, geometry: leaf.geometry) }?
        .rows
    }
    guard leaf.kind == .tableLeaf, frames.count > 1, let first = rows(frames[0]),
      let last = rows(frames[frames.count - 1])
    else { return false }
    let (new, own) = (last.filter { first[$0.key] == nil }, leaf.rows)
    // Some may have gone since.
    let there = new.count { own[$0.key] == $0.value }
    return there >= rowsMin && there * 4 >= new.count * 3
  }
}
