// SPDX-License-Identifier: Apache-2.0
// By which frameworks a database was made: what their sheets say, compared with its tables and marks.

package import SQLiteFormat

extension Framework {
  /// The name as its makers write it.
  package var title: String { sheet.title }

  /// The frameworks that a database of these tables and marks is of: the surest first, and of
  /// equally sure ones those that say more about the app.
  ///
  /// Names are compared as SQLite compares them, ASCII case folded. A name alone is
  /// never enough: the columns must be there too. Every match is reported, but for
  /// likely ones whose tables a certain one explains. Whether a table has a row that gives a
  /// framework away is asked of `hasRow`; who cannot look at rows has none.
  package static func detect(
    in tables: [(name: Name, columns: [Name])], applicationID: Int32 = 0, userVersion: Int32 = 0,
    where hasRow: (Name, RowCondition) -> Bool = { _, _ in false }
  ) -> [FrameworkMatch] {
    let catalogue = TableCatalogue(tables)
    var matches: [FrameworkMatch] = []
    func search(_ confidence: FrameworkMatch.Certainty, besides explained: Set<Name>) {
      for framework in allCases where !matches.contains(where: { $0.framework == framework }) {
        let signatures = framework.sheet.signatures.filter { $0.confidence == confidence }
        let found = signatures.firstResult { catalogue.tables(matching: $0.shapes, where: hasRow) }
        if let found, !explained.isSuperset(of: found) {
          matches.append(
            FrameworkMatch(framework: framework, confidence: confidence, tables: found))
        }
      }
    }
    for framework in allCases {
      let sheet = framework.sheet
      let isMarked =
        sheet.applicationIDs.contains(applicationID)
        || sheet.userVersionMark.map { $0 == userVersion } ?? false
      if isMarked {
        matches.append(FrameworkMatch(framework: framework, confidence: .certain, tables: []))
      }
    }
    search(.certain, besides: [])
    search(.likely, besides: Set(matches.flatMap(\.tables)))
    return matches.sorted { left, right in
      (left.confidence.rank, left.framework.sheet.distance, left.framework.rawValue)
        < (right.confidence.rank, right.framework.sheet.distance, right.framework.rawValue)
    }
  }
}

extension Survey {
  /// Whether a table of a framework has a row for which something is true.
  func hasRow(of table: Name, _ condition: RowCondition) -> Bool {
    FrameworkTable(table, condition.columns, in: self)?.any { condition.holds($0) } ?? false
  }
}
