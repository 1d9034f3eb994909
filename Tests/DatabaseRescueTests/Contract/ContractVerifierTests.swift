// SPDX-License-Identifier: Apache-2.0
// How databases stand to their contracts.

import Diagnosis
import RescueTestSupport
import SQLiteFormat
import Testing

@testable import DatabaseRescue

@Suite struct ContractVerifierTests {
  @Test func `broken invariants are counted, and no value is told`() throws {
    let result = try verify("CREATE TABLE t (a); INSERT INTO t VALUES ('secret'), ('secret'), (1)")
    {
      $0.invariants = [
        .init(name: "numbers only", sql: "SELECT a FROM t WHERE typeof(a) <> 'integer' -- all"),
        .init(name: "holds", sql: "SELECT 1 FROM t WHERE a IS NULL;"),
      ]
    }
    #expect(result.brokenInvariants == [.init(name: "numbers only", rows: 2)])
    #expect(result.uncheckedInvariants == [])
    #expect(!result.holds)
    let findings = ContractVerification.findings(of: result)
    #expect(findings.map(\.code) == [.invariantBroken, .unsyncedUnknown])
    #expect(findings.first?.message == "the invariant 'numbers only' is broken by 2 rows")
    #expect(!findings.contains { $0.message.contains("secret") })
  }

  @Test(arguments: [
    ("SELECT missing FROM t", "no such column: missing"),
    (#"SELECT 1 FROM t WHERE "missing" = 1"#, "no such column: missing"),
    ("DELETE FROM t", "not authorized"),
    ("SELECT load_extension('x')", "not authorized"),
    ("PRAGMA user_version = 9", "not authorized"),
    ("ATTACH '/tmp/never' AS x", "not authorized"),
    ("SELECT 1; DELETE FROM t", "more than one statement"),
    ("", "no statement"),
    (
      "WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c) SELECT 1 FROM c WHERE n < 0",
      "more steps"
    ),
  ])
  func `an invariant that cannot be asked does not hold`(sql: String, reason: String) throws {
    let result = try verify("CREATE TABLE t (a); INSERT INTO t VALUES (1)", stepsMax: 1_000_000) {
      $0.invariants = [.init(name: "i", sql: sql)]
    }
    #expect(result.brokenInvariants == [])
    #expect(result.uncheckedInvariants.map(\.name) == ["i"])
    #expect(result.uncheckedInvariants.first?.reason.contains(reason) == true, "\(result)")
    #expect(!result.holds)
  }

  @Test(arguments: [
    "SELECT json_extract('{}', a) FROM t",
    "SELECT 1 FROM f WHERE f MATCH (SELECT a FROM t LIMIT 1)",
    "SELECT 1 FROM f WHERE f MATCH (SELECT a || ':x' FROM t LIMIT 1)",
    "SELECT 1 FROM g WHERE g MATCH (SELECT '\"' || a || '\" (' FROM t LIMIT 1)",
  ])
  func `what SQLite says of an invariant that fails over rows has no value of them`(
    sql: String
  ) throws {
    let result = try verify(
      "CREATE TABLE t (a); INSERT INTO t VALUES ('$.[secret'), ('secret'); "
        + "CREATE VIRTUAL TABLE f USING fts5 (x); CREATE VIRTUAL TABLE g USING fts4 (x)"
    ) {
      $0.invariants = [.init(name: "i", sql: sql)]
    }
    let reason = try #require(result.uncheckedInvariants.first?.reason)
    #expect(!reason.contains("secret"), "\(reason)")
    #expect(!ContractVerification.findings(of: result).contains { $0.message.contains("secret") })
  }

  @Test(arguments: [
    ("INSERT INTO t VALUES (1)", "UNIQUE constraint failed: t.a"),
    ("INSERT INTO t VALUES (NULL)", "NOT NULL constraint failed: t.a"),
    ("INSERT INTO t VALUES (-1)", "CHECK constraint failed: positive"),
    ("INSERT INTO s VALUES ('x')", "cannot store TEXT value in INT column s.a"),
    ("ROLLBACK", "cannot rollback - no transaction is active"),
    ("CREATE VIRTUAL TABLE f USING fts5 (x, tokenize = 'none')", "no such tokenizer: none"),
    ("ALTER TABLE t RENAME COLUMN a TO b", "error in view v: no such column: t.c"),
    ("SELECT missing FROM t", "no such column: missing"),
  ])
  func `what SQLite says of a schema stays`(sql: String, message: String) throws {
    let connection = try Connection(mode: .memory, schemaBy: .us)
    try connection.execute(
      "CREATE TABLE t (a UNIQUE NOT NULL CONSTRAINT positive CHECK (a > 0)); "
        + "INSERT INTO t VALUES (1); CREATE TABLE s (a INT) STRICT; "
        + "CREATE VIEW v AS SELECT t.c FROM t")
    let error = #expect(throws: SQLiteError.self) { try connection.execute(sql) }
    #expect(error?.message.contains(message) == true, "\(error?.message ?? "")")
  }

  @Test func `counting stops at the limit`() throws {
    let result = try verify("CREATE TABLE t (a); INSERT INTO t VALUES (1), (2), (3)", rowsMax: 2) {
      $0.invariants = [.init(name: "i", sql: "SELECT a FROM t")]
    }
    #expect(result.brokenInvariants == [.init(name: "i", rows: 2, isExact: false)])
    let messages = ContractVerification.findings(of: result).map(\.message)
    #expect(messages.first == "the invariant 'i' is broken by at least 2 rows")
  }

  @Test func `dangling references are counted by table`() throws {
    let result = try verify(
      """
      PRAGMA foreign_keys = OFF;
      CREATE TABLE p (id INTEGER PRIMARY KEY, none); CREATE TABLE c (p REFERENCES p);
      CREATE TABLE d (p REFERENCES p (none)); CREATE TABLE e (p REFERENCES p);
      INSERT INTO c VALUES (1), (2), (NULL); INSERT INTO d VALUES (1)
      """)
    #expect(result.danglingReferences == [.init(table: "c", count: 2)])
    #expect(result.uncheckedForeignKeys.map(\.name) == ["d"])
    #expect(
      ContractVerification.findings(of: result).map(\.code).filter { $0 == .foreignKeyBroken }.count
        == 2)
  }

