// SPDX-License-Identifier: Apache-2.0
// What a hostile schema says: statements that are no declarations, declarations of what is not
// there, and expressions that grow. A table of texts, longer than other files.
//
// `{name}` stands for the object, `{other}` for another one, `{victim}` for a database and
// `{file}` for a text that must not change, `{new}` for a name that no file may get.

import SQLiteFormat

/// The statements of hostile schemas.
enum HostileSQL {
  /// What does something as soon as it is run.
  static let actions = [
    "ATTACH '{victim}' AS p", "ATTACH DATABASE '{new}' AS q", "DETACH p", "DELETE FROM p.secret",
    "UPDATE p.secret SET a = 'owned'", "DROP TABLE p.secret", "CREATE TABLE q.planted (a)",
    "CREATE TABLE p.planted (a)", "INSERT INTO p.secret VALUES ('owned')", "DELETE FROM sound",
    "DROP TABLE sound", "UPDATE sound SET v = 'owned'", "INSERT INTO sound (v) VALUES ('owned')",
    "REPLACE INTO sound (id, v) VALUES (1, 'owned')", "ALTER TABLE sound RENAME TO stolen",
    "ALTER TABLE sound ADD COLUMN planted", "PRAGMA user_version = 4242",
    "PRAGMA application_id = 4242", "PRAGMA journal_mode = WAL", "PRAGMA writable_schema = ON",
    "PRAGMA temp_store_directory = '{folder}'", "PRAGMA wal_checkpoint",
    "PRAGMA incremental_vacuum",
    "SELECT fts3_tokenizer('simple', x'4141414141414141')",
    "SELECT load_extension('{file}')", "SELECT writefile('{new}', 'x')",
    "SELECT readfile('{file}')",
    "VACUUM INTO '{new}'", "VACUUM", "REINDEX", "ANALYZE", "BEGIN", "COMMIT", "ROLLBACK", "END",
    "SAVEPOINT s", "RELEASE s", "ROLLBACK TO s", "CREATE TABLE {name} AS SELECT 1 AS planted",
    "CREATE TABLE {name} AS SELECT * FROM sound", "CREATE TABLE {name} AS SELECT * FROM p.secret",
    "CREATE TEMP TABLE {name} (a)", "CREATE TABLE temp.{name} (a)", "CREATE TABLE main.{name} (a)",
    "CREATE TEMP TRIGGER {name} AFTER INSERT ON sound BEGIN DELETE FROM sound; END",
    "CREATE TEMP VIEW {name} AS SELECT 1", "CREATE TABLE {name} (x); DELETE FROM sound",
    "; DELETE FROM sound", "/* CREATE TABLE {name} (x) */ DELETE FROM sound",
    "-- CREATE TABLE {name} (x)\nDELETE FROM sound", "CREATE TABLE {name} (x)\0; DELETE FROM sound",
    "\u{FEFF}DELETE FROM sound", "EXPLAIN CREATE TABLE {name} (x)", "EXPLAIN QUERY PLAN SELECT 1",
    "WITH x AS (SELECT 1) DELETE FROM sound", "VALUES (1)", "SELECT 1", "", " ", "--", "CREATE",
    "CREATE TABLE sound2 AS SELECT * FROM sound", "create\ttable/**/{name}(x);;;DROP TABLE sound",
    "CREATE TABLE IF NOT EXISTS {name} (x); ATTACH '{new}' AS q; CREATE TABLE q.planted (a)",
    "DROP TABLE IF EXISTS {other}", "DROP INDEX sound_v", "DROP VIEW {other}",
    "DROP TRIGGER {other}",
    "CREATE TABLE sqlite_planted (x)", "CREATE TABLE sqlite_schema (x)",
    "CREATE TABLE {other} (x, y)",
    "CREATE TABLE p.{name} AS SELECT group_concat(v) FROM sound",
    "PRAGMA recursive_triggers = ON", "PRAGMA trusted_schema = ON", "PRAGMA page_size = 512",
    "PRAGMA secure_delete = ON", "PRAGMA locking_mode = EXCLUSIVE",
    "PRAGMA mmap_size = 1099511627776",
    "PRAGMA cache_size = -100000000", "PRAGMA hard_heap_limit = 1", "PRAGMA query_only = ON",
  ]

