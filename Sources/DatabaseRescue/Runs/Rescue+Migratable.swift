// SPDX-License-Identifier: Apache-2.0
// Whether a migration may begin: what must be settled before, and which databases it would harm.

import Diagnosis
import SQLiteFormat

extension Rescue {
  /// Refuses to begin while there is a migration of which nobody knows how it ended.
  ///
  /// - Throws: ``RescueError`` of the kind `.busy` when its guard is at work, and `.decisionNeeded`
  ///   when it was cut off and may have changed something.
  func requireNoOtherMigration(
    of folder: RescueFolder, accepting: Bool
  ) throws(RescueError) {
    try world.requireNobodyMigrates(folder)
    guard let migration = try settleCutOffMigration(of: folder), !accepting else { return }
    throw RescueError(
      .decisionNeeded, migration.message,
      meaning: migration.meaning + "; this run has changed nothing",
      advice: "to go back: \(migration.wayBack(of: folder.database))\nto keep what is there, "
        + "once it is checked: \(migration.wayOn(of: folder.database))")
  }

  /// Forgets a migration that was cut off, as what it left is accepted.
  func forgetMigration(of folder: RescueFolder) throws(RescueError) {
    do throws(StorageError) {
      guard try world.guardedMigration(of: folder).cutOff != nil else { return }
      try folder.removeGuardRecord(world.storage)
    } catch {
      throw RescueError(error)
    }
  }

  /// Refuses a database that a migration would harm, or make worse.
  func requireMigratable(
    _ examination: Examination, _ database: FilePath
  ) throws(RescueError) {
    switch examination.verdict {
    case .drifted where examination.relation == .diverged:
      throw RescueError(
        .invalidInput,
        "'\(database)' has migrations that the contract does not know, and lacks others",
        meaning: "a migration of this app may harm it; nothing was changed",
        advice: "see which they are: dbrescue diagnose \(database.shellQuoted) --contract C",
        verdict: .drifted)
    case .healthy, .outdated, .drifted: return
    case .newer:
      throw RescueError(
        .invalidInput, "'\(database)' was written by a newer app",
        meaning: "a migration of this app would harm it; nothing was changed",
        advice: "install the newer app", verdict: .newer)
    case .damagedIntact, .damagedLossy, .unreadable:
      throw RescueError(
        .invalidInput, "'\(database)' is \(examination.verdict.word)",
        meaning: "a migration would make it worse; nothing was changed",
        advice: "dbrescue diagnose \(database.shellQuoted)",
        verdict: examination.verdict)
    }
  }
}
