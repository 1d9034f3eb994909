// SPDX-License-Identifier: Apache-2.0
// Pages at a place where bytes were put in or left out: the beginning of one lies where the pages
// before the place end, and the end of the same, or of another one, where those behind it begin.
//
// in the file   … page 7 | header, pointers, cells … | bytes put in | … cells | page 9 …
// as page 8                header, pointers, cells … nothing … cells

import SQLiteFormat

/// The beginning of a page of a tree, and what lies before the next page.
struct PageHalves {
  /// How much belongs to pages.
  struct Border: Hashable {
    /// How many bytes of the beginning are those of its page.
    let headCount: Int
    /// How many bytes before the next page are those of the page before it.
    let tailCount: Int
  }

  /// As many bytes as a page has, read as the page that begins there.
  private let page: BTreePage
  /// As many bytes, up to the next page.
  private let tail: Bytes
  /// How far it is from the beginning to the next page.
  private let distance: Int
  /// Where cells start, as the pointers tell, in the order in which they lie.
  private let starts: [Int]

  /// Takes two pages of bytes; nil where the first one is none of a tree, or can be none.
  init?(head: Bytes, tail: Bytes, distance: Int, number: PageNumber, geometry: Geometry) {
    guard head.count == tail.count,
      let page = try? BTreePage(head, number: number, geometry: geometry)
    else { return nil }
    (self.page, self.tail, self.distance) = (page, tail, distance)
    starts = Set(
      (0..<page.cellCount).compactMap { head.big16(at: page.pointerArrayOffset + 2 * $0) }
    )
    .filter { $0 >= page.pointerArrayEnd && $0 < geometry.usable }.sorted()
  }

  /// The border of two halves of one page; nil where the first one is all of it, or the second one
  /// has no cell.
  var borderInPage: Border? {
    guard !page.layoutFaults.isEmpty, let other = joined(at: page.pointerArrayEnd) else {
      return nil
    }
    return borderBeforeCells(other) ?? borderBetweenCells(other)
  }

  /// The border of one page and the next one, of which only the end is left; nil where no cell
  /// tells where the first one ends.
  var borderBetweenPages: Border? {
    guard distance > 0, distance < 2 * tail.count else { return nil }
    func border(_ headCount: Int, end: Int) -> Border {
      Border(headCount: headCount, tailCount: min(tail.count, max(0, distance - end)))
    }
    if page.layoutFaults.isEmpty { return border(tail.count, end: tail.count) }
    let whole = wholeCells(of: page)
    let count = Self.bestCut(whole, whole.map { !$0 }, behind: Array(1...max(1, whole.count)))
      .before
    guard let last = whole[..<count].lastIndex(of: true) else { return nil }
    return border(starts[last], end: ends[last])
  }

  /// The page with the beginning of one half and the end of the other.
  private func joined(at cut: Int) -> BTreePage? {
    try? BTreePage(
      Bytes(page.bytes[..<cut]) + tail[cut...], number: page.number, geometry: page.geometry)
  }

  /// The border inside the header or the pointers: joined there, the page uses each byte once.
  private func borderBeforeCells(_ other: BTreePage) -> Border? {
    // Up to there, the pointers of the beginning lead to cells of the end.
    let led = (0..<page.cellCount).first { (try? other.cell($0)) == nil } ?? page.cellCount
    let end = page.pointerArrayOffset + 2 * led
    let cuts = (page.headerOffset + 1)..<page.pointerArrayOffset
    let cut = (Array(cuts) + ((end - 2)...(end + 1))).first {
      joined(at: $0).map { $0.cellCount > 1 && $0.layoutFaults.isEmpty } ?? false
    }
    return cut.map { Border(headCount: $0, tailCount: tail.count - $0) }
  }

  /// The border between the cells that are whole in one half and those that are in the other one.
  ///
  /// The last cell of the beginning counts as broken: where bytes are missing in its values, or were
  /// put in and no other cell has them, nothing in the page tells.
  private func borderBetweenCells(_ other: BTreePage) -> Border? {
    let (inHead, inTail) = (wholeCells(of: page), wholeCells(of: other))
    // No byte of the file is in both.
    let missing = max(0, tail.count - distance)
    let behind = ends.map { end in starts.partitioningIndex { $0 >= end + missing } }
    let cut = Self.bestCut(inHead, inTail, behind: behind)
    guard let next = inTail[cut.behind...].firstIndex(of: true) else { return nil }
    let last = inHead[..<cut.before].lastIndex(of: true) ?? next
    let broken = distance > tail.count && last + 2 == next ? last + 1 : last
    return Border(headCount: starts[broken], tailCount: tail.count - starts[next])
  }

  /// Where each of the cells has to end.
  private var ends: [Int] { starts.dropFirst() + [page.geometry.usable] }

  /// Which of the cells end where the next one starts.
  private func wholeCells(of page: BTreePage) -> [Bool] {
    zip(starts, ends).map { start, end in (try? page.cell(at: start))?.end == end }
  }

  /// How many cells before, and from which on behind, as many as possible are whole; the first such
  /// place.
  private static func bestCut(
    _ inHead: [Bool], _ inTail: [Bool], behind: [Int]
  ) -> (before: Int, behind: Int) {
    // How many are whole from each one on.
    let rest = inTail.reversed().reduce(into: [0]) { $0.append($0[$0.count - 1] + ($1 ? 1 : 0)) }
    var (sum, best) = (0, (before: 0, behind: 0, sum: rest[inTail.count]))
    for index in inHead.indices {
      sum += inHead[index] ? 1 : 0
      let all = sum + rest[inTail.count - behind[index]]
      if all > best.sum { best = (index + 1, behind[index], all) }
    }
    return (best.before, best.behind)
  }
}

extension [RejoinedFile.Part] {
  /// The same, with the halves in their places between which bytes were put in or left out.
  ///
  /// - Throws: ``ReadFailure`` when the file cannot be read.
  func joiningHalves(
    of source: any PageSource, _ geometry: Geometry
  ) throws(ReadFailure) -> [RejoinedFile.Part] {
    let pageSize = geometry.pageSize
    var joined: [RejoinedFile.Part] = []
    for part in self {
      if let before = joined.last, before.byteCount >= pageSize, part.offset >= pageSize,
        before.offset + before.byteCount != part.offset,
        let number = PageNumber((before.place + before.byteCount) / pageSize)
      {
        let start = before.byteCount - pageSize
        let halves = PageHalves(
          head: try source.read(at: before.offset + start, count: pageSize),
          tail: try source.read(at: part.offset - pageSize, count: pageSize),
          distance: part.offset - before.offset - start, number: number, geometry: geometry)
        let isOnePage = before.place + before.byteCount == part.place
        if let border = isOnePage ? halves?.borderInPage : halves?.borderBetweenPages {
          joined[joined.count - 1] = .init(
            place: before.place, offset: before.offset, byteCount: start + border.headCount)
          joined.append(
            .init(
              place: part.place - border.tailCount, offset: part.offset - border.tailCount,
              byteCount: border.tailCount))
        }
      }
      joined.append(part)
    }
    return joined
  }
}
