// SPDX-License-Identifier: Apache-2.0
// What a backup prints of SQLite's own check is what SQLite says.

import DatabaseRescue
import Diagnosis
import RescueTestSupport
import SQLiteFormat
import Testing

@testable import RescueCLI

@Suite struct BackupIntegrityTests {
  let bench: Workbench
  let file: FilePath
  init() throws {
    bench = try Workbench()
    file = bench["app.db"]
  }

  /// Backs up a database with rows that were written before a constraint.
  private func backup(
    of values: String..., under condition: String, _ journal: DatabaseBuilder.JournalMode = .delete
  ) throws -> Ending {
    let rows = values.map { "(\($0))" }.joined(separator: ", ")
    try DatabaseBuilder(
      journal: journal, ["CREATE TABLE t (a)", "INSERT INTO t VALUES \(rows)"]
    ).build(at: file)
    try Connection.unguarded(file).prepare("UPDATE sqlite_schema SET sql = ?")
      .run([.text("CREATE TABLE t (a, CHECK (\(condition)))")])
    return try bench.run("backup", file, "--vault", bench["vault"])
  }

  @Test(arguments: [DatabaseBuilder.JournalMode.delete, .wal])
  func `rows that break a CHECK constraint are what its check found`(
    _ journal: DatabaseBuilder.JournalMode
  ) throws {
    let ending = try backup(of: "'{}'", "'{'", "'['", under: "json_valid(a)", journal)
    #expect(ending.status != 0, "\(ending.all)")
    #expect(
      ending.all.contains(
        "integrity_check: failed, 2 problems, the first: CHECK constraint failed in t"),
      "\(ending.all)")
    let names = try SystemStorage().names(in: bench["vault"])
    #expect(names.count == 1, "\(names)")
  }

  @Test func `a check that ended in an error has not passed`() throws {
    let ending = try backup(of: "'now'", under: "date(a) IS NOT NULL")
    #expect(!ending.all.contains("integrity_check: passed"), "\(ending.all)")
    #expect(
      ending.all.contains(
        "integrity_check could not be done: non-deterministic use of date() in a CHECK constraint"),
      "\(ending.all)")
  }

  @Test func `a constraint that takes a function of its app keeps no backup from being good`()
    throws
  {
    let first = try backup(of: "1", "2", under: "our_own(a)")
    for ending in [first, try bench.run("backup", file, "--vault", bench["vault"])] {
      #expect(ending.status == 0, "\(ending.all)")
      #expect(
        ending.all.contains("integrity_check: passed, ok as far as it could be done"),
        "\(ending.all)")
      #expect(
        ending.all.contains(
          "integrity_check could not be done in full: unknown function: our_own()"),
        "\(ending.all)")
    }
  }
  @Test func `what was not checked in several changed tables is said once`() throws {
    try DatabaseBuilder(["CREATE TABLE t (a)", "CREATE TABLE u (a)", "CREATE TABLE v (a)"])
      .build(at: file)
    let change = try Connection.unguarded(file).prepare(
      "UPDATE sqlite_schema SET sql = ? WHERE name = ?")
    for table in ["t", "u"] {
      try change.run([
        .text("CREATE TABLE \(table) (a, CHECK (our_own(a)))"), .text(table),
      ])
    }
    _ = try bench.run("backup", file, "--vault", bench["vault"])
    try Connection.unguarded(file).execute(
      "PRAGMA ignore_check_constraints = ON; INSERT INTO t VALUES (1); INSERT INTO u VALUES (1)")
    let ending = try bench.run("backup", file, "--vault", bench["vault"])
    #expect(ending.status == 0, "\(ending.all)")
    #expect(
      ending.all.ranges(of: "could not be done in full: unknown function: our_own()").count == 1,
      "\(ending.all)")
  }

  /// Tables without rowids whose key is not their first column: some versions of SQLite read another
  /// column than the one that they speak of.
  static let displaced = [
    "a TEXT, b NUMERIC DEFAULT '', k INT, PRIMARY KEY (k)) WITHOUT ROWID",
    "a INTEGER, b TEXT DEFAULT '', k INT, PRIMARY KEY (k)) WITHOUT ROWID",
    "a REAL, b TEXT DEFAULT '', k TEXT PRIMARY KEY) WITHOUT ROWID",
    "a TEXT, b INTEGER DEFAULT 0, k TEXT PRIMARY KEY) WITHOUT ROWID, STRICT",
    "a TEXT, b INTEGER NOT NULL, k REAL PRIMARY KEY) WITHOUT ROWID, STRICT",
    "a BLOB, b TEXT, k INT PRIMARY KEY) WITHOUT ROWID, STRICT",
  ]

  @Test(arguments: displaced, [3, 300])
  func `values of a sound table without rowids are no problem`(
    _ declaration: String, _ count: Int
  ) throws {
    let a =
      declaration.hasPrefix("a TEXT") ? "'12'" : declaration.hasPrefix("a BLOB") ? "x'00'" : "1"
    let b = declaration.contains("b TEXT") ? "'12'" : "1"
    try DatabaseBuilder([
      DatabaseBuilder.Step(stringLiteral: "CREATE TABLE t (\(declaration)"),
      DatabaseBuilder.Step(
        stringLiteral:
          """
          WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT \(count))
          INSERT INTO t SELECT \(a), \(b), i FROM n
          """),
    ]).build(at: file)
    for rest in ["", " for t; nothing else has changed"] {
      let ending = try bench.run("backup", file, "--vault", bench["vault"])
      #expect(ending.status == 0, "\(ending.all)")
      #expect(ending.all.contains("integrity_check: passed, ok\(rest)\n"), "\(ending.all)")
      try Connection.unguarded(file).execute("REPLACE INTO t SELECT a, b, 5000 FROM t LIMIT 1")
    }
    let capture = try bench.run("contract", "capture", file, "--output", bench["c.json"])
    #expect(capture.status == 0, "\(capture.all)")
  }
}
