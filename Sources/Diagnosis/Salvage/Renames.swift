// SPDX-License-Identifier: Apache-2.0
// New names of tables and columns by their old ones, as a contract gives them.

package import SQLiteFormat

/// New names of tables and columns by their old ones; case does not matter.
package struct Renames: Hashable, Sendable {
  private let tables: [Name: Name]
  private let columns: [Name: [Name: Name]]

  /// The renames of a contract; none without one.
  package init(_ contract: Contract? = nil) {
    self.init(tables: contract?.renamedTables ?? [:], columns: contract?.renamedColumns ?? [:])
  }

  /// Makes a list of renames; those of columns are by table, under its old or its new name.
  package init(tables: [Name: Name], columns: [Name: [Name: Name]]) {
    self.tables = tables
    self.columns = columns
  }

  /// The new name of a table.
  package func newName(of table: Name) -> Name { tables[table] ?? table }

  /// The new names of a table's columns by their old ones.
  package func columns(of table: Name) -> [Name: Name] {
    (columns[newName(of: table)] ?? [:])
      .merging(columns[table] ?? [:]) { $1 }
  }
}
