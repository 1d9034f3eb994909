// SPDX-License-Identifier: Apache-2.0
// Every way in which a schema can drift, written as two schemas and the diff that must come out.

import DatabaseRescue
import Diagnosis
import SQLiteFormat
import Testing

/// Two schemas and the lines of their diff without the mends.
struct Drift: Sendable, CustomTestStringConvertible {
  let name: String
  let expected: String
  let found: String
  let lines: [String]

  init(_ name: String, _ expected: String, _ found: String, _ lines: String...) {
    self.name = name
    self.expected = expected
    self.found = found
    self.lines = lines
  }

  var testDescription: String { name }
}

@Suite struct SchemaDriftTests {
  static let drifts: [Drift] = [
    Drift(
      "primary key columns swapped", "CREATE TABLE t (a, b, PRIMARY KEY (a, b))",
      "CREATE TABLE t (a, b, PRIMARY KEY (b, a))",
      "changed primary key t: expected (a, b), found (b, a)"),
    Drift(
      "AUTOINCREMENT lost", "CREATE TABLE t (id INTEGER PRIMARY KEY AUTOINCREMENT)",
      "CREATE TABLE t (id INTEGER PRIMARY KEY)",
      "changed primary key t: expected (id) as rowid AUTOINCREMENT, found (id) as rowid"),
    Drift(
      "COLLATE added", "CREATE TABLE t (a TEXT)", "CREATE TABLE t (a TEXT COLLATE NOCASE)",
      "changed column t.a: expected TEXT, found TEXT COLLATE NOCASE"),
    Drift(
      "CHECK added", "CREATE TABLE t (a INT)", "CREATE TABLE t (a INT CHECK (a > 0))",
      "extra check t (a > 0)"),
    Drift(
      "CHECK changed", "CREATE TABLE t (a INT, CHECK (a > 0))",
      "CREATE TABLE t (a INT CHECK (a >= 0))",
      "missing check t (a > 0)", "extra check t (a >= 0)"),
    Drift(
      "DEFERRABLE lost",
      "CREATE TABLE p (id INTEGER PRIMARY KEY); CREATE TABLE t "
        + "(a REFERENCES p DEFERRABLE INITIALLY DEFERRED)",
      "CREATE TABLE p (id INTEGER PRIMARY KEY); CREATE TABLE t (a REFERENCES p (id))",
      "changed foreign key t: expected (a) REFERENCES p (id) DEFERRABLE INITIALLY DEFERRED, "
        + "found (a) REFERENCES p (id)"),
    Drift(
      "predicate of a partial index lost",
      "CREATE TABLE t (a, b); CREATE INDEX i ON t (a) WHERE b IS NULL",
      "CREATE TABLE t (a, b); CREATE INDEX i ON t (a)",
      "changed index i: expected on t (a) WHERE b IS NULL, found on t (a)"),
    Drift(
      "trigger missing",
      "CREATE TABLE t (a); CREATE TRIGGER r AFTER INSERT ON t BEGIN DELETE FROM t; END",
      "CREATE TABLE t (a)", "missing trigger r (on t)"),
    Drift(
      "default added", "CREATE TABLE t (a INT)", "CREATE TABLE t (a INT DEFAULT 0)",
      "changed column t.a: expected INT, found INT DEFAULT 0"),
    Drift(
      "default lost", "CREATE TABLE t (a DEFAULT (1 + 2))", "CREATE TABLE t (a)",
      "changed column t.a: expected DEFAULT (1 + 2), found no type"),
    Drift(
      "column missing", "CREATE TABLE t (a, z TEXT NOT NULL DEFAULT 'UTC')", "CREATE TABLE t (a)",
      "missing column t.z (TEXT NOT NULL DEFAULT 'UTC')"),
    Drift(
      "column extra", "CREATE TABLE t (a)", "CREATE TABLE t (a, b BLOB)",
      "extra column t.b (BLOB)"),
    Drift(
      "type changed", "CREATE TABLE t (a INTEGER)", "CREATE TABLE t (a TEXT)",
      "changed column t.a: expected INTEGER, found TEXT"),
    Drift(
      "type of the same affinity", "CREATE TABLE t (a VARCHAR(20))", "CREATE TABLE t (a TEXT)",
      "notice: changed column t.a: expected VARCHAR(20), found TEXT"),
    Drift(
      "NOT NULL lost", "CREATE TABLE t (a INT NOT NULL)", "CREATE TABLE t (a INT)",
      "changed column t.a: expected INT NOT NULL, found INT"),
    Drift(
      "columns in another order", "CREATE TABLE t (a, b, c)", "CREATE TABLE t (a, c, b)",
      "notice: changed column order t: expected a, b, c, found a, c, b"),
    Drift(
      "rowid alias lost", "CREATE TABLE t (id INTEGER PRIMARY KEY)",
      "CREATE TABLE t (id INT PRIMARY KEY)",
      "notice: changed column t.id: expected INTEGER, found INT",
      "changed primary key t: expected (id) as rowid, found (id)"),
    Drift(
      "rowid alias lost by DESC", "CREATE TABLE t (id INTEGER PRIMARY KEY)",
      "CREATE TABLE t (id INTEGER PRIMARY KEY DESC)",
      "changed primary key t: expected (id) as rowid, found (id DESC)"),
    Drift(
      "strings in double quotes of another case",
      "CREATE TABLE t (k TEXT CHECK (k IN (\"A\", 'b')))",
      "CREATE TABLE t (k TEXT CHECK (k IN (\"a\", 'b')))",
      "missing check t (k IN (\"A\", 'b'))", "extra check t (k IN (\"a\", 'b'))"),
    Drift(
      "UNIQUE replaced by a unique index", "CREATE TABLE t (a UNIQUE, b)",
      "CREATE TABLE t (a, b); CREATE UNIQUE INDEX i ON t (a)",
      "notice: changed unique constraint t: expected UNIQUE (a), found unique index i (a)"),
    Drift(
      "a unique index replaced by UNIQUE",
      "CREATE TABLE t (a, b); CREATE UNIQUE INDEX i ON t (a)", "CREATE TABLE t (a UNIQUE, b)",
      "notice: changed index i: expected unique index i (a), found UNIQUE (a)"),
    Drift(
      "a view in the place of a table", "CREATE TABLE t (a); CREATE TABLE u (b)",
      "CREATE TABLE t (a); CREATE VIEW u AS SELECT a AS b FROM t",
      "missing table u (1 column)", "extra view u"),
    Drift(
      "primary key lost", "CREATE TABLE t (a TEXT PRIMARY KEY)", "CREATE TABLE t (a TEXT)",
      "missing primary key t ((a))"),
    Drift(
      "table missing", "CREATE TABLE t (a); CREATE INDEX i ON t (a); CREATE TABLE u (b)",
      "CREATE TABLE u (b)", "missing table t (1 column)", "missing index i (on t (a))"),
    Drift(
      "table extra", "CREATE TABLE t (a)",
      "CREATE TABLE t (a); CREATE TABLE u (b, c); CREATE INDEX i ON u (b); "
        + "CREATE TRIGGER r AFTER INSERT ON u BEGIN DELETE FROM u; END",
      "extra table u (2 columns)"),
    Drift(
      "index missing", "CREATE TABLE t (a); CREATE UNIQUE INDEX i ON t (a)", "CREATE TABLE t (a)",
      "missing index i (UNIQUE on t (a))"),
    Drift(
      "index extra", "CREATE TABLE t (a)", "CREATE TABLE t (a); CREATE INDEX i ON t (a)",
      "extra index i (on t (a))"),
    Drift(
      "index with other columns", "CREATE TABLE t (a, b); CREATE INDEX i ON t (a, b)",
      "CREATE TABLE t (a, b); CREATE INDEX i ON t (b, a)",
      "changed index i: expected on t (a, b), found on t (b, a)"),
    Drift(
      "index in another order", "CREATE TABLE t (a); CREATE INDEX i ON t (a DESC)",
      "CREATE TABLE t (a); CREATE INDEX i ON t (a ASC)",
      "changed index i: expected on t (a DESC), found on t (a)"),
    Drift(
      "index of another collation", "CREATE TABLE t (a TEXT); CREATE INDEX i ON t (a)",
      "CREATE TABLE t (a TEXT); CREATE INDEX i ON t (a COLLATE NOCASE)",
      "changed index i: expected on t (a), found on t (a COLLATE NOCASE)"),
    Drift(
      "index of another expression", "CREATE TABLE t (a); CREATE INDEX i ON t (lower(a))",
      "CREATE TABLE t (a); CREATE INDEX i ON t (upper(a))",
      "changed index i: expected on t (lower (a)), found on t (upper (a))"),
    Drift(
      "unique index no longer unique", "CREATE TABLE t (a); CREATE UNIQUE INDEX i ON t (a)",
      "CREATE TABLE t (a); CREATE INDEX i ON t (a)",
      "changed index i: expected UNIQUE on t (a), found on t (a)"),
    Drift(
      "UNIQUE lost", "CREATE TABLE t (a UNIQUE, b)", "CREATE TABLE t (a, b)",
      "missing unique constraint t ((a))"),
    Drift(
      "ON CONFLICT lost", "CREATE TABLE t (a UNIQUE ON CONFLICT REPLACE)",
      "CREATE TABLE t (a UNIQUE)", "missing conflict clause t (a unique on conflict replace)"),
    Drift(
      "foreign key lost",
      "CREATE TABLE p (id INTEGER PRIMARY KEY); CREATE TABLE t (a REFERENCES p)",
      "CREATE TABLE p (id INTEGER PRIMARY KEY); CREATE TABLE t (a)",
      "missing foreign key t ((a) REFERENCES p (id))"),
    Drift(
      "foreign key with another action",
      "CREATE TABLE p (id INTEGER PRIMARY KEY); "
        + "CREATE TABLE t (a REFERENCES p ON DELETE CASCADE)",
      "CREATE TABLE p (id INTEGER PRIMARY KEY); CREATE TABLE t (a REFERENCES p)",
      "changed foreign key t: expected (a) REFERENCES p (id) ON DELETE CASCADE, "
        + "found (a) REFERENCES p (id)"),
    Drift(
      "WITHOUT ROWID lost", "CREATE TABLE t (a TEXT PRIMARY KEY NOT NULL) WITHOUT ROWID",
      "CREATE TABLE t (a TEXT PRIMARY KEY NOT NULL)",
      "changed table options t: expected WITHOUT ROWID, found none"),
    Drift(
      "STRICT lost", "CREATE TABLE t (a TEXT) STRICT", "CREATE TABLE t (a TEXT)",
      "changed table options t: expected STRICT, found none"),
    Drift(
      "generated column computed otherwise", "CREATE TABLE t (a, b AS (a + 1))",
      "CREATE TABLE t (a, b AS (a + 2))",
      "changed column t.b: expected AS (a + 1) VIRTUAL, found AS (a + 2) VIRTUAL"),
    Drift(
      "generated column stored", "CREATE TABLE t (a, b AS (a + 1))",
      "CREATE TABLE t (a, b AS (a + 1) STORED)",
      "changed column t.b: expected AS (a + 1) VIRTUAL, found AS (a + 1) STORED"),
    Drift(
      "view changed", "CREATE TABLE t (a, b); CREATE VIEW v AS SELECT a FROM t",
      "CREATE TABLE t (a, b); CREATE VIEW v AS SELECT b FROM t",
      "changed view v: expected CREATE VIEW v AS SELECT a FROM t, "
        + "found CREATE VIEW v AS SELECT b FROM t"),
    Drift(
      "view missing", "CREATE TABLE t (a); CREATE VIEW v AS SELECT a FROM t", "CREATE TABLE t (a)",
      "missing view v"),
    Drift(
      "trigger changed",
      "CREATE TABLE t (a); CREATE TRIGGER r AFTER INSERT ON t BEGIN DELETE FROM t; END",
      "CREATE TABLE t (a); CREATE TRIGGER r AFTER UPDATE ON t BEGIN DELETE FROM t; END",
      "changed trigger r: expected CREATE TRIGGER r AFTER INSERT ON t BEGIN DELETE FROM t; END, "
        + "found CREATE TRIGGER r AFTER UPDATE ON t BEGIN DELETE FROM t; END"),
    Drift(
      "virtual table with other options", "CREATE VIRTUAL TABLE f USING fts5 (a)",
      "CREATE VIRTUAL TABLE f USING fts5 (a, b)",
      "changed table f: expected CREATE VIRTUAL TABLE f USING fts5 (a), "
        + "found CREATE VIRTUAL TABLE f USING fts5 (a, b)"),
  ]

