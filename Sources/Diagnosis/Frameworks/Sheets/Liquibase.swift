// SPDX-License-Identifier: Apache-2.0
// Liquibase, which takes a lock and leaves it when it dies. Known from dumps.

import SQLiteFormat

extension FrameworkSheet {
  static let liquibase = FrameworkSheet(
    title: "Liquibase",
    signatures: [
      FrameworkSignature(
        .certain,
        [
          TableShape(
            "databasechangelog",
            ["id", "author", "filename", "dateexecuted", "orderexecuted", "exectype", "md5sum"])
        ])
    ],
    book: MigrationBook(
      "databasechangelog", ["filename", "author", "id"], order: "orderexecuted", isInWords: true),
    unfinished: [
      UnfinishedMark(
        "DATABASECHANGELOGLOCK", [RowCondition("locked", .isTrue)], says: "holds its lock still",
        .likely)
    ])
}
