// SPDX-License-Identifier: Apache-2.0
// `contract verify`, `diff` and `import` as they are used.

import DatabaseRescue
import Diagnosis
import RescueTestSupport
import SQLiteFormat
import Testing

@testable import RescueCLI

@Suite struct ContractCommandTests {
  let bench: Workbench
  init() throws { bench = try Workbench() }

  private func build(_ name: FilePath, _ statements: DatabaseBuilder.Step...) throws -> FilePath {
    try DatabaseBuilder(statements).build(at: bench[name])
    return bench[name]
  }

  private func script(_ text: String) throws -> FilePath {
    try bench["new.sql"].replaceContents(with: Bytes(text.utf8))
    return bench["new.sql"]
  }

  private func headlines(_ ending: Ending) throws -> [String] {
    try (ending.json["differences"]?.elements ?? []).map { difference in
      ["kind", "subject", "object"].compactMap { difference[$0]?.text }.joined(separator: " ")
    }
  }

  private func warnings(_ ending: Ending) throws -> [String] {
    try (ending.json["warnings"]?.elements ?? []).compactMap(\.text)
  }

  @Test(arguments: [0, 3, 9])
  func `each difference is listed whatever the version is`(version: Int) throws {
    let file = try build("app.db", "CREATE TABLE t (a)")
    let contract = try script(
      "CREATE TABLE t (a, b); CREATE INDEX i ON t (b); PRAGMA user_version = \(version)")
    for command in [["check"], ["contract", "verify"]] {
      let ending = try bench.run(
        command.map { $0 as any Word } + [file, "--contract", contract, "--json"])
      #expect(try headlines(ending) == ["missing column t.b", "missing index i"])
      #expect(
        try ending.json["differences"]?.elements.first?["sql"]?.text
          == #"ALTER TABLE "t" ADD COLUMN b;"#)
    }
  }

  @Test func `a damaged database is compared by its bytes`() throws {
    let file = try bench.place("zeroed-leaf.db", as: "app.db")
    let contract = try script("CREATE TABLE more (a); PRAGMA user_version = 4")
    let ending = try bench.run("contract", "verify", file, "--contract", contract, "--json")
    #expect([13, 14].contains(ending.status))
    #expect(try headlines(ending).contains("missing table more"))
  }

  @Test(arguments: ["\"tX\" (a)", "t (\"aX\")", "t (a DEFAULT 'X')", "t (a /* X */)"])
  func `what no contract can say of a schema is refused when it is captured`(
    _ table: String
  ) throws {
    let file = try build("app.db", .init(stringLiteral: "CREATE TABLE \(table)"))
    let bytes = try file.contents()
    try file.replaceContents(with: Bytes(bytes.map { $0 == UInt8(ascii: "X") ? 0xE9 : $0 }))
    let output = bench["c.json"]
    for words: [any Word] in [["capture", file, "-o", output], ["diff", file, file]] {
      let ending = try bench.run(["contract"] + words)
      #expect(ending.status == 65, "\(ending.all)")
      #expect(ending.error.contains("is not valid UTF-8"), "\(ending.all)")
    }
    #expect(try !output.exists)
  }

  /// A small database is asked in memory, and a large one in a file of its own, in any journal mode.
  @Test(arguments: [0, 5_000_000], ["DELETE", "WAL"])
  func `rows are asked whatever the size of the database is`(size: Int, mode: String) throws {
    let file = try build(
      "app.db", "PRAGMA journal_mode = \(mode)", "CREATE TABLE t (a, b)",
      "INSERT INTO t VALUES (1, zeroblob(\(size)))", "CREATE TABLE outbox (sent)",
      "INSERT INTO outbox VALUES (0), (1), (0)")
    let contract = bench["app.json5"]
    try contract.replaceContents(
      with: Bytes(
        """
        {
          name: "app", version: 1, format: "dbrescue.contract",
          freshSchema: ["CREATE TABLE t (a, b)", "CREATE TABLE outbox (sent)"],
          invariants: [{ name: "no ones", sql: "SELECT 1 FROM t WHERE a = 1" }],
          unsynced: [{ name: "outbox", table: "outbox", where: "sent = 0" }],
        }
        """.utf8))
    let before = try bench.look()
    let ending = try bench.run("check", file, "--contract", contract)
    #expect(ending.status == 12, "\(ending.all)")
    #expect(ending.output.contains("no ones"))
    #expect(ending.output.contains("2 rows of table 'outbox'"))
    #expect(try before.changes(until: bench.look()) == [])
  }

