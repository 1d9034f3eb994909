// SPDX-License-Identifier: Apache-2.0
// yoyo, for Python, as version 9.0.0 makes it.

import SQLiteFormat

extension FrameworkSheet {
  static let yoyo = FrameworkSheet(
    title: "yoyo",
    signatures: [
      FrameworkSignature(
        .certain,
        [TableShape("_yoyo_migration", ["migration_hash", "migration_id", "applied_at_utc"])])
    ],
    book: MigrationBook("_yoyo_migration", ["migration_id"]),
    unfinished: [
      UnfinishedMark(
        "yoyo_lock", [RowCondition("locked", .isAny)], says: "holds its lock still", .likely)
    ])
}
