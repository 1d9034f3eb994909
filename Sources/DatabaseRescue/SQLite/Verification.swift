// SPDX-License-Identifier: Apache-2.0
// What SQLite itself says about a database that we made or copied.

internal import CSQLite
import SQLiteFormat

/// What SQLite says about a database that is ours: a fresh one, or a private copy.
package struct Verification: Sendable {
  /// The lines of `PRAGMA integrity_check`; empty when they are just `ok`.
  package let integrityProblems: [String]
  /// Rows that refer to rows that are not there, by table.
  package let danglingReferences: [(table: String, count: Int)]

  /// Whether nothing is wrong.
  package var isSound: Bool { integrityProblems.isEmpty }

  /// Checks a database.
  ///
  /// - Throws: ``SQLiteError`` when it cannot be opened or a check cannot run.
  package static func ofFreshDatabase(_ path: FilePath) throws(SQLiteError) -> Verification {
    let connection = try Connection(path, mode: .readOnly)
    // Every schema has been through the sandbox, and may use any built-in function.
    connection.configure(SQLITE_DBCONFIG_TRUSTED_SCHEMA, true)
    return try of(connection)
  }

  /// Checks an open database.
  ///
  /// - Throws: ``SQLiteError`` when a check cannot run.
  package static func of(_ connection: borrowing Connection) throws(SQLiteError) -> Verification {
    let lines = try connection.rows("PRAGMA integrity_check").compactMap { $0.first?.utf8String }
    let dangling = try connection.rows(
      """
      SELECT "table", count(*) FROM pragma_foreign_key_check GROUP BY "table" ORDER BY "table"
      """)
    return Verification(
      integrityProblems: lines == ["ok"] ? [] : lines,
      danglingReferences: dangling.compactMap { row in
        guard let table = row.first?.utf8String, let count = row.last?.integerValue else {
          return nil
        }
        return (table, Int(count))
      })
  }
}
