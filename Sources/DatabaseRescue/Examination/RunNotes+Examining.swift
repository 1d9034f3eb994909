// SPDX-License-Identifier: Apache-2.0
// What a run takes note of in an examination.

import Diagnosis

extension RunNotes {
  /// Takes in what an examination finds out about the database, or how far it came.
  mutating func noting(
    _ examine: () throws(RescueError) -> Examined
  ) throws(RescueError) -> Examined {
    do throws(RescueError) {
      let found = try examine()
      take(found.examination)
      stage = found.stage
      return found
    } catch {
      stage = error.stage ?? stage
      throw error
    }
  }

  /// Takes in what is known of the database.
  mutating func take(_ found: Examination) {
    examination = found
    rowsLost = found.losesRows
    exitStatus = found.verdict.exitStatus
    outcome = found.verdict == .healthy ? .succeeded : .findings
  }
}
