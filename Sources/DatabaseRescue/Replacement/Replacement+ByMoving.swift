// SPDX-License-Identifier: Apache-2.0
// Replacing a database by moving files: all of the old ones to quarantine, and the new one to its
// place.

import Diagnosis
import SQLiteFormat

extension Replacement {
  func installByMoving(
    over state: DatabaseState?, _ last: (FilePath?) throws(RescueError) -> Void
  ) throws(RescueError) {
    var new: [UInt64]?
    do {
      let exists = try world.storage.status(of: folder.database) != nil
      let lock = exists ? try folder.lockDatabase(world) : nil
      let present = try require(state)
      try withExtendedLifetime((lock, present)) {
        if exists { try world.storage.copyAttributes(from: folder.database, to: newFile) }
        // Nobody may write to it, perhaps.
        try world.storage.open(newFile, .read).synchronize()
        new = try world.storage.status(of: newFile)?.identity
        try last(nil)
        try world.requireGoingOn()
        let displaced = exists ? try noteDisplaced(in: folder.database.folder) : nil
        try withExtendedLifetime(displaced) {
          try writePlan()
          try Displacement(folder, code.description, world.storage).carryOut()
        }
      }
    } catch {
      var error = RescueError(error, doing: "replace '\(folder.database)'")
      error.change = changeByMoving(to: new)
      throw error
    }
  }

  /// What has become of the database, as the names on the disk tell.
  private func changeByMoving(to new: [UInt64]?) -> Change {
    let unfinished = Change(
      .unknown, "the replacement is not finished; the next command finishes or undoes it",
      next: "dbrescue recover \(folder.database.shellQuoted)")
    do {
      let present = try world.storage.status(of: folder.database)?.identity
      if let present, present == new { return folder.replaced(code) }
      let isPlanned = try world.storage.status(of: folder.plan) != nil
      guard present == old else { return unfinished }
      guard isPlanned else { return .nothing }
      // Journals go after the database: as long as that is there, nothing has gone.
      return old == nil
        ? unfinished
        : Change(
          .nothing, "the database is as it was; the next command undoes what was begun")
    } catch {
      return unfinished
    }
  }
}
