// SPDX-License-Identifier: Apache-2.0
// Specimens that are odd in their names: SQLite folds the case of ASCII and of nothing else.

import SQLiteFormat

extension Specimen {
  static let names = [
    Specimen(
      "case-pairs-of-tables",
      [
        "CREATE TABLE \"tä\" (a)", "CREATE TABLE \"TÄ\" (a)", "INSERT INTO \"tä\" VALUES ('small')",
        "INSERT INTO \"TÄ\" VALUES ('LARGE')", "CREATE INDEX \"iß\" ON \"tä\" (a)",
        "CREATE INDEX \"İß\" ON \"TÄ\" (a)", "CREATE TABLE \"straße\" (s)",
        "CREATE TABLE \"STRASSE\" (s)",
        "INSERT INTO \"straße\" VALUES (1)", "INSERT INTO \"STRASSE\" VALUES (2)",
        "CREATE VIEW \"σ\" AS SELECT 1", "CREATE VIEW \"ς\" AS SELECT 2",
        "CREATE VIEW \"Σ\" AS SELECT 3",
        "CREATE TRIGGER \"é\" AFTER INSERT ON \"tä\" BEGIN SELECT 1; END",
        "CREATE TRIGGER \"É\" AFTER INSERT ON \"TÄ\" BEGIN SELECT 1; END",
      ]),
    Specimen(
      "case-pairs-of-columns",
      [
        "CREATE TABLE k (É, é, \"ß\", \"ẞ\", \"ǆ\", \"ǅ\", \"K\", \"K\u{212A}\", i, \"İ\", \"ı\")",
        "INSERT INTO k VALUES (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11)",
        "CREATE INDEX k_e ON k (é, É DESC)",
        "CREATE TABLE w (é, É, v, PRIMARY KEY (É)) WITHOUT ROWID", "INSERT INTO w VALUES (1, 2, 3)",
        "CREATE TABLE g (É INT, é AS (É + 1), ê AS (é * 2) STORED)", "INSERT INTO g VALUES (5)",
      ]),
    Specimen(
      "composed-and-decomposed",
      [
        "CREATE TABLE \"caf\u{E9}\" (\"\u{E9}\", \"e\u{301}\")",
        "CREATE TABLE \"cafe\u{301}\" (\"e\u{301}\", \"\u{E9}\")",
        "INSERT INTO \"caf\u{E9}\" VALUES ('composed', 'decomposed')",
        "INSERT INTO \"cafe\u{301}\" VALUES ('d', 'c')",
        "CREATE INDEX \"\u{E9}\" ON \"caf\u{E9}\" (\"e\u{301}\")",
        "CREATE INDEX \"e\u{301}\" ON \"cafe\u{301}\" (\"e\u{301}\")",
        "CREATE TABLE \"\u{212B}\" (a)", "CREATE TABLE \"\u{C5}\" (a)",
        "INSERT INTO \"\u{C5}\" VALUES (1)",
        "CREATE TABLE \"\u{1100}\u{1161}\" (a)", "CREATE TABLE \"\u{AC00}\" (a)",
        "INSERT INTO \"\u{AC00}\" VALUES ('gag')",
      ]),
    named(
      "quotes-and-marks",
      [
        "\"", "\"\u{301}", "'", "''", "`", "[", "]", "\"\"", "a\"b'c`d]e", "\u{301}", "\r\n", ";\r",
        "--", "/*", "*/ x", "%", "\\", "$x", "@x", ":x", "?", "\u{200D}", "\u{FEFF}", "\u{202E}abc",
      ]),
    named(
      "control-characters",
      (1...31).map { "c" + String(UnicodeScalar(UInt8($0))) } + ["\u{7F}", "\u{9F}"]),
    named(
      "emoji",
      ["🏋️", "👨‍👩‍👧‍👦", "🇨🇭", "🏋️‍♀️", "👍🏽", "👍", "🏋", "\u{10FFFF}", "\u{FFFE}", "𝒳", "ﷺ", "ｆｕｌｌ"]),
    named(
      "keywords",
      [
        "select", "table", "index", "values", "default", "check", "references", "constraint",
        "primary",
        "generated", "always", "stored", "virtual", "without", "rowid", "strict", "null", "true",
        "false",
        "current_timestamp", "main", "temp", "schema", "new", "old", "excluded", "begin", "end",
        "using",
      ]),
    named(
      "long-names", [String(repeating: "long", count: 4000), String(repeating: "ä", count: 9000)]),
    named(
      "like-our-own",
      ["c0", "rows", "lost_rows", "quarantine", "sqlit_", "dbrescue", "_rowid", "sqlite"]),
    Specimen(
      "utf16-without-a-table",
      DatabaseBuilder(encoding: .utf16le, ["CREATE VIEW v AS SELECT 'text' AS t"])),
    Specimen(
      "names-as-strings",
      [
        """
        CREATE TABLE 't' ('b' INTEGER PRIMARY KEY, 'g' INT AS (b + 1), 'h' AS (b * 2) NOT NULL,
          'n' TEXT COLLATE 'nocase')
        """,
        "CREATE INDEX 'i' ON 't' ('g')", "CREATE UNIQUE INDEX j ON t (h, n)",
        "CREATE TABLE u ('k' AS (v || 'x') UNIQUE, v REFERENCES 't' ('b'), CONSTRAINT 'c' CHECK (v > 0))",
        Rows.fill("t (b, n)", "n, 'N' || n", count: 40), Rows.fill("u (v)", "n", count: 40),
      ]),
    Specimen(
      "printf-of-blobs-in-utf16",
      DatabaseBuilder(
        encoding: .utf16le,
        [
          "CREATE TABLE t (n)", "CREATE INDEX i ON t (printf('%s %d', n, n))",
          "INSERT INTO t VALUES (x'00ff'), (x'6100'), (x'31003200'), ('text'), (x''), (7)",
        ])),
    Specimen(
      "names-in-utf16",
      DatabaseBuilder(
        encoding: .utf16be,
        [
          "CREATE TABLE \"ta\u{308}ble 🏋️\" (\"É\", é TEXT COLLATE NOCASE)",
          "INSERT INTO \"ta\u{308}ble 🏋️\" VALUES ('ä', 'ö'), ('🏋️', char(0x10FFFF))",
          "CREATE INDEX \"ï\" ON \"ta\u{308}ble 🏋️\" (é, \"É\")",
          "CREATE VIEW \"ví\" AS SELECT é FROM \"ta\u{308}ble 🏋️\"",
        ])),
    Specimen(
      "collations-in-utf16",
      DatabaseBuilder(
        encoding: .utf16le,
        [
          "CREATE TABLE t (k TEXT PRIMARY KEY COLLATE NOCASE, r TEXT UNIQUE COLLATE RTRIM, d)",
          "CREATE INDEX i ON t (d COLLATE nocase DESC)",
          "INSERT INTO t VALUES ('B', 'b ', 'É'), ('a', 'a', 'é'), ('D', 'B', 'f'), ('c', ' ', 'F')",
          "CREATE TABLE w (k TEXT COLLATE NOCASE PRIMARY KEY) WITHOUT ROWID",
          "INSERT INTO w VALUES ('x'), ('Y'), ('z'), ('A')",
        ])),
    Specimen(
      "shared-names",
      [
        "CREATE TABLE t (t, \"T2\")", "CREATE TRIGGER t AFTER INSERT ON t BEGIN SELECT 1; END",
        "CREATE INDEX i ON t (t)", "CREATE TRIGGER i AFTER DELETE ON t BEGIN SELECT 1; END",
        "INSERT INTO t VALUES (1, 2)", "CREATE TABLE x_content (a)",
        "CREATE TABLE x_data (id, block)",
        "INSERT INTO x_content VALUES ('no shadow')", "INSERT INTO x_data VALUES (1, 2)",
        "CREATE TABLE y_node (nodeno, data)", "INSERT INTO y_node VALUES (1, 2)",
      ]),
  ]

  /// Tables, columns and indexes of these names.
  private static func named(_ title: String, _ names: [String]) -> Specimen {
    Specimen(
      title,
      names.enumerated().flatMap { index, name -> [DatabaseBuilder.Step] in
        let table = Oracle.quoted(name)
        return [
          "CREATE TABLE \(table) (\(table) TEXT DEFAULT 'd', \(Oracle.quoted("x" + name)) INT)",
          DatabaseBuilder.Step(
            "INSERT INTO \(table) VALUES (?, ?)", [.text(name), .integer(Int64(index))]),
          "CREATE INDEX \(Oracle.quoted("i" + name)) ON \(table) (\(table))",
          "CREATE VIEW \(Oracle.quoted("v" + name)) AS SELECT \(table) FROM \(table)",
        ]
      })
  }
}
