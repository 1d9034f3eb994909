// SPDX-License-Identifier: Apache-2.0
// Tables with indexes of which ANALYZE has counted nothing, or has long ago.

import SQLiteFormat

enum MissingStatisticsAdvice: Adviser {
  static let kind = AdviceKind.missingStatistics
  static let words = AdviceWords(
    title: "the query planner knows too little of the tables",
    costs: "Where several indexes could serve a query, SQLite guesses which one leaves the fewest "
      + "rows, and may take one that leaves nearly all.",
    action:
      "Count once, and have the app run PRAGMA optimize before it closes its connections: that "
      + "counts again where it is worth it.",
    unless: "Leave it where every query was tried without statistics and is fast: with them plans "
      + "may change.")

  private static let leastRows = 500
  /// How many times more or fewer rows than counted there may be.
  private static let driftMax = 10

  static func trait(of basis: AdviceBasis) -> AdviceTrait? {
    let counted = basis.survey.countedRows
    let places = basis.tables.compactMap { table -> (rows: Int, place: Advice.Place)? in
      guard !table.indexes.isEmpty, let rows = basis.measure(of: table.name)?.entries,
        rows >= leastRows, let message = message(rows, counted[table.name])
      else { return nil }
      return (
        rows,
        Advice.Place(
          object: table.name.text, message: message,
          sql: "ANALYZE \(table.name.quotedIdentifier);")
      )
    }.sorted { $0.rows > $1.rows }
    guard !places.isEmpty else { return nil }
    let hasAny = basis.survey.tree(named: "sqlite_stat1") != nil
    return AdviceTrait(
      found: "\(Diagnosis.counted(places.count, "table", "tables")) with indexes "
        + (hasAny
          ? "were not counted by ANALYZE, or have other sizes by now"
          : "and never an ANALYZE: there is no sqlite_stat1"),
      figures: ["tables": places.count, "rows": places.reduce(0) { $0 + $1.rows }],
      places: places.map(\.place), sql: ["PRAGMA analysis_limit = 1000;"])
  }

  /// What is to be said of a table with so many rows; nil where nothing is.
  private static func message(_ rows: Int, _ counted: Int?) -> String? {
    let now = Diagnosis.counted(rows, "row", "rows")
    guard let counted else { return "\(now), none counted" }
    guard rows / driftMax > counted || counted / driftMax > rows else { return nil }
    return "\(now), \(grouped(counted)) when it was counted"
  }
}

extension Survey {
  /// How many rows ANALYZE has counted, by table.
  fileprivate var countedRows: [Name: Int] {
    guard let image, let root = tree(named: "sqlite_stat1")?.root else { return [:] }
    var counted: [Name: Int] = [:]
    image.forEachRecord(ofTree: root, isTable: true) { stored in
      guard case .text(let table)? = stored.record.value(0),
        case .text(let figures)? = stored.record.value(2),
        let rows = Int(encoding.string(figures).prefix { $0.isNumber })
      else { return true }
      // A partial index counts fewer.
      let name = Name(encoding.string(table))
      counted[name] = max(counted[name] ?? 0, rows)
      return true
    }
    return counted
  }
}