  /// Declarations that need what is not there, or reach for what they should not.
  static let declarations = [
    "CREATE TABLE {name} (x CHECK (no_function(x)))",
    "CREATE TABLE {name} (x COLLATE no_collation)",
    "CREATE TABLE {name} (x DEFAULT (no_function()))",
    "CREATE TABLE {name} (x, y AS (no_function(x)))",
    "CREATE TABLE {name} (x, y AS (no_function(x)) STORED)", "CREATE TABLE {name} (x UNIQUE)",
    "CREATE TABLE {name} (x COLLATE no_collation PRIMARY KEY) WITHOUT ROWID",
    "CREATE TABLE {name} (x, PRIMARY KEY (x COLLATE no_collation DESC))",
    "CREATE TABLE {name} (x REFERENCES nothing (y))", "CREATE TABLE {name} (x)",
    "CREATE TABLE {name} (X, x)",
    "CREATE TABLE {name} (x, x)", "CREATE TABLE {name} (x INTEGER PRIMARY KEY AUTOINCREMENT)",
    "CREATE TABLE {name} (x) STRICT", "CREATE TABLE {name} (x ANY) STRICT, WITHOUT ROWID",
    "CREATE TABLE {name} (x GENERATED ALWAYS AS (x))",
    "CREATE TABLE {name} (x CHECK (x IN (SELECT v FROM sound)))",
    "CREATE TABLE {name} (x CHECK (fts3_tokenizer('simple', x'4141414141414141')))",
    "CREATE TABLE {name} (x DEFAULT (load_extension('{file}')))",
    "CREATE TABLE {name} (x, y AS (fts3_tokenizer('simple', x'4141414141414141')) STORED)",
    "CREATE INDEX {name} ON sound (no_function(v))",
    "CREATE INDEX {name} ON sound (v COLLATE no_collation)",
    "CREATE INDEX {name} ON sound (v) WHERE no_function(v)", "CREATE INDEX {name} ON {other} (x)",
    "CREATE INDEX {name} ON sound (id)", "CREATE UNIQUE INDEX {name} ON sound (length(v))",
    "CREATE UNIQUE INDEX {name} ON sound (1)", "CREATE INDEX {name} ON sound (no_column)",
    "CREATE INDEX {name} ON sqlite_schema (name)", "CREATE INDEX {name} ON nothing (x)",
    "CREATE INDEX {name} ON sound (fts3_tokenizer('simple', x'4141414141414141'))",
    "CREATE VIEW {name} AS SELECT no_function(1)", "CREATE VIEW {name} AS SELECT * FROM {name}",
    "CREATE VIEW {name} AS SELECT * FROM sound",
    "CREATE VIEW {name} AS SELECT load_extension('{file}')",
    "CREATE VIEW {name} AS SELECT * FROM pragma_user_version(4242)",
    "CREATE VIEW {name} AS SELECT * FROM p.secret",
    "CREATE TRIGGER {name} AFTER INSERT ON sound BEGIN SELECT no_function(new.id); END",
    "CREATE TRIGGER {name} BEFORE INSERT ON sound BEGIN DELETE FROM sound; END",
    "CREATE TRIGGER {name} BEFORE INSERT ON sound BEGIN SELECT RAISE(IGNORE); END",
    "CREATE TRIGGER {name} BEFORE INSERT ON sound BEGIN SELECT RAISE(ROLLBACK, 'no'); END",
    "CREATE TRIGGER {name} AFTER INSERT ON sound BEGIN UPDATE sound SET v = 'owned'; END",
    "CREATE TRIGGER {name} AFTER INSERT ON sqlite_schema BEGIN SELECT 1; END",
    "CREATE TRIGGER {name} INSTEAD OF INSERT ON sound BEGIN SELECT 1; END",
    "CREATE TRIGGER {name} AFTER INSERT ON nothing BEGIN SELECT 1; END",
    "CREATE TRIGGER {name} AFTER DELETE ON {other} BEGIN INSERT INTO sound (v) VALUES ('owned'); END",
  ]

  /// Virtual tables.
  static let virtual = [
    "no_module(a, b)", "no_module", "fts5(a)", "fts5(a, b UNINDEXED)", "fts3(a)", "fts4(a)",
    "rtree(i, a, b)",
    "rtree_i32(i, a, b)", "geopoly(a)", "dbstat", "dbstat(main)", "fts3tokenize",
    "fts3tokenize('simple', '{file}')",
    "fts5vocab(sound, row)", "fts5vocab(ft, row)", "fts5vocab({name}, row)", "fts4aux(sound)",
    "fts4aux(fq)",
    "fts4aux(p, secret)", "fts5vocab(p, secret, row)", "zipfile('{file}')",
    "csv(filename='{file}')", "fsdir",
    "json_each", "json_tree", "pragma_table_info", "pragma_user_version", "sqlite_stmt",
    "generate_series",
    "sqlite_dbpage", "dbdata", "completion", "bytecode", "carray", "vsv(filename='{file}')",
    "spellfix1",
    "fts5(a, content='sound', content_rowid='id')", "fts5(a, content='{name}')",
    "fts5(v, content='sound')",
    "fts5(a, content='')", "fts5(a, content='{other}')", "fts5(a, content='nothing')",
    "fts5(v, content='ft')",
    "fts5(a, content='sound''; DELETE FROM sound; --')",
    "fts5(a, content='x\"; DELETE FROM sound; --')",
    "fts5(v, content='sound', content_rowid='id) FROM sound; DELETE FROM sound; --')",
    "fts5(v, content='sound', content_rowid='1\"; DELETE FROM sound; --')",
    "fts5(a, tokenize='no_tokenizer')",
    "fts5(a, tokenize='unicode61 categories \"L*\"', prefix='1 2 3 999')",
    "fts5(a, detail=none, columnsize=0)",
    "fts5(rowid)", "fts5(rank)", "fts5(\"a\"\"; DELETE FROM sound; --\")", "fts5(a, nonsense=1)",
    "fts5()",
    "fts4(content=\"sound\", v)", "fts4(content=\"{name}\", v)", "fts4(content=\"\", a)",
    "fts4(content=\"sound; DELETE FROM sound\", v)",
    "fts4(content=\"sound\"\"; DELETE FROM sound; --\", v)",
    "fts4(a, tokenize=icu '{file}')", "fts4(a, tokenize=simple x'41')",
    "fts3(a, tokenize=no_tokenizer)",
    "fts4(a, languageid=\"l\", order=desc, compress=no_function, uncompress=no_function)",
    "fts4(a, compress=load_extension, uncompress=load_extension)", "fts4(a, prefix=\"1,2,99999\")",
    "fts4(a, matchinfo=fts3, notindexed=b)", "rtree(i)", "rtree(i, a)", "rtree(i, a, b, +c)",
    "rtree(\"i\"\"; DELETE FROM sound; --\", a, b)", "rtree(i, a, b, c, d, e, f, g, h, j, k, l)",
  ]

