// SPDX-License-Identifier: Apache-2.0
// Prisma, which writes down when each migration began and ended. Read in its source.

import SQLiteFormat

extension FrameworkSheet {
  static let prisma = FrameworkSheet(
    title: "Prisma",
    signatures: [
      FrameworkSignature(
        .certain,
        [
          TableShape(
            "_prisma_migrations",
            ["id", "checksum", "finished_at", "migration_name", "rolled_back_at", "started_at"])
        ])
    ],
    book: MigrationBook(
      "_prisma_migrations", ["migration_name"],
      counts: [RowCondition("finished_at", .isNotNull), RowCondition("rolled_back_at", .isNull)]),
    unfinished: [
      UnfinishedMark(
        "_prisma_migrations",
        [RowCondition("finished_at", .isNull), RowCondition("rolled_back_at", .isNull)],
        says: "was begun, and neither finished nor taken back")
    ],
    rebuilds: [RebuildName(prefix: "new_")])
}
