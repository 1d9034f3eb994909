// SPDX-License-Identifier: Apache-2.0
// What other programs do to tables while a migration is judged: only what they were seen to do can be
// their doing.

package import SQLiteFormat

/// What other programs do to a table, as two later states of it tell.
package struct OtherWrites: Hashable, Sendable {
  /// Whether rows go.
  package let removesRows: Bool
  /// The columns in which rows that stay have other values.
  let columns: Set<Name>

  /// Compares two states of a table; nil where they are the same, and where rows have only come.
  init?(from then: TableFigures, to now: TableFigures) {
    guard then.sum != now.sum || then.rows != now.rows else { return nil }
    removesRows = now.rows < then.rows || now.sample.keysMissing(of: then.sample) > 0
    let names = Set(then.columns.map(\.name))
    guard let rows = SameRows(then, now, naming: [:]) else {
      columns = names
      return
    }
    // Where only some of the rows are kept in mind, others may have changed.
    let isSample = !then.sample.isWhole || !now.sample.isWhole
    columns =
      isSample
      ? names : names.filter { rows.then.column($0)?.sum != rows.now.column($0)?.sum }
    if !removesRows, columns.isEmpty { return nil }
  }
}

extension OtherWrites {
  /// Whether all that rows hold beside their keys is changed.
  func replaces(_ figures: TableFigures) -> Bool {
    figures.columns.allSatisfy { columns.contains($0.name) || figures.keyNames.contains($0.name) }
  }
}

extension MigrationState {
  /// What others have done to tables until a later state.
  package func writes(until later: MigrationState) -> [Name: OtherWrites] {
    Dictionary(
      uniqueKeysWithValues: tables.compactMap { name, then in
        later.tables[name].flatMap { OtherWrites(from: then, to: $0) }.map { (name, $0) }
      })
  }
}
