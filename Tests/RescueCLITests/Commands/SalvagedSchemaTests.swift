// SPDX-License-Identifier: Apache-2.0
// A salvage brings back more than rows: indexes, views, triggers, virtual tables, counters and
// versions, on every layout.

import DatabaseRescue
import Diagnosis
import RescueTestSupport
import SQLiteFormat
import Testing

@testable import RescueCLI

@Suite struct SalvagedSchemaTests {
  let bench: Workbench
  init() throws { bench = try Workbench() }

  private func salvage(_ name: String) throws -> (file: FilePath, new: FilePath, ending: Ending) {
    let file = try Recipe.named(name).build(in: bench.files)
    let new = bench["new.db"]
    return (file, new, try bench.run("salvage", file, "--output", new))
  }

  @Test(arguments: Recipe.all.filter { $0.builder.pageSize <= 8192 })
  func `a sound database comes out as it went in`(_ recipe: Recipe) throws {
    let (file, new, ending) = try salvage(recipe.name)
    #expect(ending.status == 0, "\(ending.all)")
    #expect(try Oracle.firstDifference(expected: file, actual: new) == nil)
    // What a transaction that was cut off had written is set aside, and not missed.
    let hasQuarantine = try new.adding(suffix: ".quarantine.db").exists
    #expect(hasQuarantine == (recipe.name == "wal-torn"))
  }

  @Test(arguments: [
    "indexes", "views-and-triggers", "without-rowid", "generated-columns", "constraints",
    "autoincrement", "full-text", "rtree", "weird-names", "strict-tables", "shadowed-rowids",
  ])
  func `a database without its header comes out whole`(_ name: String) throws {
    let file = try Recipe.named(name).build(in: bench.files)
    let original = bench["original.db"]
    try original.replaceContents(with: file.contents())
    try file.replaceContents(
      with: Damage.wipeHeader.applied(to: file.contents(), pageSize: 4096))
    let ending = try bench.run("salvage", file, "--output", bench["new.db"])
    #expect(ending.status == 0, "\(ending.all)")
    let difference = try Oracle.firstDifference(
      expected: original, actual: bench["new.db"], comparingFrames: false)
    #expect(difference == nil)
  }

  @Test(arguments: 1...3) func `a text of the schema that is stored as a BLOB costs no row`(
    _ column: Int
  ) throws {
    let file = bench["app.db"]
    try DatabaseBuilder(["CREATE TABLE tally (a)", "INSERT INTO tally VALUES (1), (2), (3)"])
      .build(at: file)
    var bytes = try file.contents()
    let texts = Array("tabletallytally".utf8)
    let start = try #require(bytes.indices.first { bytes.matches(texts, at: $0) })
    let header = try #require(
      (2...8).map { start - $0 }.first { bytes.matches([6, 23, 23], at: $0) })
    bytes[header + column] = 22
    try file.replaceContents(with: bytes)
    #expect(try bench.run("check", file).status == 13)
    let ending = try bench.run("salvage", file, "--output", bench["new.db"])
    #expect(ending.status == 0, "\(ending.all)")
    #expect(try Oracle(bench["new.db"]).rows(of: "tally").count == 3)
  }

  @Test func `a value of a type that its column never holds is set aside, and not made another`()
    throws
  {
    let file = bench["app.db"]
    try DatabaseBuilder([
      "CREATE TABLE t (id INTEGER PRIMARY KEY, v TEXT, n INT)",
      """
      WITH RECURSIVE n(i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n WHERE i < 200)
      INSERT INTO t SELECT i, 'number ' || (1000 + i), 300 + i FROM n
      """,
    ]).build(at: file)
    var bytes = try file.contents()
    let text = Array("number 1150".utf8)
    // A page that was divided still has the rows that went to the other one.
    for start in bytes.indices where bytes.matches(text, at: start) {
      #expect(bytes[start - 2] == 13 + 2 * UInt8(text.count) && bytes[start - 1] == 2)
      bytes.swapAt(start - 2, start - 1)
    }
    try file.replaceContents(with: bytes)
    #expect(try bench.run("check", file).status == 13)
    let ending = try bench.run("salvage", file, "--output", bench["new.db"])
    #expect(ending.status == 14, "\(ending.all)")
    #expect(try Oracle(bench["new.db"]).rows(of: "t").count == 199)
  }

  @Test func `triggers fire again, and did not fire during the salvage`() throws {
    let (_, new, _) = try salvage("views-and-triggers")
    let connection = try Connection(new, mode: .readWrite, schemaBy: .us)
    let before = try connection.value("SELECT count(*) FROM log")
    #expect(before == .integer(21))
    try connection.execute("INSERT INTO v VALUES (500, 'late')")
    #expect(try connection.value("SELECT count(*) FROM log") == .integer(22))
    #expect(try connection.value("SELECT value FROM v WHERE k = 500") == .text("LATE"))
  }

  @Test func `full-text indexes answer as before`() throws {
    let (file, new, _) = try salvage("full-text")
    for query in [
      "SELECT group_concat(rowid) FROM five WHERE five MATCH 'words AND 17'",
      "SELECT count(*) FROM four WHERE four MATCH 'title'",
      "SELECT group_concat(rowid) FROM outside WHERE outside MATCH '\"title 5\"'",
      "SELECT count(*) FROM contentless WHERE contentless MATCH 'here'",
    ] {
      #expect(try Oracle(new).value(query) == Oracle(file).value(query), "\(query)")
    }
  }

  @Test func `an r-tree answers as before`() throws {
    let (file, new, _) = try salvage("rtree")
    let query = "SELECT sum(id), group_concat(name) FROM places WHERE x0 > 100 AND x1 < 120"
    #expect(try Oracle(new).value(query) == Oracle(file).value(query))
  }

  @Test func `counters go on where they were`() throws {
    let (_, new, _) = try salvage("autoincrement")
    let connection = try Connection(new, mode: .readWrite, schemaBy: .us)
    try connection.execute("INSERT INTO a (x) VALUES ('a'); INSERT INTO emptied (x) VALUES ('e')")
    #expect(try connection.value("SELECT max(id) FROM a") == .integer(31))
    #expect(try connection.value("SELECT max(id) FROM emptied") == .integer(31))
  }

  @Test func `versions come along`() throws {
    let (_, new, _) = try salvage("marked")
    #expect(try Oracle(new).value("PRAGMA user_version") == .integer(-7))
    #expect(try Oracle(new).value("PRAGMA application_id") == .integer(1_179_210_828))
  }
}
