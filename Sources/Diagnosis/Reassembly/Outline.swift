// SPDX-License-Identifier: Apache-2.0
// What a tree says it consists of, from a root or any page below one, right or wrong.

import SQLiteFormat

/// The leaves that a page leads to, in the order in which it names them.
///
/// Nothing is claimed and nothing judged: two trees may name the same page, and a page may be
/// another tree's. Where a page is missing, the outline has a gap.
struct Outline {
  /// One place in the order of the leaves.
  enum Item: Hashable {
    /// A leaf.
    case leaf(PageNumber)
    /// Something that is no leaf of such a tree, or nothing.
    case gap
  }

  /// The leaves and gaps, in order.
  private(set) var items: [Item] = []
  /// The interior pages on the way.
  private(set) var interiors: [PageNumber] = []

  /// The outline of what hangs from a page.
  init(_ image: Image, from root: PageNumber, isTable: Bool) {
    var seen: Set<PageNumber> = []
    var pending: [(page: PageNumber?, depth: Int)] = [(root, 0)]
    while let (page, depth) = pending.popLast() {
      guard let number = page, depth < TreeWalk.depthMax, seen.insert(number).inserted,
        let reading = try? image.reading(of: number, isTable: isTable)
      else {
        items.append(.gap)
        continue
      }
      if reading.page.kind.isLeaf {
        items.append(.leaf(number))
        continue
      }
      interiors.append(number)
      // Each cell that cannot be read named a child; where it stood is not known.
      if reading.content.layoutFault != nil { items.append(.gap) }
      let children = reading.content.cells.map { PageNumber($0.leftChild) }
      pending += (children + [reading.page.rightChild]).reversed().map { ($0, depth + 1) }
    }
  }
}

extension PageReading {
  /// The pages that an interior page names; none for a leaf.
  var children: [PageNumber] {
    guard !page.kind.isLeaf else { return [] }
    let named = content.cells.map { PageNumber($0.leftChild) } + [page.rightChild]
    return named.compactMap(\.self)
  }
}

extension Image {
  /// Reads a page as one of a table with rowids, or of an index.
  ///
  /// - Throws: ``FormatError`` when nothing of such a page can be read.
  func reading(of page: PageNumber, isTable: Bool) throws(FormatError) -> PageReading {
    try reading(
      of: page, as: isTable ? [.tableLeaf, .tableInterior] : [.indexLeaf, .indexInterior])
  }

  /// Those of some pages that are copies of other ones, byte by byte: what was written to the
  /// wrong place also stands in the right one.
  func copies(among pages: [PageNumber]) -> Set<PageNumber> {
    guard !pages.isEmpty else { return [] }
    var suspects: [Int: [PageNumber]] = [:]
    for page in pages {
      if let bytes = try? bytes(of: page) { suspects[bytes.hashValue, default: []].append(page) }
    }
    var copies: Set<PageNumber> = []
    let suspected = Set(pages)
    for page in self.pages where !suspected.contains(page) {
      guard let bytes = try? bytes(of: page), let alike = suspects[bytes.hashValue] else {
        continue
      }
      copies.formUnion(alike.filter { (try? self.bytes(of: $0)) == bytes })
    }
    return copies
  }

  /// The rows that a page proves to be its own, in the order of its cells; where it proves none,
  /// those that it may have.
  func rows(on page: PageNumber, isTable: Bool) -> [StoredRecord] {
    (try? reading(of: page, isTable: isTable)).map { rows(of: $0) } ?? []
  }

  /// The rows of a page of any kind.
  func rows(of reading: PageReading) -> [StoredRecord] {
    guard reading.page.kind != .tableInterior else { return [] }
    let cells =
      reading.content.cells.isEmpty ? reading.content.doubtful : reading.content.cells
    return cells.compactMap { cell in
      guard let record = try? record(of: cell, on: reading.page).record else { return nil }
      return StoredRecord(
        rowID: cell.rowID, record: record, page: reading.page.number, offset: cell.offset)
    }
  }

  /// The span of a page of rows; nil when none can be read.
  func span(of page: PageNumber, isTable: Bool) -> LeafSpan? {
    let rows = rows(on: page, isTable: isTable)
    let rowIDs = rows.compactMap(\.rowID)
    if !rowIDs.isEmpty {
      // A few damaged rowids must not stretch the page over the whole table.
      let ascent = rowIDs.longestAscent
      guard let first = ascent.first, let last = ascent.last else { return nil }
      return LeafSpan(
        page: page, first: .rowID(rowIDs[first]), last: .rowID(rowIDs[last]), rows: rows.count)
    }
    guard let first = rows.first, let last = rows.last else { return nil }
    return LeafSpan(page: page, first: KeyPlace(first), last: KeyPlace(last), rows: rows.count)
  }
}
