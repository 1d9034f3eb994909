// SPDX-License-Identifier: Apache-2.0
// What SQLite's check says of values, and what of that is true.

import RescueTestSupport
import SQLiteFormat
import Testing

@testable import DatabaseRescue

@Suite struct VerificationTests {
  let scratch: ScratchFolder
  init() throws { scratch = try ScratchFolder() }

  private func problems(
    of steps: [String], turning old: String = "", into new: String = "", listing limit: Int = 100
  ) throws -> [String] {
    let file = scratch["app.db"]
    try DatabaseBuilder(steps.map { DatabaseBuilder.Step(stringLiteral: $0) }).build(at: file)
    try Connection.unguarded(file).prepare("UPDATE sqlite_schema SET sql = replace(sql, ?, ?)")
      .run([.text(old), .text(new)])
    let found = try Verification.checkIntegrity(
      of: Connection(file, mode: .readWrite), listing: limit)
    #expect(found.unchecked.isEmpty)
    return found.problems
  }

  @Test(arguments: [
    ("b NUMERIC", "'12'", ["TEXT value in t.b"]), ("b NUMERIC", "'x'", []),
    ("b TEXT", "12", ["NUMERIC value in t.b"]), ("b TEXT", "x'00'", []),
    ("b NUMERIC NOT NULL", "NULL", ["NULL value in t.b"]),
  ])
  func `a wrong value in a table without rowids is a problem`(
    _ type: String, _ value: String, _ expected: [String]
  ) throws {
    let found = try problems(
      of: [
        "CREATE TABLE t (k INT, b BLOB, PRIMARY KEY (k)) WITHOUT ROWID",
        "INSERT INTO t VALUES (1, \(value))",
      ], turning: "b BLOB", into: type)
    #expect(found == expected)
  }

  @Test(arguments: ["INT", "INTEGER", "REAL", "TEXT", "BLOB"])
  func `a wrong value in a strict table without rowids is a problem`(_ type: String) throws {
    let value = ["TEXT", "BLOB"].contains(type) ? "1" : "'x'"
    let found = try problems(
      of: [
        "CREATE TABLE t (k INT, b ANY, PRIMARY KEY (k)) STRICT, WITHOUT ROWID",
        "INSERT INTO t VALUES (1, \(value))",
      ], turning: "b ANY", into: "b \(type)")
    #expect(found == ["non-\(type) value in t.b"])
  }

  @Test(arguments: [1, 100, 10_000]) func `a problem is found behind many false alarms`(
    _ limit: Int
  ) throws {
    let found = try problems(
      of: [
        "CREATE TABLE t (a TEXT, b NUMERIC DEFAULT '', k INT, PRIMARY KEY (k)) WITHOUT ROWID",
        """
        WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 300)
        INSERT INTO t SELECT '12', 1, i FROM n
        """,
        "CREATE TABLE u (a, CHECK (1))", "INSERT INTO u VALUES (1), (2)",
      ], turning: "CHECK (1)", into: "CHECK (a = 2)", listing: limit)
    #expect(found == ["CHECK constraint failed in u"])
  }
}
