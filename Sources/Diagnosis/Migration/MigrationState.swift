// SPDX-License-Identifier: Apache-2.0
// A database before or after a migration: everything by which the two are compared, taken at the
// time. What is read later of the same file is another state.

public import SQLiteFormat

/// A database before or after a migration.
public struct MigrationState: Sendable {
  /// The version of its schema; nil where it has no header.
  public let userVersion: Int?
  /// Whether it is in WAL mode.
  public let isWAL: Bool
  /// Its tables with users' rows.
  public let tables: [Name: TableFigures]
  /// The AUTOINCREMENT counters by table.
  public let sequences: [Name: Int64]
  /// Its schema.
  public let schema: SchemaDescription

  /// Describes a database of which the figures were taken.
  public init(_ survey: Survey, figures: [Name: TableFigures]) {
    userVersion = survey.header.map { Int($0.userVersion) }
    isWAL = survey.header?.isWAL ?? false
    tables = figures
    sequences = survey.sequences
    schema = survey.schema?.parsed.description ?? SchemaDescription()
  }
}
