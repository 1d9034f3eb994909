// SPDX-License-Identifier: Apache-2.0
// What SQLite itself says about a database that we made or copied.

internal import CSQLite
import Diagnosis
package import SQLiteFormat

/// What SQLite says about a database that is ours: a fresh one, or a private copy.
package struct Verification: Sendable {
  /// The lines of `PRAGMA integrity_check`; empty when they are just `ok`.
  package let integrityProblems: [String]
  /// Rows that refer to rows that are not there, by table.
  package let danglingReferences: [(table: Name, count: Int)]
  /// How many rows the tables have that were asked for, in their order.
  package var rowCounts: [Int] = []

  /// Whether nothing is wrong.
  package var isSound: Bool { integrityProblems.isEmpty }

  /// Checks a database, and counts the rows of tables: its integrity beside everything else.
  ///
  /// - Throws: ``SQLiteError`` when it cannot be opened or a check cannot run.
  package static func ofFreshDatabase(
    _ path: FilePath, counting tables: [Name] = [],
    isCancelled: @escaping @Sendable () -> Bool = { false }
  ) throws(SQLiteError) -> Verification {
    let content = Background { () throws(SQLiteError) in
      let connection = try open(path, isCancelled)
      return (
        dangling: try danglingReferences(in: connection), counts: try count(tables, in: connection)
      )
    }
    let problems: [String]
    do throws(SQLiteError) {
      problems = try integrityProblems(of: open(path, isCancelled))
    } catch {
      _ = try? content.value()
      throw error
    }
    let (dangling, counts) = try content.value()
    return Verification(
      integrityProblems: problems, danglingReferences: dangling, rowCounts: counts)
  }

  private static func open(
    _ path: FilePath, _ isCancelled: @escaping @Sendable () -> Bool
  ) throws(SQLiteError) -> Connection {
    // In WAL mode, who may only read leaves files beside it.
    var connection = try Connection(path, mode: .readWrite)
    connection.stop(when: isCancelled)
    // Every schema has been through the sandbox, and may use any built-in function.
    connection.configure(SQLITE_DBCONFIG_TRUSTED_SCHEMA, true)
    return connection
  }

  private static func integrityProblems(
    of connection: borrowing Connection
  ) throws(SQLiteError) -> [String] {
    let lines = try connection.rows("PRAGMA integrity_check").compactMap { $0.first?.utf8String }
    return lines == ["ok"] ? [] : lines
  }

  private static func danglingReferences(
    in connection: borrowing Connection
  ) throws(SQLiteError) -> [(table: Name, count: Int)] {
    try connection.rows(
      """
      SELECT "table", count(*) FROM pragma_foreign_key_check GROUP BY "table" ORDER BY "table"
      """
    ).compactMap { row in
      guard let table = row.first?.utf8String, let count = row.last?.integerValue else {
        return nil
      }
      return (Name(table), Int(count))
    }
  }

  private static func count(
    _ tables: [Name], in connection: borrowing Connection
  ) throws(SQLiteError) -> [Int] {
    var counts: [Int] = []
    for table in tables {
      let count = try connection.value("SELECT count(*) FROM \(table.quotedIdentifier)")
      counts.append(Int(count?.integerValue ?? 0))
    }
    return counts
  }
}
