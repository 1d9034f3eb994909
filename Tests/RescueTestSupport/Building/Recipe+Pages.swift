// SPDX-License-Identifier: Apache-2.0
// Recipes about the file: page sizes, deep trees, free pages, pointer maps.

import SQLiteFormat

extension Recipe {
  static let layouts = [512, 1024, 2048, 4096, 8192, 16384, 32768, 65536].map { pageSize in
    Recipe(
      "page-size-\(pageSize)",
      DatabaseBuilder(
        pageSize: pageSize,
        [
          "CREATE TABLE t (id INTEGER PRIMARY KEY, a TEXT, b INT)",
          Rows.fill("t (a, b)", "\(Rows.text(60)), n * 31 % 977", count: 1500),
          "CREATE INDEX t_b ON t (b, a)",
        ]))
  }

  static let pages = [
    Recipe(
      "deep-trees",
      DatabaseBuilder(
        pageSize: 512,
        [
          "CREATE TABLE t (id INTEGER PRIMARY KEY, a TEXT)",
          Rows.fill("t (a)", Rows.text(100), count: 4000),
          "CREATE TABLE k (a TEXT, b INT, PRIMARY KEY (a, b)) WITHOUT ROWID",
          Rows.fill("k", "\(Rows.text(60)), n", count: 1500), "CREATE INDEX t_a ON t (a)",
        ])),
    Recipe(
      "reserved-bytes",
      DatabaseBuilder(
        pageSize: 512, reservedBytes: 32,
        [
          "CREATE TABLE t (id INTEGER PRIMARY KEY, a TEXT)",
          Rows.fill("t (a)", Rows.text(200), count: 300), "CREATE INDEX t_a ON t (a)",
        ])),
    Recipe(
      "freelist",
      DatabaseBuilder(
        pageSize: 512,
        [
          "CREATE TABLE kept (id INTEGER PRIMARY KEY, a TEXT)",
          "CREATE TABLE gone (id INTEGER PRIMARY KEY, a TEXT)",
          Rows.fill("kept (a)", Rows.text(120), count: 200),
          Rows.fill("gone (a)", Rows.text(400), count: 400), "DROP TABLE gone",
          "DELETE FROM kept WHERE id BETWEEN 50 AND 150 OR id % 7 = 0",
        ])),
    Recipe(
      "secure-delete",
      DatabaseBuilder(
        pageSize: 1024,
        [
          "PRAGMA secure_delete = ON", "CREATE TABLE t (id INTEGER PRIMARY KEY, a TEXT)",
          Rows.fill("t (a)", Rows.text(120), count: 300), "DELETE FROM t WHERE id % 3 = 0",
          "DELETE FROM t WHERE id BETWEEN 100 AND 200",
        ])),
    Recipe(
      "fragmented-pages",
      DatabaseBuilder(
        pageSize: 1024,
        [
          "CREATE TABLE t (id INTEGER PRIMARY KEY, a TEXT)",
          Rows.fill("t (a)", Rows.text(40), count: 400),
          "UPDATE t SET a = substr(a, 1, 38) WHERE id % 2", "DELETE FROM t WHERE id % 5 = 0",
          "UPDATE t SET a = a || 'longer than before' WHERE id % 3 = 0",
          "CREATE TABLE tiny (a)", Rows.fill("tiny", "NULL", count: 300),
        ])),
    Recipe("auto-vacuum-full", autoVacuum(.full)),
    Recipe("auto-vacuum-incremental", autoVacuum(.incremental)),
    Recipe(
      "vacuumed",
      [
        "CREATE TABLE t (id INTEGER PRIMARY KEY, a TEXT)",
        Rows.fill("t (a)", Rows.text(100), count: 500), "DELETE FROM t WHERE id % 2", "VACUUM",
      ]),
  ]

  /// Enough pages of 512 bytes for several pointer-map pages, with overflow chains and free pages.
  private static func autoVacuum(_ mode: DatabaseBuilder.AutoVacuum) -> DatabaseBuilder {
    DatabaseBuilder(
      pageSize: 512, autoVacuum: mode,
      [
        "CREATE TABLE t (id INTEGER PRIMARY KEY, a TEXT)",
        "CREATE TABLE long (id INTEGER PRIMARY KEY, b BLOB)",
        Rows.fill("t (a)", Rows.text(150), count: 600),
        Rows.fill("long (b)", "zeroblob(n * 97)", count: 40), "CREATE INDEX t_a ON t (a)",
        "DELETE FROM t WHERE id BETWEEN 100 AND 300", "DELETE FROM long WHERE id % 3 = 0",
      ] + (mode == .incremental ? ["PRAGMA incremental_vacuum(10)"] : []))
  }
}
