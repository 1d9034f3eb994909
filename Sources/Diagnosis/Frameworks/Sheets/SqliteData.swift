// SPDX-License-Identifier: Apache-2.0
// SQLiteData, which stands on GRDB and mirrors to CloudKit. Read in its source.

import SQLiteFormat

extension FrameworkSheet {
  static let sqliteData = FrameworkSheet(
    title: "SQLiteData",
    signatures: [
      FrameworkSignature(
        .certain,
        [
          TableShape(
            "sqlitedata_icloud_metadata",
            ["recordprimarykey", "recordtype", "zonename", "ownername"]),
          TableShape(
            "sqlitedata_icloud_unsyncedrecordids", ["recordname", "zonename", "ownername"]),
        ]),
      FrameworkSignature(
        .likely, [TableShape("sqlitedata_icloud_metadata", ["recordprimarykey", "recordtype"])]),
    ],
    book: MigrationBook(
      "grdb_migrations", ["identifier"], .set, isInOrder: true, isInWords: true),
    unsynced: [
      UnsyncedTables(
        TableShape("sqlitedata_icloud_pendingrecordzonechanges", ["pendingrecordzonechange"]),
        where: "pendingrecordzonechange", .isAny),
      UnsyncedTables(
        TableShape("sqlitedata_icloud_unsyncedrecordids", ["recordname", "zonename", "ownername"]),
        where: "recordname", .isAny),
    ])
}
