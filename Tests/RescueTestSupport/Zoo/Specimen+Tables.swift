// SPDX-License-Identifier: Apache-2.0
// Specimens that are odd in their tables: their columns, their keys, their values.

import SQLiteFormat

extension Specimen {
  static let tables =
    [999, 1000, 1999, 2000].map(columns) + [
      Specimen(
        "wide-without-rowid",
        [
          "CREATE TABLE w (\(list(1500) { "c\($0)" }), PRIMARY KEY (c1499, c7 DESC)) WITHOUT ROWID",
          Rows.fill("w (c7, c1499, c3)", "n, 'k' || (n % 3), n / 7.0", count: 12),
        ]),
      Specimen(
        "wide-index",
        [
          "CREATE TABLE w (\(list(300) { "c\($0)" }))",
          "CREATE INDEX w_all ON w (\(list(300) { "c\($0)" }))",
          Rows.fill("w (c0, c299)", "n, -n", count: 30),
        ]),
      Specimen(
        "odd-types",
        [
          """
          CREATE TABLE t (a INT(1, 2), b POINT, c BLOBINT, d "long type name", e CHARINT,
            f DOUBLE PRECISION, g [bracketed], h 'quoted', i FLOATING POINT, j STRING, k XBLOB,
            l DATE(-1), m "", n VARCHAR(+255) COLLATE NOCASE NOT NULL DEFAULT 'n')
          """,
          "INSERT INTO t (a, b, c, d, e) VALUES ('1', '2', '3', '4', '5'), (1.0, 2.0, 3.5, 4, 5)",
          "INSERT INTO t (f, g, h, i, j, k, l, m) VALUES (1, 2, 3, 4, '5', '6', '7', '8')",
        ]),
      Specimen(
        "integers-in-real-columns",
        [
          "CREATE TABLE t (r REAL, n NUMERIC, i INTEGER, x)", "CREATE INDEX t_r ON t (r, n)",
          """
          INSERT INTO t VALUES (0, 0.0, -0.0, -0.0), (-0.0, -0.0, 1.0, 1e15), (1e300, 9e18, 9e18, 9e18),
            (9007199254740993, 9007199254740993.0, 4611686018427387904.0, 281474976710656.0),
            (140737488355327, 140737488355328.0, 1e999, -1e999), (1e999, -1e999, 'a', x'')
          """,
          Rows.fill("t (r, x)", "n, n * 1.0", count: 200),
        ]),
      Specimen(
        "big-values",
        [
          "CREATE TABLE t (id INTEGER PRIMARY KEY, b BLOB, s TEXT)",
          "INSERT INTO t (b) VALUES (zeroblob(3000000)), (zeroblob(1)), (x'')",
          "INSERT INTO t (s) VALUES (replace(hex(zeroblob(1000000)), '0', 'ä'))",
          "INSERT INTO t (s, b) VALUES ('a' || char(0) || 'b', CAST('x' AS BLOB))",
        ]),
      Specimen(
        "text-with-nul",
        [
          "CREATE TABLE t (k TEXT PRIMARY KEY, v TEXT) WITHOUT ROWID",
          "INSERT INTO t VALUES (char(0), char(0, 0)), ('a' || char(0), 'b'), ('a', char(0) || 'c')",
          DatabaseBuilder.Step(
            "INSERT INTO t VALUES (CAST(? AS TEXT), CAST(? AS TEXT))",
            [.blob([0xFF, 0x00, 0xFE]), .blob([0xC3, 0x28])]),
        ]),
      Specimen(
        "defaults-of-a-word",
        [
          "CREATE TABLE t (a)", "INSERT INTO t VALUES (1), (2)",
          "ALTER TABLE t ADD b TEXT DEFAULT abc",
          "ALTER TABLE t ADD status TEXT NOT NULL DEFAULT active COLLATE nocase",
          "ALTER TABLE t ADD c DEFAULT key", "ALTER TABLE t ADD d DEFAULT [no]",
          "ALTER TABLE t ADD e DEFAULT TRUE", "ALTER TABLE t ADD f TEXT DEFAULT null",
          "ALTER TABLE t ADD g INT NOT NULL DEFAULT (CAST('12' AS INT))",
          "CREATE INDEX t_status ON t (status, b)", "INSERT INTO t (a) VALUES (3)",
        ]),
      Specimen(
        "unreferenced-rows",
        [
          "CREATE TABLE parent (id INTEGER PRIMARY KEY)",
          "CREATE TABLE child (id INTEGER PRIMARY KEY, p REFERENCES parent (id) ON DELETE CASCADE)",
          "INSERT INTO child VALUES (1, 99), (2, NULL)",
        ]),
      Specimen(
        "strict-of-every-type",
        [
          """
          CREATE TABLE s (id INTEGER PRIMARY KEY, i INT NOT NULL DEFAULT 7, j INTEGER, t TEXT, b BLOB,
            r REAL, a ANY, g ANY AS (a) STORED, h INT AS (i + 1)) STRICT
          """,
          "INSERT INTO s (j, t, b, r, a) VALUES (1, '1', x'31', 1, 1), (2, '2', x'', 2.5, 2.0)",
          "INSERT INTO s (a) VALUES ('3'), (x'33'), (NULL), ('3.0'), (9e999)",
          "CREATE TABLE sw (a ANY, b ANY, PRIMARY KEY (b, a)) STRICT, WITHOUT ROWID",
          "INSERT INTO sw VALUES (1, '1'), ('1', 1), (1.0, x'01')", "CREATE INDEX s_a ON s (a, h)",
        ]),
    ]

