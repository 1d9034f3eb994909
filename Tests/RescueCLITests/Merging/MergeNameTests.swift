// SPDX-License-Identifier: Apache-2.0
// Names that mean one thing in an older input, and another one in a newer one: nothing disappears.

import DatabaseRescue
import RescueTestSupport
import SQLiteFormat
import Testing

@testable import RescueCLI

@Suite struct MergeNameTests {
  let bench: MergeBench
  init() throws { bench = try MergeBench() }

  private static let holders = [
    ("CREATE VIEW t AS SELECT * FROM other", "a view"),
    ("CREATE INDEX t ON other (a)", "an index"),
    ("CREATE VIRTUAL TABLE t USING fts5(a, b)", "a virtual table"),
    ("CREATE VIRTUAL TABLE t USING rtree(id, a, b)", "a virtual table"),
  ]

  @Test(arguments: holders)
  func `a table whose name is another object's in the newest input is in the balance`(
    _ statement: String, _ words: String
  ) throws {
    let merged = try bench.merge(
      [
        try bench.make(
          "old.db", "CREATE TABLE t (id INTEGER PRIMARY KEY, a)",
          "INSERT INTO t VALUES (1, 'a'), (2, 'b')", "CREATE INDEX t_a ON t (a)",
          "CREATE TRIGGER t_new AFTER INSERT ON t BEGIN SELECT 1; END"),
        try bench.make(
          "new.db", "CREATE TABLE other (id INTEGER PRIMARY KEY, a)", statement,
          "INSERT INTO other VALUES (1, 'z')"),
      ], displaced: ["t"])
    #expect(merged.ending.status == 14)
    #expect(try merged.rows("t", 0)["seen"]?.number == 2)
    #expect(try merged.rows("t", 0)["displaced"]?.number == 2)
    #expect(try merged.table("t")["rows"]?.number == 0)
    #expect(try merged.text("SELECT * FROM other") == "1 z")
    #expect(
      try merged.aside("SELECT \"table\", reason, c1 FROM rows")
        == "t table-not-wanted a\nt table-not-wanted b")
    #expect(try merged.ending.json["unrestored"]?.elements.count == 0)
    let notes = try merged.ending.json["notes"]?.elements.compactMap(\.text) ?? []
    #expect(
      notes == [
        "the table 't' of old.db is left out: its name is that of \(words) in a newer input, and its "
          + "rows are set aside"
      ])
    for format in ["txt", "html"] {
      let report = bench.bench[FilePath("report.\(format)")]
      try bench.bench.run(
        "merge", bench.bench["old.db"], bench.bench["new.db"], "--output", bench.bench["x.db"],
        "--force", "--report", report, "--force")
      #expect(
        String(decoding: try report.contents(), as: UTF8.self)
          .contains("2 rows as the name of their table is another object’s"))
    }
  }

  @Test func `a table whose statement cannot be read is in the balance of a merge`() throws {
    let old = try bench.make(
      "old.db", "CREATE TABLE t (id INTEGER PRIMARY KEY, a)", "INSERT INTO t VALUES (1, 'a')")
    let connection = try Connection(old, mode: .readWrite)
    connection.configure(1010, false)  // SQLITE_DBCONFIG_DEFENSIVE
    try connection.execute(
      "PRAGMA writable_schema = ON; UPDATE sqlite_schema SET sql = 'CREATE TABLE t (((('")
    let merged = try bench.merge(
      [old, try bench.make("new.db", "CREATE TABLE other (a)")], displaced: ["t"])
    #expect(merged.ending.status == 14)
    #expect(try merged.rows("t", 0)["doubtful"]?.number == 1)
  }

  @Test func `a trigger of the newest input does not keep a table of its name out`() throws {
    let merged = try bench.merge([
      try bench.make("old.db", "CREATE TABLE t (a)", "INSERT INTO t VALUES (1)"),
      try bench.make(
        "new.db", "CREATE TABLE other (a)",
        "CREATE TRIGGER t AFTER INSERT ON other BEGIN SELECT 1; END"),
    ])
    #expect(merged.ending.status == 0)
    #expect(try merged.text("SELECT * FROM t") == "1")
    #expect(
      try merged.text("SELECT type FROM sqlite_schema WHERE name = 't' ORDER BY 1")
        == "table\ntrigger")
  }

  @Test func `an index that is left out as its name is taken is named`() throws {
    let merged = try bench.merge([
      try bench.make(
        "old.db", "CREATE TABLE t (a)", "CREATE TABLE u (x, y)", "CREATE UNIQUE INDEX i ON u (x)",
        "INSERT INTO u VALUES (1, 2)"),
      try bench.make("new.db", "CREATE TABLE t (a)", "CREATE INDEX i ON t (a)"),
    ])
    #expect(merged.ending.status == 0)
    #expect(try merged.text("SELECT * FROM u") == "1 2")
    #expect(
      try merged.ending.json["notes"]?.elements.compactMap(\.text) == [
        "the index 'i' on 'u' of old.db is left out: its name is that of another index in a newer "
          + "input"
      ])
  }
}