  /// Expressions that take time, memory or room.
  static let blowups = [
    "length(randomblob(999999999)) > 0", "zeroblob(300000000)", "randomblob(300000000)",
    "printf('%.*c', 900000000, 'x')", "hex(zeroblob(400000000))",
    "replace(hex(zeroblob(99999)), '0', hex(zeroblob(9999)))",
    "length(replace(printf('%.*c', 100000, 'x'), 'x', printf('%.*c', 9999, 'y')))",
    "printf('%999999999d', 1)", "quote(zeroblob(400000000))", "printf('%.*f', 99999999, 1.5)",
    "'a' LIKE printf('%.*c', 40000, '%')",
    "printf('%.*c', 30000, 'a') GLOB printf('%.*c', 20000, '*')",
    "json(printf('%.*c', 1000, '['))", "substr(zeroblob(500000000), 1)",
    "trim(printf('%.*c', 99999999, 'a'), 'b')",
    "upper(printf('%.*c', 400000000, 'a'))", "char(1) || zeroblob(300000000)",
    "abs(-9223372036854775808)",
    "instr(printf('%.*c', 9999999, 'a'), printf('%.*c', 999999, 'a') || 'b')",
    "unhex(printf('%.*c', 99999999, 'a'))",
    "round(1e300, 99999999)", "strftime(printf('%.*c', 9999999, '%'), 'now')",
  ]

  /// Where an expression that grows may stand.
  static let hosts = [
    "CREATE TABLE {name} (x CHECK ({e}))", "CREATE TABLE {name} (x DEFAULT ({e}))",
    "CREATE TABLE {name} (x, y AS ({e}))", "CREATE TABLE {name} (x, y AS ({e}) STORED)",
    "CREATE TABLE {name} (x, y AS ({e}) VIRTUAL UNIQUE)", "CREATE INDEX {name} ON sound ({e})",
    "CREATE INDEX {name} ON sound (v) WHERE {e}", "CREATE VIEW {name} AS SELECT {e} FROM sound",
    "CREATE TRIGGER {name} BEFORE INSERT ON sound WHEN {e} BEGIN SELECT {e}; END",
    "CREATE TABLE {name} (x PRIMARY KEY, y AS ({e}) STORED) WITHOUT ROWID",
  ]

  /// Statements that are hard because of their length or depth alone.
  static func unwieldy(_ random: inout SeededRandom) -> String {
    let count = [100, 900, 1001, 2000, 5000, 40_000][random.below(6)]
    func repeated(_ text: String) -> String { String(repeating: text, count: count) }
    return [
      "CREATE TABLE {name} (x CHECK (\(repeated("("))1\(repeated(")"))))",
      "CREATE TABLE {name} (x CHECK (1\(repeated(" AND 1"))))",
      "CREATE TABLE {name} (x\((0..<count).map { ", c\($0)" }.joined()))",
      "CREATE TABLE {name} (x DEFAULT '\(repeated("long text "))')",
      "CREATE VIEW {name} AS SELECT 1\(repeated(" UNION ALL SELECT 1"))",
      "CREATE VIEW {name} AS SELECT * FROM \(repeated("sound, "))sound",
      "CREATE VIEW {name} AS \(repeated("SELECT * FROM ("))SELECT 1\(repeated(")"))",
      "CREATE TABLE {name} (x \(repeated("INT ")))", "CREATE TABLE \"\(repeated("{name}"))\" (x)",
      "CREATE INDEX {name} ON sound (v\(repeated(", v")))",
      "CREATE TRIGGER {name} AFTER INSERT ON sound BEGIN \(repeated("SELECT 1; "))END",
      "CREATE TABLE {name} (x /* \(repeated("comment ")) */)",
      "CREATE TABLE {name} (x CHECK (x = \(repeated("-"))1))",
      "CREATE TABLE {name} (x CHECK (CASE \(repeated("WHEN 1 THEN 2 "))END))",
      "CREATE VIEW {name} AS WITH RECURSIVE c(n) AS (VALUES (1) UNION ALL SELECT n + 1 FROM c) SELECT max(n) FROM c",
    ][random.below(15)]
  }
}
