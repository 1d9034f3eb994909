// SPDX-License-Identifier: Apache-2.0
// Pages that a file holds twice, the second time right behind the first: as many as it has more than
// its header counts. Where tables look alike, nothing else tells that every page behind has moved.
//
//   pages of the file    1 2 3 4 5 | 3' 4' 5' | 6 7 …
//   their numbers        1 2 3 4 5 |          | 6 7 …

import SQLiteFormat

/// A block of pages that stands in a file twice.
struct DoubledPages {
  /// The first page of the copy, by where it lies.
  let first: PageNumber
  /// The file without the copy.
  let file: RejoinedFile

  /// Looks for a block whose copy makes a file as much longer than its header says, and behind which
  /// there are others.
  ///
  /// - Throws: ``ReadFailure`` when the file cannot be read.
  init?(_ source: any PageSource, _ geometry: Geometry, statedCount: Int) throws(ReadFailure) {
    let pageSize = geometry.pageSize
    guard source.byteCount % pageSize == 0 else { return nil }
    let pageCount = source.byteCount / pageSize
    let count = pageCount - statedCount
    // Behind the end lies the rest of a file that shrank: a copy in it, or before nothing but it, says
    // nothing.
    guard count > 0, 2 * count < pageCount, pageCount <= PageRoll.pageMax else { return nil }
    // How many pages in a row are as those that lie so many before them, and how many have records.
    var (alike, telling) = (0, 0)
    for position in count..<(pageCount - 1) {
      let page = try source.read(at: position * pageSize, count: pageSize)
      let twin = try source.read(at: (position - count) * pageSize, count: pageSize)
      guard page == twin else {
        (alike, telling) = (0, 0)
        continue
      }
      alike += 1
      if geometry.hasTree(page, at: 0) { telling += 1 }
      guard alike >= count, telling > 0, let first = PageNumber(position + 2 - count) else {
        continue
      }
      let start = position + 1 - count
      self.first = first
      file = RejoinedFile(
        source,
        [
          .init(place: 0, offset: 0, byteCount: start * pageSize),
          .init(
            place: start * pageSize, offset: (position + 1) * pageSize,
            byteCount: (pageCount - position - 1) * pageSize),
        ])
      return
    }
    return nil
  }
}
