// SPDX-License-Identifier: Apache-2.0
// What the rows of a table, and the indexes beside it, say against its statement.
//
//   CREATE TABLE sets(id INTEGER PRIMERY KEY, reps INT)    SQLite takes all of that for a type:
//   rows: (NULL, 8) (NULL, 12) (NULL, 10) …                no row has a key
//
// A damaged statement can be one that SQLite accepts. It means another table then, and the rows are
// not such as that would have: values that its types would have changed, an automatic index that
// is not there, or a column without a value in any row, as the one has that is the rowid.

import SQLiteFormat

/// Some rows of a table, and the indexes that SQLite has made for it.
struct StatementEvidence {
  /// How many rows without a value tell that a column is the rowid, where the statements differ in
  /// more than a letter: that a letter makes three words of a type into those of the rowid is no
  /// accident.
  private static let rowsMin = 8

  private let rows: [Record]
  private let automatic: Set<Name>
  private let encoding: TextEncoding

  /// Takes a look at a table that has these automatic indexes; nil where its root cannot be read, or
  /// has no rows.
  init?(
    _ entry: SchemaEntry, with automatic: Set<Name>, _ encoding: TextEncoding, in image: Image
  ) {
    guard entry.kind == .table, let number = entry.root, let root = try? image.btreePage(number),
      let rows = image.sampledRecords(below: root), !rows.isEmpty
    else { return nil }
    (self.rows, self.encoding, self.automatic) = (rows, encoding, automatic)
  }

  /// Whether something speaks against a table, or may.
  ///
  /// That a column has no value in any row says little: many have none. But a rowid column whose
  /// declaration was damaged still has the words PRIMARY KEY, in what SQLite takes for its type.
  func objects(to table: TableDescription) -> Bool {
    objections(to: table) > 0
      || table.rowIDAlias == nil
        && columnsWithoutValues(of: table).contains { table.columns[$0].type.contains(" ") }
  }

  /// Whether less speaks against one table than against another, which is stated.
  func prefers(_ other: TableDescription, to stated: TableDescription) -> Bool {
    let (less, more) = (objections(to: other), objections(to: stated))
    if less != more { return less < more }
    guard let alias = other.rowIDAlias, stated.rowIDAlias == nil,
      rows.count >= Self.rowsMin || other.sql.differsInOneLetter(from: stated.sql)
    else { return false }
    return columnsWithoutValues(of: other).contains(alias)
  }

  /// How many rows the table would not have, and how many automatic indexes it would lack, or have
  /// besides.
  private func objections(to table: TableDescription) -> Int {
    let shape = RowShape(table, defaults: [], encoding: encoding)
    let declared = table.indexes.filter { index in
      index.sql == nil && !(table.withoutRowID && index.origin == .primaryKey)
    }
    return automatic.symmetricDifference(declared.map(\.name)).count
      + rows.count { row in
        let violations = shape.violations(of: row)
        return !shape.fits(row) || violations.nulls || violations.types
      }
  }

  /// The columns that every row has, with NULL.
  private func columnsWithoutValues(of table: TableDescription) -> [Int] {
    table.storageOrder.enumerated().filter { place, _ in
      rows.allSatisfy { $0.field(place)?.serialType == 0 }
    }.map(\.element)
  }
}
