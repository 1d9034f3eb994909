// SPDX-License-Identifier: Apache-2.0
// What a schema demanded or did before a migration and does not any more, or does in another way.

import DatabaseRescue
import RescueTestSupport
import SQLiteFormat
import Testing

@testable import RescueCLI

@Suite struct ChangedRulesTests {
  let bench: Workbench
  let file: FilePath

  init() throws {
    bench = try Workbench()
    file = bench["app.db"]
  }

  private func migrate(_ schema: String, _ sql: String) throws -> Ending {
    try DatabaseBuilder([.init(stringLiteral: schema), "PRAGMA user_version = 1"]).build(at: file)
    return try bench.tryMigration(of: file, sql)
  }

  /// Makes the table `t` anew.
  private static func remaking(_ columns: String) -> String {
    "CREATE TABLE n \(columns); INSERT INTO n SELECT * FROM t; DROP TABLE t; "
      + "ALTER TABLE n RENAME TO t"
  }

  /// A schema, a migration, and what is said of it.
  struct Change: Sendable, CustomTestStringConvertible {
    let schema: String
    let sql: String
    let words: String
    var testDescription: String { words }
  }

  static let others = [
    Change(
      schema: "CREATE TABLE t (a INT CHECK (a >= 0)); INSERT INTO t VALUES (1), (2)",
      sql: remaking("(a INT CHECK (1))"), words: "a check of 't' is another one than before"),
    Change(
      schema: "CREATE TABLE t (a INT UNIQUE, b); INSERT INTO t VALUES (1, 2)",
      sql: remaking("(a INT, b, UNIQUE (a, b))"),
      words: "a unique constraint of 't' is another one than before"),
    Change(
      schema: "CREATE TABLE p (id INTEGER PRIMARY KEY); CREATE TABLE o (id INTEGER PRIMARY KEY); "
        + "CREATE TABLE t (p INT REFERENCES p (id)); INSERT INTO t VALUES (NULL)",
      sql: remaking("(p INT REFERENCES o (id))"),
      words: "a foreign key of 't' is another one than before"),
    Change(
      schema: "CREATE TABLE p (id INTEGER PRIMARY KEY); CREATE TABLE t "
        + "(p INT REFERENCES p (id) DEFERRABLE INITIALLY DEFERRED); INSERT INTO t VALUES (NULL)",
      sql: remaking("(p INT REFERENCES p (id))"),
      words: "a foreign key of 't' is another one than before"),
    Change(
      schema: "CREATE TABLE t (a INT); CREATE TRIGGER g BEFORE DELETE ON t BEGIN "
        + "SELECT raise(abort, 'no'); END",
      sql: "DROP TRIGGER g; CREATE TRIGGER g BEFORE DELETE ON t WHEN 0 BEGIN SELECT 1; END",
      words: "trigger 'g' is another one than before"),
    Change(
      schema: "CREATE TABLE t (a INT); CREATE TRIGGER g BEFORE DELETE ON t BEGIN SELECT 1; END",
      sql: "DROP TRIGGER g; CREATE TRIGGER g AFTER DELETE ON t BEGIN SELECT 1; END",
      words: "trigger 'g' is another one than before"),
    Change(
      schema: "CREATE TABLE t (a INT); CREATE VIEW v AS SELECT a FROM t WHERE a > 0",
      sql: "DROP VIEW v; CREATE VIEW v AS SELECT 5 AS a",
      words: "view 'v' is another one than before"),
    Change(
      schema: "CREATE TABLE t (p INT, q INT, s INT AS (p * q) STORED); "
        + "INSERT INTO t (p, q) VALUES (2, 3)",
      sql: remaking("(p INT, q INT, s INT)"), words: "column 't.s' is not computed any more"),
    Change(
      schema: "CREATE TABLE t (a TEXT DEFAULT 'q'); INSERT INTO t VALUES ('x')",
      sql: remaking("(a TEXT DEFAULT 'z')"), words: "column 't.a' has another DEFAULT"),
    Change(
      schema: "CREATE TABLE t (a VARCHAR (9), b INT); INSERT INTO t VALUES ('x', 1)",
      sql: remaking("(a TEXT, b REAL)"), words: "column 't.b' is declared REAL, and was INT"),
    Change(
      schema: "CREATE TABLE t (a INT); PRAGMA application_id = 5",
      sql: "PRAGMA application_id = 77", words: "the application id is 77, and was 5"),
    Change(
      schema: "CREATE TABLE t (a INTEGER PRIMARY KEY AUTOINCREMENT); INSERT INTO t VALUES (8)",
      sql: "UPDATE sqlite_sequence SET seq = 9223372036854775807",
      words: "no row can be added to 't': its counter went from 8 to the largest number"),
    Change(
      schema: "CREATE TABLE t (a INT UNIQUE ON CONFLICT REPLACE); INSERT INTO t VALUES (1)",
      sql: remaking("(a INT UNIQUE)"),
      words: "an ON CONFLICT clause of 't' is another one than before"),
  ]

