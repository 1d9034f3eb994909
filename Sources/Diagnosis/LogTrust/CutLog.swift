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
    /// It has pages as the log has them, and others that are none of its versions.
    ///
    /// A checkpoint that was cut off leaves such a file, too, and so does an app that takes changes back.
    case possible
    /// It has what the log wrote, and what came after it.
    case proven
  }

  /// How many rows, or pages, are more than chance.
  private static let countMin = 3
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
    func content(_ frame: WriteAheadLog.Frame) -> Bytes? {
      try? source.read(at: frame.offset, count: log.pageSize)
    }
    // Pages and their first frames, or those that they are copies of.
    typealias Place = (page: PageNumber, index: Int)
    var (copied, later, strange) = ([Place](), [Place](), [Place]())
    var goesOn = false
    // Whether a later version of page 1 is one of those that were copied.
    var isFirstCopied = false
    for (page, frames) in Dictionary(grouping: log.committed, by: \.page) {
      guard let bytes = try? bare.bytes(of: page), !bytes.isZero else { continue }
      let last = frames[frames.count - 1]
      if content(last) == bytes {
        copied.append((page, last.index))
        // The first version may be what the page was before.
        let isLater = content(frames[0]) != bytes
        if isLater { later.append((page, last.index)) }
        if page == .first { isFirstCopied = isLater }
      } else if page == .first || frames.contains(where: { content($0) == bytes }) {
        // What was copied is the last version of all, and not one before it.
        advance = .none
        return
      } else if let leaf = try? bare.btreePage(page), leaf.layoutFaults.isEmpty {
        strange.append((page, frames[0].index))
        let versions = [frames[0], frames[frames.count - 1]].compactMap { frame in
          content(frame).flatMap { try? BTreePage($0, number: page, geometry: bare.geometry) }
        }
        goesOn = goesOn || leaf.goesOn(from: versions, atLeast: Self.countMin)
      }
    }
    // A checkpoint that did not come to its end has copied the pages before, which it takes in their order.
    let isInOrder = !strange.contains { other in
      later.contains { other.index <= $0.index && other.page < $0.page }
    }
    // What an app takes back is as it was before, on many pages; so is hardly page 1, which counts.
    let isMostlyCopied =
      isFirstCopied && later.count >= Self.countMin && copied.count > strange.count
    let lastCopied = copied.map(\.index).max() ?? -1
    if goesOn || isMostlyCopied && !isInOrder {
      advance = .proven
    } else if isCutOff, !later.isEmpty, strange.contains(where: { $0.index <= lastCopied }) {
      advance = .possible
    } else {
      advance = .none
    }
  }
}

extension BTreePage {
  /// Whether this leaf of a table has rows of its first version in a log, rows that came up to the last
  /// one, and newer ones: an app that takes back what it has deleted hardly leaves such a page.
  fileprivate func goesOn(from versions: [BTreePage], atLeast count: Int) -> Bool {
    guard kind == .tableLeaf, versions.count == 2 else { return false }
    let (own, first, last) = (rows, versions[0].rows, versions[1].rows)
    guard let newest = own.keys.max(), newest > last.keys.max() ?? .max else { return false }
    let old = first.count { own[$0.key] == $0.value }
    let new = last.count { first[$0.key] == nil && own[$0.key] == $0.value }
    return old >= count && new >= count
  }
}
