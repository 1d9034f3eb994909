// SPDX-License-Identifier: Apache-2.0
// Leaves of a damaged tree with which nothing is wrong, many at a time.

import SQLiteFormat

/// Leaves that follow one another, of which each is sound, and each row can be one of the tree.
struct LeafStretch: Sendable {
  /// What is known of a leaf of a table whose indexes are to be asked.
  struct Leaf: Sendable {
    /// Its first rowid.
    let first: Int64
    /// Its last rowid.
    let last: Int64
    /// How many rows it has.
    let rows: Int
  }

  /// The leaves.
  var pages: [PageNumber] = []
  /// The place of the first row.
  var first: KeyPlace
  /// The place of the last row.
  var last: KeyPlace
  /// How many rows there are.
  var rows = 0
  /// What is known of each leaf; empty where no index is to be asked.
  var leaves: [Leaf] = []
  /// For each leaf, and there for each of these indexes, the sum of the entries that it should
  /// have for the rows.
  var keys: ContiguousArray<UInt64> = []
  /// Those of the leaves from which rows spill to overflow pages.
  var spilling: [PageNumber] = []

  /// Where the rows stand.
  var span: LeafSpan {
    LeafSpan(
      page: pages[0], first: first, last: last, rows: rows, stretch: pages, spilling: spilling)
  }

  /// Whether one leaf can go on where these end.
  func precedes(_ other: LeafStretch, in order: PlaceOrder) -> Bool {
    order.compare(last, other.first) < 0
  }

  /// Goes on with other leaves.
  mutating func append(_ other: LeafStretch) {
    pages += other.pages
    last = other.last
    rows += other.rows
    leaves += other.leaves
    keys += other.keys
    spilling += other.spilling
  }

  /// The same leaves in no more memory than they need: a database can have a million of them, and
  /// lists that grew hold room for as many again.
  var fitted: LeafStretch {
    var stretch = self
    stretch.pages = []
    stretch.leaves = []
    stretch.keys = []
    stretch.pages.reserveCapacity(pages.count)
    stretch.leaves.reserveCapacity(leaves.count)
    stretch.keys.reserveCapacity(keys.count)
    stretch.pages += pages
    stretch.leaves += leaves
    stretch.keys += keys
    return stretch
  }
}

extension LeafStretch {
  /// The stretch without some of its leaves of a table, each of which stands for itself.
  func without(_ others: [Int]) -> [Outline.Item] {
    var items: [Outline.Item] = []
    var start = 0
    for leaf in others + [leaves.count] {
      if start < leaf { items.append(.stretch(part(start..<leaf))) }
      if leaf < leaves.count { items.append(.leaf(pages[leaf])) }
      start = leaf + 1
    }
    return items
  }

  private func part(_ range: Range<Int>) -> LeafStretch {
    let width = keys.count / leaves.count
    let pages = Array(pages[range])
    let own = Set(pages)
    return LeafStretch(
      pages: pages, first: .rowID(leaves[range.lowerBound].first),
      last: .rowID(leaves[range.upperBound - 1].last),
      rows: leaves[range].reduce(0) { $0 + $1.rows },
      leaves: Array(leaves[range]),
      keys: ContiguousArray(keys[(range.lowerBound * width)..<(range.upperBound * width)]),
      spilling: spilling.filter(own.contains))
  }
}

/// What makes a leaf sound for one tree.
struct LeafTest: Sendable {
  /// How many overflow pages of one leaf are read at most: in a hostile file, every cell may lead
  /// into the same long chain.
  private static let overflowMax = 16

  /// Whether it is the tree of a table with rowids.
  let isTable: Bool
  /// What its records look like.
  let form: RecordForm?
  /// The indexes that are to be asked for its rows.
  let indexes: [IndexShape]
  /// The pages that no sound tree has.
  let unproven: PageSet

  /// A stretch of one page, where it is a sound leaf whose rows all can be the tree's.
  ///
  /// `located` is memory that is used again.
  func stretch(
    of page: BTreePage, _ cells: [Cell], in image: Image, _ located: inout LocatedFields
  ) -> LeafStretch? {
    guard page.kind.isLeaf, unproven.contains(page.number), let first = cells.first,
      let last = cells.last
    else { return nil }
    var keys = ContiguousArray<UInt64>(repeating: 0, count: indexes.count)
    var lastRowID: Int64?
    var spills = false
    var patience = Self.overflowMax
    let bytes = page.bytes.span
    for cell in cells {
      if isTable {
        guard let rowID = cell.rowID, lastRowID.map({ $0 < rowID }) ?? true else { return nil }
        lastRowID = rowID
      }
      if cell.overflow != nil {
        patience -= image.pagesToFollow(for: cell)
        guard patience >= 0, add(cell, on: page, in: image, &keys) else { return nil }
        spills = true
      } else {
        guard located.read(cell.local, of: bytes), form?.admits(located, of: bytes) ?? true else {
          return nil
        }
        for (place, index) in indexes.enumerated() {
          keys[place] &+= located.digest(of: index, in: bytes, rowID: cell.rowID)
        }
      }
    }
    guard let start = place(of: first, on: page, in: image),
      let end = place(of: last, on: page, in: image)
    else { return nil }
    var stretch = LeafStretch(pages: [page.number], first: start, last: end, rows: cells.count)
    if spills { stretch.spilling = [page.number] }
    if !indexes.isEmpty, let first = first.rowID, let last = last.rowID {
      stretch.leaves = [.init(first: first, last: last, rows: cells.count)]
      stretch.keys = keys
    }
    return stretch
  }

  /// Takes in a cell whose row spills; false where it yields none that can be the tree's.
  private func add(
    _ cell: Cell, on page: BTreePage, in image: Image, _ keys: inout ContiguousArray<UInt64>
  ) -> Bool {
    guard let record = record(of: cell, on: page, in: image), form?.admits(record) ?? true else {
      return false
    }
    let row = StoredRecord(record, of: cell, on: page)
    for (place, index) in indexes.enumerated() {
      keys[place] &+= index.key(of: row).digest
    }
    return true
  }

  private func place(of cell: Cell, on page: BTreePage, in image: Image) -> KeyPlace? {
    if let rowID = cell.rowID { return .rowID(rowID) }
    return record(of: cell, on: page, in: image).map {
      KeyPlace(StoredRecord($0, of: cell, on: page))
    }
  }

  /// The record of a cell; also one of which a text was overwritten, which is the tree's all the same.
  private func record(of cell: Cell, on page: BTreePage, in image: Image) -> Record? {
    do {
      return try image.record(of: cell, on: page).record
    } catch {
      guard error.problem == .textOverwritten,
        let chain = try? image.overflowChain(of: cell, on: page.number)
      else { return nil }
      return try? image.record(of: cell, on: page, along: chain)
    }
  }
}
