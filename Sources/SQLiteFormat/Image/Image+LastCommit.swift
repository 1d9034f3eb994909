// SPDX-License-Identifier: Apache-2.0
// The database without the transaction that was committed last to its write-ahead log.

extension Image {
  /// The database without the last transaction of its log; nil where it has no such log.
  ///
  /// A writer puts a transaction into the log first, and then into the index of the log: in between,
  /// and for ever if it ends there, those who have the database open get the state before.
  package var beforeLastCommit: Image? {
    guard case .applied(let log) = wal, log.continued.isEmpty, !log.committed.isEmpty,
      !overlay.values.contains(where: { $0.origin == .journal })
    else { return nil }
    let earlier = log.committed.dropLast()
    let count = earlier.lastIndex { $0.commitPageCount != nil }.map { $0 + 1 } ?? 0
    let frames = earlier.prefix(count)
    var overlay: [PageNumber: Located] = [:]
    for frame in frames { overlay[frame.page] = Located(origin: .wal, offset: frame.offset) }
    return Image(
      self, overlay: overlay,
      pageCount: Self.pageCount(pagesInFile, overlay, stated: frames.last?.commitPageCount))
  }
}
