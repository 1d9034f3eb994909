// SPDX-License-Identifier: Apache-2.0
// Rows whose keys do not follow one another.
//
//   leaf        [ard, bank, bank]   leaf
//                                   between them: card
//   next leaf   [#ash, cash, cash]
//
// The order of a tree is that of its keys: of a page's rows and of those on the next page, and in a
// table WITHOUT ROWID of the entry that stands between them on the page above. A key that was
// damaged in its place mostly stands in no order with the others.

import SQLiteFormat

/// The rows of a table, page by page, and those of them that are out of order.
struct KeySequence {
  /// How many rows before a page speak for where it begins.
  private static let tailMax = 4
  /// More levels than SQLite makes.
  private static let depthMax = 20

  private enum Key {
    case rowID(Int64)
    case record(Record)
  }

  private typealias Row = (place: ChainRepair.Place, key: Key)

  /// The order of the keys; nil where these are rowids.
  private let order: KeyOrder?
  private let pages: PageReader
  /// Between which entries of the pages above the rows of a page lie.
  private struct Interval {
    var lower: Row?
    var upper: Row?
  }

  /// The intervals of pages, by the pages that lead to them.
  private var intervals: [PageNumber: Interval] = [:]
  /// The first and the last child of each interior page, which share a bound with it.
  private var outerChildren: [PageNumber: (first: PageNumber?, last: PageNumber?)] = [:]
  private var tail: [Row] = []
  /// The rows that are out of order.
  private(set) var unordered: Set<ChainRepair.Place> = []
  /// The rows of leaves that do not lie in their intervals.
  private var disordered: [[ChainRepair.Place]] = []

  /// Looks through the pages of a table, which come in the order of their rows.
  ///
  /// Without an order, they are those of a table with rowids.
  init(_ numbers: [PageNumber], in pages: PageReader, _ order: KeyOrder?) {
    (self.order, self.pages) = (order, pages)
    let isTable = order == nil
    for number in isTable ? [] : numbers {
      guard let reading = pages.reading(of: number, isTable: false), !reading.page.kind.isLeaf
      else { continue }
      noteSeparators(of: reading)
    }
    for parent in outerChildren.keys { passOn(intervals[parent], from: parent) }
    var leafCount = 0
    for number in numbers {
      guard let reading = pages.reading(of: number, isTable: isTable), reading.page.kind.isLeaf
      else { continue }
      follow(reading)
      leafCount += 1
    }
    // Where most leaves do, the order is the one that is known, and the others are not the table's.
    guard disordered.count * 2 < leafCount else { return }
    for places in disordered { unordered.formUnion(places) }
  }

  /// Takes in an interior page, whose entries stand in an order of their own, too.
  private mutating func noteSeparators(of reading: PageReading) {
    let rows = rows(of: reading)
    guard judge(rows, from: 0) != nil else { return }
    let inOrder = Dictionary(
      rows.filter { !unordered.contains($0.place) }.map { ($0.place.offset, $0) },
      uniquingKeysWith: { first, _ in first })
    let cells = reading.content.cells
    let children = cells.map { PageNumber($0.leftChild) } + [reading.page.rightChild]
    outerChildren[reading.page.number] = (children.first ?? nil, reading.page.rightChild)
    for (place, child) in children.enumerated() {
      guard let child else { continue }
      intervals[child] = Interval(
        lower: place > 0 ? inOrder[cells[place - 1].offset] : nil,
        upper: place < cells.count ? inOrder[cells[place].offset] : nil)
    }
  }

  /// Passes the bounds of an interior page on to the pages at its borders, down to the leaves.
  private mutating func passOn(_ interval: Interval?, from parent: PageNumber) {
    var (first, last) = (outerChildren[parent]?.first, outerChildren[parent]?.last)
    for _ in 0..<Self.depthMax {
      if let first, let lower = interval?.lower { intervals[first]?.lower = lower }
      if let last, let upper = interval?.upper { intervals[last]?.upper = upper }
      first = first.flatMap { outerChildren[$0]?.first }
      last = last.flatMap { outerChildren[$0]?.last }
    }
  }

