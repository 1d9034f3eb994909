// SPDX-License-Identifier: Apache-2.0
// Litestream, which replicates any database and leaves its own tables in it. Read in its source.

import SQLiteFormat

extension FrameworkSheet {
  static let litestream = FrameworkSheet(
    title: "Litestream",
    signatures: [
      FrameworkSignature(
        .certain,
        [TableShape("_litestream_seq", ["id", "seq"]), TableShape("_litestream_lock", ["id"])]),
      FrameworkSignature(.likely, [TableShape("_litestream_seq", ["id", "seq"])]),
    ],
    distance: 200)
}
