// SPDX-License-Identifier: Apache-2.0
// The app's own migration runner, and the ways in which such runners fail in the wild.

package import DatabaseRescue
import SQLiteFormat

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

extension FitnessLog {
  /// A mistake that a migration makes; each has been shipped by somebody.
  package enum Mistake: String, CaseIterable, Sendable {
    /// The version goes up, but the column and index of version 4 are never made.
    case forgetColumn = "forget-column"
    /// A table is rebuilt while foreign keys are on: dropping the old table deletes its
    /// children, and every check of structure and schema passes afterwards.
    case dropRows = "drop-rows"
    /// The process is killed with the transaction half written.
    case crashMidway = "crash-midway"
  }

  /// Brings a database to a version, all in one transaction.
  ///
  /// - Throws: ``AppError`` when the database is newer, belongs to another app, or breaks
  ///   a foreign key afterwards; nothing has changed then.
  package static func migrate(
    _ path: FilePath, to target: Int = 4, mistakes: Set<Mistake> = []
  ) throws {
    let connection = try open(path)
    let found = try version(of: connection)
    guard try connection.value("PRAGMA application_id") == .integer(applicationID) else {
      throw AppError("'\(path)' is not a fitness log")
    }
    guard versions.contains(target), found <= target else {
      throw AppError("version \(found) cannot become version \(target)")
    }
    // A rebuild of a table needs foreign keys off, and only outside a transaction can they be.
    try connection.execute("PRAGMA foreign_keys = \(mistakes.contains(.dropRows) ? "ON" : "OFF")")
    if mistakes.contains(.crashMidway) { try connection.execute("PRAGMA cache_size = 1") }
    try connection.execute("BEGIN IMMEDIATE")
    do {
      for step in versions where step > found && step <= target {
        try connection.execute(statements(of: step, mistakes))
        if mistakes.contains(.crashMidway) { kill(getpid(), SIGKILL) }
      }
      guard try connection.rows("PRAGMA foreign_key_check").isEmpty else {
        throw AppError("rows would refer to rows that are not there")
      }
      try connection.execute("PRAGMA user_version = \(target); COMMIT")
    } catch {
      try? connection.execute("ROLLBACK")
      throw error
    }
  }

  private static func statements(of step: Int, _ mistakes: Set<Mistake>) -> String {
    guard step == 4 else { return migrations[step] ?? "" }
    if mistakes.contains(.forgetColumn) { return rebuildSets }
    if mistakes.contains(.dropRows) { return rebuildWorkouts + rebuildSets }
    return addTimezone + rebuildSets
  }

  /// Leads to the same columns and index as ``addTimezone``, by way of a new table.
  private static let rebuildWorkouts = """
    DROP VIEW workout_totals;
    CREATE TABLE new_workouts (
      id INTEGER PRIMARY KEY AUTOINCREMENT,
      started_at TEXT NOT NULL,
      duration_s INTEGER NOT NULL DEFAULT 0,
      title TEXT,
      timezone TEXT NOT NULL DEFAULT 'UTC'
    );
    INSERT INTO new_workouts (id, started_at, duration_s, title)
      SELECT id, started_at, duration_s, title FROM workouts;
    DROP TABLE workouts;
    ALTER TABLE new_workouts RENAME TO workouts;
    CREATE INDEX workouts_by_start ON workouts (started_at DESC);
    CREATE INDEX workouts_by_timezone ON workouts (timezone, started_at);

    """
}
