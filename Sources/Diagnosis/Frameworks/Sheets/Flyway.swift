// SPDX-License-Identifier: Apache-2.0
// Flyway. Known from ports and dumps.

import SQLiteFormat

extension FrameworkSheet {
  static let flyway = FrameworkSheet(
    title: "Flyway",
    signatures: [
      FrameworkSignature(
        .certain,
        [
          TableShape(
            "flyway_schema_history",
            ["installed_rank", "version", "description", "type", "script", "checksum", "success"])
        ])
    ],
    book: MigrationBook(
      "flyway_schema_history", ["script"], order: "version",
      counts: [RowCondition("success", .isTrue)]),
    unfinished: [
      UnfinishedMark(
        "flyway_schema_history", [RowCondition("success", .isFalse)], says: "has failed")
    ])
}
