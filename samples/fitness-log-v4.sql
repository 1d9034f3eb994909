CREATE TABLE exercises (
  id INTEGER PRIMARY KEY,
  name TEXT NOT NULL UNIQUE,
  muscle_group TEXT NOT NULL
);
CREATE TABLE notes (
  id INTEGER PRIMARY KEY,
  workout_id INTEGER NOT NULL REFERENCES workouts (id) ON DELETE CASCADE,
  body TEXT NOT NULL,
  photo BLOB
);
CREATE TABLE outbox (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  kind TEXT NOT NULL,
  row_id INTEGER NOT NULL,
  payload TEXT NOT NULL,
  status TEXT NOT NULL DEFAULT 'pending' CHECK (status IN ('pending', 'done'))
);
CREATE TABLE "sets" (
  id INTEGER PRIMARY KEY,
  workout_id INTEGER NOT NULL REFERENCES workouts (id) ON DELETE CASCADE,
  exercise_id INTEGER NOT NULL REFERENCES exercises (id),
  position INTEGER NOT NULL,
  reps INTEGER NOT NULL CHECK (reps > 0),
  weight_kg REAL NOT NULL DEFAULT 0,
  rpe REAL CHECK (rpe BETWEEN 1 AND 10)
);
CREATE TABLE workouts (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  started_at TEXT NOT NULL,
  duration_s INTEGER NOT NULL DEFAULT 0,
  title TEXT
, timezone TEXT NOT NULL DEFAULT 'UTC');
CREATE INDEX notes_by_workout ON notes (workout_id);
CREATE INDEX outbox_pending ON outbox (kind, id) WHERE status = 'pending';
CREATE INDEX sets_by_workout ON sets (workout_id, position);
CREATE INDEX workouts_by_start ON workouts (started_at DESC);
CREATE INDEX workouts_by_timezone ON workouts (timezone, started_at);
CREATE VIEW workout_totals AS
  SELECT workouts.id, workouts.started_at, count(sets.id) AS set_count,
    coalesce(sum(sets.reps * sets.weight_kg), 0) AS volume_kg
  FROM workouts LEFT JOIN sets ON sets.workout_id = workouts.id
  GROUP BY workouts.id;
CREATE TRIGGER sets_to_outbox AFTER INSERT ON sets BEGIN
  INSERT INTO outbox (kind, row_id, payload)
  VALUES (
    'set', new.id,
    printf(
      '{"id":%d,"workout":%d,"exercise":%d,"position":%d,"reps":%d,"weight_kg":%s}',
      new.id, new.workout_id, new.exercise_id, new.position, new.reps,
      coalesce(new.weight_kg, 'null')));
END;
PRAGMA user_version = 4;
PRAGMA application_id = 1179210828;