  @Test(arguments: drifts)
  func `a drift is seen`(drift: Drift) throws {
    let found = try differences(drift.expected, drift.found)
    #expect(
      found.map { ($0.weight == .notice ? "notice: " : "") + $0.summary } == drift.lines)
  }

  @Test(arguments: drifts)
  func `what a drift began with has none`(drift: Drift) throws {
    #expect(try differences(drift.expected, drift.expected) == [])
    #expect(try differences(drift.found, drift.found) == [])
  }

  /// What mends is carried out, each script once, and nothing is left.
  @Test(arguments: drifts)
  func `what is offered does mend`(drift: Drift) throws {
    for (expected, found) in [(drift.expected, drift.found), (drift.found, drift.expected)] {
      let before = try differences(expected, found)
      var scripts: [String] = []
      for script in before.compactMap(\.mend.sql) where !scripts.contains(script) {
        scripts.append(script)
      }
      #expect(before.allSatisfy { $0.mend.obstacle == nil })
      let after = try differences(expected, ([found] + scripts).joined(separator: ";\n"))
      #expect(after.map(\.summary) == [])
      let whole = ContractDifference.Mend.statements(of: before.flatMap(\.mend.steps))
      let together = try differences(expected, ([found] + whole).joined(separator: ";\n"))
      #expect(together.map(\.summary) == [])
    }
  }

  @Test(arguments: [
    (
      "CREATE TABLE t (a TEXT DEFAULT 'x', b INT DEFAULT NULL)",
      "create table \"T\" ( [A] text default \"x\", `b` int ) -- c"
    ),
    (
      "CREATE TABLE p (id INTEGER PRIMARY KEY, b); CREATE TABLE t (a REFERENCES p)",
      "CREATE TABLE p (id INTEGER NOT NULL PRIMARY KEY, b); "
        + "CREATE TABLE t (a, FOREIGN KEY (a) REFERENCES P (ID) ON DELETE NO ACTION)"
    ),
    (
      "CREATE TABLE t (a, b); CREATE INDEX i ON t (a) WHERE b > 1",
      "CREATE TABLE t (a, b); CREATE INDEX I ON T (\"a\" ASC) WHERE B>1"
    ),
    (
      "CREATE TABLE t (a INT CHECK (a > 0), b INT CHECK (b > 0))",
      "CREATE TABLE t (a INT, b INT, CONSTRAINT c CHECK (b>0), CHECK (a /* . */ > 0))"
    ),
    (
      "CREATE TABLE t (a REAL DEFAULT .50, b DEFAULT (0), c INT DEFAULT TRUE, d DEFAULT +1)",
      "CREATE TABLE t (a REAL DEFAULT 0.5, b DEFAULT 0, c INT DEFAULT 1, d DEFAULT ((1)))"
    ),
    (
      "CREATE TABLE t (a TEXT COLLATE NOCASE COLLATE BINARY, b COLLATE BINARY COLLATE NOCASE)",
      "CREATE TABLE t (a TEXT, b COLLATE nocase)"
    ),
    (
      "CREATE TABLE t (a INT CHECK (a > 0 AND a <> 5), b AS (a + 1), c CHECK (c != 'x'))",
      "CREATE TABLE t (a INT CHECK (((a > 0)) AND (a != 5)), b AS ((a) + (1)), c CHECK ((c <> ('x'))))"
    ),
    (
      "CREATE TABLE t (a); CREATE VIEW v AS SELECT a FROM t WHERE a == 1 AND NOT a BETWEEN 1 AND 2",
      "CREATE TABLE t (a); CREATE VIEW v AS SELECT (a) FROM t WHERE (a = 1) AND (NOT (a BETWEEN 1 AND 2))"
    ),
    (
      "CREATE TABLE t (k TEXT CHECK (k IN ('A', 'b')))",
      "CREATE TABLE t (k TEXT CHECK (K IN (\"A\", \"b\")))"
    ),
    (
      "CREATE TABLE t (a); CREATE TABLE android_metadata (locale TEXT)",
      "CREATE TABLE t (a); CREATE TABLE _litestream_seq (id, seq)"
    ),
  ])
  func `what means the same is no drift`(expected: String, found: String) throws {
    let differences = try differences(expected, found)
    #expect(differences.filter { !["android_metadata"].contains($0.object) } == [])
  }

  /// The type of a column, and two literals as its default.
  static let defaults: [(type: String, one: String, other: String)] = [
    ("REAL", "1", "1.0"), ("INTEGER", "'1'", "1"), ("TEXT", "1", "'1'"), ("INT", "1.0", "1"),
    ("NUMERIC", "'1e2'", "100"), ("REAL", "'-1.5'", "-1.5"), ("REAL", "TRUE", "1.0"),
    ("INT", "'+7'", "7"), ("INT", "1.5", "1"), ("INT", "'1x'", "1"), ("", "'1'", "1"),
    ("BLOB", "1.0", "1"), ("TEXT", "'1.0'", "1"), ("TEXT", "'a'", "'A'"), ("REAL", "'x'", "0"),
    ("INT", "-1", "1"), ("NUMERIC", "''", "0"),
  ]

  @Test(arguments: defaults.indices)
  func `two defaults are one where the column stores the same for both`(_ place: Int) throws {
    let (type, one, other) = Self.defaults[place]
    func table(_ literal: String) -> String { "CREATE TABLE t (a \(type) DEFAULT \(literal))" }
    func stored(_ literal: String) throws -> Value? {
      let connection = try Connection(mode: .memory, schemaBy: .us)
      try connection.execute("\(table(literal)); INSERT INTO t DEFAULT VALUES")
      return try connection.value("SELECT a FROM t")
    }
    let isSame = try stored(one) == stored(other)
    #expect(try differences(table(one), table(other)).isEmpty == isSame)
  }

  @Test func `a column keeps its CHECK and REFERENCES when it is added`() throws {
    let expected =
      "CREATE TABLE p (id INTEGER PRIMARY KEY); "
      + "CREATE TABLE t (a, \"b c\" INT CHECK (\"b c\" > -1) REFERENCES p)"
    let found = "CREATE TABLE p (id INTEGER PRIMARY KEY); CREATE TABLE t (a)"
    let differences = try differences(expected, found)
    #expect(
      differences.map(\.mend.statements) == [
        [#"ALTER TABLE "t" ADD COLUMN "b c" INT CHECK ("b c" > -1) REFERENCES p"#]
      ])
  }

  @Test(arguments: [
    "a, b PRIMARY KEY", "a, b UNIQUE", "a, b NOT NULL", "a, b AS (a) STORED",
    "a, b DEFAULT CURRENT_TIMESTAMP", "a, b DEFAULT (1 + 1)", "b, a",
  ])
  func `a column that cannot be added comes with a new table`(columns: String) throws {
    let first = try differences("CREATE TABLE t (\(columns))", "CREATE TABLE t (a)").first
    #expect(first?.kind == .missing)
    #expect(first?.mend.statements.contains { $0.hasPrefix("INSERT INTO \"new_t\"") } == true)
  }

  @Test func `a reference with a default is added while foreign keys are off`() throws {
    let mend = try differences(
      "CREATE TABLE t (a, b DEFAULT 1 REFERENCES t)", "CREATE TABLE t (a)"
    ).first?.mend
    #expect(mend?.statements.first == "PRAGMA foreign_keys = OFF")
    #expect(mend?.statements.contains { $0.contains("ADD COLUMN") } == true)
  }

  @Test func `what goes and what may not fit is said`() throws {
    let differences = try differences(
      "CREATE TABLE t (a NOT NULL, b UNIQUE)",
      "CREATE TABLE t (a, b, c CHECK (c > 0)); CREATE TABLE u (x); "
        + "CREATE UNIQUE INDEX i ON t (a); CREATE TRIGGER r AFTER INSERT ON t BEGIN SELECT 1; END")
    #expect(
      differences.flatMap(\.mend.warnings) == [
        "it fails where a row has NULL in 'a'", "the values of 'c' go with it",
        "c > 0 is not enforced any more", "it fails where two rows have the same (b)",
        "that no two rows have the same (a) is not enforced any more",
        "the table goes with all of its rows",
        "what it does or refuses when 't' is changed is not done any more",
      ])
  }

  @Test func `rows and their rowids stay when a table is made anew`() throws {
    let connection = try Connection(mode: .memory, schemaBy: .us)
    try connection.execute(
      """
      CREATE TABLE t (a TEXT, b); CREATE TABLE s (id INTEGER PRIMARY KEY AUTOINCREMENT, x);
      INSERT INTO t (rowid, a) VALUES (7, 'x'), (9, NULL); INSERT INTO s (id) VALUES (50);
      DELETE FROM s; CREATE VIEW v AS SELECT a FROM t
      """)
    let contract = Contract(
      name: "t",
      objects: try schema(
        "CREATE TABLE t (c DEFAULT 3, a TEXT COLLATE NOCASE, b); "
          + "CREATE TABLE s (id INTEGER PRIMARY KEY AUTOINCREMENT, x CHECK (x > 0)); "
          + "CREATE VIEW v AS SELECT a FROM t"))
    for difference in contract.differences(in: try SchemaReader.describe(connection)) {
      try connection.execute(difference.mend.sql ?? "")
    }
    #expect(contract.differences(in: try SchemaReader.describe(connection)) == [])
    #expect(
      try connection.rows("SELECT rowid, c, a FROM t ORDER BY rowid") == [
        [.integer(7), .integer(3), .text("x")], [.integer(9), .integer(3), .null],
      ])
    #expect(try connection.value("SELECT seq FROM sqlite_sequence") == .integer(50))
  }

  static let sameStatements = [
    (
      "CREATE TRIGGER r UPDATE ON t BEGIN SELECT 1; END",
      "CREATE TRIGGER r BEFORE UPDATE ON t FOR EACH ROW BEGIN SELECT 1; END"
    ),
    (
      "CREATE TRIGGER r AFTER UPDATE OF a, b ON t WHEN new.a > 0 BEGIN SELECT 1; END",
      "CREATE TRIGGER r AFTER UPDATE OF \"b\", A ON t FOR EACH ROW WHEN new.a > 0 BEGIN SELECT 1; END"
    ),
    (
      "CREATE TRIGGER r INSTEAD OF DELETE ON w BEGIN SELECT 1; END",
      "CREATE TRIGGER r INSTEAD OF DELETE ON w FOR EACH ROW BEGIN SELECT 1; END"
    ),
    (
      "CREATE VIEW v AS SELECT a x, (a + b) \"y z\", cast(a AS TEXT) c FROM t u",
      "CREATE VIEW v AS SELECT a AS x, a + b AS [y z], CAST(a AS TEXT) AS c FROM t AS u"
    ),
    (
      "CREATE VIEW v AS WITH c AS MATERIALIZED (SELECT a x FROM t) SELECT x FROM c",
      "CREATE VIEW v AS WITH c AS MATERIALIZED (SELECT a AS x FROM t) SELECT x FROM c"
    ),
    (
      "CREATE VIEW \"v\"\"w\" AS SELECT \"a\"\"b\" FROM q",
      "CREATE VIEW `v\"w` AS SELECT [a\"b] FROM q"
    ),
  ]

  @Test(arguments: sameStatements)
  func `what a view or trigger may leave out is no drift`(one: String, other: String) throws {
    let tables =
      "CREATE TABLE t (a, b); CREATE VIEW w AS SELECT a FROM t; "
      + "CREATE TABLE q (\"a\"\"b\"); "
    #expect(try differences(tables + one, tables + other) == [])
    #expect(try differences(tables + other, tables + one) == [])
  }

  @Test(arguments: [
    (
      "CREATE TRIGGER r UPDATE ON t BEGIN SELECT 1; END",
      "CREATE TRIGGER r AFTER UPDATE ON t BEGIN SELECT 1; END"
    ),
    (
      "CREATE TRIGGER r UPDATE OF a ON t BEGIN SELECT 1; END",
      "CREATE TRIGGER r UPDATE OF a, b ON t BEGIN SELECT 1; END"
    ),
    (
      "CREATE VIEW v AS SELECT CAST(a AS TEXT) x FROM t",
      "CREATE VIEW v AS SELECT CAST(a AS INT) x FROM t"
    ),
    ("CREATE VIEW v AS SELECT a AS x FROM t", "CREATE VIEW v AS SELECT a AS y FROM t"),
    ("CREATE VIEW v AS SELECT a AS x FROM t", "CREATE VIEW v AS SELECT a FROM t"),
  ])
  func `another view or trigger is a drift`(one: String, other: String) throws {
    let table = "CREATE TABLE t (a, b); "
    #expect(try differences(table + one, table + other).map(\.kind) == [.changed])
  }

  @Test func `extra objects may be allowed, extra columns never`() throws {
    let differences = try differences(
      "CREATE TABLE t (a)",
      "CREATE TABLE t (a, b); CREATE INDEX i ON t (a); CREATE TABLE u (c); "
        + "CREATE VIEW v AS SELECT 1; CREATE TRIGGER r AFTER INSERT ON t BEGIN SELECT 1; END"
    ) { $0.allowExtraObjects = true }
    #expect(differences.map(\.summary) == ["extra column t.b (no type)"])
  }

  @Test func `ignored tables are not looked at`() throws {
    let differences = try differences(
      "CREATE TABLE t (a); CREATE TABLE cache (x)",
      "CREATE TABLE t (a); CREATE TABLE Other (c); "
        + "CREATE TRIGGER r AFTER INSERT ON other BEGIN SELECT 1; END"
    ) { $0.ignoreTables = ["CACHE", "other"] }
    #expect(differences == [])
  }

  @Test func `a column under its old name is renamed`() throws {
    let differences = try differences(
      "CREATE TABLE t (id INTEGER PRIMARY KEY, distance REAL); CREATE INDEX i ON t (distance)",
      "CREATE TABLE t (id INTEGER PRIMARY KEY, dist REAL); CREATE INDEX i ON t (dist)"
    ) { $0.renamedColumns = ["T": ["DIST": "distance"]] }
    #expect(
      differences.map(\.mend.statements) == [
        [#"ALTER TABLE "t" RENAME COLUMN "DIST" TO "distance""#]
      ])
  }

  @Test func `a table under its old name is renamed`() throws {
    let differences = try differences(
      "CREATE TABLE notes (a, b); CREATE TABLE u (n REFERENCES notes); "
        + "CREATE VIEW v AS SELECT a FROM notes",
      "CREATE TABLE entries (a, b); CREATE TABLE u (n REFERENCES entries); "
        + "CREATE VIEW v AS SELECT a FROM entries"
    ) { $0.renamedTables = ["Entries": "notes"] }
    #expect(
      differences.map(\.mend.statements) == [
        [#"ALTER TABLE "Entries" RENAME TO "notes""#]
      ])
  }

  @Test func `a name that is given on is free before it is given anew`() throws {
    let expected = "CREATE TABLE b (i, y, z); CREATE TABLE c (i, j)"
    let found = "CREATE TABLE a (i, x, y); CREATE TABLE b (i, j)"
    let differences = try differences(expected, found) {
      $0.renamedTables = ["a": "b", "b": "c"]
      $0.renamedColumns = ["b": ["x": "y", "y": "z"]]
    }
    let connection = try Connection(mode: .memory, schemaBy: .us)
    try connection.execute(
      "\(found); INSERT INTO a VALUES (1, 'x', 'y'); INSERT INTO b VALUES (2, 'j')")
    let steps = ContractDifference.Mend.statements(of: differences.flatMap(\.mend.steps))
    #expect(steps.count { $0.contains(" RENAME ") } == 4)
    try connection.execute(steps.joined(separator: ";\n"))
    #expect(try connection.value("SELECT i || y || z FROM b") == .text("1xy"))
    #expect(try connection.value("SELECT i || j FROM c") == .text("2j"))
  }

  @Test func `a table and a column under their first names have the last ones in the end`() throws {
    let differences = try differences("CREATE TABLE c (i, z)", "CREATE TABLE a (i, x)") {
      $0.renamedTables = ["a": "b", "b": "c"]
      $0.renamedColumns = ["c": ["x": "y", "y": "z"]]
    }
    #expect(
      differences.flatMap(\.mend.steps).map(\.sql) == [
        #"ALTER TABLE "a" RENAME TO "c""#, #"ALTER TABLE "c" RENAME COLUMN "x" TO "z""#,
      ])
  }

  @Test(arguments: [("b TEXT DEFAULT 'x'", true), ("b TEXT NOT NULL", false)])
  func `a table of which no column stays keeps as many rows, or is not made anew`(
    _ columns: String, _ mends: Bool
  ) throws {
    let old = "CREATE TABLE t (a TEXT PRIMARY KEY) WITHOUT ROWID"
    let found = try differences("CREATE TABLE t (\(columns))", old)
    let connection = try Connection(mode: .memory, schemaBy: .us)
    try connection.execute("\(old); INSERT INTO t VALUES ('k'), ('l'), ('m')")
    let steps = ContractDifference.Mend.statements(of: found.flatMap(\.mend.steps))
    let script = steps.joined(separator: ";\n")
    if mends {
      try connection.execute(script)
      #expect(try connection.value("SELECT count(b) FROM t") == .integer(3))
    } else {
      #expect(throws: SQLiteError.self) { try connection.execute(script) }
      #expect(try connection.value("SELECT count(a) FROM t") == .integer(3))
    }
  }

  private func differences(
    _ expected: String, _ found: String, configure: (inout Contract) -> Void = { _ in }
  ) throws -> [ContractDifference] {
    var contract = Contract(name: "t", objects: try schema(expected))
    configure(&contract)
    return contract.differences(in: try schema(found))
  }

  private func schema(_ sql: String) throws -> SchemaDescription {
    let connection = try Connection(mode: .memory, schemaBy: .us)
    try connection.execute(sql)
    return try SchemaReader.describe(connection)
  }
}
