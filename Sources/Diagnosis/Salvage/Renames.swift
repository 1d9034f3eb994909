// SPDX-License-Identifier: Apache-2.0
// New names of tables and columns by their old ones, as a contract gives them.

package import SQLiteFormat

/// New names of tables and columns by their old ones; case does not matter.
package struct Renames: Hashable, Sendable {
  /// What is said of tables, and what of it leads to those that are wanted.
  private var given: [Name: Name] = [:]
  private var wanted: Set<Name> = []
  private var tables: [Name: Name] = [:]
  private var columns: [Name: [Name: Name]] = [:]

  /// No table and no column has another name.
  package init() {}

  /// The renames of a contract that lead to the tables that are wanted, from those that are there.
  package init(_ contract: Contract?, from present: Set<Name>, to wanted: Set<Name>) {
    given = contract?.renamedTables ?? [:]
    columns = contract?.renamedColumns ?? [:]
    self.wanted = wanted
    tables = given.names(from: present, to: wanted)
  }

  /// The same, for a file that has other tables.
  package func from(_ present: Set<Name>) -> Renames {
    var renames = self
    renames.tables = given.names(from: present, to: wanted)
    return renames
  }

  /// The new name of a table.
  package func newName(of table: Name) -> Name { tables[table] ?? table }

  /// The new names of a table's columns by their old ones, which lead from those that it has to those
  /// that are wanted.
  package func columns(
    of table: Name, from present: Set<Name>, to wanted: Set<Name>
  ) -> [Name: Name] {
    (columns[newName(of: table)] ?? [:]).merging(columns[table] ?? [:]) { $1 }
      .names(from: present, to: wanted)
  }
}
