// SPDX-License-Identifier: Apache-2.0
// Tables that the rebuild of another one by a framework has left.

import SQLiteFormat

extension UnfinishedMigration {
  /// Rebuilds of tables that came to no end: what was to take a table's place lies beside it, or is
  /// there without it.
  ///
  /// An app may give its own tables some of these names: they count where the framework is known,
  /// and beside a table with such columns.
  static func rebuilds(in survey: Survey, of makers: Set<Framework>) -> [UnfinishedMigration] {
    let tables = survey.userTables
    let names = Framework.allCases.flatMap { framework in
      framework.sheet.rebuilds.filter { $0.isTelling || makers.contains(framework) }
        .map { (maker: framework, name: $0) }
    }
    return tables.keys.sorted().flatMap { left in
      names.compactMap { maker, name -> UnfinishedMigration? in
        guard let table = name.table(of: left), table != left else { return nil }
        let isAlone = tables[table] == nil
        guard
          isAlone
            ? name.isTelling || name.isOdd && makers.contains(maker)
            : resemble(left, table, survey)
        else { return nil }
        return UnfinishedMigration(
          message: "'\(table)' was being rebuilt, and that has not come to its end: '\(left)' is "
            + "what \(maker.title) makes of it, and removes or renames at last"
            + (isAlone ? "; there is no '\(table)'" : ""),
          confidence: .likely)
      }
    }
  }

  /// Whether two tables have most of their columns in common.
  private static func resemble(_ left: Name, _ right: Name, _ survey: Survey) -> Bool {
    guard let one = survey.schema?.table(named: left),
      let other = survey.schema?.table(named: right)
    else { return false }
    let names = Set(one.columns.map(\.name))
    let shared = other.columns.count { names.contains($0.name) }
    return shared * 2 >= min(one.columns.count, other.columns.count) && shared > 0
  }
}
