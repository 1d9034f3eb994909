// SPDX-License-Identifier: Apache-2.0
// What is left of damaged indexes, and what that still says of the rows of their tables.

import SQLiteFormat

extension Survey {
  /// The tables that lack rows which sound pages of their damaged indexes name, as positions among the
  /// trees.
  var tablesShortOfNamedRows: Set<Int> {
    Set(
      trees.indices.filter { place in
        trees[place].entry.kind == .index && !trees[place].isSound && namesMissingRow(place)
      }.compactMap { treePlaces[trees[$0].entry.table] })
  }

  /// Whether a sound page of a damaged index, most of whose entries are for rows of its table, has one
  /// for a row that this has not.
  private func namesMissingRow(_ place: Int) -> Bool {
    guard let pair = IndexAndTable(trees[place], in: self), pair.table.isRowIDTable,
      pair.table.isReadable
    else { return false }
    // What the list of free pages has lost may be of another time.
    let mayHaveLeft = isFreelistWhole
    let pages = pair.image.dataPages.lazy.filter { page in
      claims.owner(of: page).map { $0 == .tree(place) } ?? mayHaveLeft
    }.compactMap { pair.image.entries(of: $0, fieldCount: pair.shape.fields.count) }
    var keys: Set<KeyHash> = []
    var rowIDs: Set<Int64> = []
    pair.forEach(.rows) { stored in
      keys.insert(pair.shape.key(of: stored))
      if let rowID = stored.rowID { rowIDs.insert(rowID) }
      return true
    }
    return pages.contains { entries in
      entries.count { keys.contains(KeyHash($0)) } * 2 > entries.count
        && entries.contains { entry in
          // The last field of an entry is the rowid: file format, section 2.4.
          entry.value(pair.shape.fields.count - 1)?.integerValue.map { !rowIDs.contains($0) }
            ?? false
        }
    }
  }
}

extension Image {
  /// The entries of a sound page of an index with so many fields; nil of any other page.
  fileprivate func entries(of number: PageNumber, fieldCount: Int) -> [Record]? {
    guard let page = try? btreePage(number), !page.kind.isTable, let cells = page.soundCells
    else { return nil }
    let records = cells.compactMap { try? record(of: $0, on: page).record }
    return records.count == cells.count && records.allSatisfy { $0.fieldCount == fieldCount }
      ? records : nil
  }
}