  @Test func `another app's database is drifted, whatever its version`() throws {
    let file = try build("app.db", "CREATE TABLE t (a)", "PRAGMA application_id = 5")
    for version in [0, 3] {
      let contract = try script(
        "CREATE TABLE t (a); PRAGMA application_id = 6; PRAGMA user_version = \(version)")
      let ending = try bench.run("check", file, "--contract", contract, "--json")
      #expect(ending.status == 12)
      #expect(try headlines(ending) == ["changed application id application_id"])
    }
  }

  @Test func `a full-text index that lags behind its table is a difference`() throws {
    let file = try build(
      "app.db", "CREATE TABLE t (id INTEGER PRIMARY KEY, b)",
      "CREATE VIRTUAL TABLE f USING fts5 (b, content='t', content_rowid='id')",
      "INSERT INTO t VALUES (1, 'word')")
    let contract = try script(
      "CREATE TABLE t (id INTEGER PRIMARY KEY, b); "
        + "CREATE VIRTUAL TABLE f USING fts5 (b, content='t', content_rowid='id')")
    let ending = try bench.run("check", file, "--contract", contract, "--json")
    #expect(ending.status == 12)
    #expect(try headlines(ending) == ["broken full-text index f"])
  }

  @Test func `a migration that was noted by a newer app keeps guard from beginning`() throws {
    let books = "CREATE TABLE grdb_migrations (identifier TEXT NOT NULL PRIMARY KEY)"
    let good = try build(
      "good.db", .init(stringLiteral: books), "INSERT INTO grdb_migrations VALUES ('v1')")
    let newer = try build(
      "app.db", .init(stringLiteral: books), "INSERT INTO grdb_migrations VALUES ('v1'), ('v2')")
    _ = try bench.run("contract", "capture", good, "--output", bench["c.json"])
    let ending = try bench.run("guard", newer, "--contract", bench["c.json"], "--", "/bin/true")
    #expect(ending.status == 11)
  }

  @Test func `what diff prints leads from one to the other`() throws {
    let file = try build(
      "app.db", "CREATE TABLE t (a, b)", "INSERT INTO t VALUES (1, 2), (1, 3)",
      "CREATE VIEW v AS SELECT a FROM t")
    let contract = try script(
      "CREATE TABLE t (a NOT NULL, b CHECK (b > 0)); CREATE VIEW v AS SELECT a FROM t; "
        + "CREATE INDEX i ON t (a); PRAGMA user_version = 2")
    let change = try bench.run("contract", "diff", file, contract)
    #expect(change.status == 12)
    let connection = try Connection(file, mode: .app)
    try connection.execute(change.output)
    #expect(try bench.run("contract", "verify", file, "--contract", contract).status == 0)
    #expect(try bench.run("contract", "diff", file, contract).status == 0)
  }