  static let columns = [
    Specimen(
      "generated-chains",
      [
        """
        CREATE TABLE g (
          first AS (last || '!') VIRTUAL, a INT, b AS (a + 1), c AS (b * 2) STORED, d AS (c - b),
          e TEXT COLLATE NOCASE AS (upper(first)) STORED, f INT NOT NULL AS (ifnull(d, 0)), last TEXT,
          CHECK (f >= 0 OR f < 0), UNIQUE (c, last))
        """,
        Rows.fill("g (a, last)", "n, 'L' || n", count: 40), "CREATE INDEX g_e ON g (e, d DESC)",
        """
        CREATE TABLE gw (k TEXT AS (lower(raw)) STORED, raw TEXT, n INT, m AS (-n),
          PRIMARY KEY (raw, n)) WITHOUT ROWID
        """,
        Rows.fill("gw (raw, n)", "'R' || n, n", count: 40), "CREATE UNIQUE INDEX gw_k ON gw (k)",
        "ALTER TABLE g ADD COLUMN late AS (a * 3) VIRTUAL",
      ]),
    Specimen(
      "defaults-of-all-sorts",
      [
        """
        CREATE TABLE d (a DEFAULT CURRENT_TIMESTAMP, b DEFAULT (abs(-5)), c DEFAULT (1 + 2),
          d DEFAULT 'it''s', e DEFAULT "double quoted", f DEFAULT -1, g DEFAULT +1.5e3, h DEFAULT NULL,
          i DEFAULT x'00', j DEFAULT (random()), k DEFAULT TRUE, l DEFAULT word, m TEXT DEFAULT 0x10,
          n INT DEFAULT '12', o REAL DEFAULT 1, p DEFAULT (datetime('now')), q DEFAULT (CAST(1 AS TEXT)))
        """,
        "INSERT INTO d (h) VALUES (1), (2)", "INSERT INTO d DEFAULT VALUES",
      ]),
    Specimen(
      "added-later",
      [
        "CREATE TABLE t (id INTEGER PRIMARY KEY)", Rows.fill("t", "n", count: 12),
        "ALTER TABLE t ADD COLUMN checked INT NOT NULL DEFAULT 5 CHECK (checked > 0)",
        "ALTER TABLE t ADD COLUMN refers INT REFERENCES t (id)",
        "ALTER TABLE t ADD COLUMN texted INT DEFAULT '12'",
        "ALTER TABLE t ADD COLUMN exponent NUMERIC DEFAULT '1e3'",
        "ALTER TABLE t ADD COLUMN floated REAL DEFAULT 9007199254740993",
        "ALTER TABLE t ADD COLUMN double DEFAULT \"double\"",
        "ALTER TABLE t ADD COLUMN minus DEFAULT -0.0",
        "ALTER TABLE t ADD COLUMN hexadecimal DEFAULT 0x7fffffffffffffff",
        "ALTER TABLE t ADD COLUMN truth DEFAULT TRUE",
        "ALTER TABLE t ADD COLUMN \"É\" TEXT DEFAULT 'É'", "ALTER TABLE t ADD COLUMN é DEFAULT 'é'",
        "ALTER TABLE t ADD COLUMN twice AS (checked * 2)",
        "ALTER TABLE t ADD COLUMN bytes BLOB DEFAULT 'text'",
        "INSERT INTO t (id, checked) VALUES (100, 6)",
        "CREATE INDEX t_texted ON t (texted, floated)",
      ]),
    Specimen(
      "dropped-and-renamed",
      [
        "CREATE TABLE t (a, b INT DEFAULT 3, c TEXT, \"d e\" REAL, PRIMARY KEY (a)) WITHOUT ROWID",
        Rows.fill("t", "n, n, 'c' || n, n", count: 20), "CREATE INDEX t_c ON t (c)",
        "CREATE VIEW v AS SELECT c FROM t", "ALTER TABLE t ADD COLUMN f DEFAULT 'f'",
        "ALTER TABLE t DROP COLUMN b", "ALTER TABLE t RENAME COLUMN c TO \"Ç\"",
        "ALTER TABLE t RENAME TO \"t t\"", Rows.fill("\"t t\" (a)", "n + 100", count: 5),
      ]),
    Specimen(
      "words-in-declarations",
      [
        "CREATE TABLE t (a /* , b */, -- c\n d CHECK (d <> \"x\"), CONSTRAINT c UNIQUE (a) ON CONFLICT IGNORE)",
        "CREATE INDEX t_d ON t (d) WHERE a <> \"double quoted\"",
        "CREATE TABLE made AS SELECT 1 AS one, 'two' AS \"t w o\", x'03' AS [th ree]",
        "CREATE TABLE IF NOT EXISTS\tmain.\"qualified\"('a' TEXT, `b`, [c])",
        "INSERT INTO t VALUES (1, 'a'), (1, 'b'), (2, NULL)",
        "INSERT INTO qualified VALUES (1, 2, 3)",
        "CREATE TABLE \"t2\"(a CONSTRAINT pk PRIMARY KEY ON CONFLICT REPLACE CONSTRAINT nn NOT NULL)",
        "INSERT INTO t2 VALUES ('x')",
      ]),
  ]

  private static func columns(_ count: Int) -> Specimen {
    Specimen(
      "columns-\(count)",
      [
        "CREATE TABLE t (\(list(count) { "c\($0)" }))",
        "CREATE INDEX t_last ON t (c\(count - 1), c0)",
        Rows.fill("t (c0, c\(count / 2), c\(count - 1))", "n, 'm' || n, -n", count: 20),
        DatabaseBuilder.Step(
          "INSERT INTO t VALUES (\(list(count) { $0 % 3 == 0 ? "?1" : "\($0)" }))",
          [.text("every column")]),
        "CREATE TABLE other (a)", Rows.fill("other", "n", count: 30),
      ])
  }

  static func list(_ count: Int, _ item: (Int) -> String) -> String {
    (0..<count).map(item).joined(separator: ", ")
  }
}
