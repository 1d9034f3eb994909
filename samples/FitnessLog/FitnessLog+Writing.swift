// SPDX-License-Identifier: Apache-2.0
// The app at work: a busy writer, for backups of a database that does not stand still.

package import DatabaseRescue
import SQLiteFormat

extension FitnessLog {
  /// Commits one transaction after another until the time is up, and gives their number.
  ///
  /// Each adds a workout, sends what waits in the outbox, and now and then deletes an old
  /// workout with all that belongs to it.
  package static func write(
    _ path: FilePath, for duration: Duration, seed: UInt64 = 1
  ) throws -> Int {
    let connection = try open(path)
    // A peer that copies or restores the database may hold its lock for long.
    connection.wait(milliseconds: 60_000)
    let version = try version(of: connection)
    guard versions.contains(version) else { throw AppError("version \(version) is not known") }
    var data = TrainingData(seed: seed, version: version)
    let deadline = ContinuousClock.now + duration
    var commits = 0
    while ContinuousClock.now < deadline {
      try connection.execute("BEGIN IMMEDIATE")
      do {
        try data.addWorkouts(connection, count: 1)
        try connection.execute("UPDATE outbox SET status = 'done' WHERE status = 'pending'")
        if commits % 5 == 4 {
          try connection.execute("DELETE FROM workouts WHERE id = (SELECT min(id) FROM workouts)")
        }
        try connection.execute("COMMIT")
      } catch {
        try? connection.execute("ROLLBACK")
        throw error
      }
      commits += 1
    }
    return commits
  }
}
