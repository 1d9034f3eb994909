// SPDX-License-Identifier: Apache-2.0
// New keys where two databases gave the same one to different rows, and the references that follow.

import DatabaseRescue
import RescueTestSupport
import SQLiteFormat
import Testing

@testable import RescueCLI

@Suite struct MergeRenumberingTests {
  let bench: MergeBench
  init() throws { bench = try MergeBench() }

  @Test func `rows get new keys, and references follow over several tables`() throws {
    let tables = """
      CREATE TABLE lists (id INTEGER PRIMARY KEY AUTOINCREMENT, name);
      CREATE TABLE items (id INTEGER PRIMARY KEY, list INTEGER REFERENCES lists (id), name);
      CREATE TABLE notes (id INTEGER PRIMARY KEY, item REFERENCES items, body);
      CREATE TABLE places (list INTEGER, n INTEGER, PRIMARY KEY (list, n),
        FOREIGN KEY (list) REFERENCES lists (id)) WITHOUT ROWID;
      CREATE TABLE marks (list INTEGER, n INTEGER, FOREIGN KEY (list, n) REFERENCES places (list, n));
      """
    let same = """
      INSERT INTO lists VALUES (2, 'same'); INSERT INTO items VALUES (2, 2, 'same');
      INSERT INTO notes VALUES (2, 2, 'same');
      """
    let old = try bench.make(
      "old.db", tables, same, "INSERT INTO lists VALUES (1, 'old')",
      "INSERT INTO items VALUES (1, 1, 'alike')", "INSERT INTO notes VALUES (1, 1, 'alike')",
      "INSERT INTO places VALUES (1, 5)", "INSERT INTO marks VALUES (1, 5)")
    let new = try bench.make(
      "new.db", tables, same, "INSERT INTO lists VALUES (1, 'new')",
      "INSERT INTO items VALUES (1, 1, 'alike')", "INSERT INTO notes VALUES (1, 1, 'alike')",
      "INSERT INTO places VALUES (1, 5)", "INSERT INTO marks VALUES (1, 5)")
    let merged = try bench.merge([old, new], "--renumber-all")
    #expect(merged.ending.status == 0)
    #expect(try merged.text("SELECT * FROM lists ORDER BY id") == "1 new\n2 same\n3 old")
    #expect(try merged.text("SELECT * FROM items ORDER BY id") == "1 1 alike\n2 2 same\n3 3 alike")
    #expect(try merged.text("SELECT * FROM notes ORDER BY id") == "1 1 alike\n2 2 same\n3 3 alike")
    #expect(try merged.text("SELECT * FROM places ORDER BY list") == "1 5\n3 5")
    #expect(try merged.text("SELECT * FROM marks ORDER BY list") == "1 5\n3 5")
    #expect(try merged.text("SELECT seq FROM sqlite_sequence") == "3")
    #expect(try merged.rows("items", 0)["renumbered"]?.number == 1)
    #expect(try merged.rows("marks", 0)["followed"]?.number == 1)
    #expect(
      try merged.aside("SELECT \"table\", source, old, new FROM renumbered ORDER BY 1")
        == "items old.db 1 3\nlists old.db 1 3\nnotes old.db 1 3")
  }

  @Test func `a table that refers to itself, and two in a circle, are followed`() throws {
    let tables = """
      CREATE TABLE tree (id INTEGER PRIMARY KEY, up REFERENCES tree (id), v);
      CREATE TABLE a (id INTEGER PRIMARY KEY, b INTEGER REFERENCES b (id), v);
      CREATE TABLE b (id INTEGER PRIMARY KEY, a INTEGER REFERENCES a (id), v);
      """
    func rows(_ word: String) -> String {
      """
      INSERT INTO tree VALUES (1, 1, '\(word)'), (2, 1, 'child'), (3, 2, 'grandchild');
      INSERT INTO a VALUES (1, 1, '\(word)'); INSERT INTO b VALUES (1, 1, 'alike');
      """
    }
    let merged = try bench.merge(
      [
        try bench.make("old.db", tables, rows("old")),
        try bench.make("new.db", tables, rows("new")),
      ], "--renumber-all")
    #expect(merged.ending.status == 0)
    #expect(
      try merged.text(
        """
        WITH RECURSIVE t(id, path) AS (SELECT id, v FROM tree WHERE id = up UNION ALL
          SELECT tree.id, path || '/' || v FROM t JOIN tree ON tree.up = t.id AND tree.id <> up)
        SELECT path FROM t ORDER BY path
        """)
        == "new\nnew/child\nnew/child/grandchild\nold\nold/child\nold/child/grandchild")
    #expect(
      try merged.text("SELECT a.v, b.id = a.b FROM a JOIN b ON b.a = a.id ORDER BY 1")
        == "new 1\nold 1")
  }

  @Test func `only the tables that were named get new keys`() throws {
    let tables = """
      CREATE TABLE t (id INTEGER PRIMARY KEY, v);
      CREATE TABLE c (id INTEGER PRIMARY KEY, t INTEGER REFERENCES t (id), v);
      """
    let rows = "INSERT INTO c VALUES (1, 1, 'c')"
    let merged = try bench.merge(
      [
        try bench.make("old.db", tables, "INSERT INTO t VALUES (1, 'old')", rows),
        try bench.make("new.db", tables, "INSERT INTO t VALUES (1, 'new')", rows),
      ], "--renumber", "t")
    #expect(try merged.text("SELECT * FROM t") == "1 new\n2 old")
    #expect(try merged.text("SELECT * FROM c") == "1 1 c")
    #expect(try merged.aside("SELECT \"table\", reason, c1 FROM conflicts") == "c key-taken 2")
  }

  @Test func `a key that follows another one is no key of its own`() throws {
    let tables = """
      CREATE TABLE u (id INTEGER PRIMARY KEY, v);
      CREATE TABLE more (id INTEGER PRIMARY KEY REFERENCES u (id), v);
      CREATE TABLE last (more INTEGER REFERENCES more (id), v);
      """
    func rows(_ word: String) -> String {
      """
      INSERT INTO u VALUES (1, '\(word)'); INSERT INTO more VALUES (1, 'alike');
      INSERT INTO last VALUES (1, 'alike');
      """
    }
    let old = try bench.make("old.db", tables, rows("old"))
    let new = try bench.make("new.db", tables, rows("new"))
    let merged = try bench.merge([old, new], "--renumber-all")
    #expect(merged.ending.status == 0)
    #expect(try merged.text("SELECT id FROM more") == "1\n2")
    #expect(try merged.text("SELECT more FROM last ORDER BY 1") == "1\n2")
    let refused = try bench.bench.run(
      "merge", old, new, "--output", bench.bench["x.db"], "--renumber", "more")
    #expect(refused.status == 64 && refused.error.contains("no integer key of its own"))
  }

  @Test func `no new number is one that something refers to already`() throws {
    let tables = """
      CREATE TABLE t (id INTEGER PRIMARY KEY, v);
      CREATE TABLE c (t INTEGER REFERENCES t (id));
      """
    let merged = try bench.merge(
      [
        try bench.make(
          "old.db", tables, "INSERT INTO t VALUES (1, 'old')", "INSERT INTO c VALUES (2)"),
        try bench.make(
          "new.db", tables, "INSERT INTO t VALUES (1, 'new')", "INSERT INTO c VALUES (3)"),
      ], "--renumber", "t", dangling: 2)
    #expect(try merged.text("SELECT * FROM t") == "1 new\n4 old")
  }

  @Test func `a row that a further key tells to be the same is a conflict, and gets no new key`()
    throws
  {
    let tables = """
      CREATE TABLE u (id INTEGER PRIMARY KEY, mail TEXT UNIQUE, v);
      CREATE TABLE c (id INTEGER PRIMARY KEY, u INTEGER REFERENCES u (id), v);
      """
    let merged = try bench.merge(
      [
        try bench.make(
          "old.db", tables, "INSERT INTO u VALUES (1, 'x', 'old'), (2, 'y', 'old')",
          "INSERT INTO c VALUES (1, 1, 'a'), (2, 2, 'b')"),
        try bench.make("new.db", tables, "INSERT INTO u VALUES (1, 'x', 'new'), (2, 'z', 'new')"),
      ], "--renumber-all")
    #expect(try merged.text("SELECT * FROM u ORDER BY id") == "1 x new\n2 z new\n3 y old")
    #expect(try merged.text("SELECT * FROM c ORDER BY id") == "1 1 a\n2 3 b")
    #expect(try merged.aside("SELECT c1, c2 FROM conflicts") == "x old")
  }

  @Test func `a reference that cannot follow is set aside, and what no key declares is said`()
    throws
  {
    let tables = """
      CREATE TABLE t (id INTEGER PRIMARY KEY, v);
      CREATE TABLE c (t INTEGER REFERENCES t (id) CHECK (t < 3), v);
      CREATE TABLE loose (id INTEGER PRIMARY KEY, v);
      """
    let merged = try bench.merge(
      [
        try bench.make(
          "old.db", tables, "INSERT INTO t VALUES (1, 'old'), (2, 'old')",
          "INSERT INTO c VALUES (1, 'a')", "INSERT INTO loose VALUES (1, 'old')"),
        try bench.make(
          "new.db", tables, "INSERT INTO t VALUES (1, 'new'), (2, 'old')",
          "INSERT INTO c VALUES (1, 'n')", "INSERT INTO loose VALUES (1, 'new')"),
      ], "--renumber-all")
    #expect(try merged.text("SELECT * FROM t") == "1 new\n2 old\n3 old")
    #expect(try merged.text("SELECT * FROM c") == "1 n")
    #expect(try merged.rows("c", 0)["stuck"]?.number == 1)
    #expect(try merged.aside("SELECT \"table\", c1 FROM conflicts") == "c a")
    let notes = try merged.ending.json["notes"]?.elements.compactMap(\.text) ?? []
    #expect(notes.contains { $0.contains("no declared foreign key refers to 'loose'") })
  }

  @Test func `a chain of references as long as a table has rows is followed to its end`() throws {
    let table = "CREATE TABLE t (id INTEGER PRIMARY KEY, up REFERENCES t, v)"
    func rows(_ word: String) -> String {
      """
      WITH RECURSIVE n(i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n WHERE i < 600)
      INSERT INTO t SELECT i, nullif(i - 1, 0), iif(i = 1, '\(word)', 'alike') FROM n
      """
    }
    let merged = try bench.merge(
      [
        try bench.make("old.db", table, rows("old")), try bench.make("new.db", table, rows("new")),
      ], "--renumber", "t")
    #expect(merged.ending.status == 0)
    #expect(
      try merged.text("SELECT count(*), max(id), sum(up = id - 1) FROM t") == "1200 1200 1198")
  }

  private static let family = """
    CREATE TABLE p (id INTEGER PRIMARY KEY, v);
    CREATE TABLE c (id INTEGER PRIMARY KEY, p INTEGER REFERENCES p (id), v);
    CREATE TABLE tree (id INTEGER PRIMARY KEY, up INTEGER REFERENCES tree (id), v);
    """

  private static func rows(_ word: String) -> String {
    """
    INSERT INTO p VALUES (1, '\(word)'), (2, 'same');
    INSERT INTO c VALUES (1, 1, 'alike'), (2, 2, 'alike'), (3, 1, '\(word)');
    INSERT INTO tree VALUES (1, 1, '\(word)'), (2, 1, 'leaf'), (3, 2, 'leaf');
    """
  }

  @Test func `what two older inputs have alike is there once, under one new key`() throws {
    let old = try bench.make("old.db", Self.family, Self.rows("old"))
    let copy = try bench.make("copy.db", Self.family, Self.rows("old"))
    let new = try bench.make("new.db", Self.family, Self.rows("new"))
    let merged = try bench.merge([old, copy, new], "--renumber-all")
    #expect(merged.ending.status == 0)
    #expect(try merged.text("SELECT v, count(*) FROM p GROUP BY v") == "new 1\nold 1\nsame 1")
    #expect(
      try merged.text(
        "SELECT c.v, p.v, count(*) FROM c JOIN p ON p.id = c.p GROUP BY 1, 2 ORDER BY 1, 2")
        == "alike new 1\nalike old 1\nalike same 1\nnew new 1\nold old 1")
    #expect(try merged.text("SELECT count(*) FROM tree") == "6")
    #expect(try merged.rows("p", 0)["identical"]?.number == 2)
    #expect(try merged.rows("p", 0)["renumbered"]?.number == 0)
    #expect(try merged.rows("c", 0)["taken"]?.number == 0)
    #expect(try merged.rows("tree", 0)["taken"]?.number == 0)
  }

  @Test func `an older copy with more rows adds only those`() throws {
    let more = """
      INSERT INTO p VALUES (4, 'more'), (5, 'more'), (6, 'more'); INSERT INTO c VALUES (9, 4, 'more');
      """
    let old = try bench.make("old.db", Self.family, Self.rows("old"), more)
    let copy = try bench.make("copy.db", Self.family, Self.rows("old"))
    let new = try bench.make("new.db", Self.family, Self.rows("new"))
    let merged = try bench.merge([old, copy, new], "--renumber-all")
    #expect(merged.ending.status == 0)
    #expect(
      try merged.text("SELECT v, count(*) FROM p GROUP BY v") == "more 3\nnew 1\nold 1\nsame 1")
    #expect(try merged.text("SELECT count(*) FROM c WHERE v = 'alike'") == "3")
    #expect(try merged.rows("p", 0)["taken"]?.number == 3)
  }

  @Test func `rows that only look alike, as their parents differ, are both there`() throws {
    let oldest = try bench.make("oldest.db", Self.family, Self.rows("oldest"))
    let old = try bench.make("old.db", Self.family, Self.rows("old"))
    let new = try bench.make("new.db", Self.family, Self.rows("new"))
    let merged = try bench.merge([oldest, old, new], "--renumber-all")
    #expect(merged.ending.status == 0)
    #expect(
      try merged.text(
        "SELECT p.v, count(*) FROM c JOIN p ON p.id = c.p WHERE c.v = 'alike' GROUP BY 1 ORDER BY 1"
      )
        == "new 1\nold 1\noldest 1\nsame 1")
    #expect(
      try merged.text(
        """
        SELECT up.v, count(*) FROM tree JOIN tree AS up ON up.id = tree.up WHERE tree.v = 'leaf'
        GROUP BY 1 ORDER BY 1
        """) == "leaf 3\nnew 1\nold 1\noldest 1")
  }

  @Test func `a row that refers to none and its copy are there once`() throws {
    let lone = "INSERT INTO c VALUES (7, 9, 'lone')"
    let old = try bench.make("old.db", Self.family, Self.rows("old"), lone)
    let copy = try bench.make("copy.db", Self.family, Self.rows("old"), lone)
    let new = try bench.make(
      "new.db", Self.family, Self.rows("new"), "INSERT INTO p VALUES (9, 'nine')")
    let merged = try bench.merge([old, copy, new], "--renumber-all", dangling: 1)
    #expect(try merged.text("SELECT count(*) FROM c WHERE v = 'lone'") == "1")
  }

  @Test func `a foreign key that only the older input declares is followed`() throws {
    let parent = "CREATE TABLE p (id INTEGER PRIMARY KEY, v);"
    let merged = try bench.merge(
      [
        try bench.make(
          "old.db", parent + "CREATE TABLE c (id INTEGER PRIMARY KEY, p REFERENCES p, v);",
          "INSERT INTO p VALUES (1, 'old'); INSERT INTO c VALUES (1, 1, 'old');"),
        try bench.make(
          "new.db", parent + "CREATE TABLE c (id INTEGER PRIMARY KEY, p, v);",
          "INSERT INTO p VALUES (1, 'new'); INSERT INTO c VALUES (1, 1, 'new');"),
      ], "--renumber-all")
    #expect(merged.ending.status == 0)
    #expect(
      try merged.text("SELECT c.v, p.v FROM c JOIN p ON p.id = c.p ORDER BY 1")
        == "new new\nold old")
  }

  @Test func `a unique key with the primary key in it does not make two rows one`() throws {
    let tables = """
      CREATE TABLE p (id INTEGER PRIMARY KEY, org, v, UNIQUE (id, org));
      CREATE TABLE c (id INTEGER PRIMARY KEY, p, org, v, FOREIGN KEY (p, org) REFERENCES p (id, org));
      """
    func rows(_ word: String) -> String {
      "INSERT INTO p VALUES (1, 10, '\(word)'); INSERT INTO c VALUES (1, 1, 10, '\(word)');"
    }
    let merged = try bench.merge(
      [
        try bench.make("old.db", tables, rows("old")),
        try bench.make("new.db", tables, rows("new")),
      ], "--renumber-all")
    #expect(merged.ending.status == 0)
    #expect(
      try merged.text("SELECT c.v, p.v FROM c JOIN p ON p.id = c.p ORDER BY 1")
        == "new new\nold old")
  }

  @Test func `the old keys that are noted are those of the input`() throws {
    let tables = """
      CREATE TABLE p (id INTEGER PRIMARY KEY, v);
      CREATE TABLE c (id INTEGER PRIMARY KEY, p REFERENCES p, v);
      CREATE TABLE one (id INTEGER PRIMARY KEY REFERENCES p, v);
      """
    func rows(_ parent: String, _ child: String) -> String {
      """
      INSERT INTO p VALUES (1, '\(parent)'); INSERT INTO c VALUES (2, 1, '\(child)');
      INSERT INTO one VALUES (1, '\(parent)');
      """
    }
    let merged = try bench.merge(
      [
        try bench.make("a.db", tables, rows("A", "x")),
        try bench.make("b.db", tables, rows("S", "x")),
        try bench.make("c.db", tables, rows("S", "y")),
      ], "--renumber-all")
    #expect(merged.ending.status == 0)
    #expect(
      try merged.text("SELECT c.id, c.v, p.v FROM c JOIN p ON p.id = c.p ORDER BY c.id")
        == "2 y S\n3 x S\n4 x A")
    #expect(
      try merged.aside(
        "SELECT \"table\", source, old, new FROM renumbered ORDER BY \"table\", source")
        == "c a.db 2 4\nc b.db 2 3\none a.db 1 2\np a.db 1 2")
  }

  @Test(arguments: ["", "AUTOINCREMENT"])
  func `free numbers below are given where none is left above those in use`(
    counter: String
  ) throws {
    let tables = """
      CREATE TABLE t (id INTEGER PRIMARY KEY \(counter), v);
      CREATE TABLE r (t INTEGER REFERENCES t (id));
      """
    let last = Int64.max
    let merged = try bench.merge(
      [
        try bench.make(
          "third.db", tables, "INSERT INTO t VALUES (\(last - 9), 'third'), (7, 'low')",
          "INSERT INTO r VALUES (\(last - 9))"),
        try bench.make(
          "old.db", tables, "INSERT INTO t VALUES (\(last), 'old')",
          "INSERT INTO r VALUES (\(last))"),
        try bench.make("new.db", tables, "INSERT INTO t VALUES (\(last), 'new'), (7, 'seven')"),
      ], "--renumber-all")
    #expect(merged.ending.status == 0, "\(merged.ending.all)")
    #expect(try merged.text("SELECT v FROM t ORDER BY v") == "low\nnew\nold\nseven\nthird")
    #expect(
      try merged.text("SELECT v FROM t JOIN r ON r.t = t.id ORDER BY v") == "old\nthird")
    #expect(try merged.text("SELECT v FROM t WHERE id IN (7, \(last)) ORDER BY id") == "seven\nnew")
    #expect(
      try merged.ending.json["notes"]?.elements.compactMap(\.text).contains(
        "new keys of 't' are below those in use: none is left above them") == true)
  }

  @Test func `numbers that a counter has not given yet are given before it runs out`() throws {
    let tables = "CREATE TABLE t (id INTEGER PRIMARY KEY AUTOINCREMENT, v)"
    let full = "UPDATE sqlite_sequence SET seq = 9223372036854775807"
    let merged = try bench.merge(
      [
        try bench.make("old.db", tables, "INSERT INTO t VALUES (1, 'old')", full),
        try bench.make("new.db", tables, "INSERT INTO t VALUES (1, 'new')", full),
      ], "--renumber-all")
    #expect(merged.ending.status == 0, "\(merged.ending.all)")
    #expect(try merged.text("SELECT * FROM t ORDER BY id") == "1 new\n2 old")
  }

  @Test func `a row that is refused under its new key is none with a new key`() throws {
    let table = "CREATE TABLE t (id INTEGER PRIMARY KEY, u UNIQUE, v)"
    let merged = try bench.merge(
      [
        try bench.make("old.db", table, "INSERT INTO t VALUES (1, 'b', 'old')"),
        try bench.make("new.db", table, "INSERT INTO t VALUES (1, 'a', 'new'), (2, 'b', 'new')"),
      ], "--renumber-all")
    #expect(merged.ending.status == 14)
    #expect(try merged.rows("t", 0)["refused"]?.number == 1)
    #expect(try merged.rows("t", 0)["renumbered"]?.number == 0)
  }
}
