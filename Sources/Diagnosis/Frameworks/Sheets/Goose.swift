// SPDX-License-Identifier: Apache-2.0
// goose, which writes a row for each migration that is carried out or taken back: the last one of a
// version counts. Read in its source.

import SQLiteFormat

extension FrameworkSheet {
  static let goose = FrameworkSheet(
    title: "goose",
    signatures: [
      FrameworkSignature(
        .certain, [TableShape("goose_db_version", ["id", "version_id", "is_applied", "tstamp"])])
    ],
    book: MigrationBook(
      "goose_db_version", ["version_id"], counts: [RowCondition("is_applied", .isTrue)],
      lastBy: "id"))
}
