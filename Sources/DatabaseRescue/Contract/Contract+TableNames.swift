// SPDX-License-Identifier: Apache-2.0
// The names of tables that people write into a contract: those that are nearly right are wrong.

import Diagnosis
import SQLiteFormat

extension Contract {
  /// Refuses names of tables that nothing has, where they were to be those of tables of the contract.
  ///
  /// A table that the contract does not know may go, or get a new name: what `rowCounts`,
  /// `ignoreTables` and `renamedTables` say of it counts, unless its name is nearly that of one that
  /// is known.
  ///
  /// - Throws: ``RescueError`` of kind `invalidInput`.
  func requireKnownTables(_ file: String) throws(RescueError) {
    let own = Set(objects.tables.map(\.name)).union(objects.views.map(\.name))
    let known = own.union(renamedTables.keys)
    func require(
      _ names: some Sequence<Name>, _ key: String, mayBeOthers: Bool = false
    ) throws(RescueError) {
      for name in names.sorted() where !known.contains(name) {
        let guess = NearestWord.to(name.text, in: own.map(\.text))
        guard guess != nil || !mayBeOthers else { continue }
        throw RescueError(
          .invalidInput,
          "'\(file)' says something of a table '\(name)' under '\(key)', and has no such table"
            + (guess.map { ", did you mean '\($0)'?" } ?? ""),
          meaning: "nothing was done", advice: "correct the name")
      }
    }
    guard !objects.tables.isEmpty else { return }
    // A contract may be of the time before the new name.
    try require(
      renamedTables.filter { !own.contains($0.key) }.values, "renamedTables", mayBeOthers: true)
    try require(renamedColumns.keys, "renamedColumns")
    try require(rowCounts.keys, "rowCounts", mayBeOthers: true)
    try require(ignoreTables, "ignoreTables", mayBeOthers: true)
    try require(unsynced.map(\.table), "unsynced")
  }
}
