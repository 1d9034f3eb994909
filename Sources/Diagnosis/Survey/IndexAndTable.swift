// SPDX-License-Identifier: Apache-2.0
// An index and its table beside each other, where the entries can be computed from the rows.

import SQLiteFormat

/// An index and the table that it is over.
struct IndexAndTable {
  /// The pages of both.
  let image: Image
  /// The table.
  let table: TreeSurvey
  /// How entries follow from rows.
  let shape: IndexShape
  /// How many of the first fields of a row are its key; 0 in a table with rowids.
  let keyCount: Int
  private let root: PageNumber
  private let tableRoot: PageNumber

  /// The rows of the table, or the entries of the index.
  enum Side {
    case rows, entries
  }

  /// The most rows and entries that are compared.
  private static let rowsMax = 1 << 20

  /// Finds the table of an index; nil where the entries cannot be computed from its rows, or there
  /// are very many.
  ///
  /// A partial index has entries for some of the rows.
  init?(_ index: TreeSurvey, in survey: Survey, isPartial: Bool = false) {
    guard let image = survey.image, let root = index.root,
      let table = survey.tree(named: index.entry.table), let tableRoot = table.root,
      // Each of the indexes of a table has it read anew.
      (table.records + index.records)
        * max(1, survey.treePlaces.indexes(of: table.entry.name).count / 16) <= Self.rowsMax,
      let schema = survey.schema, let description = schema.table(named: table.entry.name),
      let rowShape = schema.shape(ofTable: table.entry.name),
      let shape =
        (isPartial
        ? schema.partialIndexes(of: description, rowShape)
        : schema.computableIndexes(of: description, rowShape))
        .first(where: { $0.name == index.entry.name })
    else { return nil }
    (self.image, self.table, self.shape) = (image, table, shape)
    let key = description.indexes.first { $0.origin == .primaryKey }
    keyCount = table.isRowIDTable ? 0 : key?.columns.count ?? 0
    (self.root, self.tableRoot) = (root, tableRoot)
  }

  /// Calls `body` with every row or every entry, until it returns false.
  func forEach(_ side: Side, _ body: (StoredRecord) -> Bool) {
    switch side {
    case .rows: image.forEachRecord(ofTree: tableRoot, isTable: table.isRowIDTable, body)
    case .entries: image.forEachRecord(ofTree: root, isTable: false, body)
    }
  }
}
