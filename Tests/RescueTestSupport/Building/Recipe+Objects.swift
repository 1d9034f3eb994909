// SPDX-License-Identifier: Apache-2.0
// Recipes about what a schema can hold besides tables, and how many, and under which names.

import SQLiteFormat

extension Recipe {
  static let objects = [
    Recipe(
      "indexes",
      [
        "CREATE TABLE t (id INTEGER PRIMARY KEY, a TEXT, b INT, c REAL, d BLOB)",
        Rows.fill(
          "t (a, b, c, d)", "iif(n % 9, 'Text ' || n, NULL), n % 40, n / 3.0, CAST(n AS BLOB)",
          count: 500),
        "CREATE INDEX plain ON t (b)", "CREATE UNIQUE INDEX only ON t (c)",
        "CREATE INDEX descending ON t (b DESC, a)",
        "CREATE INDEX collated ON t (a COLLATE NOCASE, d COLLATE RTRIM)",
        "CREATE INDEX partial ON t (b) WHERE a IS NOT NULL AND b > 10",
        "CREATE INDEX expression ON t (lower(a), b * 2 + 1)",
        "CREATE INDEX both ON t (substr(a, 1, 6)) WHERE c < 50", "CREATE INDEX on_id ON t (id, a)",
        "ANALYZE",
      ]),
    Recipe(
      "views-and-triggers",
      [
        "CREATE TABLE t (id INTEGER PRIMARY KEY, a TEXT)",
        "CREATE TABLE log (id INTEGER PRIMARY KEY, what TEXT, row_id INT)",
        "CREATE VIEW v (k, value) AS SELECT id, upper(a) FROM t WHERE a IS NOT NULL",
        "CREATE VIEW vv AS SELECT * FROM v JOIN log ON log.row_id = v.k",
        """
        CREATE TRIGGER added AFTER INSERT ON t WHEN new.a IS NOT NULL BEGIN
          INSERT INTO log (what, row_id) VALUES ('added; -- not a comment', new.id);
          UPDATE log SET what = 'first' WHERE id = 1;
        END
        """,
        """
        CREATE TRIGGER through INSTEAD OF INSERT ON v BEGIN
          INSERT INTO t (id, a) VALUES (new.k, new.value);
        END
        """,
        Rows.fill("t (a)", "'a' || n", count: 20), "INSERT INTO v VALUES (100, 'by view')",
      ]),
    Recipe(
      "full-text",
      [
        "CREATE TABLE docs (id INTEGER PRIMARY KEY, title TEXT, body TEXT)",
        Rows.fill("docs (title, body)", "'title ' || n, 'some words here ' || n", count: 60),
        "CREATE VIRTUAL TABLE five USING fts5(title, body, tokenize = 'porter')",
        "INSERT INTO five SELECT title, body FROM docs",
        "CREATE VIRTUAL TABLE outside USING fts5(title, content='docs', content_rowid='id')",
        "INSERT INTO outside (outside) VALUES ('rebuild')",
        "CREATE VIRTUAL TABLE contentless USING fts5(body, content='')",
        "INSERT INTO contentless (rowid, body) SELECT id, body FROM docs",
        "CREATE VIRTUAL TABLE four USING fts4(title, body)",
        "INSERT INTO four SELECT title, body FROM docs",
      ]),
    Recipe(
      "rtree",
      [
        "CREATE VIRTUAL TABLE places USING rtree(id, x0, x1, y0, y1, +name TEXT)",
        Rows.fill("places", "n, n, n + 1.5, -n, 1 - n, 'place ' || n", count: 300),
      ]),
    Recipe(
      "weird-names",
      weirdNames.enumerated().flatMap { index, name -> [DatabaseBuilder.Step] in
        let table = Oracle.quoted(name)
        let column = Oracle.quoted(weirdNames[(index + 1) % weirdNames.count] + "_column")
        return [
          "CREATE TABLE \(table) (\(column) TEXT, \"\" INT, \"a b\" BLOB)",
          DatabaseBuilder.Step(
            "INSERT INTO \(table) VALUES (?, ?, ?)",
            [.text(name), .integer(Int64(index)), .blob([0])]),
          "CREATE INDEX \(Oracle.quoted("index of " + name)) ON \(table) (\(column))",
        ]
      }),
    Recipe(
      "many-tables",
      DatabaseBuilder(
        pageSize: 1024,
        (1...120).flatMap { number -> [DatabaseBuilder.Step] in
          [
            "CREATE TABLE table_\(number) (id INTEGER PRIMARY KEY, a TEXT, n\(number) INT)",
            Rows.fill("table_\(number) (a)", "'t\(number) ' || n", count: number % 5),
          ]
        })),
    Recipe(
      "marked",
      [
        "PRAGMA user_version = -7", "PRAGMA application_id = 1179210828",
        "PRAGMA default_cache_size = 500", "CREATE TABLE t (a)", "INSERT INTO t VALUES (1)",
      ]),
    Recipe("no-tables", ["PRAGMA user_version = 3"]),
    Recipe("dropped-tables", ["CREATE TABLE t (a)", "INSERT INTO t VALUES (1)", "DROP TABLE t"]),
    Recipe("empty-tables", ["CREATE TABLE t (a)", "CREATE TABLE u (k PRIMARY KEY) WITHOUT ROWID"]),
  ]

  private static let weirdNames = [
    "select", "a\"b", "with space", "Ünïcödé 🏋️", "[brackets]", "it's", "new\nline", "1st", "%s",
    "--comment", ";", "`tick`", "TABLE", "a.b", "x'00'", "", "?1", "sqlit", "order by 1",
  ]
}
