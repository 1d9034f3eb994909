// SPDX-License-Identifier: Apache-2.0
// kysely, for TypeScript. Read in its source.

import SQLiteFormat

extension FrameworkSheet {
  static let kysely = FrameworkSheet(
    title: "kysely",
    signatures: [
      FrameworkSignature(
        .certain,
        [
          TableShape("kysely_migration", ["name", "timestamp"]),
          TableShape("kysely_migration_lock", ["id", "is_locked"]),
        ]), FrameworkSignature(.likely, [TableShape("kysely_migration", ["name", "timestamp"])]),
    ],
    book: MigrationBook("kysely_migration", ["name"]),
    unfinished: [
      UnfinishedMark(
        "kysely_migration_lock", [RowCondition("is_locked", .isTrue)], says: "holds its lock still",
        .likely)
    ])
}
