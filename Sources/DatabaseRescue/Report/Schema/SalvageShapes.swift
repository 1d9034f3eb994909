// SPDX-License-Identifier: Apache-2.0
// The account of a salvage, as a schema: a table.

/// The account of a salvage.
enum SalvageShapes {
  /// Its members.
  static let account: [String: JSONShape] = ReportShapes.run.merging([
    "output": .text.saying("the name of the fresh database"),
    "quarantine?": .text.saying("the name of the database of doubtful rows"),
    "complete": .flag.saying(
      "whether every row is in the fresh database, those of `origins` as of their backup"),
    "reservations": .list(.text).saying("why there may be more than the rows that were seen"),
    "rows": .object(rows), "tables": .list(table), "tablesOmitted": .count,
    "unrestored": .list(.object(["name": .text, "reason": .text]))
      .saying("objects of the schema that could not be made"), "unrestoredOmitted": .count,
    "origins": .list(
      .object(["table": .text, "backup": .text, "created?": .date, "rows": .count])
    ).saying("rows that were lost and come from backups"), "originsOmitted": .count,
    "notes": .list(.text), "unchecked": .list(.named("unchecked")), "uncheckedOmitted": .count,
    "integrityProblems": .list(.text).saying("what SQLite's own check says"),
    "danglingReferences": .list(.object(["table": .text, "rows": .count]))
      .saying("rows that refer to none"), "danglingReferencesOmitted": .count,
    "next?": .text.saying("the command to run next; absent: no row was saved"),
  ]) { $1 }

  private static let rows: [String: JSONShape] = [
    "seen": .count.saying("rows that could be read"),
    "written": .count.saying("rows written to the fresh database"),
    "duplicates": .count.saying("rows that were there already, value for value"),
    "quarantined": .count.saying("rows set aside with a reason"),
    "uncommitted": .count.saying("of these, rows that were never committed"),
    "lost": .named("loss").saying("rows that could not be read"),
    "partial": .count.saying("lost rows of which a part was kept"),
    "leftOut": .count.saying("written rows with values that have no column"),
    "changed": .count.saying("written rows with values that the type of their column changes"),
    "restored": .count.saying("lost rows that come from a backup"),
    "balanced": .flag.saying("whether seen = written + duplicates + quarantined"),
  ]

  private static let table = JSONShape.object(
    rows.merging([
      "table?": .text.saying("absent: rows whose table is unknown"),
      "missing": .list(
        .object([
          "first?": .integer.saying("the first rowid of a stretch in which rows are missing"),
          "last?": .integer.saying("the last one; absent: to the end of the table"),
          "rows?": .count.saying("how many rows are missing in it, where that is known"),
        ])), "missingOmitted": .count,
    ]) { $1 })
}
