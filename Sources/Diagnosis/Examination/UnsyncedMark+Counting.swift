// SPDX-License-Identifier: Apache-2.0
// Rows that wait to be sent, counted without SQLite where a framework's sheet tells which they are.

import SQLiteFormat

extension UnsyncedMark {
  /// The rows that wait in the places of the frameworks that were recognised.
  static func rows(
    in survey: Survey, of matches: [FrameworkMatch]
  ) -> [ContractVerification.Unsynced] {
    let tables = survey.schema?.parsed.description.tables.filter { $0.kind == .ordinary } ?? []
    let catalogue = TableCatalogue(tables.map { ($0.name, $0.columns.map(\.name)) })
    return matches.flatMap { match in
      match.framework.sheet.unsynced.flatMap { place in
        catalogue.tables(matching: place.shape).map { table in
          ContractVerification.Unsynced(
            name: "\(match.framework.title) \(table.name)", table: table.name,
            rows: place.condition.map { count($0, in: table.name, of: survey) } ?? .cannotTell)
        }
      }
    }
  }

  private static func count(
    _ condition: RowCondition, in table: Name, of survey: Survey
  ) -> UnsyncedRows {
    guard let rows = FrameworkTable(table, condition.columns, in: survey, isBook: false) else {
      return .cannotTell
    }
    var count = 0
    rows.forEach { row in
      if condition.holds(row) { count += 1 }
      return true
    }
    return count == 0 ? .none : .some(count)
  }
}
