// SPDX-License-Identifier: Apache-2.0
// PowerSync, which keeps the rows to be sent in a queue. Read in its source.

import SQLiteFormat

extension FrameworkSheet {
  static let powerSync = FrameworkSheet(
    title: "PowerSync",
    signatures: [
      FrameworkSignature(
        .certain,
        [
          TableShape("ps_migration", ["id", "down_migrations"]),
          TableShape("ps_crud", ["id", "data"]),
        ]), FrameworkSignature(.likely, [TableShape("ps_migration", ["id", "down_migrations"])]),
    ],
    book: MigrationBook("ps_migration", ["id"], .mark),
    unsynced: [UnsyncedTables(TableShape("ps_crud", ["id", "data"]), where: "data", .isAny)])
}
