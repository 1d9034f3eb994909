// SPDX-License-Identifier: Apache-2.0
// Specimens that are odd in their views and triggers, in what only the app knows, or in numbers.

import SQLiteFormat

extension Specimen {
  static let objects = [
    Specimen(
      "views-of-nothing",
      [
        "CREATE VIEW missing AS SELECT a FROM no_such_table", "CREATE TABLE t (a)",
        "CREATE VIEW column_missing AS SELECT no_such_column FROM t", "INSERT INTO t VALUES (1)",
        "CREATE VIEW a AS SELECT * FROM b", "CREATE VIEW b AS SELECT * FROM a",
        "CREATE VIEW itself AS SELECT * FROM itself",
        "CREATE VIEW call AS SELECT no_such_function(a) FROM t",
        "CREATE VIEW other (x, y) AS SELECT 1",
        "CREATE VIEW dated AS SELECT datetime('now'), random()",
        """
        CREATE VIEW windowed AS WITH RECURSIVE c(n) AS (VALUES (1) UNION ALL SELECT n + 1 FROM c LIMIT 9)
        SELECT n, sum(n) OVER (ORDER BY n ROWS 2 PRECEDING) FROM c
        """,
      ]),
    Specimen(
      "triggers-of-all-sorts",
      [
        "CREATE TABLE t (id INTEGER PRIMARY KEY, a, b)", "CREATE TABLE log (what)",
        "CREATE VIEW v AS SELECT a, b FROM t",
        "CREATE TRIGGER t1 BEFORE UPDATE OF a, b ON t WHEN new.a < 0 BEGIN SELECT RAISE(ABORT, 'no'); END",
        "CREATE TRIGGER t2 AFTER DELETE ON t FOR EACH ROW BEGIN DELETE FROM log WHERE what = old.a; END",
        "CREATE TRIGGER t3 INSTEAD OF UPDATE ON v BEGIN UPDATE t SET a = new.a WHERE a = old.a; END",
        "CREATE TRIGGER t4 INSTEAD OF DELETE ON v BEGIN SELECT RAISE(IGNORE); END",
        """
        CREATE TRIGGER t5 AFTER INSERT ON t WHEN new.id < 5 BEGIN
          INSERT INTO t (a) VALUES (new.a + 1) ON CONFLICT (id) DO UPDATE SET a = excluded.a;
          INSERT INTO log SELECT 'x' FROM (SELECT 1 UNION SELECT 2);
        END
        """,
        "CREATE TRIGGER t6 AFTER INSERT ON t BEGIN INSERT INTO no_such_table VALUES (1); END",
        "DROP TRIGGER t6", "INSERT INTO t (a) VALUES (1)",
        "CREATE TRIGGER t7 AFTER INSERT ON log WHEN 0 BEGIN SELECT no_such_function(1); END",
      ]),
    Specimen(
      "triggers-that-change-rows",
      [
        "CREATE TABLE t (id INTEGER PRIMARY KEY, a)", "CREATE TABLE n (count)",
        "INSERT INTO n VALUES (0)",
        Rows.fill("t (a)", "n", count: 20),
        "CREATE TRIGGER counts AFTER INSERT ON t BEGIN UPDATE n SET count = count + 1; END",
        "CREATE TRIGGER refuses BEFORE INSERT ON t BEGIN SELECT RAISE(FAIL, 'never'); END",
        "CREATE TRIGGER doubles AFTER INSERT ON n BEGIN INSERT INTO t (a) VALUES (99); END",
      ]),
    Specimen(
      "long-statements",
      [
        "CREATE TABLE t (a, b /* \(String(repeating: "long ", count: 250_000)) */)",
        "INSERT INTO t VALUES (1, 2)",
        "CREATE VIEW v AS SELECT '\(String(repeating: "text", count: 300_000))'",
        "CREATE TABLE d (a DEFAULT '\(String(repeating: "d", count: 1_200_000))')",
        "INSERT INTO d VALUES (5)",
        "CREATE INDEX i ON t (a) WHERE b IN (\(list(120_000) { "\($0 + 1000)" }))",
      ]),
  ]

  static let appOnly = [
    Specimen(
      "app-functions",
      [
        """
        CREATE TABLE t (id INTEGER PRIMARY KEY, a TEXT CHECK (length(a) > 0), b AS (upper(a)) VIRTUAL,
          c AS (lower(a)) STORED, d DEFAULT (abs(-4)))
        """,
        Rows.fill("t (a)", "'Text ' || n", count: 60), "CREATE INDEX t_x ON t (lower(a))",
        "CREATE INDEX t_p ON t (d) WHERE upper(a) > 'A'", "CREATE INDEX t_c ON t (c, b)",
        "CREATE VIEW v AS SELECT lower(a) FROM t",
        "CREATE TRIGGER r AFTER INSERT ON t BEGIN SELECT upper(new.a); END",
      ]
    ).naming(
      [
        "lower(": "app_lower(", "upper(": "app_upper(", "length(": "app_length(",
        "abs(": "app_abs(",
      ]
    ),
    Specimen(
      "app-collations",
      [
        "CREATE TABLE t (id INTEGER PRIMARY KEY, a TEXT COLLATE NOCASE UNIQUE, b COLLATE RTRIM)",
        Rows.fill("t (a, b)", "'Text ' || n, 'b' || n", count: 60), "CREATE INDEX t_b ON t (b, a)",
        "CREATE INDEX t_n ON t (b COLLATE NOCASE DESC)",
        "CREATE TABLE w (k TEXT COLLATE NOCASE PRIMARY KEY, v) WITHOUT ROWID",
        Rows.fill("w", "'Key ' || n, n", count: 60),
        "CREATE TABLE two (a COLLATE NOCASE, b COLLATE RTRIM, PRIMARY KEY (b DESC, a)) WITHOUT ROWID",
        Rows.fill("two", "'A' || n, 'b' || (n % 7)", count: 60),
      ]
    ).naming(["NOCASE": "localized", "RTRIM": "\"Ünïcode\""]).salvaged(withStatus: 13),
    Specimen(
      "app-tokenizer",
      [
        "CREATE VIRTUAL TABLE f USING fts4(a, tokenize=porter)",
        Rows.fill("f (a)", "'running ' || n", count: 9),
      ]
    ).naming(["tokenize=porter": "tokenize=app_words"]),
  ]

  static let crowds = [
    crowd("tables", 2000) { ["CREATE TABLE t\($0) (a, b)"] },
    crowd("tables", 10_000) { ["CREATE TABLE t\($0) (a, b)"] }.large,
    crowd("indexes", 1000) { ["CREATE INDEX i\($0) ON first (a, b)"] },
    crowd("indexes", 5000) { ["CREATE INDEX i\($0) ON first (a, b)"] }.large,
    crowd("triggers", 1000) {
      ["CREATE TRIGGER r\($0) AFTER INSERT ON first BEGIN UPDATE first SET b = \($0); END"]
    },
    crowd("views", 1000) {
      ["CREATE VIEW v\($0) AS SELECT * FROM \($0 == 0 ? "first" : "v\($0 / 2)")"]
    },
  ]

  /// A database with very many objects of a kind.
  private static func crowd(
    _ kind: String, _ count: Int, _ object: (Int) -> [DatabaseBuilder.Step]
  ) -> Specimen {
    Specimen(
      "\(kind)-\(count)",
      DatabaseBuilder(
        pageSize: 512,
        ["CREATE TABLE first (a, b)", Rows.fill("first", "n, -n", count: 10), "BEGIN"]
          + (0..<count).flatMap(object) + ["COMMIT"]))
  }
}
