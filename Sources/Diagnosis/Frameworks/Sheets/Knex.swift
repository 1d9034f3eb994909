// SPDX-License-Identifier: Apache-2.0
// knex, for Node. Read in its source.

import SQLiteFormat

extension FrameworkSheet {
  static let knex = FrameworkSheet(
    title: "knex",
    signatures: [
      FrameworkSignature(
        .certain,
        [
          TableShape("knex_migrations", ["id", "name", "batch", "migration_time"]),
          TableShape("knex_migrations_lock", ["index", "is_locked"]),
        ]),
      FrameworkSignature(
        .likely, [TableShape("knex_migrations", ["id", "name", "batch", "migration_time"])]),
    ],
    book: MigrationBook("knex_migrations", ["name"], order: "id"),
    unfinished: [
      UnfinishedMark(
        "knex_migrations_lock", [RowCondition("is_locked", .isTrue)], says: "holds its lock still",
        .likely)
    ])
}
