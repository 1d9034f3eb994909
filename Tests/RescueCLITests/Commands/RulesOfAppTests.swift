// SPDX-License-Identifier: Apache-2.0
// Rules of a table that take functions of the app: nobody else can judge them, and rows that keep to
// all others are good.

import DatabaseRescue
import RescueTestSupport
import SQLiteFormat
import Testing

@testable import RescueCLI

@Suite struct RulesOfAppTests {
  let bench: Workbench
  let file: FilePath
  init() throws {
    bench = try Workbench()
    file = bench["app.db"]
  }

  /// A table with these columns and rules, in which a function of SQLite gets the name of one that
  /// only an app has.
  private func build(_ columns: String, changing change: String = "") throws {
    try DatabaseBuilder([
      DatabaseBuilder.Step(stringLiteral: "CREATE TABLE t (id INTEGER PRIMARY KEY, \(columns))"),
      """
      WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers LIMIT 150)
      INSERT INTO t (a) SELECT 'text ' || n FROM numbers
      """,
    ]).build(at: file)
    let connection = try Connection.unguarded(file)
    try connection.execute(
      "PRAGMA ignore_check_constraints = ON; \(change);"
        + "UPDATE sqlite_schema SET sql = replace(sql, 'lower(', 'app_lower(')")
  }

  static let rules = [
    "a TEXT CHECK (lower(a) IS a)", "a TEXT, CONSTRAINT c CHECK (coalesce(lower(a), '') = a)",
    "a TEXT, b INT DEFAULT 1 CHECK (b > 0), CHECK (lower(a) IS NOT NULL), CHECK (b < 9)",
    "a TEXT, g TEXT AS (lower(a)) VIRTUAL NOT NULL",
    "a TEXT, g AS (lower(a)) CHECK (g IS NOT NULL)",
    "a TEXT, g AS (lower(a)), h TEXT AS (g || 'x') NOT NULL",
    "a TEXT, g TEXT AS (lower(a)) STORED NOT NULL CHECK (lower(g) IS g)",
  ]

  @Test(arguments: rules)
  func `rows under a rule that only the app can judge are good`(_ columns: String) throws {
    try build(columns)
    let statement = "SELECT sql FROM sqlite_schema"
    let commands: [[any Word]] = [
      ["check", file], ["diagnose", file], ["backup", file],
      ["guard", file, "--", "/bin/sh", "-c", "exit 0"],
      ["salvage", file, "--output", bench["new.db"]],
    ]
    for words in commands {
      let ending = try bench.run(words)
      #expect(ending.status == 0, "\(ending.all)")
      guard words.count == 2 else { continue }
      #expect(ending.all.contains("not every constraint of 't' was checked"), "\(ending.all)")
      #expect(ending.all.contains("app_lower"), "\(ending.all)")
    }
    #expect(try Oracle(bench["new.db"]).count(of: "t") == 150)
    #expect(
      try Connection(bench["new.db"], mode: .readOnly).rows(statement)
        == Connection(file, mode: .readOnly).rows(statement))
    do {
      let connection = try Connection.unguarded(bench["new.db"])
      try connection.execute("UPDATE sqlite_schema SET sql = replace(sql, 'app_', '')")
    }
    let judge = try Connection(bench["new.db"], mode: .readWrite)
    #expect(try judge.value("PRAGMA integrity_check")?.utf8String == "ok")
  }

  @Test func `a unique column that only the app can compute is not said to be restored`() throws {
    try build("a TEXT, g AS (lower(a)) UNIQUE")
    let ending = try bench.run("salvage", file, "--output", bench["new.db"])
    #expect(ending.status == 13 && ending.all.contains("it has no values of 'g'"), "\(ending.all)")
  }

  @Test func `a rule of the same table that SQLite can judge is held`() throws {
    try build(
      "a TEXT CHECK (lower(a) IS a), b INT DEFAULT 1 CHECK (b > 0)",
      changing: "UPDATE t SET b = -1 WHERE id = 7")
    #expect(try bench.run("check", file).status == 13)
    let backup = try bench.run("backup", file)
    #expect(backup.status == 14 && backup.all.contains("CHECK constraint"), "\(backup.all)")
    let salvage = try bench.run("salvage", file, "--output", bench["new.db"])
    #expect(salvage.status == 14, "\(salvage.all)")
    #expect(try Oracle(bench["new.db"]).count(of: "t") == 149)
  }
}
