// SPDX-License-Identifier: Apache-2.0
// To which renumbered keys a column refers, by way of other tables or not.

import Diagnosis
import SQLiteFormat

/// The search for what a column refers to in the end.
struct RootSearch {
  let tables: [MergeTable]
  let renumbered: Set<Name>
  /// The input whose rows refer to others.
  let older: StagedInput

  /// The tables with new keys to which a column refers, by way of others or not.
  func roots(of column: Name, in table: MergeTable) -> Set<Name> {
    var seen: Set<[Name]> = []
    return roots(of: column, in: table, &seen)
  }

  private func roots(of column: Name, in table: MergeTable, _ seen: inout Set<[Name]>) -> Set<Name>
  {
    guard seen.insert([table.name, column]).inserted else { return [] }
    var found: Set<Name> = []
    for key in older.foreignKeys(of: table.description) {
      guard let parent = tables.first(where: { $0.name == key.table }) else { continue }
      let referred = key.referenced(in: parent.description)
      for (own, other) in zip(key.columns, referred) where own == column {
        if renumbered.contains(parent.name), parent.integerKey == other {
          found.insert(parent.name)
        } else {
          found.formUnion(roots(of: other, in: parent, &seen))
        }
      }
    }
    return found
  }
}
