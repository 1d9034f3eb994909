// SPDX-License-Identifier: Apache-2.0
// The rules of the schema hold in a merged database: what breaks them beside others is set aside.

import DatabaseRescue
import RescueTestSupport
import SQLiteFormat
import Testing

@testable import RescueCLI

@Suite struct MergeConstraintTests {
  let bench: MergeBench
  init() throws { bench = try MergeBench() }

  @Test func `a row that a further unique key refuses is set aside, with what refers to it`() throws
  {
    let tables = """
      CREATE TABLE u (id INTEGER PRIMARY KEY, mail TEXT UNIQUE);
      CREATE TABLE c (id INTEGER PRIMARY KEY, u INTEGER REFERENCES u (id) ON DELETE CASCADE);
      CREATE TABLE d (c INTEGER REFERENCES c (id));
      """
    let merged = try bench.merge([
      try bench.make(
        "old.db", tables, "INSERT INTO u VALUES (1, 'x'), (2, 'own')",
        "INSERT INTO c VALUES (1, 1), (2, 2)", "INSERT INTO d VALUES (1), (2)"),
      try bench.make("new.db", tables, "INSERT INTO u VALUES (9, 'x')"),
    ])
    #expect(merged.ending.status == 14)
    #expect(try merged.text("SELECT * FROM u ORDER BY id") == "2 own\n9 x")
    #expect(try merged.text("SELECT * FROM c") == "2 2")
    #expect(try merged.text("SELECT * FROM d") == "2")
    #expect(
      try merged.aside("SELECT \"table\", reason FROM conflicts ORDER BY 1")
        == "c parent-aside\nd parent-aside\nu constraint")
  }

  @Test func `what broke a foreign key in its input still does, and is named`() throws {
    let tables = """
      CREATE TABLE p (id INTEGER PRIMARY KEY); CREATE TABLE c (p INTEGER REFERENCES p (id));
      """
    let merged = try bench.merge(
      [
        try bench.make("old.db", tables, "INSERT INTO c VALUES (5)"),
        try bench.make("new.db", tables, "INSERT INTO p VALUES (1)"),
      ], dangling: 1)
    #expect(merged.ending.status == 0)
    let named = try #require(try merged.ending.json["danglingReferences"]?.elements.first)
    #expect(named["table"]?.text == "c" && named["rows"]?.number == 1)
  }

  @Test func `the newer row does not stay where what it refers to is not there`() throws {
    let tables = """
      CREATE TABLE u (id INTEGER PRIMARY KEY, mail TEXT UNIQUE);
      CREATE TABLE c (id INTEGER PRIMARY KEY, u INTEGER REFERENCES u (id), at);
      """
    let merged = try bench.merge(
      [
        try bench.make(
          "old.db", tables, "INSERT INTO u VALUES (1, 'x')", "INSERT INTO c VALUES (1, 1, 9)"),
        try bench.make(
          "new.db", tables, "INSERT INTO u VALUES (2, 'x')", "INSERT INTO c VALUES (1, 2, 3)"),
      ], "--newer-by", "at")
    #expect(try merged.text("SELECT * FROM c") == "1 2 3")
    #expect(
      try merged.aside("SELECT \"table\", reason FROM conflicts ORDER BY 1")
        == "c parent-aside\nu constraint")
  }

  @Test func `a row that wins and is refused leaves the other where it was`() throws {
    let table = "CREATE TABLE t (id INTEGER PRIMARY KEY, k UNIQUE, v)"
    let merged = try bench.merge(
      [
        try bench.make("old.db", table, "INSERT INTO t VALUES (1, 'b', 'old')"),
        try bench.make("new.db", table, "INSERT INTO t VALUES (1, 'a', 'new'), (2, 'b', 'new')"),
      ], "--prefer", "old")
    #expect(try merged.text("SELECT * FROM t ORDER BY id") == "1 a new\n2 b new")
    #expect(try merged.aside("SELECT source, reason, c2 FROM conflicts") == "old.db constraint old")
  }

  @Test func `what the newest schema refuses of an older row is set aside`() throws {
    let merged = try bench.merge([
      try bench.make(
        "old.db", "CREATE TABLE t (id INTEGER PRIMARY KEY, v)",
        "INSERT INTO t VALUES (1, NULL), (2, 'ok'), (3, 'long word')"),
      try bench.make(
        "new.db",
        "CREATE TABLE t (id INTEGER PRIMARY KEY, v TEXT NOT NULL CHECK (length(v) < 5)) STRICT"),
    ])
    #expect(try merged.text("SELECT * FROM t") == "2 ok")
    #expect(try merged.rows("t", 0)["refused"]?.number == 2)
    #expect(
      try merged.aside("SELECT \"rowid\", source FROM conflicts") == "1 old.db main\n3 old.db main")
  }

  @Test func `no trigger fires, and views, triggers and generated columns are as before`() throws {
    let tables = """
      CREATE TABLE t (id INTEGER PRIMARY KEY, a INTEGER, b AS (a * 2) STORED, c AS (a + 1));
      CREATE UNIQUE INDEX t_abs ON t (abs(a)) WHERE a <> 0;
      CREATE TABLE seen (id); CREATE VIEW v AS SELECT * FROM t;
      """
    let triggers = """
      CREATE TRIGGER noted AFTER INSERT ON t BEGIN INSERT INTO seen VALUES (new.id); END;
      CREATE TRIGGER never BEFORE DELETE ON t BEGIN SELECT RAISE (ABORT, 'no'); END;
      """
    let merged = try bench.merge(
      [
        try bench.make(
          "old.db", tables, "INSERT INTO t (id, a) VALUES (1, 1), (2, 5), (3, -7)", triggers),
        try bench.make(
          "new.db", tables, "INSERT INTO t (id, a) VALUES (1, 1), (2, 6), (4, 7)", triggers),
      ], "--prefer", "old")
    #expect(try merged.text("SELECT * FROM t ORDER BY id") == "1 1 2 2\n2 5 10 6\n4 7 14 8")
    #expect(try merged.new.count(of: "seen") == 0)
    #expect(
      try merged.text("SELECT name FROM sqlite_schema WHERE type IN ('view', 'trigger') ORDER BY 1")
        == "never\nnoted\nv")
  }

  @Test func `full-text tables find the rows of all inputs, and R-trees hold them`() throws {
    let tables = """
      CREATE VIRTUAL TABLE own USING fts5(body); CREATE VIRTUAL TABLE four USING fts4(body);
      CREATE TABLE docs (id INTEGER PRIMARY KEY, body);
      CREATE VIRTUAL TABLE by_docs USING fts5(body, content=docs, content_rowid=id);
      CREATE VIRTUAL TABLE places USING rtree(id, x0, x1, +name);
      """
    func rows(_ number: Int, _ word: String) -> String {
      """
      INSERT INTO own (rowid, body) VALUES (1, 'alike'), (\(number), '\(word)');
      INSERT INTO four (docid, body) VALUES (1, 'alike'), (\(number), '\(word)');
      INSERT INTO docs VALUES (1, 'alike'), (\(number), '\(word)');
      INSERT INTO by_docs (by_docs) VALUES ('rebuild');
      INSERT INTO places VALUES (1, 1, 2, 'alike'), (\(number), 3, 4.5, '\(word)');
      """
    }
    let merged = try bench.merge([
      try bench.make("old.db", tables, rows(2, "elder")),
      try bench.make("new.db", tables, rows(3, "younger")),
    ])
    #expect(merged.ending.status == 0)
    for table in ["own", "four", "by_docs"] {
      for (word, number) in [("elder", 2), ("younger", 3), ("alike", 1)] {
        #expect(
          try merged.text("SELECT rowid FROM \(table) WHERE \(table) MATCH '\(word)'")
            == "\(number)")
      }
    }
    #expect(
      try merged.text("SELECT id, name FROM places ORDER BY id") == "1 alike\n2 elder\n3 younger")
  }

  @Test func `hostile names, and columns that hide every name of the rowid`() throws {
    let name = "\"o\"\"'; DROP TABLE d0 --\""
    let tables = """
      CREATE TABLE \(name) ("" INTEGER PRIMARY KEY, "select", "a.b", o, m, d, seq, decision);
      CREATE TABLE hidden (rowid, _rowid_, oid); CREATE TABLE half (rowid, v);
      CREATE TABLE moved (old INTEGER PRIMARY KEY, new REFERENCES moved, tbl, round);
      CREATE TABLE empty (a);
      """
    let merged = try bench.merge(
      [
        try bench.make(
          "old.db", tables, "INSERT INTO \(name) VALUES (1, 1, 1, 1, 1, 1, 1, 'old')",
          "INSERT INTO hidden VALUES (1, 2, 3)", "INSERT INTO half VALUES (1, 'a'), (1, 'b')",
          "INSERT INTO moved VALUES (1, 1, 'old', 0)"),
        try bench.make(
          "new.db", tables, "INSERT INTO \(name) VALUES (1, 1, 1, 1, 1, 1, 1, 'new')",
          "INSERT INTO half VALUES (1, 'a')", "INSERT INTO moved VALUES (1, 1, 'new', 0)"),
      ], "--renumber-all")
    #expect(try merged.new.count(of: "o\"'; DROP TABLE d0 --") == 2)
    #expect(try merged.text("SELECT * FROM half") == "1 a\n1 b")
    #expect(try merged.text("SELECT * FROM moved") == "1 1 new 0\n2 2 old 0")
    // Nothing in SQL names one row of it.
    #expect(try merged.aside("SELECT \"table\", reason FROM conflicts") == "hidden not-merged")
  }

  @Test func `a value in the place of which the newest schema computes another one is kept beside`()
    throws
  {
    let merged = try bench.merge([
      try bench.make(
        "old.db", "CREATE TABLE t (a INT, b TEXT)",
        "INSERT INTO t VALUES (1, 'precious'), (2, '2x')"),
      try bench.make("new.db", "CREATE TABLE t (a INT, b TEXT AS (a || 'x'))"),
    ])
    #expect(merged.ending.status == 14)
    #expect(try merged.rows("t", 0)["leftOut"]?.number == 1)
    #expect(try merged.aside("SELECT c1 FROM left_out") == "precious")
  }

  @Test func `a row that the newest schema refuses is not called doubtful`() throws {
    let merged = try bench.merge([
      try bench.make("old.db", "CREATE TABLE t (a)", "INSERT INTO t VALUES (NULL), (1)"),
      try bench.make("new.db", "CREATE TABLE t (a NOT NULL)"),
    ])
    #expect(merged.ending.status == 14)
    #expect(try merged.rows("t", 0)["refused"]?.number == 1)
    #expect(try merged.rows("t", 0)["doubtful"]?.number == 0)
  }
}
