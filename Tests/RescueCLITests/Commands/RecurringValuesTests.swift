// SPDX-License-Identifier: Apache-2.0
// Conditions over few values, which SQLite is not asked for each row: the one row that differs is
// found, among many that do not.

import DatabaseRescue
import Diagnosis
import RescueTestSupport
import SQLiteFormat
import Testing

@testable import RescueCLI

@Suite struct RecurringValuesTests {
  let bench: Workbench
  init() throws { bench = try Workbench() }

  private func build() throws -> FilePath {
    let file = bench["app.db"]
    try DatabaseBuilder([
      """
      CREATE TABLE task (id INTEGER PRIMARY KEY, label TEXT COLLATE NOCASE, cost REAL DEFAULT 1,
        state TEXT CHECK (state IN ('open', 'done')), weight INT CHECK (weight > 0 OR weight IS NULL))
      """,
      "CREATE INDEX open_tasks ON task (label, cost) WHERE state = 'open'",
      """
      WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 3000)
      INSERT INTO task SELECT i, 'Task ' || i, i % 9,
        CASE WHEN i % 3 THEN 'open' ELSE 'done' END, nullif(i % 7, 0) FROM n
      """,
      "ALTER TABLE task ADD COLUMN note TEXT DEFAULT 'none'",
      "CREATE INDEX noted ON task (note, id) WHERE weight",
    ]).build(at: file)
    return file
  }

  /// What `check` says, and SQLite.
  private func verdict(_ file: FilePath) throws -> (status: Int32, isOK: Bool, text: String) {
    let ending = try bench.run("check", file)
    let answer = try Connection(file, mode: .readOnly).value("PRAGMA integrity_check")
    return (ending.status, answer?.utf8String == "ok", ending.all)
  }

  @Test func `all rows keep to them`() throws {
    let (status, isOK, text) = try verdict(build())
    #expect(status == 0 && isOK, "\(text)")
  }

  @Test(arguments: ["state = 'odd'", "state = 1", "weight = -1", "weight = 0"])
  func `one row breaks a constraint`(change: String) throws {
    let file = try build()
    do {
      let connection = try Connection.unguarded(file)
      try connection.execute(
        "PRAGMA ignore_check_constraints = ON; UPDATE task SET \(change) WHERE id = 2500")
    }
    let (status, _, text) = try verdict(file)
    #expect(status != 0 && text.contains("DBR-F105"), "\(text)")
  }

  @Test(arguments: [
    "state = 'done' WHERE id = 2500", "state = 'open' WHERE id = 2499", "cost = 77 WHERE id = 2500",
    "label = 'other' WHERE id = 2500", "note = 'one' WHERE id = 2500",
    "weight = NULL WHERE id = 2500",
  ])
  func `one row is not in a partial index as it should be`(change: String) throws {
    let file = try build()
    do {
      let connection = try Connection.unguarded(file)
      try connection.execute(
        """
        CREATE TABLE kept AS SELECT * FROM sqlite_schema WHERE name IN ('open_tasks', 'noted');
        DELETE FROM sqlite_schema WHERE type = 'index';
        """)
    }
    do {
      let connection = try Connection.unguarded(file)
      try connection.execute("UPDATE task SET \(change)")
      try connection.execute("INSERT INTO sqlite_schema SELECT * FROM kept; DROP TABLE kept")
    }
    let (status, isOK, text) = try verdict(file)
    #expect(!isOK)
    #expect(status != 0, "\(text)")
  }
}
