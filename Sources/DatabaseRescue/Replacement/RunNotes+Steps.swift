// SPDX-License-Identifier: Apache-2.0
// The steps of a plan as a run notes them.

import Diagnosis
import SQLiteFormat

extension RunNotes {
  /// Reads a backup in full and compares it with its own digests.
  ///
  /// - Throws: ``RescueError`` when it does not hold.
  mutating func prove(_ backup: Backup, in world: World) throws(RescueError) {
    try step(.verifyBackup(backup.path.name.description)) { notes throws(RescueError) in
      let verification = try world.reader(of: backup.path, for: .readingBackup).verify()
      try world.requireGoingOn()
      if verification.isUnread {
        throw RescueError(
          .inputOutput, "the backup '\(backup.path.name)' cannot be read in full",
          meaning: "the disk does not hand out some bytes; the database is untouched",
          advice: "try again, or choose another one: dbrescue vault list "
            + backup.path.folder.shellQuoted)
      }
      guard verification.passed else {
        throw RescueError(
          .invalidInput, "the backup '\(backup.path.name)' does not hold",
          meaning: "it cannot be restored as it is; the database is untouched",
          advice: "choose another one: dbrescue vault list \(backup.path.folder.shellQuoted)")
      }
      notes.backupUsed = PlainName(backup.path.name)
      notes.hasVerifiedBackup = true
    }
  }

  /// Carries out a step of a plan and notes how it ended and how long it took.
  mutating func step<Value>(
    _ step: Plan.Step, _ body: (inout RunNotes) throws(RescueError) -> Value
  ) throws(RescueError) -> Value {
    try self.step(PlainName(step.name), at: step.stage, body)
  }
}

extension Plan.Step {
  /// How far a run has come with this step.
  fileprivate var stage: SupportCode.Stage {
    switch self {
    case .verifyBackup, .verifyNew, .verifyInstalled: .verify
    case .buildFromBackup, .buildFromQuarantine, .buildBySalvage, .buildWithNewIndexes,
      .buildEmpty:
      .act
    case .exportUnsynced: .export
    case .replaceContent, .replaceFiles: .install
    }
  }
}
