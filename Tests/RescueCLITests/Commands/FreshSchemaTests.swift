// SPDX-License-Identifier: Apache-2.0
// Rows of one schema in another: by name, with SQLite's own affinity and defaults, and with every
// row that does not fit kept beside.

import DatabaseRescue
import RescueTestSupport
import SQLiteFormat
import Testing

@testable import RescueCLI

@Suite struct FreshSchemaTests {
  let bench: Workbench
  init() throws { bench = try Workbench() }

  /// What a salvage into another schema gave.
  private struct Salvaged {
    let new: Oracle
    let quarantine: Oracle?
    let ending: Ending

    func value(_ sql: String) throws -> Value? { try new.value(sql) }
    func aside(_ sql: String) throws -> Value? { try quarantine?.value(sql) }
  }

  /// Salvages a database into the schema of a script, or of a contract.
  private func salvage(
    _ steps: [DatabaseBuilder.Step], into script: String, as name: FilePath = "schema.sql"
  ) throws -> Salvaged {
    let file = bench["app.db"]
    try DatabaseBuilder(steps).build(at: file)
    let schema = bench[name]
    try schema.replaceContents(with: Bytes(script.utf8))
    let output = bench["new.db"]
    let ending = try bench.run(
      "salvage", file, "--output", output, "--schema", schema, "--json")
    #expect([0, 13, 14].contains(ending.status), "\(ending.all)")
    let quarantine = output.adding(suffix: ".quarantine.db")
    let new = try Oracle(output)
    #expect(try new.integrityErrors == [])
    return Salvaged(
      new: new, quarantine: try quarantine.exists ? Oracle(quarantine) : nil, ending: ending)
  }

  @Test func `the check that is to follow is one by the schema that was asked for`() throws {
    let (file, schema) = (bench["app.db"], bench["schema.sql"])
    try DatabaseBuilder(["CREATE TABLE t (a)"]).build(at: file)
    try schema.replaceContents(with: Bytes("CREATE TABLE t (a); CREATE INDEX i ON t (a)".utf8))
    let ending = try bench.run(
      "salvage", file, "--output", bench["new.db"], "--schema", schema)
    #expect(ending.output.contains("next: dbrescue check \(bench["new.db"]) --contract \(schema)"))
  }

  @Test func `columns go by name, wherever they stand`() throws {
    let result = try salvage(
      ["CREATE TABLE t (a, b, c)", "INSERT INTO t VALUES (1, 'two', 3.5)"],
      into: "CREATE TABLE T (C, id INTEGER PRIMARY KEY, B, A)")
    #expect(result.ending.status == 0)
    #expect(try result.value("SELECT a || b || c FROM t") == .text("1two3.5"))
  }