  @Test(arguments: [
    (Int32(5), VersionRelation.newer, FindingCode.versionNewer), (1, .older, .versionOlder),
  ])
  func `under another version each difference is a notice`(
    version: Int32, relation: VersionRelation, code: FindingCode
  ) throws {
    let result = try verify(
      "PRAGMA user_version = \(version); CREATE TABLE t (a); CREATE TABLE u (b)"
    ) {
      $0.userVersion = 3
      $0.objects.tables.removeAll { $0.name == "u" }
      $0.invariants = [.init(name: "i", sql: "SELECT later FROM t")]
    }
    #expect(result.relation == relation)
    #expect(result.differences.map(\.headline) == ["extra table u"])
    let findings = ContractVerification.findings(of: result)
    #expect(findings.map(\.code) == [code, .schemaDrift, .unsyncedUnknown])
    #expect(findings.map(\.severity) == [.warning, .notice, .notice])
    #expect(
      findings.first?.message
        == "the version is \(version), and 3 is expected; 1 difference in the schema")
    #expect(!result.holds)
  }

  @Test func `rows that do not fit are counted`() throws {
    let result = try verify(
      "CREATE TABLE t (a, b); INSERT INTO t VALUES (1, NULL), (1, 2), (3, 3)"
    ) {
      $0.objects.tables[0].columns[1].notNull = true
      $0.objects.tables[0].indexes = [
        IndexDescription(
          name: "i", unique: true, origin: .created, columns: [IndexColumn(name: "a")],
          sql: "CREATE UNIQUE INDEX i ON t (a)")
      ]
    }
    #expect(
      result.differences.flatMap(\.mend.warnings) == [
        "it fails: there is 1 row with NULL in 'b'",
        "it fails: there is 1 key (a) that more than one row has",
      ])
  }

  @Test func `a migration that the contract does not know makes a database newer`() throws {
    let schema =
      "CREATE TABLE grdb_migrations (identifier TEXT NOT NULL PRIMARY KEY); CREATE TABLE t (a);"
    let rows = "INSERT INTO grdb_migrations VALUES ('v1'), ('v2'), ('v3')"
    func relation(_ known: [String]) throws -> VersionRelation {
      try verify("\(schema) \(rows)") {
        #expect($0.books == [.grdb: FrameworkBook(migrations: ["v1", "v2", "v3"])])
        $0.books = [.grdb: FrameworkBook(migrations: known)]
      }.relation
    }
    #expect(try relation(["v1", "v2", "v3"]) == .equal)
    #expect(try relation(["v1", "v2"]) == .newer)
    #expect(try relation(["v1", "v2", "v3", "v4"]) == .older)
  }

  /// A database as the tool leaves it, what it has noted, and what was noted before and after.
  static let books: [(Framework, String, now: [String], older: [String], newer: [String])] = [
    (
      .prisma,
      """
      CREATE TABLE _prisma_migrations (id, checksum, finished_at, migration_name, logs,
        rolled_back_at, started_at, applied_steps_count);
      INSERT INTO _prisma_migrations (migration_name, finished_at, rolled_back_at)
        VALUES ('1', 5, NULL), ('2', 6, NULL), ('failed', NULL, NULL), ('back', 7, 8)
      """, ["1", "2"], ["1"], ["1", "2", "failed"]
    ),
    (
      .sqlx,
      """
      CREATE TABLE _sqlx_migrations (version INTEGER PRIMARY KEY, description, installed_on, success,
        checksum, execution_time);
      INSERT INTO _sqlx_migrations VALUES (1, 'a', 0, 1, x'', 9), (2, 'b', 0, 0, x'', 9)
      """, ["1"], [], ["1", "2"]
    ),
    (
      .goose,
      """
      CREATE TABLE goose_db_version (id INTEGER PRIMARY KEY, version_id, is_applied, tstamp);
      INSERT INTO goose_db_version (version_id, is_applied) VALUES (1, 1), (2, 1), (3, 1), (3, 0)
      """, ["1", "2"], ["1"], ["1", "2", "3"]
    ),
    (
      .golangMigrate,
      "CREATE TABLE schema_migrations (version, dirty); INSERT INTO schema_migrations VALUES (9, 0)",
      ["9"], ["8"], ["10"]
    ),
    (
      .caribou,
      """
      CREATE TABLE migration_version (version text);
      INSERT INTO migration_version VALUES ('20260101000000')
      """, ["20260101000000"], ["20251231235959"], ["20260101000001"]
    ),
    (
      .yoyo,
      """
      CREATE TABLE _yoyo_migration (migration_hash, migration_id, applied_at_utc);
      INSERT INTO _yoyo_migration VALUES ('9d', '0001_a', 0), ('9e', '0002_b', 0)
      """, ["0001_a", "0002_b"], ["0001_a"], ["0001_a", "0002_b", "0003_c"]
    ),
    (
      .peewee,
      """
      CREATE TABLE migratehistory (id INTEGER PRIMARY KEY, name, migrated_at);
      INSERT INTO migratehistory VALUES (1, '001_one', 0)
      """, ["001_one"], [], ["001_one", "002_two"]
    ),
    (
      .aerich,
      """
      CREATE TABLE aerich (id INTEGER PRIMARY KEY, version, app, content);
      INSERT INTO aerich VALUES (1, '0_init.py', 'models', '{}')
      """, ["models.0_init.py"], [], ["models.0_init.py", "models.1_more.py"]
    ),
    (
      .piccolo,
      """
      CREATE TABLE migration (id INTEGER PRIMARY KEY, name, app_name, ran_on);
      INSERT INTO migration VALUES (1, '2019-11-14T21:52:21', 'user', 0)
      """, ["user.2019-11-14T21:52:21"], [], ["user.2019-11-14T21:52:21", "user.later"]
    ),
  ]

  @Test(arguments: books.indices)
  func `what a framework has noted tells older from newer, without what failed`(
    _ index: Int
  ) throws {
    let (framework, sql, now, older, newer) = Self.books[index]
    func relation(_ known: [String]) throws -> VersionRelation {
      try verify(sql) {
        #expect($0.books == [framework: FrameworkBook(migrations: now)])
        $0.books = [framework: FrameworkBook(migrations: known)]
      }.relation
    }
    #expect(try relation(now) == .equal)
    #expect(try relation(older) == .newer)
    #expect(try relation(newer) == .older)
  }

  @Test func `another application is noticed`() throws {
    let result = try verify("PRAGMA application_id = 5") { $0.applicationID = 6 }
    #expect(!result.isExpectedApplication)
    #expect(ContractVerification.findings(of: result).map(\.code).contains(.applicationMismatch))
    #expect(
      try verify("PRAGMA application_id = 5") { $0.applicationID = nil }.isExpectedApplication)
  }

  @Test func `rows that wait are counted where the contract says`() throws {
    let result = try verify(
      """
      CREATE TABLE outbox (id, status); INSERT INTO outbox VALUES (1, 'done'), (2, NULL), (3, 'x');
      CREATE TABLE w (id, dirty); INSERT INTO w VALUES (1, 1);
      """
    ) {
      $0.unsynced = [
        .init(name: "sending", table: "outbox", predicate: "status IS NOT 'done' -- yet"),
        .init(name: "gone", table: "nowhere", predicate: "1"),
        .init(name: "mistyped", table: "outbox", predicate: #""stat" = 'x'"#),
        .init(name: "hostile", table: "outbox", predicate: "1) OR (SELECT 1); DELETE FROM outbox"),
      ]
    }
    #expect(
      result.unsynced.map(\.rows) == [.some(2), .cannotTell, .cannotTell, .cannotTell])
    #expect(result.unsyncedRows == .some(2))
  }

  @Test func `without entries habits count, and without habits nobody can tell`() throws {
    let dirty = try verify(
      "CREATE TABLE w (id, dirty); INSERT INTO w VALUES (1, 1), (2, 0), (3, NULL)")
    #expect(dirty.unsyncedRows == .some(1))
    #expect(try verify("CREATE TABLE w (id, dirty)").unsyncedRows == .none)
    #expect(try verify("CREATE TABLE w (id)").unsyncedRows == .cannotTell)
    #expect(try verify("CREATE TABLE w (id, deleted_at)").unsyncedRows == .cannotTell)
  }

  @Test func `frameworks' own queues count beside the contract's entries`() throws {
    let result = try verify(
      """
      CREATE TABLE ps_migration (id INTEGER PRIMARY KEY, down_migrations TEXT);
      CREATE TABLE ps_crud (id INTEGER PRIMARY KEY, data TEXT); INSERT INTO ps_crud VALUES (1, 'x');
      CREATE TABLE mine (sent); CREATE TABLE w (id, dirty);
      """
    ) { $0.unsynced = [.init(name: "mine", table: "mine", predicate: "NOT sent")] }
    #expect(result.unsynced.map(\.table) == ["mine", "ps_crud"])
    #expect(result.unsyncedRows == .some(1))
  }

  @Test func `a large database has patience for many checks, of which each is bounded`() {
    func exhausted(checks: Int, steps: Int, byteCount: Int) -> Int {
      let patience = Patience(stepsFor: byteCount)
      return patience.limited(perStatement: 100_000_000) {
        (0..<checks).count { _ in
          patience.beginStatement()
          return (0..<(steps / Int(Patience.stepsPerLook))).contains { _ in patience.endsStatement()
          }
        }
      }
    }
    #expect(exhausted(checks: 15, steps: 90_000_000, byteCount: 1 << 30) == 0)
    #expect(exhausted(checks: 15, steps: 110_000_000, byteCount: 1 << 30) == 15)
    // Of a small one, all together take little.
    #expect(exhausted(checks: 15, steps: 15_000_000, byteCount: 4096) > 10)
  }

  @Test func `the connection is free again afterwards`() throws {
    let connection = try Connection(mode: .memory)
    try connection.execute("CREATE TABLE t (a)")
    let contract = try ContractSource.capture(connection, name: "t")
    _ = try ContractVerifier(stepsMax: 1000).verify(connection, against: contract)
    try connection.execute(
      """
      WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c WHERE n < 5000)
      INSERT INTO t SELECT n FROM c
      """)
  }

  @Test func `a virtual table of an unknown module can still be verified`() throws {
    let connection = try Connection(mode: .memory)
    connection.configure(1010, false)  // SQLITE_DBCONFIG_DEFENSIVE
    try connection.execute(
      """
      CREATE TABLE t (a);
      PRAGMA writable_schema = ON;
      INSERT INTO sqlite_schema VALUES
        ('table', 'v', 'v', 0, 'CREATE VIRTUAL TABLE v USING sparkle(a)');
      PRAGMA writable_schema = RESET;
      """)
    let contract = try ContractSource.capture(connection, name: "t")
    #expect(contract.objects.tables.map(\.kind) == [.ordinary, .virtual])
    #expect(try ContractVerifier().verify(connection, against: contract).differences == [])
  }

  /// Verifies a database against the contract captured from it, changed.
  private func verify(
    _ sql: String, rowsMax: Int = 1000, stepsMax: Int = 100_000_000,
    changing change: (inout Contract) -> Void = { _ in }
  ) throws -> ContractVerification {
    let connection = try Connection(mode: .memory)
    try connection.execute(sql)
    var contract = try ContractSource.capture(connection, name: "test")
    contract.unsynced = []
    change(&contract)
    return try ContractVerifier(rowsMax: rowsMax, stepsMax: stepsMax)
      .verify(connection, against: contract)
  }
}
