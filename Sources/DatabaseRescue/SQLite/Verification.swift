// SPDX-License-Identifier: Apache-2.0
// What SQLite itself says about a database that we made or copied.

internal import CSQLite
import Diagnosis
import SQLiteFormat

/// What SQLite says about a database that is ours: a fresh one, or a private copy.
package struct Verification: Sendable {
  /// The lines of `PRAGMA integrity_check`; empty when they are just `ok`.
  package let integrityProblems: [String]
  /// Rows that refer to rows that are not there, by table.
  package let danglingReferences: [(table: String, count: Int)]
  /// How many rows the tables have that were asked for, in their order.
  package var rowCounts: [Int] = []

  /// Whether nothing is wrong.
  package var isSound: Bool { integrityProblems.isEmpty }

  /// Checks a database, and counts the rows of tables.
  ///
  /// - Throws: ``SQLiteError`` when it cannot be opened or a check cannot run.
  package static func ofFreshDatabase(
    _ path: FilePath, counting tables: [String] = []
  ) throws(SQLiteError) -> Verification {
    let connection = try Connection(path, mode: .readOnly)
    // Every schema has been through the sandbox, and may use any built-in function.
    connection.configure(SQLITE_DBCONFIG_TRUSTED_SCHEMA, true)
    var verification = try of(connection)
    for table in tables {
      let count = try connection.value("SELECT count(*) FROM \(table.quotedIdentifier)")
      verification.rowCounts.append(Int(count?.integerValue ?? 0))
    }
    return verification
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
