// SPDX-License-Identifier: Apache-2.0
// sqlx, for Rust, which notes how long a migration took after its end. Read in its source.

import SQLiteFormat

extension FrameworkSheet {
  static let sqlx = FrameworkSheet(
    title: "sqlx",
    signatures: [
      FrameworkSignature(
        .certain,
        [
          TableShape(
            "_sqlx_migrations",
            ["version", "description", "installed_on", "success", "checksum", "execution_time"])
        ])
    ],
    book: MigrationBook(
      "_sqlx_migrations", ["version"], counts: [RowCondition("success", .isTrue)]),
    unfinished: [
      UnfinishedMark("_sqlx_migrations", [RowCondition("success", .isFalse)], says: "has failed"),
      UnfinishedMark(
        "_sqlx_migrations", [RowCondition("execution_time", .equals(-1))],
        says: "was carried out, and its end not noted", .likely),
    ])
}
