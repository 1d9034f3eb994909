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
    /// Where in the page cells start whose values may be others: nothing in a page tells where bytes
    /// were put into them, or left out of them.
    var doubtful: [Int] = []
  }

  /// As many bytes as a page has, from where it begins.
  private let head: Bytes
  /// As many bytes, up to the next page.
  private let tail: Bytes
  /// How far it is from the beginning to the next page.
  private let distance: Int
  /// The number of the page that begins there.
  let number: PageNumber
  private let geometry: Geometry

  /// Takes two pages of bytes; nil where fewer are there.
  init?(head: Bytes, tail: Bytes, distance: Int, number: PageNumber, geometry: Geometry) {
    guard head.count == geometry.pageSize, tail.count == geometry.pageSize else { return nil }
    self.head = head
    self.tail = tail
    self.distance = distance
    self.number = number
    self.geometry = geometry
  }

  /// Whether the beginning is that of a page of a tree.
  var isPage: Bool { joined(at: head.count) != nil }

  /// Whether it is that of one which is not whole there.
  var isTorn: Bool { joined(at: head.count).map { !$0.layoutFaults.isEmpty } ?? false }

  /// The border of two halves of one page; nil where the first one is all of it, or no cell tells.
  var borderInPage: Border? {
    let page = joined(at: head.count)
    if let page, page.layoutFaults.isEmpty {
      return lastInDoubt(of: page).map {
        Border(headCount: head.count, tailCount: 0, doubtful: [$0])
      }
    }
    return borderBeforeCells(page) ?? page.flatMap(borderBetweenCells)
  }

  /// Where the last cell of the beginning starts, where that is a whole page; nil where it is none.
  var lastOfWholePage: Int? {
    guard let page = joined(at: head.count), page.layoutFaults.isEmpty else { return nil }
    return Cells(of: page).starts.last
  }

  /// Where the last cell of a sound page starts, if the place may be inside it.
  ///
  /// Blocks that are missing or were put in lie where blocks can begin.
  private func lastInDoubt(of page: BTreePage) -> Int? {
    guard let last = Cells(of: page).starts.last else { return nil }
    let block = [head.count, 512].first { distance % $0 == 0 } ?? 1
    return (last / block + 1) * block < head.count ? last : nil
  }

  /// The border of one page and the next one, of which only the end is left; nil where no cell
  /// tells where the first one ends.
  var borderBetweenPages: Border? {
    guard distance > 0, distance < 2 * tail.count, let page = joined(at: head.count) else {
      return nil
    }
    func border(_ count: Int, doubtful: Int?) -> Border {
      Border(
        headCount: count, tailCount: min(tail.count, max(0, distance - count)),
        doubtful: doubtful.map { [$0] } ?? [])
    }
    if page.layoutFaults.isEmpty {
      return border(head.count, doubtful: lastInDoubt(of: page))
    }
    let cells = Cells(of: page)
    let whole = cells.areWhole(in: page)
    let next = Array(1...max(1, whole.count))
    let count = Self.bestCut(whole, whole.map { !$0 }, behind: next).before
    guard let last = whole[..<count].lastIndex(of: true) else { return nil }
    return border(cells.ends[last], doubtful: cells.starts[last])
  }

  /// The page with the beginning of one half and the end of the other; nil where it is none.
  private func joined(at cut: Int) -> BTreePage? {
    try? BTreePage(Bytes(head[..<cut]) + tail[cut...], number: number, geometry: geometry)
  }

  /// The border inside the header or the pointers: joined there, the page uses each byte once.
  private func borderBeforeCells(_ page: BTreePage?) -> Border? {
    let start = number == .first ? DatabaseHeader.byteCount : 0
    var cuts = Array((start + 1)...(start + 12))
    if let page, let other = joined(at: page.pointerArrayEnd) {
      let end = endOfPointers(in: page, to: other)
      cuts += (end - 2)...(end + 1)
    }
    let cut = cuts.first {
      joined(at: $0).map { $0.cellCount > 1 && $0.layoutFaults.isEmpty } ?? false
    }
    return cut.map { Border(headCount: $0, tailCount: tail.count - $0) }
  }

  /// Where the pointers of the beginning end that lead to cells of the end.
  private func endOfPointers(in page: BTreePage, to other: BTreePage) -> Int {
    let led = (0..<page.cellCount).first { (try? other.cell($0)) == nil } ?? page.cellCount
    return page.pointerArrayOffset + 2 * led
  }

  /// The border between the cells that are whole in one half and those that are in the other one.
  private func borderBetweenCells(_ page: BTreePage) -> Border? {
    guard let other = joined(at: page.pointerArrayEnd) else { return nil }
    let cells = Cells(of: page)
    let (inHead, inTail) = (cells.areWhole(in: page), cells.areWhole(in: other))
    // In the file, what is left of the end lies behind where the last cell of the beginning starts.
    let missing = max(0, tail.count - distance)
    let behind = cells.starts.map { start in
      cells.starts.partitioningIndex { $0 > start + missing }
    }
    let cut = Self.bestCut(inHead, inTail, behind: behind)
    let last = inHead[..<cut.before].lastIndex(of: true)
    guard let next = inTail[cut.behind...].firstIndex(of: true) else {
      guard missing > 0, let last else { return nil }
      return Border(
        headCount: cells.ends[last], tailCount: max(0, distance - cells.ends[last]),
        doubtful: [cells.starts[last]])
    }
    let headCount = last.map { cells.ends[$0] } ?? endOfPointers(in: page, to: other)
    // What follows what was left out is all there; the last cell of the beginning may share some of
    // it with the first one of the end.
    let tailCount = max(
      missing > 0 ? distance - headCount : 0, tail.count - cells.starts[next])
    guard let last else { return Border(headCount: headCount, tailCount: tailCount) }
    // Where bytes were put in, they are in one cell, or between two.
    let isOther = distance > tail.count && last + 2 == next
    // Of cells that are as long as others, one can be taken for another one.
    let abuts = missing > 0 && cells.starts[next] - missing == cells.ends[last]
    return Border(
      headCount: headCount, tailCount: tailCount,
      doubtful: (isOther ? [] : [cells.starts[last]]) + (abuts ? [cells.starts[next]] : []))
  }

  /// How many cells before, and from which on behind, as many as possible are whole; the first such
  /// place.
  private static func bestCut(
    _ inHead: [Bool], _ inTail: [Bool], behind: [Int]
  ) -> (before: Int, behind: Int) {
    // How many are whole from each one on, the last one first.
    let rest = inTail.reversed().reduce(into: [0]) { $0.append($0[$0.count - 1] + ($1 ? 1 : 0)) }
    var (sum, best) = (0, (before: 0, behind: 0, sum: rest[inTail.count]))
    for index in inHead.indices {
      sum += inHead[index] ? 1 : 0
      let all = sum + rest[inTail.count - behind[index]]
      if all > best.sum { best = (index + 1, behind[index], all) }
    }
    return (best.before, best.behind)
  }

  /// Where the cells of a page lie, as its pointers tell.
  private struct Cells {
    /// Where they start, in the order in which they lie.
    let starts: [Int]
    /// Where each of them has to end.
    let ends: [Int]

    init(of page: BTreePage) {
      starts = Set(
        (0..<page.cellCount).compactMap {
          page.bytes.big16(at: page.pointerArrayOffset + 2 * $0)
        }
      ).filter { $0 >= page.pointerArrayEnd && $0 < page.geometry.usable }.sorted()
      ends = starts.dropFirst() + [page.geometry.usable]
    }

    /// Which of them end where they have to, and have the form of a record.
    func areWhole(in page: BTreePage) -> [Bool] {
      zip(starts, ends).map { start, end in
        guard let cell = try? page.cell(at: start), cell.end == end else { return false }
        return page.kind == .tableInterior
          || Record.hasForm(page.bytes, in: cell.local, payload: cell.payloadSize)
      }
    }
  }
}
