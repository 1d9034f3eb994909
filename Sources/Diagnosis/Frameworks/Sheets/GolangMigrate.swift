// SPDX-License-Identifier: Apache-2.0
// golang-migrate, which notes the last migration only, and whether it has failed. Read in its
// source.

import SQLiteFormat

extension FrameworkSheet {
  static let golangMigrate = FrameworkSheet(
    title: "golang-migrate",
    signatures: [
      FrameworkSignature(
        .certain, [TableShape("schema_migrations", ["version", "dirty"], complete: true)])
    ],
    book: MigrationBook(
      "schema_migrations", ["version"], .last, counts: [RowCondition("dirty", .isFalse)]),
    unfinished: [
      UnfinishedMark(
        "schema_migrations", [RowCondition("dirty", .isTrue)], says: "has failed in the middle")
    ])
}
