// SPDX-License-Identifier: Apache-2.0
// A page inside which bytes were put in or left out: its beginning lies where the pages before it
// end, its end where those behind it begin.
//
// in the file   … page 7 | header, pointers, cells … | bytes put in | … cells | page 9 …
// as page 8                header, pointers, cells … nothing … cells

import SQLiteFormat

/// The two halves of a page of a tree.
struct PageHalves {
  /// How much of each half is the page's.
  struct Border: Hashable {
    /// How many bytes of its beginning are those of the page.
    let headCount: Int
    /// Where in the page its end begins.
    let tailStart: Int
  }

  /// As many bytes as a page has, from where it begins.
  let head: Bytes
  /// As many bytes, up to where it ends.
  let tail: Bytes
  /// Whether bytes were put in between, and none left out.
  let isLonger: Bool
  /// The page's number.
  let number: PageNumber
  /// How the database is cut into pages.
  let geometry: Geometry

  /// How much of each half is the page's; nil where the one is whole, or the other has no cell.
  var border: Border? {
    guard head.count == tail.count,
      let page = try? BTreePage(head, number: number, geometry: geometry),
      !page.layoutFaults.isEmpty, let other = joined(at: page.pointerArrayEnd)
    else { return nil }
    return borderBeforeCells(page, other) ?? borderBetweenCells(page, other)
  }

  /// The page with the beginning of one half and the end of the other.
  private func joined(at cut: Int) -> BTreePage? {
    try? BTreePage(Bytes(head[..<cut]) + tail[cut...], number: number, geometry: geometry)
  }

  /// The border inside the header or the pointers: joined there, the page uses each byte once.
  private func borderBeforeCells(_ page: BTreePage, _ other: BTreePage) -> Border? {
    // Up to there, the pointers of the beginning lead to cells of the end.
    let led = (0..<page.cellCount).first { (try? other.cell($0)) == nil } ?? page.cellCount
    let end = page.pointerArrayOffset + 2 * led
    let cuts = (page.headerOffset + 1)..<page.pointerArrayOffset
    let cut = (Array(cuts) + ((end - 2)...(end + 1))).first {
      joined(at: $0).map { $0.cellCount > 1 && $0.layoutFaults.isEmpty } ?? false
    }
    return cut.map { Border(headCount: $0, tailStart: $0) }
  }

  /// The border between the cells that are whole in one half and those that are in the other one.
  ///
  /// The last cell of the beginning counts as broken: where bytes are missing in its values, or were
  /// put in and no other cell has them, nothing in the page tells.
  private func borderBetweenCells(_ page: BTreePage, _ other: BTreePage) -> Border? {
    let starts = Set(
      (0..<page.cellCount).compactMap { head.big16(at: page.pointerArrayOffset + 2 * $0) }
    ).filter { $0 >= page.pointerArrayEnd && $0 < geometry.usable }.sorted()
    func whole(_ page: BTreePage) -> [Bool] {
      zip(starts, starts.dropFirst() + [geometry.usable]).map { start, end in
        (try? page.cell(at: start))?.end == end
      }
    }
    let (inHead, inTail) = (whole(page), whole(other))
    // As many whole cells as there can be, with those of the beginning before those of the end.
    var sum = inTail.count { $0 }
    var best = (border: 0, sum: sum)
    for index in starts.indices {
      sum += (inHead[index] ? 1 : 0) - (inTail[index] ? 1 : 0)
      if sum > best.sum { best = (index + 1, sum) }
    }
    guard let next = inTail[best.border...].firstIndex(of: true) else { return nil }
    let last = inHead[..<best.border].lastIndex(of: true) ?? next
    let broken = isLonger && last + 2 == next ? last + 1 : last
    return Border(headCount: starts[broken], tailStart: starts[next])
  }
}

extension [RejoinedFile.Part] {
  /// The same, with the pages joined that end elsewhere than they begin.
  ///
  /// - Throws: ``ReadFailure`` when the file cannot be read.
  func joiningHalves(
    of source: any PageSource, _ geometry: Geometry
  ) throws(ReadFailure) -> [RejoinedFile.Part] {
    let pageSize = geometry.pageSize
    var joined: [RejoinedFile.Part] = []
    for part in self {
      if let before = joined.last, before.place + before.byteCount == part.place,
        before.offset + before.byteCount != part.offset, part.offset >= pageSize,
        before.byteCount >= pageSize, let number = PageNumber(part.place / pageSize)
      {
        let start = before.byteCount - pageSize
        let halves = PageHalves(
          head: try source.read(at: before.offset + start, count: pageSize),
          tail: try source.read(at: part.offset - pageSize, count: pageSize),
          isLonger: part.offset > before.offset + before.byteCount,
          number: number, geometry: geometry)
        if let border = halves.border {
          joined[joined.count - 1] = .init(
            place: before.place, offset: before.offset, byteCount: start + border.headCount)
          joined.append(
            .init(
              place: part.place - pageSize + border.tailStart,
              offset: part.offset - pageSize + border.tailStart,
              byteCount: pageSize - border.tailStart))
        }
      }
      joined.append(part)
    }
    return joined
  }
}
