// SPDX-License-Identifier: Apache-2.0
// How many rows of a virtual table are lost.

import SQLiteFormat

extension Survey {
  /// How many rows of a virtual table are gone with the table or the nodes that held them, as far as
  /// its other tables tell.
  package func rowsLost(of table: VirtualTable) -> Loss {
    guard table.isFullText else {
      guard table.part("node") != nil else { return .none }
      let areReadable = ["node", "rowid"].allSatisfy { rowCount(of: table.part($0)) != nil }
      guard areReadable || regionTree(of: table) != nil else { return .unknown }
      for fault in faults(of: table) {
        if case .rowsUnnoted(let count) = fault { return .exactly(count) }
        if case .nodesDiffer(let missing) = fault {
          return missing > 0 || regionTree(of: table) == nil ? .unknown : .none
        }
      }
      return .none
    }
    guard let content = table.part("content") else {
      // What is left of words without texts is copied.
      let isLost = !table.hasTexts && faults(of: table).contains { $0.isOfRows }
      return isLost ? .unknown : .none
    }
    guard treePlaces[content.name] == nil else {
      for fault in faults(of: table) {
        if case .textsLost(let count) = fault { return .atLeast(count) }
      }
      return .none
    }
    guard let count = rowCount(of: table.part("docsize")) else { return .unknown }
    return count == 0 ? .none : .exactly(count)
  }
}
