// SPDX-License-Identifier: Apache-2.0
// Anki, an app for learning; what was not sent has the number -1. Read in its source.

import SQLiteFormat

extension FrameworkSheet {
  static let anki = FrameworkSheet(
    title: "Anki",
    signatures: [
      FrameworkSignature(
        .certain,
        [
          TableShape("col", ["id", "crt", "mod", "scm", "ver", "usn"]),
          TableShape("notes", ["id", "guid", "mid", "usn", "flds", "sfld"]),
          TableShape("cards", ["id", "nid", "did", "usn", "ivl"]),
          TableShape("graves", ["usn", "oid", "type"]),
          TableShape("revlog", ["id", "cid", "usn", "ease"]),
        ])
    ],
    book: MigrationBook("col", ["ver"], .number),
    unsynced: [
      UnsyncedTables(TableShape("notes", ["guid", "usn"]), where: "usn", .equals(-1)),
      UnsyncedTables(TableShape("cards", ["nid", "usn"]), where: "usn", .equals(-1)),
      UnsyncedTables(TableShape("graves", ["oid", "usn"]), where: "usn", .equals(-1)),
      UnsyncedTables(TableShape("revlog", ["cid", "usn"]), where: "usn", .equals(-1)),
    ])
}
