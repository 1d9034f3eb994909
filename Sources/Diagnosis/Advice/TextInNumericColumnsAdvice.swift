// SPDX-License-Identifier: Apache-2.0
// Columns whose declared type prefers numbers, and that hold text.

import SQLiteFormat

enum TextInNumericColumnsAdvice: Adviser {
  static let kind = AdviceKind.textInNumericColumns
  static let words = AdviceWords(
    title: "columns of numbers hold text",
    costs:
      "Every text is larger than every number, so that comparisons, order and sums are not what "
      + "is expected; and text that happens to look like a number is kept as one, and loses its "
      + "leading zeros.",
    action:
      "Find out which rows these are, and mend the app that writes them; a column that is meant "
      + "for text is declared TEXT. Types such as STRING, UUID and JSON prefer numbers.",
    unless: "Leave it where the column is meant to hold both, and every query says which one it "
      + "wants.")

  static func trait(of basis: AdviceBasis) -> AdviceTrait? {
    let found = basis.measures.flatMap { tree in
      tree.columns.filter { $0.texts > 0 }.map { (table: tree.entry.name, column: $0) }
    }.sorted { $0.column.texts > $1.column.texts }
    guard !found.isEmpty else { return nil }
    let texts = found.reduce(0) { $0 + $1.column.texts }
    return AdviceTrait(
      found: "\(counted(found.count, "column", "columns")) of a numeric type with "
        + "\(counted(texts, "text", "texts"))",
      figures: [
        "columns": found.count, "texts": texts,
        "numbers": found.reduce(0) { $0 + $1.column.numbers },
      ],
      places: found.map { table, column in
        Advice.Place(
          object: "\(table).\(column.name)",
          message: "declared \(column.type): \(counted(column.texts, "text", "texts")), "
            + counted(column.numbers, "number", "numbers"),
          sql: "SELECT count(*) FROM \(table.quotedIdentifier) "
            + "WHERE typeof(\(column.name.quotedIdentifier)) = 'text';")
      })
  }
}
