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

  private enum Key {
    case rowID(Int64)
    case record(Record)
  }

  private typealias Row = (place: ChainRepair.Place, key: Key)

  /// The order of the keys; nil where these are rowids.
  private let order: KeyOrder?
  private let pages: PageReader
  /// The entries that stand between a leaf and the next one, by the leaf before them.
  private var separators: [PageNumber: Row] = [:]
  private var tail: [Row] = []
  /// The rows that are out of order.
  private(set) var unordered: Set<ChainRepair.Place> = []
  /// The rows of leaves that are out of the order that is known, and not between their neighbours.
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
    var leafCount = 0
    for number in numbers {
      guard let reading = pages.reading(of: number, isTable: isTable), reading.page.kind.isLeaf
      else { continue }
      follow(reading)
      leafCount += 1
    }
    // Where most leaves are in order, it is theirs that is known, and the others are another table's.
    guard disordered.count * 2 < leafCount else { return }
    for places in disordered { unordered.formUnion(places) }
  }

  /// Takes in an interior page, whose entries stand in an order of their own, too.
  private mutating func noteSeparators(of reading: PageReading) {
    let rows = rows(of: reading)
    judge(rows, from: 0)
    let children = Dictionary(
      reading.content.cells.map { ($0.offset, $0.leftChild) },
      uniquingKeysWith: { first, _ in first })
    for row in rows where !unordered.contains(row.place) {
      if let child = children[row.place.offset].flatMap({ PageNumber($0) }) {
        separators[child] = row
      }
    }
  }

  /// Takes in the next leaf.
  private mutating func follow(_ leaf: PageReading) {
    let rows = rows(of: leaf)
    let known = tail
    let separator = separators[leaf.page.number]
    if let isKept = judge(known + rows, from: known.count) {
      tail = Array(isKept.suffix(Self.tailMax))
    } else if lie(rows, between: known, and: separator) {
      tail = Array(rows.suffix(Self.tailMax))
    } else {
      disordered.append(rows.map(\.place))
    }
    guard let separator else { return }
    tail = Array((tail + [separator]).suffix(Self.tailMax))
  }

  /// Whether most rows of a leaf lie, in whatever order, between those before it, one of which may be
  /// damaged, and the entry behind it.
  private func lie(_ rows: [Row], between known: [Row], and separator: Row?) -> Bool {
    guard !known.isEmpty, let separator else { return false }
    return rows.count { row in
      known.count { !allows($0.key, before: row.key) } <= 1
        && allows(row.key, before: separator.key)
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
