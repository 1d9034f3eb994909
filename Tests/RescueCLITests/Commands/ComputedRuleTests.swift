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

  // MARK: What is not the same each time

  /// Puts a constraint under rows that were written without it.
  private func build(under rule: String, _ values: String...) throws {
    let rows = values.map { "(\($0), 1)" }.joined(separator: ", ")
    try DatabaseBuilder(["CREATE TABLE t (a, b)", "INSERT INTO t VALUES \(rows)"]).build(at: file)
    try Connection.unguarded(file).prepare("UPDATE sqlite_schema SET sql = ? WHERE name = 't'")
      .run([.text("CREATE TABLE t (a, b, \(rule))")])
  }

  @Test(arguments: [
    "random() > 0", "length(randomblob(3)) = 3", "a <= CURRENT_TIMESTAMP", "changes() > 5",
    "last_insert_rowid() = 77",
  ])
  func `a condition that is not the same each time is not judged`(_ condition: String) throws {
    try build(under: "CHECK (\(condition))", "'2000-01-01'", "'9999-01-01'")
    try expectUnchecked("not every constraint of 't' was checked: the result of ")
  }

  @Test(arguments: [
    "date(a) IS NOT NULL", "unixepoch(a) > 0", "a <= date('now')", "date() > a",
    "strftime('%Y', a, 'localtime') > 0",
  ])
  func `a condition that takes the current time is not judged`(_ condition: String) throws {
    try build(under: "CHECK (\(condition))", "'now'")
    #expect(try word().hasPrefix("non-deterministic use of "))
    try expectUnchecked("not every constraint of 't' was checked: it depends on the time")
  }

  @Test func `a row for which a key takes the current time makes no index wrong`() throws {
    try DatabaseBuilder([
      "CREATE TABLE t (a)", "CREATE INDEX i ON t (a)", "INSERT INTO t VALUES ('now')",
    ]).build(at: file)
    try Connection.unguarded(file).execute(
      "UPDATE sqlite_schema SET sql = 'CREATE INDEX i ON t (date(a))' WHERE name = 'i'")
    #expect(try word().hasPrefix("non-deterministic use of "))
    try expectUnchecked("the keys of index 'i' were not checked: it depends on the time")
  }

  @Test(arguments: [("'2001-02-03'", true), ("'never'", false)])
  func `a condition about dates is judged where it takes no current time`(
    value: String, isSound: Bool
  ) throws {
    try build(under: "CHECK (date(a) IS NOT NULL)", "'2000-01-01'", value)
    #expect(try (word() == "ok") == isSound)
    let ending = try bench.run("check", file)
    #expect(ending.status == (isSound ? 0 : 13), "\(ending.all)")
    #expect(!ending.all.contains("not checked"))
  }
}
