// SPDX-License-Identifier: Apache-2.0
// Two states of a table compared by their leaves: only the rows of those are read that differ.

package import SQLiteFormat

/// A table whose definition is the same in two sound states of a database, by the leaves of each.
package struct LeafComparison {
  /// The name of the table.
  package let table: Name
  /// Its leaves in the current state.
  package let current: [PageNumber]
  /// Its leaves in the other state.
  package let other: [PageNumber]
  /// The leaves that are the same in both, byte by byte.
  package let shared: Set<PageNumber>

  /// Makes a comparison that has not begun.
  package init(
    of table: Name, current: [PageNumber], other: [PageNumber], shared: Set<PageNumber>
  ) {
    (self.table, self.current, self.other, self.shared) = (table, current, other, shared)
  }
}

extension Reconstruction {
  /// Compares a table with rowids with another state of it; nil where a page of either cannot be
  /// read as it should be.
  ///
  /// What a row has on overflow pages may differ where its leaf does not: such leaves are read.
  package func compare(_ leaves: LeafComparison, in other: Image) -> RowComparison? {
    guard let image = survey.image, let tree = survey.userTables[leaves.table],
      tree.isRowIDTable
    else { return nil }
    let table = ComparedTable(leaves.table, tree, self)
    var same = 0
    var settled: Set<PageNumber> = []
    for page in leaves.shared {
      guard let cells = image.cells(onLeaf: page) else { return nil }
      if cells.allSatisfy({ $0.overflow == nil }) {
        settled.insert(page)
        same += cells.count
      }
    }
    guard let mine = table.rows(on: leaves.current.filter { !settled.contains($0) }, of: image),
      let theirs = table.rows(on: leaves.other.filter { !settled.contains($0) }, of: other)
    else { return nil }
    return RowComparison(
      of: leaves.table, settled: same, current: mine, other: theirs, haveKeys: table.key != nil)
  }
}

extension RowComparison {
  /// Compares the rows of a table that are not known to be the same.
  fileprivate init(
    of name: Name, settled: Int, current: [ComparedRow], other: [ComparedRow], haveKeys: Bool
  ) {
    let rows = RowPairing(
      rowCount: current.count + other.count, haveKeys: haveKeys,
      current: { current.forEach($0) }, other: { other.forEach($0) })
    self.init(
      table: name, same: settled + rows.same, changed: rows.changed,
      onlyCurrent: rows.onlyCurrent, onlyOther: rows.onlyOther)
  }

  /// What a table is that only one of two states has, or that is the same in both.
  package init(
    table: Name, same: Int = 0, changed: Int = 0, onlyCurrent: Int = 0, onlyOther: Int = 0
  ) {
    (self.table, self.same, self.changed) = (table, same, changed)
    (self.onlyCurrent, self.onlyOther, columnsOnlyCurrent) = (onlyCurrent, onlyOther, [])
    isCurrentInDoubt = false
  }
}

extension ComparedTable {
  /// The rows on some leaves, by all columns; nil where one cannot be read.
  fileprivate func rows(on pages: [PageNumber], of image: Image) -> [ComparedRow]? {
    let places = places(of: Set(columns))
    var rows: [ComparedRow] = []
    for number in pages {
      guard let page = try? image.btreePage(number), let cells = image.cells(onLeaf: number) else {
        return nil
      }
      for cell in cells {
        guard let record = try? image.record(of: cell, on: page).record else { return nil }
        rows.append(row(StoredRecord(record, of: cell, on: page), at: places))
      }
    }
    return rows
  }
}

extension Image {
  /// The cells of a leaf of a table with rowids; nil where it is none, or not sound.
  fileprivate func cells(onLeaf number: PageNumber) -> [Cell]? {
    guard let page = try? btreePage(number), page.kind == .tableLeaf else { return nil }
    return page.soundCells
  }
}
