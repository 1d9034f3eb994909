// SPDX-License-Identifier: Apache-2.0
// A log of another database beside one that is to be migrated.

import Diagnosis
import SQLiteFormat

extension Run {
  /// Gives a log of another database a name under which SQLite does not see it, where nobody has the
  /// database open: whoever opens the two together destroys the database.
  ///
  /// - Returns: The error that the run ends in.
  mutating func setForeignLogAside(
    from database: FilePath, _ verdict: Verdict
  ) throws(RescueError) -> RescueError {
    let file = try RescueFolder(of: database, storage: world.storage).database
    let log = file.adding(suffix: "-wal")
    let ending = world.storage.freeAsideEnding(beside: file)
    let aside = log.adding(suffix: ending)
    let move = "mv \(log.shellQuoted) \(aside.shellQuoted)"
    let undo = "mv \(aside.shellQuoted) \(log.shellQuoted)"
    do {
      let lock = try world.storage.lockDatabase(file)
      // What was set aside before is somebody's to look at first.
      guard lock != nil, ending == LiveUse.firstAsideEnding else {
        return RescueError(
          .invalidInput, "the -wal beside '\(database)' is that of another database",
          meaning: "whoever opens the two together destroys the database; nothing was changed",
          advice: "close what uses it, and move the log away: \(move)", verdict: verdict)
      }
      try withExtendedLifetime(lock) { () throws(StorageError) in
        try world.storage.renameWithoutReplacing(log, to: aside)
        // It is so from here on, also where making it durable fails.
        notes.note(Change(.something, "'\(log)' is now '\(aside)'", next: "to undo: \(undo)"))
        try world.storage.synchronizeFolder(file.folder)
      }
    } catch {
      throw RescueError(error, doing: "move '\(log)' away")
    }
    return RescueError(
      .invalidInput, "the -wal beside '\(database)' was that of another database",
      meaning: "whoever opens the two together destroys the database: the log was moved to "
        + "'\(aside)', and the migration was not started",
      advice:
        "dbrescue check \(file.shellQuoted), then start the migration again; to undo: \(undo)",
      verdict: verdict)
  }
}
