// SPDX-License-Identifier: Apache-2.0
// sqlite-migrate, which belongs to sqlite-utils and knows migrations in sets. Read in its source.

import SQLiteFormat

extension FrameworkSheet {
  static let sqliteUtils = FrameworkSheet(
    title: "sqlite-utils",
    signatures: [
      FrameworkSignature(
        .certain, [TableShape("_sqlite_migrations", ["migration_set", "name", "applied_at"])])
    ],
    book: MigrationBook(
      "_sqlite_migrations", ["migration_set", "name"], order: "applied_at", group: "migration_set"),
    // What `transform` makes of a table, with or without migrations.
    rebuilds: [RebuildName(suffix: "_new_", digits: 12, isTelling: true)])
}
