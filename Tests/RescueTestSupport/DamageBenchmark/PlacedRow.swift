// SPDX-License-Identifier: Apache-2.0
// Where the rows of a sound database lie in its files, byte by byte.

import SQLiteFormat

/// A row of a sound database with the bytes that it is made of.
struct PlacedRow: Sendable {
  /// A stretch of one of the files.
  struct Stretch: Hashable, Sendable {
    let origin: Image.Origin
    let range: Range<Int>
  }

  /// The table that it belongs to.
  let table: String
  /// Its values, as SQLite gives them.
  let row: ExactRow
  /// The values of its record, in their order there.
  let record: [Value]
  /// The page of its cell.
  let page: Int
  /// Its cell, without the number of a child.
  let cell: Stretch
  /// Its overflow pages as far as they are filled, each with the link to the next one.
  let overflow: [Stretch]
}

extension PlacedRow {
  /// The rows of a table, whose tree has its root on a page.
  ///
  /// A tree and SQLite are both asked, and have to agree: how many rows there are, and on each by
  /// its rowid, or by its values where it has none.
  ///
  /// - Throws: ``UnfitFixture`` where they do not, and ``FormatError`` where the file is not sound.
  static func all(in image: Image, _ table: String, root: Int, rows: [ExactRow]) throws -> [Self] {
    var cells: [(BTreePage, Cell)] = []
    try collect(&cells, below: root, in: image)
    var byRowID: [Int64: ExactRow] = [:]
    var byValues: [Set<Value>: ExactRow] = [:]
    for row in rows {
      if let rowID = row.rowID { byRowID[rowID] = row } else { byValues[Set(row.values)] = row }
    }
    guard cells.count == rows.count, byRowID.count + byValues.count == rows.count else {
      throw UnfitFixture("\(table) has \(rows.count) rows and \(cells.count) cells")
    }
    return try cells.map { page, cell in
      let (record, chain) = try image.record(of: cell, on: page)
      let values = try record.values
      guard let row = cell.rowID.map({ byRowID[$0] }) ?? byValues[Set(values)] else {
        throw UnfitFixture("\(table) has a cell on page \(page.number) that is no row")
      }
      return PlacedRow(
        table: table, row: row, record: values, page: page.number.number,
        cell: stretch(of: cell, on: page, in: image),
        overflow: stretches(of: chain, of: cell, in: image))
    }
  }

  /// Every cell that is a row, from the left to the right.
  ///
  /// In a table with rowids these are the cells of the leaves, else those of all pages.
  private static func collect(
    _ cells: inout [(BTreePage, Cell)], below number: Int, in image: Image
  ) throws {
    guard let number = PageNumber(number) else { throw UnfitFixture("page 0 in a tree") }
    let page = try image.btreePage(number)
    for index in 0..<page.cellCount {
      let cell = try page.cell(index)
      if !page.kind.isLeaf { try collect(&cells, below: Int(cell.leftChild), in: image) }
      if page.kind != .tableInterior { cells.append((page, cell)) }
    }
    if let child = page.rightChild { try collect(&cells, below: child.number, in: image) }
  }

  private static func stretch(of cell: Cell, on page: BTreePage, in image: Image) -> Stretch {
    let start = cell.offset + (page.kind.isLeaf ? 0 : 4)
    let end = cell.local.upperBound + (cell.overflow == nil ? 0 : 4)
    let place = image.offset(of: page.number)
    return Stretch(origin: image.origin(of: page.number), range: (place + start)..<(place + end))
  }

  private static func stretches(
    of chain: OverflowChain, of cell: Cell, in image: Image
  ) -> [Stretch] {
    var rest = cell.payloadSize - cell.local.count
    return chain.pages.map { page in
      let held = min(rest, image.geometry.overflowCapacity)
      rest -= held
      let place = image.offset(of: page)
      return Stretch(origin: image.origin(of: page), range: place..<(place + 4 + held))
    }
  }
}
