// SPDX-License-Identifier: Apache-2.0
// What becomes of rows that are in one database, in both, or in both with other values.

import DatabaseRescue
import RescueTestSupport
import SQLiteFormat
import Testing

@testable import RescueCLI

@Suite struct MergeCommandTests {
  let bench: MergeBench
  init() throws { bench = try MergeBench() }

  private static let table = "CREATE TABLE t (id INTEGER PRIMARY KEY, v, at TEXT)"

  private func pair() throws -> [FilePath] {
    [
      try bench.make(
        "old.db", Self.table,
        "INSERT INTO t VALUES (1, 'same', 'a'), (2, 'old', 'z'), (3, 'old', 'b'), (4, 'gone', 'a')"),
      try bench.make(
        "new.db", Self.table,
        "INSERT INTO t VALUES (1, 'same', 'a'), (2, 'new', 'b'), (3, 'new', 'z'), (9, 'more', 'a')"),
    ]
  }

  @Test(arguments: ["html", "txt", "json"])
  func `a report says what the answer says, and no value of a row`(_ ending: String) throws {
    let report = bench.bench[FilePath("report.\(ending)")]
    let flags = ["--output", bench.bench["merged.db"].description, "--report", report.description]
    let words = try ["merge"] + pair().map(\.description) + flags
    #expect(try bench.bench.run(words).status == 14)
    let text = String(decoding: try report.contents(), as: UTF8.self)
    for word in ["old.db", "new.db", "dbrescue check merged.db", "DBR"] {
      #expect(text.contains(word), "\(word)")
    }
    #expect(!text.contains("gone"))
    if ending == "json" { #expect(PublishedFormat.problems(of: try JSON(text)) == []) }
    // What is there is replaced only where that is asked for.
    #expect(try bench.bench.run(words).status == 73)
    #expect(try bench.bench.run(words + ["--force"]).status == 14)
  }

  @Test
  func `rows come once, and of a conflict the newer input's stays and the other is set aside`()
    throws
  {
    let merged = try bench.merge(pair())
    #expect(merged.ending.status == 14)
    #expect(
      try merged.text("SELECT id, v FROM t ORDER BY id") == "1 same\n2 new\n3 new\n4 gone\n9 more")
    let (old, new) = (try merged.rows("t", 0), try merged.rows("t", 1))
    #expect(old["taken"]?.number == 1 && old["identical"]?.number == 1)
    #expect(old["conflicts"]?.number == 2 && new["taken"]?.number == 4)
    #expect(
      try merged.aside(
        "SELECT \"table\", \"rowid\", source, reason, c0, c1, c2 FROM conflicts ORDER BY number")
        == "t 2 old.db key-taken - old z\nt 3 old.db key-taken - old b")
  }

  @Test func `of two rows the newer one by a column stays, and the balance says so`() throws {
    let inputs = try pair()
    for column in ["at", "t.at"] {
      let merged = try bench.merge(inputs, "--newer-by", column)
      #expect(
        try merged.text("SELECT id, v FROM t ORDER BY id")
          == "1 same\n2 old\n3 new\n4 gone\n9 more")
      #expect(try merged.table("t")["newerBy"]?.text == "at")
      let old = try merged.rows("t", 0)
      #expect(old["won"]?.number == 1 && old["byColumn"]?.number == 2)
      #expect(try merged.rows("t", 1)["conflicts"]?.number == 1)
      #expect(
        try merged.aside("SELECT source, c1 FROM conflicts ORDER BY source")
          == "new.db new\nold.db old")
    }
  }

  @Test func `numbers and missing values tell the newer row as well`() throws {
    let table = "CREATE TABLE t (id INTEGER PRIMARY KEY, v, at)"
    let old = try bench.make(
      "old.db", table,
      "INSERT INTO t VALUES (1, 'old', 9), (2, 'old', 2.5), (3, 'old', NULL), "
        + "(4, 'old', 1), (5, 'old', 'text')")
    let new = try bench.make(
      "new.db", table,
      "INSERT INTO t VALUES (1, 'new', 10), (2, 'new', 2), (3, 'new', 1), "
        + "(4, 'new', NULL), (5, 'new', 1)")
    let merged = try bench.merge([old, new], "--newer-by", "at")
    #expect(
      try merged.text("SELECT id, v FROM t ORDER BY id") == "1 new\n2 old\n3 new\n4 old\n5 new")
  }

  @Test func `the older input's rows stay where they are preferred`() throws {
    let merged = try bench.merge(pair(), "--prefer", "old")
    #expect(
      try merged.text("SELECT id, v FROM t ORDER BY id") == "1 same\n2 old\n3 old\n4 gone\n9 more")
    #expect(try merged.aside("SELECT source, c1 FROM conflicts") == "new.db new\nnew.db new")
  }

  @Test func `of several inputs each is newer than those before it`() throws {
    let inputs = try ["a", "b", "c"].map { name in
      try bench.make(
        FilePath("\(name).db"), Self.table,
        "INSERT INTO t VALUES (1, '\(name)', '\(name == "b" ? "z" : name)')",
        "INSERT INTO t SELECT unicode('\(name)'), 'own', ''")
    }
    for (flags, stays) in [([], "c"), (["--prefer", "old"], "a"), (["--newer-by", "at"], "b")] {
      let merged =
        flags.isEmpty ? try bench.merge(inputs) : try bench.merge(inputs, flags[0], flags[1])
      #expect(
        try merged.text("SELECT id, v FROM t ORDER BY id") == "1 \(stays)\n97 own\n98 own\n99 own")
      let others = ["a.db", "b.db", "c.db"].filter { $0 != "\(stays).db" }
      #expect(
        try merged.aside("SELECT source FROM conflicts ORDER BY source")
          == others.joined(separator: "\n"))
    }
  }

  @Test func `rows without a key are the same only as a whole, and as often as they are there`()
    throws
  {
    let table = "CREATE TABLE t (a, b)"
    let old = try bench.make(
      "old.db", table,
      "INSERT INTO t VALUES ('x', 1), ('x', 1), ('x', 1.0), (NULL, x'61'), (NULL, 'a')")
    let new = try bench.make(
      "new.db", table, "INSERT INTO t VALUES ('x', 1), ('x', 1.0), (NULL, 'a'), ('X', 1)")
    let merged = try bench.merge([old, new])
    #expect(merged.ending.status == 0)
    #expect(try merged.new.count(of: "t") == 6)
    #expect(try merged.rows("t", 0)["identical"]?.number == 3)
    #expect(try merged.text("SELECT count(*) FROM t WHERE typeof(b) = 'integer'") == "3")
  }

  @Test func `keys are compared as the table compares them`() throws {
    let tables = """
      CREATE TABLE n (k TEXT PRIMARY KEY COLLATE NOCASE, v);
      CREATE TABLE w (a TEXT, b INTEGER, v, PRIMARY KEY (b, a COLLATE NOCASE)) WITHOUT ROWID;
      CREATE TABLE z (a, b, v, PRIMARY KEY (a, b))
      """
    let old = try bench.make(
      "old.db", tables, "INSERT INTO n VALUES ('Key', 'old'), ('other', 1)",
      "INSERT INTO w VALUES ('K', 1, 'old'), ('K', 2, 'two')",
      "INSERT INTO z VALUES ('61', 1, 't'), (x'61', 1, 'b'), (NULL, 1, 'n'), (NULL, 2, 'n')")
    let new = try bench.make(
      "new.db", tables, "INSERT INTO n VALUES ('KEY', 'new')",
      "INSERT INTO w VALUES ('k', 1, 'new')",
      "INSERT INTO z VALUES ('61', 1, 'new'), (NULL, 1, 'n')")
    let merged = try bench.merge([old, new])
    #expect(try merged.text("SELECT k, v FROM n ORDER BY k") == "KEY new\nother 1")
    #expect(try merged.text("SELECT b, a, v FROM w ORDER BY b") == "1 k new\n2 K two")
    #expect(
      try merged.text("SELECT typeof(a), b, v FROM z ORDER BY 1, 2")
        == "blob 1 b\nnull 1 n\nnull 2 n\ntext 1 new")
  }

  @Test
  func `versions, counters and schema are those of the newest, with the tables of the others`()
    throws
  {
    let old = try bench.make(
      "old.db", "CREATE TABLE t (id INTEGER PRIMARY KEY AUTOINCREMENT, name, gone)",
      "INSERT INTO t VALUES (1, 'a', 'kept'), (2, 'b', NULL), (50, 'c', NULL)",
      "DELETE FROM t WHERE id = 50", "CREATE TABLE only_old (a); CREATE INDEX i ON only_old (a)",
      "INSERT INTO only_old VALUES (1), (1)", "CREATE VIEW v AS SELECT 1",
      "PRAGMA user_version = 3; PRAGMA application_id = 11")
    let new = try bench.make(
      "new.db",
      "CREATE TABLE t (id INTEGER PRIMARY KEY AUTOINCREMENT, name, added NOT NULL DEFAULT 'd')",
      "INSERT INTO t VALUES (1, 'a', 'x'), (3, 'n', 'y')", "CREATE TABLE only_new (a)",
      "INSERT INTO only_new VALUES (7)", "PRAGMA user_version = 4; PRAGMA application_id = 12")
    let merged = try bench.merge([old, new])
    #expect(try merged.text("SELECT * FROM t ORDER BY id") == "1 a x\n2 b d\n3 n y")
    #expect(try merged.text("SELECT seq FROM sqlite_sequence") == "50")
    #expect(try merged.text("SELECT a FROM only_old") == "1\n1")
    #expect(try merged.text("SELECT a FROM only_new") == "7")
    #expect(try merged.text("PRAGMA user_version") == "4")
    #expect(try merged.text("PRAGMA application_id") == "12")
    #expect(try merged.text("SELECT name FROM sqlite_schema WHERE name IN ('i', 'v')") == "i")
    let notes = try merged.ending.json["notes"]?.elements.compactMap(\.text) ?? []
    #expect(notes.contains { $0.contains("has no 'added'") && $0.contains("both have") })
    #expect(notes.contains { $0.contains("view 'v'") })
    #expect(try merged.rows("t", 0)["identical"]?.number == 1)
    #expect(try merged.rows("t", 0)["leftOut"]?.number == 1)
    #expect(
      try merged.aside("SELECT source, \"columns\", c2 FROM left_out") == "old.db main gone kept")
  }

  @Test func `databases in UTF-8 and UTF-16 are merged into that of the newest`() throws {
    let table = "CREATE TABLE t (k TEXT PRIMARY KEY COLLATE NOCASE, v)"
    let rows = "INSERT INTO t VALUES ('é', 'ü'), ('own', x'00')"
    let inputs = [
      try bench.make("wide.db", encoding: .utf16le, table, rows + ", ('W', 'ß')"),
      try bench.make("plain.db", table, rows),
    ]
    for (order, encoding) in [(inputs, "UTF-8"), (inputs.reversed(), "UTF-16le")] {
      let merged = try bench.merge(Array(order))
      #expect(merged.ending.status == 0)
      #expect(try merged.text("SELECT k, v FROM t ORDER BY k") == "own x1\nW ß\né ü")
      #expect(try merged.text("PRAGMA encoding") == encoding)
    }
  }

  @Test func `text fits into eighty columns, and tells the balance by input`() throws {
    let inputs = try pair()
    let ending = try bench.bench.run(
      ["merge"] + inputs + ["--output", bench.bench["merged.db"], "--newer-by", "at"])
    #expect(ending.status == 14)
    #expect(ending.output.split(separator: "\n").allSatisfy { $0.count <= 80 }, "\(ending.output)")
    for words in ["old.db + new.db → merged.db", "= in it", "by 'at'", "merged.db.quarantine.db"] {
      #expect(ending.output.contains(words), "\(ending.output)")
    }
    let record = try #require(ending.record)
    #expect(record.operation.description == "merge")
    #expect(record.tables.map(\.seen) == [8] && record.inputs.count == 2)
  }
}
