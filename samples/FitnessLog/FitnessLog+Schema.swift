// SPDX-License-Identifier: Apache-2.0
// The schema of the sample app, as the migrations that lead from nothing to version 4.
// This file is a table: one entry for each version.

import DatabaseRescue
import SQLiteFormat

extension FitnessLog {
  /// What each version changes; the first entry makes version 1 of an empty file.
  static let migrations: [Int: String] = [
    1: """
    CREATE TABLE exercises (
      id INTEGER PRIMARY KEY,
      name TEXT NOT NULL UNIQUE,
      muscle_group TEXT NOT NULL
    );
    CREATE TABLE workouts (
      id INTEGER PRIMARY KEY AUTOINCREMENT,
      started_at TEXT NOT NULL,
      duration_s INTEGER NOT NULL DEFAULT 0,
      title TEXT
    );
    CREATE TABLE sets (
      id INTEGER PRIMARY KEY,
      workout_id INTEGER NOT NULL REFERENCES workouts (id) ON DELETE CASCADE,
      exercise_id INTEGER NOT NULL REFERENCES exercises (id),
      position INTEGER NOT NULL,
      reps INTEGER NOT NULL,
      weight_kg REAL
    );
    CREATE TABLE outbox (
      id INTEGER PRIMARY KEY AUTOINCREMENT,
      kind TEXT NOT NULL,
      row_id INTEGER NOT NULL,
      payload TEXT NOT NULL,
      status TEXT NOT NULL DEFAULT 'pending' CHECK (status IN ('pending', 'done'))
    );
    CREATE INDEX workouts_by_start ON workouts (started_at DESC);
    CREATE INDEX sets_by_workout ON sets (workout_id, position);
    \(outboxTrigger)
    """,

    2: """
    CREATE TABLE notes (
      id INTEGER PRIMARY KEY,
      workout_id INTEGER NOT NULL REFERENCES workouts (id) ON DELETE CASCADE,
      body TEXT NOT NULL,
      photo BLOB
    );
    CREATE INDEX notes_by_workout ON notes (workout_id);
    \(totalsView)
    """,

    3: """
    ALTER TABLE sets ADD COLUMN rpe REAL;
    CREATE INDEX outbox_pending ON outbox (kind, id) WHERE status = 'pending';
    """,

    4: addTimezone + rebuildSets,
  ]

  /// Half of version 4: where a workout took place.
  static let addTimezone = """
    ALTER TABLE workouts ADD COLUMN timezone TEXT NOT NULL DEFAULT 'UTC';
    CREATE INDEX workouts_by_timezone ON workouts (timezone, started_at);

    """

  /// The other half: a weight becomes mandatory, which takes a rebuild of the table.
  static let rebuildSets = """
    DROP VIEW IF EXISTS workout_totals;
    CREATE TABLE new_sets (
      id INTEGER PRIMARY KEY,
      workout_id INTEGER NOT NULL REFERENCES workouts (id) ON DELETE CASCADE,
      exercise_id INTEGER NOT NULL REFERENCES exercises (id),
      position INTEGER NOT NULL,
      reps INTEGER NOT NULL CHECK (reps > 0),
      weight_kg REAL NOT NULL DEFAULT 0,
      rpe REAL CHECK (rpe BETWEEN 1 AND 10)
    );
    INSERT INTO new_sets (id, workout_id, exercise_id, position, reps, weight_kg, rpe)
      SELECT id, workout_id, exercise_id, position, reps, coalesce(weight_kg, 0), rpe FROM sets;
    DROP TABLE sets;
    ALTER TABLE new_sets RENAME TO sets;
    CREATE INDEX sets_by_workout ON sets (workout_id, position);
    \(outboxTrigger)
    \(totalsView)
    """

  /// What is true of every row of a healthy database: queries that must return nothing.
  package static let invariants = [
    "every set has its workout":
      "SELECT id FROM sets WHERE workout_id NOT IN (SELECT id FROM workouts)",
    "the outbox knows two states": "SELECT id FROM outbox WHERE status NOT IN ('pending', 'done')",
  ]

  /// Every new set waits in the outbox until it has been sent.
  ///
  /// With `printf` rather than `json_object`, which not every SQLite lets an untrusted schema call.
  private static let outboxTrigger = """
    CREATE TRIGGER sets_to_outbox AFTER INSERT ON sets BEGIN
      INSERT INTO outbox (kind, row_id, payload)
      VALUES (
        'set', new.id,
        printf(
          '{"id":%d,"workout":%d,"exercise":%d,"position":%d,"reps":%d,"weight_kg":%s}',
          new.id, new.workout_id, new.exercise_id, new.position, new.reps,
          coalesce(new.weight_kg, 'null')));
    END;
    """

  private static let totalsView = """
    CREATE VIEW workout_totals AS
      SELECT workouts.id, workouts.started_at, count(sets.id) AS set_count,
        coalesce(sum(sets.reps * sets.weight_kg), 0) AS volume_kg
      FROM workouts LEFT JOIN sets ON sets.workout_id = workouts.id
      GROUP BY workouts.id;
    """

  /// Defines the schema of a version in an empty database.
  static func defineSchema(_ version: Int, on connection: borrowing Connection) throws {
    for step in 1...version { try connection.execute(migrations[step] ?? "") }
    try connection.execute(
      "PRAGMA user_version = \(version); PRAGMA application_id = \(applicationID)")
  }

  /// The CREATE statements of a version as one SQL script, in the order in which they work.
  package static func script(version: Int) throws -> String {
    guard versions.contains(version) else {
      throw AppError("there is no schema version \(version)")
    }
    let connection = try Connection(mode: .memory, schemaBy: .us)
    try defineSchema(version, on: connection)
    let statements = try connection.rows(
      """
      SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\'
      ORDER BY CASE type WHEN 'table' THEN 1 WHEN 'index' THEN 2 WHEN 'view' THEN 3 ELSE 4 END, name
      """)
    let lines = statements.map { ($0[0].utf8String ?? "") + ";\n" }
    return lines.joined()
      + "PRAGMA user_version = \(version);\nPRAGMA application_id = \(applicationID);\n"
  }
}
