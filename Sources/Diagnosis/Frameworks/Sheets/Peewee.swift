// SPDX-License-Identifier: Apache-2.0
// peewee-migrate, for Python, as version 2.3.0 makes it.

import SQLiteFormat

extension FrameworkSheet {
  static let peewee = FrameworkSheet(
    title: "peewee",
    signatures: [
      FrameworkSignature(
        .certain, [TableShape("migratehistory", ["id", "name", "migrated_at"], complete: true)])
    ],
    book: MigrationBook("migratehistory", ["name"], order: "id"),
    rebuilds: [RebuildName(suffix: "__tmp__", isTelling: true)])
}
