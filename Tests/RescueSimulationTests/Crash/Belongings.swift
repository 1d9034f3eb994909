// SPDX-License-Identifier: Apache-2.0
// What a user has before and after a run, and whether what a run says of it is true.

import DatabaseRescue
import RescueTestSupport
import SQLiteFormat

/// What a user has on a stage.
struct Belongings: Equatable {
  /// The database in its place.
  let database: DatabaseInPlace
  /// What was made beside it.
  let output: DatabaseInPlace
  /// The backups, by file name.
  let backups: Set<FilePath>

  init(on stage: Stage) throws {
    database = stage.state(of: stage.database)
    output = stage.state(of: stage.output)
    backups = Set(try Vault(of: stage.database).list().map(\.path.name))
  }

  /// Words that say that everything is as it was.
  private static let denials = [
    "nothing was", "no backup was made", "is unchanged", "is as it was", "is untouched",
  ]

  /// What an error says that is not so, where this is what there was before.
  func contradictions(to error: RescueError, on stage: Stage) throws -> [String] {
    let now = try Belongings(on: stage)
    let said = "(\(error.change?.extent as Any?) \(error.message); \(error.meaning))"
    switch error.change?.extent {
    case .nothing:
      return now == self ? [] : ["says that nothing was changed, and it was \(said)"]
    case .addition:
      return now.database == database && backups.isSubset(of: now.backups)
        ? [] : ["speaks of something new, and more was changed \(said)"]
    case .something:
      guard now == self || Self.denials.contains(where: error.meaning.contains) else { return [] }
      // A migration that was run may have changed nothing.
      let runs = ["the command ran", "the migration ran"]
      return runs.contains(where: error.meaning.contains)
        ? [] : ["says a change that is none \(said)"]
    case .unknown:
      return error.advice.isEmpty ? ["cannot tell, and does not say what to do \(said)"] : []
    case nil:
      // What is thrown before a run begins can have changed nothing.
      return error.code == nil && now == self ? [] : ["does not say what was changed \(said)"]
    }
  }
}
