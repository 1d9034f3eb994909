// SPDX-License-Identifier: Apache-2.0
// Rules of a table that only SQLite can compute are judged as its own check judges them, or not.

import DatabaseRescue
import Diagnosis
import RescueTestSupport
import SQLiteFormat
import Testing

@testable import RescueCLI

@Suite struct ComputedRuleTests {
  let bench: Workbench
  let file: FilePath
  init() throws {
    bench = try Workbench()
    file = bench["app.db"]
  }

  /// What SQLite's own check says first, or the error in which it ends.
  private func word() throws -> String {
    do throws(SQLiteError) {
      let connection = try Connection(file, mode: .app)
      return try connection.value("PRAGMA integrity_check(1)")?.utf8String ?? "nothing"
    } catch {
      return error.message
    }
  }

  // MARK: Generated columns

  static let columns: [(sql: String, values: String, isSound: Bool)] = [
    ("g INTEGER AS (a || 'x') VIRTUAL", "'q'", false), ("g INT AS (a || '1') VIRTUAL", "'2'", true),
    ("g INT AS (a || 'x') VIRTUAL NOT NULL", "'q'", false), ("g INT AS (a) VIRTUAL", "NULL", true),
    ("g TEXT AS (length(a)) VIRTUAL", "'q'", true),
    ("g TEXT AS (CAST(a AS BLOB)) VIRTUAL", "'q'", false),
    ("g REAL AS (length(a)) VIRTUAL", "'q'", true), ("g REAL AS (a) VIRTUAL", "'q'", false),
    ("g BLOB AS (a) VIRTUAL", "'q'", false), ("g ANY AS (a) VIRTUAL", "'q'", true),
  ]

  @Test(arguments: columns.indices)
  func `a virtual column of a STRICT table holds values of its type`(_ place: Int) throws {
    let column = Self.columns[place]
    try DatabaseBuilder([
      "CREATE TABLE t (id INTEGER PRIMARY KEY, a TEXT, \(column.sql)) STRICT",
      "INSERT INTO t (a) VALUES ('1'), (\(column.values))",
    ]).build(at: file)
    #expect((try word() == "ok") == column.isSound)
    let ending = try bench.run("check", file)
    #expect(ending.status == (column.isSound ? 0 : 13), "\(ending.all)")
    let isTold = ending.all.contains("a value of a type")
    #expect(isTold != column.isSound, "\(ending.all)")
  }

  @Test func `a stored generated column of a STRICT table holds values of its type`() throws {
    try DatabaseBuilder([
      "CREATE TABLE t (id INTEGER PRIMARY KEY, a TEXT, g TEXT AS (a || 'x') STORED) STRICT",
      "INSERT INTO t (a) VALUES ('q')",
    ]).build(at: file)
    #expect(try bench.run("check", file).status == 0)
    try Connection.unguarded(file).execute(
      "UPDATE sqlite_schema SET sql = replace(sql, 'g TEXT', 'g INT')")
    #expect(try word() == "non-INT value in t.g")
    let ending = try bench.run("check", file)
    #expect(ending.status == 13, "\(ending.all)")
  }

  // MARK: Patterns

  /// A value that is a longer pattern than is looked at here.
  private static let pattern = "SELECT printf('%.*c', 1001, 'p')"

  @Test func `a value that is too long a pattern breaks no constraint`() throws {
    try build("CHECK ('abc' NOT LIKE a)", Self.pattern)
    try expectUnchecked("not every constraint of 't' was checked")
  }

  @Test(arguments: ["'abc' LIKE a", "'abc' GLOB a", "b) WHERE (('abc' LIKE a) = 0"])
  func `a value that is too long a pattern makes no index wrong`(_ expression: String) throws {
    try build("CHECK (b)", Self.pattern, "CREATE INDEX i ON t (\(expression))")
    try expectUnchecked("the keys of index 'i' were not checked")
  }

  @Test func `a generated column that takes too long a pattern concerns no other rule`() throws {
    try build("g AS ('abc' LIKE a), CHECK (b > 0)", Self.pattern, "CREATE INDEX i ON t (b + 1)")
    #expect(try word() == "ok")
    let ending = try bench.run("check", file)
    #expect(ending.status == 0 && !ending.all.contains("checked"), "\(ending.all)")
  }

  private func build(_ rule: String, _ value: String, _ more: DatabaseBuilder.Step...) throws {
    try DatabaseBuilder(
      ["CREATE TABLE t (a, b, \(rule))", "INSERT INTO t (a, b) VALUES ((\(value)), 1)"] + more
    ).build(at: file)
  }

  private func expectUnchecked(
    _ message: String, sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    let ending = try bench.run("check", file)
    #expect(ending.status == 0, "\(ending.all)", sourceLocation: sourceLocation)
    #expect(ending.all.contains(message), "\(ending.all)", sourceLocation: sourceLocation)
  }
}
