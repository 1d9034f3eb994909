// SPDX-License-Identifier: Apache-2.0
// Recipes about tables: where the columns of a declaration are in the record, and what the rowid is.

import SQLiteFormat

extension Recipe {
  static let tables = [
    Recipe(
      "without-rowid",
      [
        // The key comes first in the record, wherever it stands in the declaration.
        "CREATE TABLE late_key (a TEXT, b INT, k TEXT, c REAL, PRIMARY KEY (k)) WITHOUT ROWID",
        Rows.fill(
          "late_key", "'a' || n, n, printf('k%05d', n * 7919 % 10007), n / 4.0", count: 900),
        """
        CREATE TABLE two_keys (
          a INT, x TEXT COLLATE NOCASE, y INT, z TEXT, PRIMARY KEY (y DESC, x COLLATE RTRIM)
        ) WITHOUT ROWID
        """,
        Rows.fill("two_keys", "n, 'X' || (n / 30), n % 30, 'z' || n", count: 600),
        """
        CREATE TABLE repeated (
          a TEXT, b TEXT, PRIMARY KEY (b, a COLLATE NOCASE, b COLLATE NOCASE, b)
        ) WITHOUT ROWID
        """,
        Rows.fill("repeated", "'a' || n, 'b' || n", count: 20),
        "CREATE INDEX two_keys_z ON two_keys (z)",
        "CREATE TABLE only_key (k INTEGER PRIMARY KEY) WITHOUT ROWID",
        "INSERT INTO only_key VALUES (-5), (0), (9223372036854775807)",
      ]),
    Recipe(
      "generated-columns",
      [
        """
        CREATE TABLE g (
          a INTEGER, v INT GENERATED ALWAYS AS (a * 2) VIRTUAL, b TEXT,
          s TEXT GENERATED ALWAYS AS (b || '!') STORED, w AS (a || b), c REAL,
          id INTEGER PRIMARY KEY)
        """,
        Rows.fill("g (a, b, c)", "n, 'b' || n, n / 2.0", count: 50),
        """
        CREATE TABLE gw (
          v AS (k || '-') VIRTUAL, a INT, s AS (a + 1) STORED, k TEXT PRIMARY KEY
        ) WITHOUT ROWID
        """,
        Rows.fill("gw (a, k)", "n, 'k' || n", count: 50),
        "CREATE INDEX g_v ON g (v, s)",
      ]),
    Recipe(
      "added-columns",
      [
        "CREATE TABLE t (id INTEGER PRIMARY KEY, a TEXT)",
        Rows.fill("t (a)", "'a' || n", count: 10),
        "ALTER TABLE t ADD COLUMN i INTEGER NOT NULL DEFAULT 42",
        "ALTER TABLE t ADD COLUMN s TEXT DEFAULT 'it''s'",
        Rows.fill("t (a)", "'b' || n", count: 10),
        "ALTER TABLE t ADD COLUMN r REAL DEFAULT -1.5",
        "ALTER TABLE t ADD COLUMN whole REAL DEFAULT 3",
        "ALTER TABLE t ADD COLUMN number TEXT DEFAULT 7",
        "ALTER TABLE t ADD COLUMN b BLOB DEFAULT x'00ff'",
        "ALTER TABLE t ADD COLUMN absent",
        "ALTER TABLE t ADD COLUMN neg INT DEFAULT (-9223372036854775808)",
        "ALTER TABLE t ADD COLUMN flag BOOLEAN DEFAULT TRUE",
        Rows.fill("t (a, absent)", "'c' || n, NULL", count: 10),
        "UPDATE t SET s = NULL WHERE id % 5 = 0",
      ]),
    Recipe(
      "renamed-and-dropped-columns",
      [
        "CREATE TABLE t (id INTEGER PRIMARY KEY, a TEXT, b TEXT, c TEXT)",
        Rows.fill("t (a, b, c)", "'a' || n, 'b' || n, 'c' || n", count: 30),
        "ALTER TABLE t RENAME COLUMN a TO \"new name\"", "ALTER TABLE t DROP COLUMN b",
        "ALTER TABLE t RENAME TO \"renamed t\"",
      ]),
    Recipe(
      "integer-keys",
      [
        "CREATE TABLE alias (a TEXT, id INTEGER PRIMARY KEY)",
        "CREATE TABLE alias_in_constraint (a TEXT, id INTEGER, PRIMARY KEY (id))",
        "CREATE TABLE descending (id INTEGER PRIMARY KEY DESC, a TEXT)",
        "CREATE TABLE int_not_integer (id INT PRIMARY KEY, a TEXT)",
        "CREATE TABLE bare_null (id INTEGER PRIMARY KEY, b)",
        Rows.fill("alias", "'a' || n, n * 10", count: 40),
        Rows.fill("alias_in_constraint", "'a' || n, n * 10", count: 40),
        Rows.fill("descending", "1000 - n, 'a' || n", count: 40),
        Rows.fill("int_not_integer", "1000 - n, 'a' || n", count: 40),
        Rows.fill("bare_null (b)", "NULL", count: 5),
      ]),
    Recipe(
      "shadowed-rowids",
      [
        "CREATE TABLE one (rowid TEXT, x)",
        "CREATE TABLE two (_ROWID_ TEXT, oid INT, x)",
        "CREATE TABLE three (rowid TEXT, _rowid_ TEXT, OID TEXT)",
        "CREATE TABLE alias (oid INTEGER PRIMARY KEY, rowid TEXT)",
        "INSERT INTO one (_rowid_, rowid, x) VALUES (7, 'shadow', 1), (900, 'other', 2)",
        "INSERT INTO two (rowid, _ROWID_, oid) VALUES (7, 'shadow', 5)",
        "INSERT INTO three VALUES ('a', 'b', 'c'), ('d', 'e', 'f')",
        "INSERT INTO alias VALUES (-3, 'x'), (12, 'y')",
      ]),
    Recipe(
      "extreme-rowids",
      [
        "CREATE TABLE t (id INTEGER PRIMARY KEY, a TEXT)",
        """
        INSERT INTO t VALUES
          (0, 'zero'), (-1, 'minus'), (9223372036854775807, 'max'), (-9223372036854775808, 'min'),
          (127, '1'), (128, '2'), (16383, '3'), (16384, '4'), (2097152, '5'), (-2147483649, '6'),
          (72057594037927935, '8 bytes'), (72057594037927936, '9 bytes')
        """,
        "CREATE INDEX t_a ON t (a)",
      ]),
    Recipe(
      "autoincrement",
      [
        "CREATE TABLE a (id INTEGER PRIMARY KEY AUTOINCREMENT, x)",
        "CREATE TABLE emptied (id INTEGER PRIMARY KEY AUTOINCREMENT, x)",
        Rows.fill("a (x)", "n", count: 30), "DELETE FROM a WHERE id > 20",
        Rows.fill("emptied (x)", "n", count: 30), "DELETE FROM emptied",
      ]),
    Recipe(
      "strict-tables",
      [
        "CREATE TABLE s (i INT, t TEXT, b BLOB, r REAL, a ANY) STRICT",
        "INSERT INTO s VALUES (1, 'x', x'01', 2, '007'), (NULL, NULL, NULL, NULL, 7)",
        "CREATE TABLE sw (k TEXT PRIMARY KEY, a ANY) STRICT, WITHOUT ROWID",
        "INSERT INTO sw VALUES ('k', 1.0), ('l', '1.0')",
      ]),
    Recipe(
      "constraints",
      [
        "PRAGMA foreign_keys = ON",
        "CREATE TABLE parent (id INTEGER PRIMARY KEY, code TEXT UNIQUE NOT NULL)",
        """
        CREATE TABLE child (
          id INTEGER PRIMARY KEY, parent INT REFERENCES parent ON DELETE CASCADE,
          code TEXT REFERENCES parent (code) DEFERRABLE INITIALLY DEFERRED,
          n INT CHECK (n > 0), u TEXT COLLATE NOCASE, UNIQUE (n, u) ON CONFLICT REPLACE)
        """,
        Rows.fill("parent", "n, 'p' || n", count: 20),
        Rows.fill("child", "n, n % 20 + 1, 'p' || (n % 20 + 1), n, 'u' || n", count: 100),
      ]),
  ]
}
