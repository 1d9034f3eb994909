// SPDX-License-Identifier: Apache-2.0
// Commits that a log has lost in beginning anew: they are neither in the file nor in the log.
//
// A log is begun anew only after all of its frames were copied into the file. What is left behind the
// new frames therefore is in the file, page by page, but for pages that the new frames have. Where a
// checkpoint began at a wrong frame, the pages of the frames before that one are not:
//
//   frames    new │ before: 60 … 99        │ before: 100 … 140
//   file          │ has none of their pages │ has all of their pages

import SQLiteFormat

/// Pages that the generation before had, and that are neither in the file nor in the log now.
struct LostGeneration {
  /// Their last frames.
  let missing: [WriteAheadLog.Frame]
  /// The last frames of the pages that are in the file.
  private let copied: [WriteAheadLog.Frame]
  /// Whether the log was begun from a state before the one that it should go on from.
  private let isFromBefore: Bool

  /// How many pages have to be on either side.
  private static let pagesMin = 3
  /// How many pages have to be known for their order to be more than chance.
  private static let orderedMin = 12

  /// Compares what is left of the generation before with the file; nil where nothing is missing, or
  /// its order tells nothing.
  init?(of image: Image) {
    guard image.start == 0, let log = image.wal.log, log.pageSize == image.geometry.pageSize,
      !log.older.isEmpty, let wal = image.files.wal,
      let head = try? image.files.main.read(at: 0, count: DatabaseHeader.byteCount),
      DatabaseHeader(head)?.isWAL == true
    else { return nil }
    let before = log.generationBefore(in: wal)
    guard let end = before.last?.commitPageCount else { return nil }
    let size = log.pageSize
    let pages = min(end, image.files.main.byteCount / size)
    let now = Set(log.committed.map(\.page))
    let last = Dictionary(before.map { ($0.page, $0) }) { _, later in later }
    var (copied, missing): ([WriteAheadLog.Frame], [WriteAheadLog.Frame]) = ([], [])
    for frame in last.values where frame.page.number <= pages && !now.contains(frame.page) {
      guard let old = try? wal.read(at: frame.offset, count: size),
        let page = try? image.files.main.read(at: (frame.page.number - 1) * size, count: size)
      else { return nil }
      if old == page { copied.append(frame) } else { missing.append(frame) }
    }
    guard copied.count >= Self.pagesMin, missing.count >= Self.pagesMin,
      let end = missing.map(\.index).max(), copied.allSatisfy({ $0.index > end })
    else { return nil }
    self.copied = copied
    self.missing = missing.sorted { $0.page < $1.page }
    isFromBefore = Self.isFromBefore(log, after: last, end: before.last, image, wal)
  }

  /// Whether a log went on from a state before the last commit of the generation before, as its own
  /// frames tell.
  ///
  /// A page is like the one that it was made from. A writer that had the last ones in its memory goes
  /// on from those, whatever is in the file.
  private static func isFromBefore(
    _ log: WriteAheadLog, after last: [PageNumber: WriteAheadLog.Frame],
    end: WriteAheadLog.Frame?, _ image: Image, _ wal: any PageSource
  ) -> Bool {
    let commit = log.committed.first { $0.commitPageCount != nil }
    let first = log.committed.first { $0.page == .first }
    // A commit that changes the number of pages writes page 1, which counts them.
    if let commit, commit.commitPageCount != end?.commitPageCount,
      first.map({ $0.index > commit.index }) ?? true
    {
      return true
    }
    let size = log.pageSize
    var votes = 0
    var seen: Set<PageNumber> = []
    for frame in log.committed.prefix(comparedMax) where seen.insert(frame.page).inserted {
      guard let old = last[frame.page],
        let new = try? wal.read(at: frame.offset, count: size),
        let before = try? wal.read(at: old.offset, count: size),
        let file = try? image.files.main.read(at: (frame.page.number - 1) * size, count: size),
        file.count == size, before.count == size, new.count == size, file != before, file != new
      else { continue }
      let toFile = zip(new, file).count { $0 != $1 }
      let toBefore = zip(new, before).count { $0 != $1 }
      if toFile != toBefore { votes += toFile < toBefore ? 1 : -1 }
    }
    return votes > 0
  }

  /// The most frames of the new generation that are looked at.
  private static let comparedMax = 256

  /// Whether nothing else leaves such an order.
  ///
  /// A copy that is taken while a checkpoint runs has pages of before up to some page, and those of
  /// after from there on; the new frames go on from the whole of them.
  var isProof: Bool {
    guard copied.count + missing.count >= Self.orderedMin else { return false }
    if isFromBefore { return true }
    let pages =
      copied.map { (page: $0.page, isThere: true) }
      + missing.map { (page: $0.page, isThere: false) }
    let order = pages.sorted { $0.page < $1.page }.map(\.isThere)
    return zip(order, order.dropFirst()).count { $0 != $1 } >= 2
  }
}
