// SPDX-License-Identifier: Apache-2.0
// Damage, and healthy files, at which other tools lose rows, move them or make some up.

import DatabaseRescue
import RescueTestSupport
import SQLiteFormat
import Testing

@testable import RescueCLI

@Suite struct PeerExperimentTests {
  let bench: Workbench
  init() throws { bench = try Workbench() }

  private static let rows = """
    WITH RECURSIVE n(i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n WHERE i < 300)
    """

  /// Builds a database, changes its bytes, salvages it.
  private func salvage(
    pageSize: Int = 1024, _ steps: [DatabaseBuilder.Step], words: [any Word] = [],
    change: (inout Bytes, Oracle) throws -> Void = { _, _ in }
  ) throws -> (new: Oracle, quarantine: Oracle?, ending: Ending) {
    let file = bench["app.db"]
    try DatabaseBuilder(pageSize: pageSize, steps).build(at: file)
    var bytes = try file.contents()
    try change(&bytes, Oracle(file))
    try file.replaceContents(with: bytes)
    let before = try bench.look()
    let output = bench["new.db"]
    let ending = try bench.run(["salvage", file, "--output", output, "--json"] + words)
    #expect(try before.changes(until: bench.look()).allSatisfy { $0.hasPrefix("added new.db") })
    let new = try Oracle(output)
    #expect(try new.integrityErrors == [])
    let quarantine = output.adding(suffix: ".quarantine.db")
    return (new, try quarantine.exists ? Oracle(quarantine) : nil, ending)
  }