  /// Takes in the next leaf.
  private mutating func follow(_ leaf: PageReading) {
    let rows = rows(of: leaf)
    let interval = intervals[leaf.page.number]
    let isInside = interval.map { lie(rows, in: $0) } ?? true
    if isInside, let kept = judge(tail + rows, from: tail.count) {
      tail = Array(kept.suffix(Self.tailMax))
    } else if isInside, interval?.lower != nil, interval?.upper != nil {
      // Between its bounds, a leaf may have its rows in whatever order it likes.
      tail = Array(rows.suffix(Self.tailMax))
    } else {
      disordered.append(rows.map(\.place))
    }
    guard let separator = interval?.upper else { return }
    tail = Array((tail + [separator]).suffix(Self.tailMax))
  }

  /// Whether most rows of a leaf lie between the bounds that are known.
  private func lie(_ rows: [Row], in interval: Interval) -> Bool {
    rows.count { row in
      (interval.lower.map { allows($0.key, before: row.key) } ?? true)
        && (interval.upper.map { allows(row.key, before: $0.key) } ?? true)
    } * 2 >= rows.count
  }

  /// The rows that a page vouches for, in the order in which it has them.
  ///
  /// Where pointers are lost, nothing tells the order of keys that are no rowids.
  private func rows(of reading: PageReading) -> [Row] {
    let content = reading.content
    var cells = content.cells.isEmpty ? content.listed : content.cells
    if order != nil, content.layoutFault != nil {
      let pointers = reading.page.storedPointers
      let places = Dictionary(zip(pointers, pointers.indices)) { first, _ in first }
      cells = cells.filter { places[$0.offset] != nil }
        .sorted { places[$0.offset] ?? 0 < places[$1.offset] ?? 0 }
    }
    if order == nil { cells = cells.asRowIDsProve }
    return cells.compactMap { cell in
      key(of: cell, on: reading.page).map {
        (ChainRepair.Place(page: reading.page.number, offset: cell.offset), $0)
      }
    }
  }

  private func key(of cell: Cell, on page: BTreePage) -> Key? {
    cell.rowID.map { .rowID($0) } ?? pages.record(of: cell, on: page).map { .record($0) }
  }

  private func allows(_ left: Key, before right: Key) -> Bool {
    switch (left, right) {
    case (.rowID(let left), .rowID(let right)): left < right
    case (.record(let left), .record(let right)): order?.allows(left, before: right) ?? true
    default: true
    }
  }

  /// Notes which rows are out of order, and gives those of the others that come from `start` on; nil
  /// where those would be too many.
  @discardableResult
  private mutating func judge(_ rows: [Row], from start: Int) -> [Row]? {
    var isOrdered = rows.inEveryLongestAscent { allows($0.key, before: $1.key) }
    let ownOthers = isOrdered[start...].count { !$0 }
    if ownOthers * 4 > rows.count - start {
      // The keys have another order than the one that is known, or are another table's.
      guard order == nil else { return nil }
      let longest = Set(rows.longestAscent { allows($0.key, before: $1.key) })
      isOrdered = rows.indices.map(longest.contains)
    }
    unordered.formUnion(zip(rows, isOrdered).filter { !$1 }.map(\.0.place))
    return zip(rows, isOrdered).dropFirst(start).filter(\.1).map(\.0)
  }
}

extension [Cell] {
  /// The cells of a leaf of a table in the order of their rowids, where the pointers are out of
  /// order and no rowid is; as they are elsewhere.
  ///
  /// SQLite fills a page from its end (section 1.6): rowids that ascend from there on are those of
  /// their rows. Nor do most rowids of a page change and still differ from each other.
  fileprivate var asRowIDsProve: [Cell] {
    guard !haveAscendingRowIDs else { return self }
    let sorted = self.sorted { $0.rowID ?? 0 < $1.rowID ?? 0 }
    guard sorted.haveAscendingRowIDs else { return self }
    if self.sorted(by: { $0.offset > $1.offset }).haveAscendingRowIDs { return sorted }
    let inOrder = longestAscent { $0.rowID ?? 0 < $1.rowID ?? 0 }
    return inOrder.count * 2 < count ? sorted : self
  }

  private var haveAscendingRowIDs: Bool {
    zip(self, dropFirst()).allSatisfy { $0.rowID ?? 0 < $1.rowID ?? 0 }
  }
}

extension BTreePage {
  /// Where the pointers lead that stand in front of the content, as they are stored.
  fileprivate var storedPointers: [Int] {
    let end = min(contentStart, geometry.usable)
    guard pointerArrayOffset < end else { return [] }
    return stride(from: pointerArrayOffset, to: end - 1, by: 2).map { bytes.big16(at: $0) ?? 0 }
  }
}
