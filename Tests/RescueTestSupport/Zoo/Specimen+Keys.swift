// SPDX-License-Identifier: Apache-2.0
// Specimens that are odd in their keys and indexes: of rows, of other tables, of expressions.

import SQLiteFormat

extension Specimen {
  static let keys = [
    foreign(
      "foreign-key-without-index", parent: ["CREATE TABLE p (a)", "INSERT INTO p VALUES (1)"]),
    foreign(
      "foreign-key-of-a-view",
      parent: ["CREATE TABLE base (a)", "CREATE VIEW p AS SELECT a FROM base"]),
    foreign("foreign-key-of-nothing", parent: []),
    foreign("foreign-key-of-no-column", parent: ["CREATE TABLE p (other INTEGER PRIMARY KEY)"]),
    foreign(
      "foreign-key-collated",
      parent: ["CREATE TABLE p (a TEXT)", "CREATE UNIQUE INDEX p_a ON p (a COLLATE NOCASE)"]),
    foreign(
      "foreign-key-partial",
      parent: ["CREATE TABLE p (a)", "CREATE UNIQUE INDEX p_a ON p (a) WHERE a > 0"]),
    Specimen(
      "foreign-key-circle",
      [
        "CREATE TABLE a (id INTEGER PRIMARY KEY, b REFERENCES b DEFERRABLE INITIALLY DEFERRED)",
        "CREATE TABLE b (id INTEGER PRIMARY KEY, a REFERENCES a ON DELETE SET NULL, s REFERENCES b)",
        Rows.fill("a", "n, n", count: 10), Rows.fill("b", "n, n, n % 10 + 1", count: 10),
      ]),
    Specimen(
      "keys-without-rowid",
      [
        """
        CREATE TABLE k (a TEXT COLLATE NOCASE, b BLOB, c REAL, d INT UNIQUE, e TEXT,
          PRIMARY KEY (c DESC, a COLLATE BINARY, b DESC), UNIQUE (e COLLATE RTRIM DESC, a)) WITHOUT ROWID
        """,
        Rows.fill(
          "k", "'A' || n, zeroblob(n % 5), n / 2.0, iif(n % 2, n, NULL), 'e' || n", count: 90),
        "CREATE INDEX k_e ON k (e DESC, c) WHERE d IS NOT NULL",
        "CREATE TABLE dup (a, b, PRIMARY KEY (a, a, b COLLATE NOCASE, b)) WITHOUT ROWID",
        Rows.fill("dup", "'a' || n, 'B' || n", count: 20),
        "CREATE TABLE nulls (a, b, UNIQUE (a, b))", Rows.fill("nulls", "NULL, n % 2", count: 10),
      ]),
    Specimen(
      "sequences",
      [
        "CREATE TABLE a (id INTEGER PRIMARY KEY AUTOINCREMENT, x)",
        Rows.fill("a (x)", "n", count: 9),
        "CREATE TABLE fresh (id INTEGER PRIMARY KEY AUTOINCREMENT)",
        "INSERT INTO sqlite_sequence VALUES ('gone', 5), ('fresh', 77)",
        "CREATE TABLE \"TÄ\" (id INTEGER PRIMARY KEY AUTOINCREMENT)",
        "CREATE TABLE \"tä\" (id INTEGER PRIMARY KEY AUTOINCREMENT)",
        "INSERT INTO \"TÄ\" VALUES (500)", "INSERT INTO \"tä\" VALUES (3)",
        "CREATE TABLE top (id INTEGER PRIMARY KEY AUTOINCREMENT)",
        "INSERT INTO top VALUES (9223372036854775807)",
      ]),
    Specimen(
      "statistics",
      [
        "CREATE TABLE t (a, b)", "CREATE INDEX t_a ON t (a)", Rows.fill("t", "n % 5, n", count: 50),
        "ANALYZE", "INSERT INTO sqlite_stat1 VALUES ('gone', NULL, '12'), ('t', 'no index', '1 1')",
      ]),
    Specimen(
      "json",
      [
        """
        CREATE TABLE t (id INTEGER PRIMARY KEY, doc TEXT CHECK (json_valid(doc)),
          name AS (json_extract(doc, '$.name')), kind TEXT AS (doc ->> '$.kind') STORED)
        """,
        Rows.fill(
          "t (doc)", "json_object('name', 'n' || n, 'kind', n % 4, 'list', json_array(n, n + 1))",
          count: 60),
        "CREATE INDEX t_json ON t (json_extract(doc, '$.list[0]'))",
        "CREATE UNIQUE INDEX t_name ON t (name)",
        "CREATE INDEX t_kind ON t (kind) WHERE doc -> 'kind'",
        "CREATE INDEX t_type ON t (json_type(doc, '$.list'), json_array_length(doc, '$.list'))",
      ]),
    Specimen(
      "json-index",
      [
        "CREATE TABLE t (a)", "INSERT INTO t VALUES ('{\"x\":1}')",
        "CREATE INDEX i ON t (json_extract(a, '$.x'))",
      ]),
    Specimen(
      "json-check", ["CREATE TABLE t (a CHECK (json_valid(a)))", "INSERT INTO t VALUES ('[1]')"]),
    Specimen(
      "json-stored",
      ["CREATE TABLE t (a, b AS (json_extract(a, '$[0]')) STORED)", "INSERT INTO t VALUES ('[1]')"]),
    Specimen(
      "expression-indexes",
      [
        "CREATE TABLE t (a TEXT, b INT, c BLOB)",
        Rows.fill("t", "'T' || n, n, zeroblob(n % 7)", count: 80),
        "CREATE INDEX x1 ON t (lower(a), b * 2)",
        "CREATE INDEX x2 ON t (substr(a, 2) COLLATE NOCASE DESC)",
        "CREATE INDEX x3 ON t (length(c), typeof(c), hex(c), quote(a))",
        "CREATE INDEX x4 ON t (coalesce(a, b), ifnull(b, 0), iif(b > 3, 'x', 'y'))",
        "CREATE INDEX x5 ON t (date(b), strftime('%Y', b), julianday(b))",
        "CREATE INDEX x6 ON t (a LIKE 't1%', a GLOB 'T*', b BETWEEN 3 AND 9, b IN (1, 2, 3))",
        "CREATE INDEX x7 ON t (CASE b WHEN 1 THEN 'one' ELSE a END, CAST(b AS TEXT), b IS NULL)",
        "CREATE INDEX x8 ON t (printf('%05d', b), round(b / 3.0, 1), abs(-b), unicode(a), instr(a, '1'))",
        "CREATE INDEX x9 ON t (sin(b), pow(b, 2), trim(a, 'T'), replace(a, 'T', 'U'), soundex(a))",
        "CREATE UNIQUE INDEX xu ON t (a || '-' || b)",
      ]),
    Specimen(
      "partial-indexes",
      [
        "CREATE TABLE t (a TEXT, b INT)",
        Rows.fill("t", "iif(n % 3, 'a' || n, NULL), n", count: 80),
        "CREATE INDEX p1 ON t (a) WHERE a IS NOT NULL",
        "CREATE INDEX p2 ON t (b) WHERE a LIKE 'a1%'",
        "CREATE UNIQUE INDEX p3 ON t (a) WHERE b IN (1, 3, 5) OR b > 70",
        "CREATE INDEX p4 ON t (a, b) WHERE json_valid(a) AND json_extract(a, '$') > 1",
        "CREATE INDEX p5 ON t (b) WHERE 0", "CREATE INDEX p6 ON t (b) WHERE rowid > 40",
        "CREATE INDEX p7 ON t (lower(a)) WHERE lower(a) = 'a7'",
      ]),
  ]

  private static func foreign(_ name: String, parent: [DatabaseBuilder.Step]) -> Specimen {
    Specimen(
      name,
      parent + [
        "CREATE TABLE c (id INTEGER PRIMARY KEY, x REFERENCES p (a))",
        "INSERT INTO c VALUES (1, 1), (2, NULL)",
      ])
  }
}
