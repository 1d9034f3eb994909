// SPDX-License-Identifier: Apache-2.0
// Flyway, which writes a row for each migration that is carried out, undone or given up, and for each
// run of one that is repeated: the last one of a version, or of a script without a version, counts.
// Known from ports and dumps.

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
      counts: [RowCondition("success", .isTrue)]
        + takingBack.map { RowCondition("type", .isNotText($0)) },
      lastBy: "installed_rank", sharing: "version", isInWords: true),
    unfinished: [
      UnfinishedMark(
        "flyway_schema_history", [RowCondition("success", .isFalse)], says: "has failed")
    ])

  /// The types of the rows after which a migration does not count any more.
  private static let takingBack = [
    "UNDO_SQL", "UNDO_JDBC", "UNDO_SPRING_JDBC", "UNDO_SCRIPT", "UNDO_CUSTOM", "DELETE",
  ]
}
