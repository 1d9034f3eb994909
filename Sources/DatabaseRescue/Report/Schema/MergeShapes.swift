// SPDX-License-Identifier: Apache-2.0
// The account of a merge, as a schema: a table.

/// The account of a merge.
enum MergeShapes {
  /// Its members.
  static let account: [String: JSONShape] = [
    "code": ReportShapes.code,
    "output": .text.saying("the name of the merged database"),
    "quarantine?": .text.saying("the name of the database of rows that were set aside"),
    "complete": .flag.saying("whether every row of every input is in the merged database"),
    "sources": .list(.text).saying("what the inputs are called, the oldest first"),
    "inputs": .list(.object(LogShapes.input)).saying("the files that were read"),
    "prefer": .words(MergePolicy.Preference.allCases.map(\.rawValue))
      .saying("whose row stays where nothing else decides"),
    "tables": .list(table), "tablesOmitted": .count,
    "unrestored": .list(.object(["name": .text, "reason": .text]))
      .saying("objects of the schema that could not be made"), "unrestoredOmitted": .count,
    "reservations": .list(.text).saying("why there may be more than the rows that were seen"),
    "notes": .list(.text), "unchecked": .list(.named("unchecked")), "uncheckedOmitted": .count,
    "integrityProblems": .list(.text).saying("what SQLite's own check says"),
    "danglingReferences": .list(.object(["table": .text, "rows": .count]))
      .saying("rows that refer to none"), "danglingReferencesOmitted": .count,
    "next": .text.saying("the command to run next"),
  ]

  private static let table = JSONShape.object([
    "table?": .text.saying("absent: rows whose table is unknown"),
    "key": .list(.text).saying("by which rows were compared; empty: by all their values"),
    "newerBy?": .text.saying("the column that told the newer of two rows"),
    "rows?": .count.saying("rows that the merged database has"),
    "balanced": .flag.saying("whether every row of every input is accounted for once"),
    "inputs": .list(.object(rows)),
  ])

  private static let rows: [String: JSONShape] = [
    "source": .text, "seen": .count.saying("rows that could be read"),
    "taken": .count.saying("rows that are in the merged database"),
    "identical": .count.saying("rows that are there already, value for value"),
    "quarantined": .count.saying("rows set aside, for one of the reasons that follow"),
    "conflicts": .count.saying("another row with the same key stays"),
    "refused": .count.saying("the schema of the result refuses the row, perhaps beside the others"),
    "parted": .count.saying("the row that it refers to was set aside"),
    "stuck": .count.saying("it could not follow a new key"),
    "displaced": .count.saying("the name of its table is another object's in a newer input"),
    "doubtful": .count.saying("set aside when the input was read"),
    "uncommitted": .count.saying("of these, rows that were never committed"),
    "won": .count.saying("of those taken, rows that took the place of another with their key"),
    "byColumn": .count.saying("conflicts that a column has decided"),
    "renumbered": .count.saying("rows that have a new key"),
    "followed": .count.saying("references that follow new keys"),
    "leftOut": .count.saying("rows taken with values that have no column"),
    "changed": .count.saying("rows with values that the type of their column changes"),
    "lost": .named("loss").saying("rows that could not be read"),
  ]
}
