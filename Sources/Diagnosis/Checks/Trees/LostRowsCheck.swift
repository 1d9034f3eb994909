// SPDX-License-Identifier: Apache-2.0
// How many rows of a table are lost?

import SQLiteFormat

enum LostRowsCheck: FaultCheck {
  static func findings(in checked: CheckedTree) -> [Finding] {
    guard checked.loss != .none else { return [] }
    let words = words(checked.loss.description, of: checked.name, isWhole: checked.isWhole)
    return [Finding(.rowsLost, words, at: .init(object: checked.name.text))]
  }

  /// What is said of a loss; of a table that is not sure to be whole, only what may be its own.
  static func words(_ loss: String, of table: Name, isWhole: Bool) -> String {
    isWhole
      ? "\(loss) of '\(table)' cannot be read"
      : "rows that no table leads to can be of '\(table)': how many it has lost is not known"
  }

  /// What is said of a table of which no row is missing, and of which some are doubtful.
  static func words(ofDoubtful count: Int, of table: Name) -> String {
    "\(counted(count, "row")) of '\(table)' can be read in part only, or with doubts: a salvage sets "
      + "\(count == 1 ? "it" : "them") aside"
  }

  /// What is said of a table whose rows a salvage has found, all of them.
  static func wordsOfAllFound(of table: Name) -> String {
    "rows of '\(table)' are not where its tree leads to: a salvage finds all of them"
  }
}
