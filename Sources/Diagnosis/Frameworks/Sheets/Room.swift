// SPDX-License-Identifier: Apache-2.0
// Room, the database of Android's Jetpack; `user_version` is its version, and a hash tells its
// schema. Read in its source and in 114 schemas that it exported.

import SQLiteFormat

extension FrameworkSheet {
  static let room = FrameworkSheet(
    title: "Room",
    signatures: [
      FrameworkSignature(.certain, [TableShape("room_master_table", ["id", "identity_hash"])])
    ],
    book: MigrationBook(
      "room_master_table", ["identity_hash"], .mark, counts: [RowCondition("id", .equals(42))]),
    rebuilds: [RebuildName(prefix: "_new_", isOdd: true)])
}
