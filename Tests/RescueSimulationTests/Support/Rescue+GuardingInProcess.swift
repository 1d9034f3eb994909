// SPDX-License-Identifier: Apache-2.0
// A migration under guard that this process itself does.

import Diagnosis
import SQLiteFormat

@testable import DatabaseRescue

extension Rescue {
  /// Guards a migration that this process itself does: it has written all that it is going to when
  /// `migrate` ends.
  ///
  /// - Throws: ``RescueError`` when the migration was not started, or its result cannot be judged.
  func guardMigration(
    of database: FilePath, named name: PlainName, wait: Duration = .seconds(5),
    onFailure: @escaping (GuardReport) throws(RescueError) -> GuardReport.Remedy,
    migrate: @escaping (FilePath) -> ProcessEnd
  ) throws(RescueError) -> RunResult<GuardReport> {
    let undertaking = Undertaking(named: name) { (place) throws(RescueError) in
      Undertaking.Outcome(end: migrate(place.database))
    }
    return try run(.guard, on: database) { run throws(RescueError) in
      try run.carryOut(
        undertaking, on: database, in: MigrationNet(wait: wait, onFailure: onFailure))
    }
  }
}