  @Test func `diff counts the rows that do not fit`() throws {
    let file = try build("app.db", "CREATE TABLE t (a)", "INSERT INTO t VALUES (1), (1), (2)")
    let contract = try script("CREATE TABLE t (a UNIQUE)")
    let ending = try bench.run("contract", "diff", file, contract, "--json")
    #expect(
      try warnings(ending) == [
        "missing unique constraint t: it fails: there is 1 key (a) that more than one row has"
      ])
  }

  @Test(arguments: [
    (
      "a, b DEFAULT 'x' UNIQUE",
      "missing unique constraint t: it fails: there is 1 key (b) that more than one row has"
    ),
    ("a, b UNIQUE", nil), ("a, b DEFAULT 1, UNIQUE (a, b)", nil),
  ])
  func `diff counts the rows that a new column makes alike`(
    columns: String, warning: String?
  ) throws {
    let file = try build("app.db", "CREATE TABLE t (a)", "INSERT INTO t VALUES (1), (2)")
    let contract = try script("CREATE TABLE t (\(columns))")
    let ending = try bench.run("contract", "diff", file, contract, "--json")
    let warnings = try self.warnings(ending)
    #expect(warnings.filter { $0.contains("fails") } == [warning].compactMap(\.self))
  }

  @Test(arguments: [
    ("INT", 3), ("REAL", 2), ("TEXT", 1), ("BLOB", 6), ("ANY", 0),
  ])
  func `diff counts the rows that a type refuses`(type: String, count: Int) throws {
    let file = try build(
      "app.db", "CREATE TABLE t (a ANY) STRICT",
      "INSERT INTO t VALUES (1), (2.0), (2.5), ('7'), ('x'), (x'00'), (NULL), ('7.0')")
    let contract = try script("CREATE TABLE t (a \(type)) STRICT")
    let ending = try bench.run("contract", "diff", file, contract, "--json")
    let warnings = try self.warnings(ending)
    #expect(
      warnings.filter { $0.contains("fails") }.map { $0.contains("\(count) row") }
        == (count > 0 ? [true] : []), "\(warnings)")
  }

  @Test(arguments: [
    ("a INT", "(7), (8)", "a TEXT", nil),
    ("a TEXT", "('7'), (NULL), ('x'), (x'00')", "a INTEGER", nil),
    (
      "a TEXT", "('007'), ('1e3'), ('7')", "a INTEGER",
      "changed column t.a: values change: there are 2 rows in which 'a' becomes another value as "
        + "INTEGER"
    ),
    (
      "a INT", "(9007199254740993), (5)", "a REAL",
      "changed column t.a: values change: there is 1 row in which 'a' becomes another value as REAL"
    ),
    (
      "a TEXT UNIQUE", "('x'), ('X')", "a TEXT COLLATE NOCASE UNIQUE",
      "changed column t.a: it fails: there is 1 key (a COLLATE NOCASE) that more than one row has"
    ),
    (
      "a", "(1), (NULL)", "a, g AS (a + 1) STORED NOT NULL",
      "missing column t.g: it fails: there is 1 row in which 'g' is computed as NULL"
    ),
    (
      "a", "(1)", "a, b DEFAULT 0 CHECK (b > 0)",
      "missing column t.b: it fails: there is 1 row that would break it"
    ),
    ("a TEXT", "('1'), ('2')", "a INTEGER CHECK (typeof(a) = 'integer')", nil),
    (
      "a TEXT", "('1'), ('abc')", "a INTEGER CHECK (typeof(a) = 'integer')",
      "missing check t: it fails: there is 1 row that would break it"
    ),
    ("a TEXT", "('1'), ('2')", "a INTEGER PRIMARY KEY", nil),
    (
      "a TEXT", "('1'), (NULL)", "a INTEGER PRIMARY KEY",
      "missing primary key t: values change: there is 1 row with NULL in 'a', which becomes a number"
    ),
    (
      "a TEXT", "('1'), ('x')", "a INTEGER PRIMARY KEY",
      "missing primary key t: it fails: there is 1 row in which 'a' is no integer"
    ),
    ("a", "(1)", "a, b INT DEFAULT '1' CHECK (b > 0 AND typeof(b) = 'integer')", nil),
    (
      "a INTEGER PRIMARY KEY", "(1)", "a INTEGER PRIMARY KEY, b DEFAULT 5 REFERENCES t",
      "missing column t.b: references are left open: there is 1 row that refer to none of 't'"
    ),
  ])
  func `diff counts the rows that do not stay as they are`(
    old: String, rows: String, new: String, warning: String?
  ) throws {
    let file = try build(
      "app.db", .init(stringLiteral: "CREATE TABLE t (\(old))"),
      .init(stringLiteral: "INSERT INTO t (a) VALUES \(rows)"))
    let contract = try script("CREATE TABLE t (\(new))")
    let ending = try bench.run("contract", "diff", file, contract, "--json")
    let warnings = try self.warnings(ending)
    #expect(warnings == [warning].compactMap(\.self))
  }

  @Test func `diff counts the rows that a rowid of another column numbers`() throws {
    let file = try build(
      "app.db", "CREATE TABLE t (id INTEGER PRIMARY KEY, a INT)",
      "INSERT INTO t (a) VALUES (NULL), (7)")
    let contract = try script("CREATE TABLE t (id INTEGER, a INTEGER PRIMARY KEY)")
    let ending = try bench.run("contract", "diff", file, contract, "--json")
    #expect(
      try warnings(ending) == [
        "changed primary key t: the key (id) as rowid is not enforced any more",
        "changed primary key t: values change: there is 1 row with NULL in 'a', which becomes a"
          + " number",
      ])
  }

  @Test(arguments: ["UNIQUE", "PRIMARY KEY"])
  func `diff counts the keys that another type makes alike`(rule: String) throws {
    let file = try build(
      "app.db", .init(stringLiteral: "CREATE TABLE t (a TEXT \(rule), b)"),
      "INSERT INTO t (a) VALUES ('1'), ('01'), ('x')")
    let contract = try script("CREATE TABLE t (a INT \(rule), b)")
    let ending = try bench.run("contract", "diff", file, contract, "--json")
    #expect(
      try warnings(ending) == [
        "changed column t.a: values change: there is 1 row in which 'a' becomes another value as INT",
        "changed column t.a: it fails: there is 1 key (a) that more than one row has",
      ])
  }

  @Test func `diff counts the rows whose default a STRICT table refuses`() throws {
    let file = try build("app.db", "CREATE TABLE t (a INT) STRICT", "INSERT INTO t VALUES (1)")
    let contract = try script(
      "CREATE TABLE t (a INT, b REAL DEFAULT 'x', c REAL DEFAULT '5') STRICT")
    let ending = try bench.run("contract", "diff", file, contract, "--json")
    #expect(
      try warnings(ending) == [
        "missing column t.b: the database is malformed: there is 1 row with a default in 'b' that "
          + "is not of its type"
      ])
  }

  @Test(arguments: [
    ("IGNORE", "rows that break it are left out from then on, and no error says so"),
    (
      "REPLACE",
      "rows that break it take the place of others, or get the default, from then on, and no error "
        + "says so"
    ), ("FAIL", nil),
  ])
  func `diff says where a conflict clause drops rows without an error`(
    action: String, warning: String?
  ) throws {
    let file = try build("app.db", "CREATE TABLE t (a UNIQUE)", "INSERT INTO t VALUES (1)")
    let contract = try script("CREATE TABLE t (a UNIQUE ON CONFLICT \(action))")
    let ending = try bench.run("contract", "diff", file, contract, "--json")
    #expect(
      try warnings(ending) == [warning].compactMap { $0.map { "missing conflict clause t: \($0)" } }
    )
    let back = try bench.run("contract", "diff", contract, file, "--json")
    #expect(try warnings(back) == [])
  }

  @Test(arguments: ["UNIQUE ON CONFLICT REPLACE", "UNIQUE ON CONFLICT IGNORE"])
  func `the SQL of diff fails rather than losing rows to a conflict clause`(clause: String) throws {
    let file = try build("app.db", "CREATE TABLE t (a)", "INSERT INTO t VALUES (1), (1), (2)")
    let contract = try script("CREATE TABLE t (a \(clause))")
    let change = try bench.run("contract", "diff", file, contract)
    let connection = try Connection(file, mode: .app)
    #expect(throws: SQLiteError.self) { try connection.execute(change.output) }
    try connection.execute("ROLLBACK")
    #expect(try connection.value("SELECT count(*) FROM t") == .integer(3))
  }

  @Test func `a migration that failed by the book of its framework is a finding`() throws {
    let book = "CREATE TABLE schema_migrations (version uint64, dirty bool)"
    let file = try build(
      "app.db", .init(stringLiteral: book), "INSERT INTO schema_migrations VALUES (4, 1)")
    let ending = try bench.run("check", file)
    #expect(ending.status == 12, "\(ending)")
    #expect(ending.output.contains("DBR-F146"))
    let told = ending.output.split(whereSeparator: \.isWhitespace).joined(separator: " ")
    #expect(told.contains("has failed in the middle, by the book that golang-migrate keeps"))
    // What holds a lock may be at work.
    let lock =
      "CREATE TABLE knex_migrations_lock (\"index\" INTEGER PRIMARY KEY, is_locked INTEGER)"
    let locked = try build(
      "locked.db",
      "CREATE TABLE knex_migrations (id INTEGER PRIMARY KEY, name, batch, migration_time)",
      .init(stringLiteral: lock), "INSERT INTO knex_migrations_lock VALUES (1, 1)")
    let other = try bench.run("check", locked)
    #expect(other.status == 0, "\(other)")
    #expect(other.output.contains("holds its lock still"))
  }

  @Test func `a contract cannot slip in a second statement`() throws {
    let file = try build("app.db", "CREATE TABLE t (a)")
    try bench["c.json"].replaceContents(
      with: Bytes(
        #"""
        {"version": 1, "name": "x", "tables": [{"name": "t", "columns": [{"name": "a"}]},
        {"name": "u", "columns": [{"name": "b"}], "sql": "CREATE TABLE u (b); DROP TABLE t"}]}
        """#.utf8))
    let ending = try bench.run("contract", "verify", file, "--contract", bench["c.json"])
    #expect(ending.output.contains("not one statement"))
    #expect(!ending.output.contains("DROP"))
  }

  @Test func `import notes what was not as usual`() throws {
    try bench["42.json"].replaceContents(
      with: Bytes(
        #"""
        {"database": {"version": 42, "entities": [{"tableName": "t", "fields": [
        {"columnName": "a", "affinity": "TEXT"}]}]}}
        """#.utf8))
    let ending = try bench.run(
      "contract", "import", bench["42.json"], "--output", bench["c.json"], "--json")
    #expect(ending.status == 0)
    #expect(try ending.json["notes"]?.elements.count == 2)
    #expect(try bench.run("contract", "diff", bench["42.json"], bench["c.json"]).status == 0)
  }

  @Test func `what Room does not look at is neither dropped nor lost on the way to an export`()
    throws
  {
    let file = try build(
      "app.db", "CREATE TABLE `t` (`a` TEXT, `b` INTEGER)", "CREATE TABLE own (x)",
      "CREATE VIEW seen AS SELECT x FROM own",
      "CREATE TRIGGER counted AFTER INSERT ON t BEGIN INSERT INTO own VALUES (NEW.a); END")
    let hash = String(repeating: "a", count: 32)
    try bench["42.json"].replaceContents(
      with: Bytes(
        #"""
        {"formatVersion": 1, "database": {"version": 42, "identityHash": "\#(hash)", "entities": [{"tableName": "t",
        "createSql": "CREATE TABLE `${TABLE_NAME}` (`a` TEXT NOT NULL)",
        "fields": [{"fieldPath": "a", "columnName": "a", "affinity": "TEXT", "notNull": true}]}]}}
        """#.utf8))
    let change = try bench.run("contract", "diff", file, bench["42.json"])
    #expect(change.output.contains("ALTER TABLE"))
    #expect(!change.output.contains("DROP VIEW"))
    #expect(!change.output.contains("\"own\""))
    let connection = try Connection(file, mode: .app)
    try connection.execute(change.output)
    let kept = try connection.rows("SELECT name FROM sqlite_schema ORDER BY name")
    #expect(
      kept == ["counted", "own", "room_master_table", "seen", "t"].map { [Value.text($0)] },
      "\(change.output)")
  }

  @Test func `a reset by an export of Room is one that Room opens`() throws {
    let file = try build("app.db", "CREATE TABLE t (a)", "INSERT INTO t VALUES (1)")
    let hash = String(repeating: "a", count: 32)
    try bench["42.json"].replaceContents(
      with: Bytes(
        #"""
        {"formatVersion": 1, "database": {"version": 42, "identityHash": "\#(hash)", "entities": [
        {"tableName": "t", "createSql": "CREATE TABLE `${TABLE_NAME}` (`a` TEXT)", "fields": []}]}}
        """#.utf8))
    let reset = try bench.run(
      "reset", file, "--schema", bench["42.json"], "--yes", "--confirm", "app.db")
    #expect(reset.status == 0)
    let check = try bench.run("check", file, "--contract", bench["42.json"], "--json")
    #expect(check.status == 0)
    #expect(try headlines(check) == [])
  }
}