  @Test(arguments: others)
  func `a rule that is another one is told`(_ change: Change) throws {
    let ending = try migrate(change.schema, change.sql)
    #expect(ending.status == 0, "\(ending.all)")
    #expect(ending.all.contains(change.words), "\(ending.all)")
  }

  /// The book of Django, with a migration that stands for two others.
  private static let squashed =
    "CREATE TABLE django_migrations (id integer NOT NULL PRIMARY KEY AUTOINCREMENT, app varchar(255) "
    + "NOT NULL, name varchar(255) NOT NULL, applied datetime NOT NULL); "
    + "INSERT INTO django_migrations (app, name, applied) VALUES ('shop', '0001_initial', '2025'), "
    + "('shop', '0002_more', '2025'), ('shop', '0001_squashed_0002_more', '2026')"

  @Test func `a framework takes rows out of its own book, and not all of them`() throws {
    let gone = "DELETE FROM django_migrations"
    let ending = try migrate(Self.squashed, gone + " WHERE id < 3")
    #expect(ending.status == 0, "\(ending.all)")
    #expect(ending.all.contains("'django_migrations' notes 1 migration, and noted 3"))
    #expect(try bench.tryMigration(of: file, gone).status == 18)
  }

  private static let audited =
    "CREATE TABLE audit (x); CREATE TABLE t (a INT); INSERT INTO t VALUES (1); CREATE TRIGGER g "
    + "AFTER UPDATE OF a ON t BEGIN INSERT INTO audit VALUES (1); END"

  static let losses = [
    Change(
      schema: "CREATE TABLE audit (x); CREATE TABLE t (a INT); CREATE TRIGGER g AFTER UPDATE ON t "
        + "BEGIN INSERT INTO audit (x) VALUES (1); END",
      sql: "DROP TABLE audit; CREATE TABLE audit (y)",
      words: "trigger 'g' of 't' cannot run: table audit has no column named x"),
    Change(
      schema: "CREATE TABLE audit (x); CREATE TABLE t (a INT); CREATE TRIGGER g AFTER UPDATE ON t "
        + "BEGIN INSERT INTO audit VALUES (1); END",
      sql: "ALTER TABLE audit ADD COLUMN y",
      words: "trigger 'g' of 't' cannot run: table audit has 2 columns but 1 values were supplied"),
    Change(
      schema: "CREATE TABLE t (a INT) STRICT", sql: remaking("(a INT)"),
      words: "'t' is not STRICT any more"),
    Change(
      schema: audited + "; CREATE TABLE o (a)",
      sql: "DROP TRIGGER g; CREATE TRIGGER g AFTER UPDATE ON o BEGIN SELECT 1; END",
      words: "trigger 'g' of 't' is gone"),
    Change(
      schema: audited, sql: "DROP TABLE audit",
      words: "trigger 'g' of 't' cannot run: no such table: main.audit"),
    Change(
      schema: audited, sql: "PRAGMA legacy_alter_table = ON; ALTER TABLE audit RENAME TO b",
      words: "trigger 'g' of 't' cannot run: no such table: main.audit"),
    Change(
      schema: "CREATE TABLE t (a INT); INSERT INTO t VALUES (1); CREATE VIEW v AS SELECT a FROM t",
      sql: "PRAGMA legacy_alter_table = ON; ALTER TABLE t RENAME TO t9",
      words: "view 'v' cannot be read: no such table: main.t"),
    Change(
      schema: "CREATE TABLE p (id INTEGER PRIMARY KEY, a); INSERT INTO p VALUES (1, 'a'); "
        + "CREATE TABLE c (id INTEGER PRIMARY KEY, p INT REFERENCES p (id))",
      sql: "ALTER TABLE p RENAME TO p_old; CREATE TABLE p (id INTEGER PRIMARY KEY, a); "
        + "INSERT INTO p SELECT * FROM p_old; DROP TABLE p_old",
      words: "foreign key of 'c' refers to 'p_old', which is not there"),
  ]