  /// Writes text over the same number of bytes, where they first stand.
  private func replace(_ old: String, _ new: String, in bytes: inout Bytes) throws {
    let (old, new) = (Bytes(old.utf8), Bytes(new.utf8))
    let place = try #require(
      bytes.indices.first { bytes[$0...].starts(with: old) }, "the text is not there")
    #expect(old.count == new.count)
    bytes.replaceSubrange(place..<(place + new.count), with: new)
  }

  @Test func `one byte of a CREATE TABLE costs no row`() throws {
    let steps: [DatabaseBuilder.Step] = [
      "CREATE TABLE notes (id INTEGER PRIMARY KEY, body TEXT)",
      "\(Self.rows) INSERT INTO notes SELECT i, 'note ' || i FROM n",
    ]
    let (new, quarantine, ending) = try salvage(steps) { bytes, _ in
      try replace("CREATE TABLE notes", "CREATE T@BLE notes", in: &bytes)
    }
    // Nothing bears out what else the statement said.
    #expect(ending.status == 13)
    #expect(
      try new.value("SELECT count(*) FROM notes WHERE body = 'note ' || id") == .integer(300))
    #expect(quarantine == nil)
  }

  @Test func `a CREATE TABLE beyond help costs no row`() throws {
    let steps: [DatabaseBuilder.Step] = [
      "CREATE TABLE notes (id INTEGER PRIMARY KEY, body TEXT)",
      "\(Self.rows) INSERT INTO notes SELECT i, 'note ' || i FROM n",
    ]
    let (_, quarantine, ending) = try salvage(steps) { bytes, _ in
      try replace("CREATE TABLE notes (id INTEGER", "@@@@@@@@@@@@@@@@@@@(id@@@@@@@@", in: &bytes)
    }
    #expect(ending.status == 14)
    #expect(
      try quarantine?.value(#"SELECT count(*) FROM rows WHERE c1 = 'note ' || "rowid""#)
        == .integer(300))
    #expect(
      try quarantine?.value(#"SELECT DISTINCT "table" || ' ' || reason FROM rows"#)
        == .text("notes shape-unknown"))
  }

  @Test func `with the app's schema, a spoilt CREATE TABLE does not matter`() throws {
    let schema = bench["schema.sql"]
    let sql = "CREATE TABLE notes (id INTEGER PRIMARY KEY, body TEXT)"
    try schema.replaceContents(with: Bytes(sql.utf8))
    let (new, quarantine, ending) = try salvage(
      ["\(sql)", "\(Self.rows) INSERT INTO notes SELECT i, 'note ' || i FROM n"],
      words: ["--schema", schema]
    ) { bytes, _ in
      try replace("CREATE TABLE notes", "CREATE T@BLE notes", in: &bytes)
    }
    #expect(ending.status == 0, "\(ending.all)")
    #expect(
      try new.value("SELECT count(*) FROM notes WHERE body = 'note ' || id") == .integer(300))
    #expect(quarantine == nil)
  }

  @Test func `columns behind a virtual one keep their values`() throws {
    let (new, _, ending) = try salvage([
      "CREATE TABLE t (a, v AS (a + 1), c, d)", "INSERT INTO t (a, c, d) VALUES (1, 'c', 'd')",
    ])
    #expect(ending.status == 0)
    #expect(try new.value("SELECT a || v || c || d FROM t") == .text("12cd"))
  }

  @Test func `nothing is put in the place of a lost overflow page`() throws {
    let (new, quarantine, ending) = try salvage([
      "CREATE TABLE t (a TEXT, r REAL, s TEXT, z INT)", "CREATE TABLE other (x TEXT)",
      "INSERT INTO t VALUES (hex(zeroblob(3000)), 1.5, 'str', 77)",
      "INSERT INTO other VALUES (hex(randomblob(3000)))",
    ]) { bytes, oracle in
      let pages = try oracle.pages.filter { $0.kind == "overflow" }
      let mine = try #require(pages.filter { $0.object == "t" }.map(\.number).max())
      let others = try #require(pages.first { $0.object == "other" }?.number)
      // The last but one page of the chain leads into the other table's chain.
      let pointing = (mine - 2) * 1024
      bytes.replaceSubrange(
        pointing..<(pointing + 4),
        with: [0, 0, UInt8(others >> 8), UInt8(others & 0xFF)])
    }
    #expect(ending.status == 14)
    #expect(try new.count(of: "t") == 0)
    #expect(try quarantine?.value("SELECT count(*) FROM rows") == .integer(0))
    #expect(
      try quarantine?.value(#"SELECT count(*) FROM partial_rows WHERE known <> ''"#) == .integer(0))
  }

  @Test func `of two rows that became alike none disappears`() throws {
    let (new, quarantine, ending) = try salvage([
      "CREATE TABLE t (id INTEGER PRIMARY KEY, code TEXT UNIQUE)",
      "INSERT INTO t VALUES (1, 'code-one'), (2, 'code-two')",
    ]) { bytes, oracle in
      let leaf = try #require(try oracle.pages.first { $0.object == "t" }?.number)
      let page = ((leaf - 1) * 1024)..<(leaf * 1024)
      var content = Bytes(bytes[page])
      try replace("code-two", "code-one", in: &content)
      bytes.replaceSubrange(page, with: content)
    }
    #expect(ending.status == 14)
    let written = try new.count(of: "t")
    let aside = try #require(
      try quarantine?.value(
        "SELECT (SELECT count(*) FROM rows) + (SELECT count(*) FROM conflicts)")?
        .integerValue)
    #expect(written + Int(aside) == 2)
    #expect(try new.value("SELECT id FROM t WHERE code = 'code-one'") == .integer(1))
  }

  @Test func `a row that breaks its own table's CHECK is set aside, not dropped`() throws {
    let (new, quarantine, ending) = try salvage([
      "CREATE TABLE t (id INTEGER PRIMARY KEY, n INT CHECK (n > 0))",
      "PRAGMA ignore_check_constraints = ON", "INSERT INTO t VALUES (1, 5), (2, -5), (3, 6)",
    ])
    #expect(ending.status == 14)
    #expect(try new.value("SELECT group_concat(id) FROM t") == .text("1,3"))
    #expect(
      try quarantine?.value(#"SELECT "rowid" || ' ' || c1 || ' ' || evidence FROM conflicts"#)
        == .text("2 -5 the fresh schema refuses it: CHECK constraint failed: n > 0"))
  }

  @Test func `a column named _rowid_ keeps its values`() throws {
    let (new, _, ending) = try salvage([
      "CREATE TABLE t (_rowid_ TEXT, a)",
      "INSERT INTO t (rowid, _rowid_, a) VALUES (7, 'mine', 1), (70, 'too', 2)",
    ])
    #expect(ending.status == 0)
    #expect(
      try new.value("SELECT group_concat(rowid || _rowid_ || a) FROM t")
        == .text("7mine1,70too2"))
  }

  @Test func `INTEGER PRIMARY KEY DESC is no rowid`() throws {
    let (new, _, ending) = try salvage([
      "CREATE TABLE t (id INTEGER PRIMARY KEY DESC, a)",
      "\(Self.rows) INSERT INTO t SELECT 20000 + i, i FROM n",
    ])
    #expect(ending.status == 0)
    #expect(
      try new.value("SELECT count(*) || ' ' || min(id) || ' ' || max(id - a) FROM t")
        == .text("300 20001 20000"))
  }

  @Test func `rows of a page that was written over another are there once`() throws {
    let (new, _, ending) = try salvage([
      "CREATE TABLE t (id INTEGER PRIMARY KEY, a TEXT)",
      "\(Self.rows) INSERT INTO t SELECT i, 'row ' || i FROM n",
    ]) { bytes, oracle in
      let leaves = try oracle.pages.filter { $0.object == "t" && $0.kind == "leaf" }.map(\.number)
      bytes = Damage.copyPage(from: leaves[1], to: leaves[3]).applied(to: bytes, pageSize: 1024)
    }
    #expect(ending.status == 14)
    #expect(
      try new.value("SELECT count(*) FROM t WHERE a <> 'row ' || id") == .integer(0))
    let table = try #require(try ending.json["tables"]?.elements.first { $0["table"]?.text == "t" })
    #expect(try new.count(of: "t") == table["written"]?.number)
    #expect(try new.count(of: "t") > 200)
  }

  @Test func `several statements in one are not carried out`() throws {
    let filler = String(repeating: ".", count: 60)
    let evil = "b); CREATE TABLE evil (x); INSERT INTO evil VALUES (1"
    let old = "b /* \(filler) */"
    let new = evil.padding(to: old.utf8.count)
    let (salvaged, quarantine, ending) = try salvage([
      "CREATE TABLE t (a, \(old))", "INSERT INTO t VALUES (1, 'x'), (2, 'y')",
    ]) { bytes, _ in
      try replace(old, new, in: &bytes)
    }
    #expect(ending.status == 14)
    #expect(
      try salvaged.value("SELECT count(*) FROM sqlite_schema WHERE name = 'evil'") == .integer(0))
    #expect(
      try quarantine?.value(#"SELECT group_concat("table" || c0 || c1) FROM rows"#)
        == .text("t1x,t2y"))
  }

  @Test func `deleted rows do not come back`() throws {
    let (new, quarantine, ending) = try salvage([
      "CREATE TABLE t (id INTEGER PRIMARY KEY, a TEXT)",
      "\(Self.rows) INSERT INTO t SELECT i, 'row ' || i FROM n", "DELETE FROM t WHERE id % 2 = 0",
      "DELETE FROM t WHERE id > 200",
    ])
    #expect(ending.status == 0)
    #expect(try new.count(of: "t") == 100)
    #expect(quarantine == nil)
  }

  @Test(arguments: Recipe.all.filter { $0.builder.journal == .wal || $0.name.contains("journal") })
  func `a healthy file with a journal is left with its journal`(_ recipe: Recipe) throws {
    let file = try recipe.build(in: bench.files)
    let before = try bench.look()
    let output = bench["new.db"]
    let ending = try bench.run("salvage", file, "--output", output)
    #expect(ending.status == 0, "\(ending.all)")
    // Frames of a transaction that was never over are kept beside.
    let added = ["added new.db"] + (recipe.name == "wal-torn" ? ["added new.db.quarantine.db"] : [])
    #expect(try before.changes(until: bench.look()) == added)
    #expect(try Oracle.firstDifference(expected: file, actual: output) == nil)
  }
}

extension String {
  /// The text with spaces at its end, so long that it has so many bytes.
  fileprivate func padding(to count: Int) -> String {
    self + String(repeating: " ", count: max(0, count - utf8.count))
  }
}
