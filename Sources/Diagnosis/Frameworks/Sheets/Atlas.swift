// SPDX-License-Identifier: Apache-2.0
// Atlas, which counts the statements of each migration; one that stopped half-way and was then set
// by hand has a bit in its type. Read in its source.

import SQLiteFormat

extension FrameworkSheet {
  static let atlas = FrameworkSheet(
    title: "Atlas",
    signatures: [
      FrameworkSignature(
        .certain,
        [
          TableShape(
            "atlas_schema_revisions",
            ["version", "description", "type", "applied", "total", "executed_at", "hash"])
        ])
    ],
    book: MigrationBook("atlas_schema_revisions", ["version"]),
    unfinished: [
      UnfinishedMark(
        "atlas_schema_revisions",
        [RowCondition("applied", .isLess("total")), RowCondition("type", .lacksBits(4))],
        says: "was carried out in part")
    ])
}
