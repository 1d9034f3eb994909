// SPDX-License-Identifier: Apache-2.0
// Which pages of a log are in the database file already, and which are not.
//
// A checkpoint copies the last version of each page up to some commit, and only then counts its
// frames as copied:
//
//   done, or held up by a reader    every page up to a commit, and none behind it
//   cut off                         some pages of a transaction, and others of it not
//   begun at a wrong frame          the pages of the later frames, and none of the earlier ones

package import SQLiteFormat

/// Which pages of a log are in the database file, and which are not.
///
/// File format, section 4.3 ("Checkpoint").
package struct CheckpointProgress: Hashable, Sendable {
  /// The last frame of each page that the file has as the log has it.
  private let copied: [WriteAheadLog.Frame]
  /// The last frame of each page that the file has otherwise, or not at all.
  private let missing: [WriteAheadLog.Frame]
  /// Where transactions end in the log, by frame.
  private let commits: [Int]

  /// The most pages that are compared.
  private static let comparedMax = 1 << 13
  /// How many pages have to be on either side: one or two may have become again what they were.
  private static let pagesMin = 3

  /// Compares a log with the file that it is applied to; nil where no log is, or it says too little.
  package init?(of image: Image) {
    guard image.start == 0, case .applied(let log) = image.wal, log.continued.isEmpty,
      let wal = image.files.wal
    else { return nil }
    let last = Dictionary(log.committed.map { ($0.page, $0) }) { _, later in later }
    guard last.count <= Self.comparedMax else { return nil }
    var (copied, missing): ([WriteAheadLog.Frame], [WriteAheadLog.Frame]) = ([], [])
    for frame in last.values where frame.flip == nil {
      guard let new = try? wal.read(at: frame.offset, count: log.pageSize) else { return nil }
      let place = (frame.page.number - 1) * log.pageSize
      let now = try? image.files.main.read(at: place, count: log.pageSize)
      if now == new { copied.append(frame) } else { missing.append(frame) }
    }
    guard copied.count >= Self.pagesMin, missing.count >= Self.pagesMin else { return nil }
    self.copied = copied
    self.missing = missing
    commits = log.committed.filter { $0.commitPageCount != nil }.map(\.index)
  }

  /// How many pages are in the file.
  var copiedCount: Int { copied.count }
  /// How many pages are not in the file.
  var missingCount: Int { missing.count }
  /// The last frame that is not in the file, counted from 1.
  var lastMissing: Int { (missing.map(\.index).max() ?? 0) + 1 }

  /// Whether a checkpoint stopped on its way: some pages of a transaction are in the file, and others
  /// of the same are not.
  ///
  /// A reader holds a checkpoint up between two transactions only, and one that begins at a wrong
  /// frame copies none before it.
  package var isCutOff: Bool {
    guard let end = copied.map(\.index).max(), let commit = commits.first(where: { $0 >= end }),
      copied.count(where: { $0.index < lastMissing }) >= Self.pagesMin
    else { return false }
    return missing.contains { $0.index <= commit }
  }

  /// Whether the pages of the first frames are not in the file and those of all later ones are.
  var isBegunLate: Bool { copied.allSatisfy { $0.index >= lastMissing } }

  /// How often pages that are in the file and pages that are not take turns, in the order of their
  /// numbers.
  ///
  /// Checkpoints and copies take pages in that order: one that is cut off leaves one turn, and a copy
  /// of it two more.
  var turns: Int {
    let pages =
      copied.map { (page: $0.page, isThere: true) }
      + missing.map { (page: $0.page, isThere: false) }
    let order = pages.sorted { $0.page < $1.page }.map(\.isThere)
    return zip(order, order.dropFirst()).count { $0 != $1 }
  }

  /// Whether those that are in the file are neither its first pages nor its last ones, as they are in
  /// a copy that was taken meanwhile.
  var isScattered: Bool {
    guard let low = copied.map(\.page).min(), let high = copied.map(\.page).max() else {
      return false
    }
    return missing.contains { $0.page < high } && missing.contains { $0.page > low }
  }
}
