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
  package let tables: [Name: TableFigures]
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
    sequences = survey.sequences
    schema = survey.schema?.parsed.description ?? SchemaDescription()
  }
}
