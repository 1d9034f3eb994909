// SPDX-License-Identifier: Apache-2.0
// Specimens that are odd in how their file is laid out, and in what lies beside it.

import SQLiteFormat

extension Specimen {
  static let files =
    [512, 1024, 2048, 4096, 8192, 16384, 32768, 65536].flatMap { size in
      reserves(size).map { reserve in
        let encoding = TextEncoding.allCases[(size / 512 + reserve) % TextEncoding.allCases.count]
        let vacuum: DatabaseBuilder.AutoVacuum = [.none, .full, .incremental][
          (size / 512 + reserve) % 3]
        return Specimen(
          "pages-\(size)-\(reserve)",
          DatabaseBuilder(
            pageSize: size, encoding: encoding, autoVacuum: vacuum, reservedBytes: reserve, mixed))
      }
    } + [
      Specimen(
        "empty-65536",
        DatabaseBuilder(pageSize: 65536, ["CREATE TABLE t (a)", "CREATE INDEX i ON t (a)"])),
      Specimen("old-format-1", legacy).setting(headerByte: 47, to: 1),
      Specimen("old-format-2", legacy).setting(headerByte: 47, to: 2),
      Specimen("old-format-3", legacy).setting(headerByte: 47, to: 3),
      Specimen(
        "marks",
        ["PRAGMA user_version = 2147483647", "PRAGMA application_id = -2147483648"] + legacy
          + ["PRAGMA default_cache_size = -1000"]),
      Specimen(
        "wal-with-free-pages",
        DatabaseBuilder(
          pageSize: 512, journal: .wal, mixed,
          leftover: .wal(["DELETE FROM t WHERE id % 2", "DROP TABLE u", "CREATE TABLE x (y)"]))),
      Specimen(
        "wal-vacuumed",
        DatabaseBuilder(
          pageSize: 1024, autoVacuum: .full, journal: .wal, mixed,
          leftover: .wal(["DELETE FROM t WHERE id > 5", "VACUUM", "INSERT INTO u VALUES (1, 2)"]))),
      Specimen(
        "persisted-journal",
        DatabaseBuilder(journal: .persist, mixed + ["UPDATE t SET b = 'again'", "DELETE FROM u"])),
      Specimen(
        "free-pages",
        DatabaseBuilder(pageSize: 512, mixed + ["DELETE FROM t WHERE id > 4", "DROP TABLE u"])),
      Specimen(
        "nothing-left",
        DatabaseBuilder(pageSize: 1024, mixed + ["DROP TABLE t", "DROP TABLE u", "DROP TABLE l"])),
    ]

  /// Reserves that leave at least 480 bytes of a page.
  private static func reserves(_ pageSize: Int) -> [Int] {
    pageSize == 512 ? [8, 32] : [8, 32, 250]
  }

  private static let mixed: [DatabaseBuilder.Step] = [
    "CREATE TABLE t (id INTEGER PRIMARY KEY, a TEXT, b)",
    "CREATE TABLE u (k TEXT, v, PRIMARY KEY (k)) WITHOUT ROWID", "CREATE TABLE l (long BLOB)",
    Rows.fill("t (a, b)", "'ä' || n, n / 3.0", count: 120), "CREATE INDEX t_b ON t (b DESC, a)",
    Rows.fill("u", "'k' || n, zeroblob(n % 40)", count: 120),
    Rows.fill("l", "zeroblob(n * 731)", count: 12),
  ]

  private static let legacy: [DatabaseBuilder.Step] = [
    "CREATE TABLE t (id INTEGER PRIMARY KEY, a TEXT, b REAL)", "CREATE INDEX t_a ON t (a, b)",
    Rows.fill("t (a, b)", "'a' || n, n / 2.0", count: 60),
  ]
}
