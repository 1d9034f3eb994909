// SPDX-License-Identifier: Apache-2.0
// A database before or after a migration: everything by which the two are compared, taken at the
// time. What is read later of the same file is another state.

package import SQLiteFormat

/// A database before or after a migration.
package struct MigrationState: Sendable {
  /// The version of its schema; nil where it has no header.
  package let userVersion: Int?
  /// Whether it is in WAL mode.
  package let isWAL: Bool
  /// Its tables with users' rows.
  package private(set) var tables: [Name: TableFigures]
  /// Where the texts are of full-text tables that do not keep them themselves.
  private let contentTables: [Name: Name]
  /// The AUTOINCREMENT counters by table.
  package let sequences: [Name: Int64]
  /// Its schema.
  package let schema: SchemaDescription

  /// How many rows refer to rows that are not there, by table; nil where that was not asked.
  package var danglingRows: [Name: Int]?

  /// Describes a database of which the figures were taken.
  package init(_ survey: Survey, figures: [Name: TableFigures]) {
    userVersion = survey.header.map { Int($0.userVersion) }
    isWAL = survey.header?.isWAL ?? false
    tables = figures
    contentTables = Dictionary(
      survey.virtualTables.compactMap { table in
        table.hasOwnContent ? nil : table.contentTable.map { (table.name, $0) }
      }, uniquingKeysWith: { first, _ in first })
    sequences = survey.sequences
    schema = survey.schema?.parsed.description ?? SchemaDescription()
  }

  /// The same, where a full-text table that kept its texts before has them in another table: it has
  /// the rows of that.
  func findingTexts(of before: MigrationState) -> MigrationState {
    var copy = self
    for (name, content) in contentTables where before.tables[name] != nil {
      copy.tables[name] = copy.tables[name] ?? tables[content]
    }
    return copy
  }
}
