// SPDX-License-Identifier: Apache-2.0
// A database that is examined in a run, and what that takes note of.

import Diagnosis

extension Run {
  /// Examines a database and notes what is found out about it, or how far that came.
  ///
  /// - Throws: ``RescueError`` when it cannot be read, or changes under every reading.
  mutating func examine(
    _ input: InputFiles, _ contract: Contract?, known: OutsideKnowledge? = nil,
    verifying: Bool = true, askingModules: Bool = false
  ) throws(RescueError) -> Examined {
    try noting { world throws(RescueError) in
      try world.examine(
        input, contract, known: known, verifying: verifying, askingModules: askingModules)
    }
  }

  /// Examines a database that others may be using, as it is at one moment, and notes what is found
  /// out about it, or how far that came.
  ///
  /// - Throws: ``RescueError`` when it cannot be read.
  mutating func examineInUse(
    _ database: FilePath, _ contract: Contract?, wait: Duration
  ) throws(RescueError) -> Examined {
    try noting { world throws(RescueError) in
      try world.examineInUse(database, contract, wait: wait)
    }
  }

  private mutating func noting(
    _ examine: (World) throws(RescueError) -> Examined
  ) throws(RescueError) -> Examined {
    do throws(RescueError) {
      let found = try examine(world)
      notes.take(found.examination)
      notes.stage = found.stage
      return found
    } catch {
      notes.stage = error.stage ?? notes.stage
      throw error
    }
  }
}

extension RunNotes {
  /// Takes in what is known of the database.
  mutating func take(_ found: Examination) {
    examination = found
    rowsLost = found.losesRows
    exitStatus = found.verdict.exitStatus
    outcome = found.verdict == .healthy ? .succeeded : .findings
  }
}