  @Test func `a text that a column of numbers makes another one of is kept beside it`() throws {
    let texts = [
      "00705", "1.10", "5.0", "1e3", " 7", "9223372036854775808", "0.1", "12", "-3", "abc", "1.5",
      "",
    ]
    let values = texts.enumerated().map { "(\($0.offset), '\($0.element)')" }
    let result = try salvage(
      [
        "CREATE TABLE t (id INTEGER PRIMARY KEY, v TEXT)",
        .init(stringLiteral: "INSERT INTO t VALUES " + values.joined(separator: ", ")),
      ], into: "CREATE TABLE t (id INTEGER PRIMARY KEY, v NUMERIC)")
    #expect(result.ending.status == 14)
    #expect(try result.value("SELECT count(*) FROM t") == .integer(12))
    #expect(
      try result.aside("SELECT group_concat(\"rowid\" || ':' || c1, '|') FROM left_out")
        == .text("0:00705|1:1.10|2:5.0|3:1e3|4: 7|5:9223372036854775808"))
    #expect(result.ending.output.contains("\"changed\": 6"), "\(result.ending.output)")
  }

  @Test func `a number that a column rounds is kept beside it`() throws {
    let result = try salvage(
      [
        "CREATE TABLE t (id INTEGER PRIMARY KEY, a REAL, b INTEGER, c TEXT)",
        "INSERT INTO t VALUES (1, 0.1 + 0.2, 9007199254740993, '7'), (2, 0.5, 12, '5')",
      ], into: "CREATE TABLE t (id INTEGER PRIMARY KEY, a TEXT, b REAL, c REAL)")
    #expect(result.ending.status == 14)
    #expect(
      try result.aside("SELECT \"rowid\" || columns || c2 FROM left_out")
        == .text("1a, b9007199254740993"))
  }

  @Test func `an invalid text stays as it is, as the result has the encoding of the file`() throws {
    let table: DatabaseBuilder.Step = "CREATE TABLE t (id INTEGER PRIMARY KEY, v TEXT)"
    let (file, schema, output) = (bench["app.db"], bench["schema.db"], bench["new.db"])
    try DatabaseBuilder([table, "INSERT INTO t VALUES (1, CAST(x'61ff62' AS TEXT))"])
      .build(at: file)
    try DatabaseBuilder(encoding: .utf16le, [table]).build(at: schema)
    let ending = try bench.run("salvage", file, "--output", output, "--schema", schema)
    #expect(ending.status == 0)
    #expect(
      try Oracle(output).value("SELECT hex(CAST(v AS BLOB)) FROM t") == .text("61FF62"))
  }

  @Test func `half a unit of UTF-16 is not dropped`() throws {
    let (file, output) = (bench["app.db"], bench["new.db"])
    try DatabaseBuilder(
      encoding: .utf16le,
      [
        "CREATE TABLE t (id INTEGER PRIMARY KEY, v TEXT)",
        "INSERT INTO t VALUES (1, CAST(x'610062' AS TEXT)), (2, 'Zoë')",
      ]
    ).build(at: file)
    let length = try Oracle(file).value("SELECT length(CAST(v AS BLOB)) FROM t WHERE id = 1")
    let ending = try bench.run("salvage", file, "--output", output)
    guard length == .integer(3) else {
      #expect(ending.status == 0)
      return
    }
    #expect(ending.status == 14)
    #expect(
      try Oracle(output.adding(suffix: ".quarantine.db")).value("SELECT hex(c1) FROM conflicts")
        == .text("610062"))
  }

  @Test func `tables and columns go under the new names of the contract`() throws {
    let result = try salvage(
      [
        "CREATE TABLE run (id INTEGER PRIMARY KEY AUTOINCREMENT, dist REAL, note TEXT)",
        "INSERT INTO run (dist, note) VALUES (1.5, 'a'), (2, 'b'), (3, 'c')",
        "DELETE FROM run WHERE id = 3",
      ],
      into: """
        {
          schema: 1, name: "app",
          freshSchema: [
            "CREATE TABLE workout (id INTEGER PRIMARY KEY AUTOINCREMENT, distance REAL, note TEXT)"
          ],
          renamedTables: {RUN: "workout"},
          renamedColumns: {workout: {Dist: "distance"}},
        }
        """, as: "app.contract.json")
    #expect(result.ending.status == 0, "\(result.ending.all)")
    #expect(
      try result.value("SELECT group_concat(id || distance || note, ' ') FROM workout")
        == .text("11.5a 22.0b"))
    #expect(try result.value("SELECT seq FROM sqlite_sequence") == .integer(3))
  }

  @Test(arguments: [
    (["a (i, x, y)", "b (i, j)"], ["b (i, y, z)", "c (i, j)"]),
    (["b (i, y, z)", "c (i, j)"], ["b (i, y, z)", "c (i, j)"]),
    (["a (i, x, y)", "b (i, j)"], ["a (i, x, y)", "b (i, j)"]),
    (["a (i, x, y)", "b (i, j)"], ["b (i, x, z)", "c (i, j)"]),
  ])
  func `a name that was given on leads to the rows that had it, before and after`(
    _ old: [String], _ new: [String]
  ) throws {
    let result = try salvage(
      old.map { DatabaseBuilder.Step(stringLiteral: "CREATE TABLE \($0)") } + [
        DatabaseBuilder.Step(stringLiteral: "INSERT INTO \(old[0].prefix(1)) VALUES (1, 'x', 'y')"),
        DatabaseBuilder.Step(stringLiteral: "INSERT INTO \(old[1].prefix(1)) VALUES (2, 'j')"),
      ],
      into: """
        {
          schema: 1, name: "app",
          freshSchema: ["CREATE TABLE \(new[0])", "CREATE TABLE \(new[1])"],
          renamedTables: {a: "b", b: "c"}, renamedColumns: {b: {x: "y", y: "z"}},
        }
        """, as: "app.contract.json")
    #expect(result.ending.status == 0, "\(result.ending.all)")
    func row(_ table: String) throws -> String? {
      let columns = table.dropFirst(3).dropLast().split(separator: ", ").joined(separator: " || ")
      return try result.value("SELECT \(columns) FROM \(table.prefix(1))")?.utf8String
    }
    #expect(try row(new[0]) == "1xy")
    #expect(try row(new[1]) == "2j")
  }

  @Test(arguments: ["fts4", "fts5"])
  func `columns of full-text tables go under the new names of the contract`(_ module: String)
    throws
  {
    let result = try salvage(
      [
        .init(stringLiteral: "CREATE VIRTUAL TABLE f USING \(module)(title, body)"),
        "INSERT INTO f (title, body) VALUES ('one', 'two')",
      ],
      into: """
        {
          schema: 1, name: "app",
          freshSchema: ["CREATE VIRTUAL TABLE f USING \(module)(body, heading)"],
          renamedColumns: {f: {title: "heading"}},
        }
        """, as: "app.contract.json")
    #expect(result.ending.status == 0, "\(result.ending.all)")
    #expect(try result.value("SELECT heading || body FROM f") == .text("onetwo"))
  }

  @Test func `values take the type that SQLite would give them`() throws {
    let result = try salvage(
      ["CREATE TABLE t (a, b, c, d)", "INSERT INTO t VALUES ('12', 12, '1e1', 'x')"],
      into: "CREATE TABLE t (a INTEGER, b TEXT, c REAL, d INTEGER)")
    #expect(
      try result.value(
        "SELECT typeof(a) || typeof(b) || typeof(c) || typeof(d) || a || b || c || d FROM t")
        == .text("integertextrealtext121210.0x"))
  }

  @Test func `columns that only the fresh schema has get their defaults`() throws {
    let result = try salvage(
      ["CREATE TABLE t (a)", "INSERT INTO t VALUES (1), (2)"],
      into: "CREATE TABLE t (a, b TEXT NOT NULL DEFAULT 'new', c, d INT DEFAULT (2 * 21))")
    #expect(result.ending.status == 0)
    #expect(
      try result.value("SELECT group_concat(a || b || ifnull(c, '-') || d) FROM t")
        == .text("1new-42,2new-42"))
  }

  @Test func `a column that must have a value and has none refuses each row, not the whole`() throws
  {
    let result = try salvage(
      [
        "CREATE TABLE t (a)", "INSERT INTO t VALUES (1), (2)", "CREATE TABLE u (a)",
        "INSERT INTO u VALUES (3)",
      ],
      into: "CREATE TABLE t (a, b NOT NULL); CREATE TABLE u (a)")
    #expect(result.ending.status == 14)
    #expect(try result.value("SELECT count(*) FROM t") == .integer(0))
    #expect(try result.value("SELECT a FROM u") == .integer(3))
    #expect(
      try result.aside("SELECT group_concat(c0 || reason || evidence, ' ') FROM conflicts")
        == .text(
          "1constraintthe fresh schema refuses it: NOT NULL constraint failed: t.b "
            + "2constraintthe fresh schema refuses it: NOT NULL constraint failed: t.b"))
  }

  /// A constraint of the fresh schema, and the rows of (1, 'a'), (2, 'x'), (3, 'x') that it refuses.
  struct Constraint: CustomTestStringConvertible {
    let schema: String
    let refused: String
    var testDescription: String { schema }

    init(_ schema: String, refuses refused: String) {
      self.schema = schema
      self.refused = refused
    }
  }

  @Test(arguments: [
    Constraint("CREATE TABLE t (n INTEGER PRIMARY KEY, s TEXT UNIQUE)", refuses: "3"),
    Constraint(
      "CREATE TABLE t (n INTEGER PRIMARY KEY, s TEXT UNIQUE ON CONFLICT REPLACE)", refuses: "3"),
    Constraint(
      "CREATE TABLE t (n INTEGER PRIMARY KEY, s TEXT UNIQUE ON CONFLICT IGNORE)", refuses: "3"),
    Constraint(
      "CREATE TABLE t (n INTEGER PRIMARY KEY, s TEXT UNIQUE ON CONFLICT ROLLBACK)", refuses: "3"),
    Constraint("CREATE TABLE t (n, s); CREATE UNIQUE INDEX i ON t (s)", refuses: "3"),
    Constraint("CREATE TABLE t (n, s CHECK (n <> 2))", refuses: "2"),
    Constraint("CREATE TABLE t (n, s CHECK (json_valid(s)))", refuses: "1,2,3"),
    Constraint(
      "CREATE TABLE t (n, s, v AS (CASE n WHEN 2 THEN json_extract(s, '$.a') END) STORED)",
      refuses: "2"),
    Constraint("CREATE TABLE t (n INT, s INT) STRICT", refuses: "1,2,3"),
    Constraint("CREATE TABLE t (n TEXT, s INTEGER PRIMARY KEY)", refuses: "1,2,3"),
    Constraint("CREATE TABLE t (n, s TEXT PRIMARY KEY) WITHOUT ROWID", refuses: "3"),
  ])
  func `a row that breaks a constraint goes to the conflicts, and the others in`(
    _ constraint: Constraint
  ) throws {
    let result = try salvage(
      ["CREATE TABLE t (n INT, s TEXT)", "INSERT INTO t VALUES (1, 'a'), (2, 'x'), (3, 'x')"],
      into: constraint.schema)
    #expect(result.ending.status == 14)
    #expect(
      try result.aside("SELECT group_concat(c0) FROM conflicts") == .text(constraint.refused))
    let kept = 3 - constraint.refused.split(separator: ",").count
    #expect(try result.value("SELECT count(*) FROM t") == .integer(Int64(kept)))
    #expect(try result.aside("SELECT count(*) FROM conflicts WHERE page IS NULL") == .integer(0))
  }

  @Test func `NULL is not replaced by a default that the schema would put in its place`() throws {
    let result = try salvage(
      ["CREATE TABLE t (a)", "INSERT INTO t VALUES (1), (NULL)"],
      into: "CREATE TABLE t (a NOT NULL ON CONFLICT REPLACE DEFAULT 7)")
    #expect(try result.value("SELECT group_concat(a) FROM t") == .text("1"))
    #expect(try result.aside("SELECT count(*) FROM conflicts") == .integer(1))
  }

  @Test func `values without a column are kept beside, and said`() throws {
    let result = try salvage(
      [
        "CREATE TABLE t (id INTEGER PRIMARY KEY, a, x, g AS (a + 1) STORED, y)",
        "INSERT INTO t (a, x, y) VALUES (1, 'x1', x'01'), (2, NULL, NULL), (3, 'x3', NULL)",
        "CREATE TABLE w (x, k TEXT PRIMARY KEY) WITHOUT ROWID",
        "INSERT INTO w VALUES ('wx', 'key')",
      ],
      into: """
        CREATE TABLE t (id INTEGER PRIMARY KEY, a);
        CREATE TABLE w (k TEXT PRIMARY KEY) WITHOUT ROWID
        """)
    #expect(result.ending.status == 14)
    #expect(try result.value("SELECT count(*) FROM t") == .integer(3))
    #expect(
      try result.aside(
        """
        SELECT group_concat("rowid" || ' ' || columns || ' ' || known || ' ' || c2, '; ')
        FROM left_out WHERE "table" = 't'
        """) == .text("1 x, y 2,4 x1; 3 x 2 x3"))
    #expect(
      try result.aside(#"SELECT typeof(c4) FROM left_out WHERE "rowid" = 1"#) == .text("blob"))
    #expect(
      try result.aside(#"SELECT known || c0 || c1 FROM left_out WHERE "table" = 'w'"#)
        == .text("0,1keywx"))
    let json = try result.ending.json
    #expect(
      json["notes"]?.elements.contains { $0.text?.contains("no column for 'x', 'y'") == true }
        == true)
    #expect(json["complete"]?.bool == false)
    #expect(json["tables"]?.elements.first { $0["table"]?.text == "t" }?["leftOut"]?.number == 2)
  }

  @Test func `a column that ran into its type keeps its values`() throws {
    let result = try salvage(
      [
        "CREATE TABLE t (id INTEGER PRIMARY KEY, notexTEXT)", "INSERT INTO t VALUES (1, 'kept')",
      ],
      into: "CREATE TABLE t (id INTEGER PRIMARY KEY, note TEXT DEFAULT 'made up')")
    #expect(try result.value("SELECT note FROM t") == .text("kept"))
  }

  @Test func `a table that the fresh schema has not is set aside whole`() throws {
    let result = try salvage(
      ["CREATE TABLE t (a)", "CREATE TABLE old (a, b)", "INSERT INTO old VALUES (1, 'b')"],
      into: "CREATE TABLE t (a)")
    #expect(result.ending.status == 14)
    #expect(
      try result.aside(#"SELECT "table" || reason || c0 || c1 FROM rows"#)
        == .text("oldtable-not-wanted1b"))
  }

  @Test func `what takes for ever costs itself, and no row of any table`() throws {
    let rows = "WITH RECURSIVE n (i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n LIMIT 3000)"
    let endless = "CASE x \(String(repeating: "WHEN 0 THEN 1 ", count: 60_000)) ELSE 1 END"
    let tables = ["first", "checked", "indexed", "last"]
    let result = try salvage(
      tables.flatMap { table -> [DatabaseBuilder.Step] in
        ["CREATE TABLE \(table) (x)", "INSERT INTO \(table) \(rows) SELECT i FROM n"]
      },
      into: """
        CREATE TABLE first (x); CREATE TABLE checked (x CHECK (\(endless)));
        CREATE TABLE indexed (x); CREATE TABLE last (x); CREATE INDEX i ON indexed (\(endless));
        """)
    for table in ["first", "indexed", "last"] {
      #expect(try result.value("SELECT count(*) FROM \(table)") == .integer(3000))
    }
    #expect(
      try result.aside(#"SELECT count(*) FROM rows WHERE "table" = 'checked'"#) == .integer(3000))
    let left = try result.ending.json["unrestored"]?.elements.compactMap { $0["name"]?.text } ?? []
    #expect(Set(left) == ["checked", "i"])
  }

  @Test func `generated columns are computed anew, and triggers do not fire`() throws {
    let result = try salvage(
      [
        "CREATE TABLE t (a, g AS (a || '!') STORED)", "INSERT INTO t (a) VALUES ('x'), ('y')",
        "CREATE TABLE log (n)",
      ],
      into: """
        CREATE TABLE t (v AS (a || '?'), a, g AS (a || '.') STORED);
        CREATE TABLE log (n);
        CREATE TRIGGER tr AFTER INSERT ON t BEGIN INSERT INTO log VALUES (new.a); END
        """)
    #expect(result.ending.status == 0)
    #expect(try result.value("SELECT group_concat(v || g) FROM t") == .text("x?x.,y?y."))
    #expect(try result.value("SELECT count(*) FROM log") == .integer(0))
  }

  @Test func `a row that refers to a lost one stays, and is counted`() throws {
    let result = try salvage(
      [
        "CREATE TABLE p (id INTEGER PRIMARY KEY)", "INSERT INTO p VALUES (1)",
        "CREATE TABLE c (p)", "INSERT INTO c VALUES (1), (2), (3)",
      ],
      into: """
        CREATE TABLE p (id INTEGER PRIMARY KEY);
        CREATE TABLE c (p REFERENCES p ON DELETE CASCADE)
        """)
    #expect(try result.value("SELECT count(*) FROM c") == .integer(3))
    let dangling = try #require(try result.ending.json["danglingReferences"]?.elements.first)
    #expect(dangling["table"]?.text == "c" && dangling["rows"]?.number == 2)
  }

  @Test func `the hidden rowids of a table are in its column that is the rowid`() throws {
    let result = try salvage(
      ["CREATE TABLE t (a)", "INSERT INTO t (rowid, a) VALUES (5, 'five'), (900, 'more')"],
      into: "CREATE TABLE t (id INTEGER PRIMARY KEY, a)")
    #expect(
      try result.value("SELECT group_concat(id || a) FROM t") == .text("5five,900more"))
  }

  @Test func `an identifier that was no rowid stays what it was`() throws {
    let result = try salvage(
      [
        "CREATE TABLE t (id INTEGER PRIMARY KEY DESC, a)",
        "INSERT INTO t VALUES (20001, 'a'), (20002, 'b')",
      ],
      into: "CREATE TABLE t (id INTEGER PRIMARY KEY, a)")
    #expect(
      try result.value("SELECT group_concat(rowid || a) FROM t") == .text("20001a,20002b"))
  }

  @Test func `rowids that no name reaches are said to be new`() throws {
    let steps: [DatabaseBuilder.Step] = [
      "CREATE TABLE t (rowid, _rowid_, oid)",
      "INSERT INTO t VALUES ('a', 'b', 'c'), ('d', 'e', 'f')",
    ]
    let result = try salvage(steps, into: "CREATE TABLE t (rowid, _rowid_, oid)")
    #expect(result.ending.status == 0)
    #expect(
      try result.value("SELECT group_concat(rowid || _rowid_ || oid) FROM t") == .text("abc,def"))
    #expect(
      try result.ending.json["notes"]?.elements.contains {
        $0.text?.contains("its rows have new rowids") == true
      } == true)
  }

  @Test(arguments: [
    ("fts5(title, body)", "fts5(body, title)"), ("fts4(title, body)", "fts4(body, title)"),
    ("fts4(title, body)", "fts5(tag, body, title)"),
    ("fts5(title, body)", "fts5(body, title, tokenize=porter)"),
  ])
  func `texts go by the names of their columns, wherever these stand`(
    _ old: String, _ new: String
  ) throws {
    let result = try salvage(
      [
        .init(stringLiteral: "CREATE VIRTUAL TABLE f USING \(old)"),
        "INSERT INTO f (rowid, title, body) VALUES (7, 'one', 'two')",
      ], into: "CREATE VIRTUAL TABLE f USING \(new)")
    #expect(result.ending.status == 0)
    #expect(try result.value("SELECT title || body FROM f WHERE rowid = 7") == .text("onetwo"))
    #expect(try result.value("SELECT rowid FROM f WHERE f MATCH 'title:one'") == .integer(7))
    #expect(try result.value("SELECT count(*) FROM f WHERE f MATCH 'title:two'") == .integer(0))
  }

  @Test func `a text whose column is not wanted is kept beside`() throws {
    let result = try salvage(
      [
        "CREATE VIRTUAL TABLE f USING fts5(title, body)", "INSERT INTO f VALUES ('one', 'two')",
      ], into: "CREATE VIRTUAL TABLE f USING fts5(body)")
    #expect(result.ending.status == 14)
    #expect(try result.value("SELECT body FROM f") == .text("two"))
    #expect(try result.aside("SELECT c1 FROM left_out") == .text("one"))
  }

  @Test(arguments: [
    "rtree(id, a, b, c, d)", "rtree_i32(id, a, b)", "rtree(id, b, a)", "rtree(id, a, x)",
    "fts5(a, b)",
  ])
  func `an R-tree that has no place in the virtual table of its name is set aside`(_ module: String)
    throws
  {
    let result = try salvage(
      ["CREATE VIRTUAL TABLE r USING rtree(id, a, b)", "INSERT INTO r VALUES (1, 2, 3)"],
      into: "CREATE VIRTUAL TABLE r USING \(module)")
    #expect(result.ending.status == 14)
    #expect(try result.value("SELECT count(*) FROM r") == .integer(0))
    #expect(try result.aside("SELECT count(*) FROM rows WHERE \"table\" = 'r_node'") == .integer(1))
  }

  @Test(arguments: ["", "STORED"], ["id INTEGER PRIMARY KEY", "id TEXT PRIMARY KEY"])
  func `a value in the place of which the schema computes another one is kept beside`(
    _ kind: String, _ key: String
  ) throws {
    let result = try salvage(
      [
        .init(stringLiteral: "CREATE TABLE t (\(key), a INT, b TEXT)"),
        "INSERT INTO t VALUES (1, 1, 'precious'), (2, 2, '2x'), (3, 3, NULL)",
      ],
      into: """
        CREATE TABLE t (\(key), a INT, b TEXT AS (a || 'x') \(kind))
        \(key.contains("TEXT") ? "WITHOUT ROWID" : "")
        """)
    #expect(result.ending.status == 14)
    #expect(try result.value("SELECT group_concat(b, ' ') FROM t") == .text("1x 2x 3x"))
    #expect(try result.aside("SELECT group_concat(c2) FROM left_out") == .text("precious"))
  }

  @Test func `values that the schema computes alike are no reason to say anything`() throws {
    let result = try salvage(
      ["CREATE TABLE t (a INT, b TEXT)", "INSERT INTO t VALUES (1, '1x')"],
      into: "CREATE TABLE t (a INT, b TEXT AS (a || 'x'))")
    #expect(result.ending.status == 0)
  }

  @Test func `texts whose tokenizer only the app has do not get into other columns`() throws {
    let (file, schema, output) = (bench["app.db"], bench["schema.sql"], bench["new.db"])
    try DatabaseBuilder([
      "CREATE VIRTUAL TABLE f USING fts5(title, body, tokenize=porter)",
      "INSERT INTO f VALUES ('one', 'two')",
    ]).build(at: file)
    do {
      let connection = try Connection(file, mode: .readWrite)
      connection.configure(1010, false)  // SQLITE_DBCONFIG_DEFENSIVE
      try connection.execute(
        "PRAGMA writable_schema = ON; UPDATE sqlite_schema SET sql = replace(sql, 'porter', 'apptok')"
      )
    }
    try schema.replaceContents(
      with: Bytes("CREATE VIRTUAL TABLE f USING fts5(body, title)".utf8))
    let ending = try bench.run("salvage", file, "--output", output, "--schema", schema)
    #expect(ending.status == 14, "\(ending.all)")
    #expect(try Oracle(output).count(of: "f") == 0)
    let quarantine = try Oracle(output.adding(suffix: ".quarantine.db"))
    #expect(
      try quarantine.value("SELECT c1 || c2 FROM rows WHERE \"table\" = 'f_content'")
        == .text("onetwo"))
  }
}
