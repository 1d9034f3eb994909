// SPDX-License-Identifier: Apache-2.0
// What SQLite itself says about a database that we made or copied.

package import Diagnosis
package import SQLiteFormat

/// What SQLite says about a database that is ours: a fresh one, or a private copy.
package struct Verification: Sendable {
  /// The lines of `PRAGMA integrity_check`; empty when they are just `ok`.
  package let integrityProblems: [String]
  /// Rows that refer to rows that are not there, by table.
  package let danglingReferences: [(table: Name, count: Int)]
  /// What could not be checked, and why.
  package let unchecked: [Unchecked]
  /// How many rows the tables have that were asked for, in their order; none where one is not there.
  package var rowCounts: [Int] = []

  /// Whether nothing is wrong.
  package var isSound: Bool { integrityProblems.isEmpty }

  /// Checks a database, and counts the rows of tables: its integrity beside everything else.
  ///
  /// How many bytes the check of its integrity reads is told as it goes on: all of them, and those of
  /// tables once more, beside their indexes.
  ///
  /// - Throws: ``SQLiteError`` when it cannot be opened or a check cannot run.
  package static func ofFreshDatabase(
    _ path: FilePath, counting tables: [Name] = [],
    isCancelled: @escaping @Sendable () -> Bool = { false },
    telling advanced: @escaping @Sendable (Int) -> Void = { _ in }
  ) throws(SQLiteError) -> Verification {
    let content = Background { () throws(SQLiteError) in
      let connection = try open(path, isCancelled)
      connection.acceptUnknownCollations()
      return (
        references: try references(in: connection), counts: try count(tables, in: connection)
      )
    }
    let integrity = try content.during { () throws(SQLiteError) in
      let connection = try open(path, isCancelled)
      try connection.tell(advanced)
      return try checkIntegrity(of: connection)
    }
    let found = try content.value()
    return Verification(
      integrityProblems: integrity.problems, danglingReferences: found.references.dangling,
      unchecked: integrity.unchecked + found.references.unchecked, rowCounts: found.counts)
  }

  private static func open(
    _ path: FilePath, _ isCancelled: @escaping @Sendable () -> Bool
  ) throws(SQLiteError) -> Connection {
    // In WAL mode, who may only read leaves files beside it.
    let connection = try Connection(path, mode: .readWrite)
    connection.stop(when: isCancelled)
    return connection
  }

  /// Has SQLite check everything, or one table; what needs functions or collations of an app, it
  /// cannot.
  ///
  /// SQLite parses no CHECK constraint where it may only read, and says nothing of them then.
  static func checkIntegrity(
    of connection: borrowing Connection, in table: Name? = nil, listing limit: Int = linesMax
  ) throws(SQLiteError) -> (problems: [String], unchecked: [Unchecked]) {
    let argument = table?.quotedIdentifier ?? "\(limit)"
    var unchecked: [Unchecked] = []
    while true {
      do throws(SQLiteError) {
        let lines = try problems(in: connection, argument, listing: limit).filter {
          unchecked.isEmpty || !isAboutIndexEntries($0)
        }
        return (lines, unchecked)
      } catch {
        guard connection.standIn(forWhatLacks: error) else { throw error }
        unchecked.append(Unchecked(.keys, of: nil as String?, because: error.message))
      }
    }
  }

  /// How many problems SQLite names at most.
  static let linesMax = 10_000

  /// Whether a problem is one of the entries or the order of an index: what they should be is known
  /// to nobody who lacks its function or collation.
  private static func isAboutIndexEntries(_ problem: String) -> Bool {
    ["missing from index", "wrong # of entries in index", "non-unique entry in index", "KEY order"]
      .contains { problem.contains($0) }
  }

  static func references(
    in connection: borrowing Connection
  ) throws(SQLiteError) -> (dangling: [(table: Name, count: Int)], unchecked: [Unchecked]) {
    let tables = try connection.rows(
      """
      SELECT DISTINCT name FROM sqlite_schema AS s, pragma_foreign_key_list(s.name)
      WHERE s.type = 'table' ORDER BY name
      """)
    var dangling: [(table: Name, count: Int)] = []
    var unchecked: [Unchecked] = []
    for table in tables.compactMap({ $0.first?.utf8String }) {
      do throws(SQLiteError) {
        let count =
          try connection.value(
            "SELECT count(*) FROM pragma_foreign_key_check(?)", [.text(table)])?.integerValue ?? 0
        if count > 0 { dangling.append((Name(table), Int(count))) }
      } catch  where error.cause == .other {
        unchecked.append(Unchecked(.references, of: table, because: error.message))
      }
    }
    return (dangling, unchecked)
  }

  private static func count(
    _ tables: [Name], in connection: borrowing Connection
  ) throws(SQLiteError) -> [Int] {
    let made = try connection.tables(in: "main")
    var counts: [Int] = []
    for table in tables {
      guard made.contains(table) else {
        counts.append(0)
        continue
      }
      let count = try connection.value("SELECT count(*) FROM \(table.quotedIdentifier)")
      counts.append(Int(count?.integerValue ?? 0))
    }
    return counts
  }
}
