// SPDX-License-Identifier: Apache-2.0
// Every way in which numbered SQL files go wrong, or right, as rows of a table.

import DatabaseRescue
import RescueTestSupport
import SQLiteFormat
import Testing

/// One way in which numbered SQL files go wrong, or right, on a database of version 3.
struct MigrateFault: Sendable, CustomTestStringConvertible {
  /// What goes wrong.
  let testDescription: String
  /// The files.
  let files: [FilePath: String]
  /// What the run is told beside them.
  var flags: [String] = []
  /// The exit status, when the backup is to be put back.
  let status: Int32
  /// What becomes of the database.
  let end: MigrationFault.End
  /// The version afterwards, where the result is kept; or when it is left.
  var version: Int64 = 4
  /// What is said of it.
  var says: [String] = []

  init(
    _ name: String, _ sql: String, _ second: String? = nil, flags: [String] = [], status: Int32,
    _ end: MigrationFault.End, version: Int64 = 4, says: [String] = []
  ) {
    testDescription = name
    files = ["0004_a.sql": sql].merging(second.map { ["0005_b.sql": $0] } ?? [:]) { $1 }
    self.flags = flags
    self.status = status
    self.end = end
    self.version = version
    self.says = says
  }

  private static let addUnit = "ALTER TABLE item ADD COLUMN unit TEXT;"
  private static let each = ["--transactions", "each"]

  static let all: [MigrateFault] = [
    MigrateFault(
      "does what it should", addUnit, status: 0, .kept, says: ["from version 3 to 4, and verified"]
    ),
    MigrateFault(
      "two files", addUnit, "CREATE INDEX item_unit ON item (unit)", status: 0, .kept, version: 5,
      says: ["from version 3 to 5"]),
    MigrateFault("two files, each its own", addUnit, "", flags: each, status: 0, .kept, version: 5),
    MigrateFault(
      "the first of two is enough", addUnit, "DROP TABLE none", flags: ["--to", "4"], status: 0,
      .kept),
    MigrateFault(
      "has the version already", "", flags: ["--to", "3"], status: 0, .untouched,
      says: ["there is nothing to do"]),
    MigrateFault(
      "rebuilds a table that others refer to",
      """
      CREATE TABLE new_item (
        id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT NOT NULL, price REAL CHECK (price > 0),
        note TEXT, unit TEXT NOT NULL DEFAULT 'kg');
      INSERT INTO new_item SELECT id, name, price, note, 'kg' FROM item;
      UPDATE sqlite_sequence SET seq = 200 WHERE name = 'new_item';
      DROP TABLE item;
      ALTER TABLE new_item RENAME TO item;
      CREATE INDEX item_name ON item (name);
      """, status: 0, .kept),
    MigrateFault(
      "SQL that is wrong", "\(addUnit)\nSELEKT 1;", status: 16, .untouched,
      says: ["0004_a.sql:2: near \"SELEKT\": syntax error; what it had done was rolled back"]),
    MigrateFault(
      "a row that breaks a constraint", "UPDATE item SET price = 1;\nUPDATE item SET name = NULL",
      status: 16, .unchanged, says: ["0004_a.sql:2: NOT NULL constraint failed: item.name"]),
    MigrateFault(
      "a conflict that rolls everything back",
      "\(addUnit) UPDATE OR ROLLBACK item SET name = NULL; DELETE FROM log;", status: 16,
      .untouched, says: ["NOT NULL constraint failed"]),
    MigrateFault(
      "the second file fails", addUnit, "DROP TABLE none", status: 16, .untouched,
      says: ["0005_b.sql:1: no such table: none"]),
    MigrateFault(
      "the second file fails, each its own", addUnit, "DROP TABLE none", flags: each, status: 16,
      .restored, says: ["0005_b.sql:1: no such table: none"]),
    MigrateFault(
      "deletes half of a table", "DELETE FROM log WHERE at % 2", status: 18, .restored,
      says: ["'log' had 200 rows and has 100"]),
    MigrateFault(
      "leaves rows that refer to nothing", "DELETE FROM item WHERE id < 11", status: 16,
      .unchanged, says: ["10 rows of 'tag' would refer to rows that are not there"]),
    MigrateFault(
      "leaves something temporary", "CREATE TEMP TABLE t (a); \(addUnit)", status: 16, .untouched,
      says: ["0004_a.sql leaves 't', which is temporary"]),
    MigrateFault(
      "uses something temporary",
      "CREATE TEMP TABLE t AS SELECT * FROM log; DROP TABLE t; \(addUnit)", status: 0, .kept),
    MigrateFault(
      "never ends",
      "WITH RECURSIVE n(i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n) SELECT max(i) FROM n",
      flags: ["--timeout", "1"], status: 16, .untouched,
      says: ["the migration did not end in time and was stopped"]),
    MigrateFault(
      "begins a transaction", "BEGIN; \(addUnit)", status: 65, .untouched,
      says: ["0004_a.sql:1: BEGIN has no place here"]),
    MigrateFault(
      "explains itself into a transaction", "EXPLAIN COMMIT", status: 16, .untouched,
      says: ["not authorized"]),
    MigrateFault(
      "loads code", "SELECT load_extension('x')", status: 16, .untouched,
      says: ["not authorized"]),
    MigrateFault(
      "writes a file", "SELECT writefile('x', 'y')", status: 16, .untouched, says: ["writefile"]),
    MigrateFault(
      "writes to the schema itself", "UPDATE sqlite_schema SET sql = ''", status: 16, .untouched,
      says: ["may not be modified"]),
    MigrateFault(
      "needs a function of the app", "UPDATE log SET msg = shout(msg)", status: 16, .untouched,
      says: ["no such function: shout", "dbrescue guard"]),
    MigrateFault(
      "full-text search",
      "CREATE VIRTUAL TABLE words USING fts5 (msg); "
        + "INSERT INTO words SELECT msg FROM log;", status: 0, .kept),
  ]
}