  @Test(arguments: losses)
  func `a schema that demands less or cannot be used is refused`(_ change: Change) throws {
    let ending = try migrate(change.schema, change.sql)
    #expect(ending.status == 18, "\(ending.all)")
    #expect(ending.all.contains(change.words), "\(ending.all)")
  }

  static let harmless = [
    Change(
      schema: "CREATE TABLE t (a TEXT); CREATE UNIQUE INDEX i ON t (a); INSERT INTO t VALUES ('q')",
      sql: remaking("(a TEXT UNIQUE)"), words: "an index that is a constraint now"),
    Change(
      schema: "CREATE TABLE t (a TEXT PRIMARY KEY NOT NULL, b); INSERT INTO t VALUES ('q', 1)",
      sql:
        "CREATE TABLE n (id INTEGER PRIMARY KEY, a TEXT NOT NULL UNIQUE, b); INSERT INTO n (a, b) "
        + "SELECT a, b FROM t; DROP TABLE t; ALTER TABLE n RENAME TO t",
      words: "a number beside a key"),
    Change(
      schema:
        "CREATE TABLE alembic_version (version_num VARCHAR(32) NOT NULL, CONSTRAINT pkc PRIMARY "
        + "KEY (version_num)); INSERT INTO alembic_version VALUES ('a'), ('b')",
      sql: "DELETE FROM alembic_version WHERE version_num = 'a'", words: "heads that come together"),
    Change(
      schema: squashed + "; DELETE FROM django_migrations WHERE id = 3",
      sql: "DELETE FROM django_migrations; INSERT INTO django_migrations (app, name, applied) "
        + "VALUES ('shop', '0001_squashed_0002_more', '2026'), ('shop', '0003', '2026')",
      words: "a migration that takes the place of others in the book of its framework"),
    Change(
      schema: audited + "; DROP TABLE audit", sql: "ALTER TABLE t ADD COLUMN b",
      words: "a trigger that could not run before"),
    Change(
      schema: audited + "; DROP TABLE audit; CREATE TABLE c (id INTEGER PRIMARY KEY, p REFERENCES "
        + "p); INSERT INTO c VALUES (7, NULL); CREATE TABLE e (q REFERENCES q)",
      sql: "PRAGMA legacy_alter_table = ON; ALTER TABLE t RENAME TO t2; "
        + "ALTER TABLE c RENAME TO c2; ALTER TABLE e RENAME TO e2",
      words: "what could not be used before, of tables with new names"),
    Change(
      schema: "CREATE TABLE t (a INT); CREATE VIEW v AS SELECT mine(a) FROM t",
      sql: "ALTER TABLE t ADD COLUMN b", words: "a function of the app"),
    Change(
      schema: audited + "; CREATE VIEW v AS SELECT a FROM t",
      sql: "ALTER TABLE t RENAME TO t2; ALTER TABLE audit RENAME TO log; "
        + "ALTER TABLE t2 RENAME COLUMN a TO b",
      words: "names that SQLite follows"),
    Change(
      schema: "CREATE VIRTUAL TABLE f USING fts5(a); CREATE VIEW v AS SELECT a FROM f; "
        + "CREATE TABLE t (a); CREATE TRIGGER g AFTER INSERT ON t BEGIN INSERT INTO f VALUES (new.a); "
        + "END",
      sql: "INSERT INTO t VALUES ('x')", words: "a full-text table"),
    Change(
      schema:
        "CREATE TABLE t (a INT); CREATE VIEW v AS SELECT a FROM t; CREATE TRIGGER g INSTEAD OF "
        + "INSERT ON v BEGIN INSERT INTO t VALUES (new.a); END",
      sql: "INSERT INTO v VALUES (1)", words: "a trigger of a view"),
  ]

  @Test(arguments: harmless)
  func `a schema that is used as before is kept without a word`(_ change: Change) throws {
    let ending = try migrate(change.schema, change.sql)
    #expect(ending.status == 0, "\(ending.all)")
    #expect(!ending.all.contains("meant"), "\(ending.all)")
  }
}
