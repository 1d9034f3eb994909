// SPDX-License-Identifier: Apache-2.0
// WatermelonDB, for React Native; `user_version` is its version. Read in its source.

import SQLiteFormat

extension FrameworkSheet {
  static let watermelonDB = FrameworkSheet(
    title: "WatermelonDB",
    signatures: [
      FrameworkSignature(
        .certain,
        [
          TableShape("local_storage", ["key", "value"]),
          TableShape(name: .any, ["id", "_changed", "_status"]),
        ]), FrameworkSignature(.likely, [TableShape(name: .any, ["id", "_changed", "_status"])]),
    ],
    unsynced: [
      // A status that was never set counts as not synced.
      UnsyncedTables(
        TableShape(name: .any, ["id", "_changed", "_status"]), where: "_status",
        .isNotText("synced"))
    ])
}
