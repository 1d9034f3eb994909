// SPDX-License-Identifier: Apache-2.0
// Years of somebody's training, made from a seed.

import DatabaseRescue
import RescueTestSupport
import SQLiteFormat

/// Rows for a fitness log; the same seed gives the same rows.
struct TrainingData {
  private var random: SeededRandom
  private let version: Int
  /// When the next workout starts, in seconds since 1970.
  private var clock = 1_609_747_200

  init(seed: UInt64, version: Int) {
    random = SeededRandom(seed: seed)
    self.version = version
  }

  /// Fills a database that has a schema and no rows, inside the caller's transaction.
  mutating func fill(_ connection: borrowing Connection, workouts: Int) throws {
    try addExercises(connection)
    try addWorkouts(connection, count: workouts)
    // All but the last few sets have been sent.
    try connection.execute(
      "UPDATE outbox SET status = 'done' WHERE id <= (SELECT max(id) - 40 FROM outbox)")
  }

  private func addExercises(_ connection: borrowing Connection) throws {
    let insert = try connection.prepare("INSERT INTO exercises (name, muscle_group) VALUES (?, ?)")
    for (name, group) in Self.exercises { try insert.run([.text(name), .text(group)]) }
  }

  /// Adds workouts with their sets and notes.
  mutating func addWorkouts(_ connection: borrowing Connection, count: Int) throws {
    let workout = try connection.prepare(
      """
      INSERT INTO workouts (started_at, duration_s, title\(version >= 4 ? ", timezone" : ""))
      VALUES (strftime('%Y-%m-%dT%H:%M:%SZ', ?, 'unixepoch'), ?, ?\(version >= 4 ? ", ?" : ""))
      RETURNING id
      """)
    let set = try connection.prepare(
      """
      INSERT INTO sets
        (workout_id, exercise_id, position, reps, weight_kg\(version >= 3 ? ", rpe" : ""))
      VALUES (?, ?, ?, ?, ?\(version >= 3 ? ", ?" : ""))
      """)
    for _ in 0..<count {
      try workout.bind(nextWorkout())
      guard try workout.step(), case .integer(let id) = workout[0] else {
        throw AppError("the workout was not stored")
      }
      workout.reset()
      for position in 1...(5 + random.below(6)) {
        try set.run(nextSet(of: id, position: position))
      }
      if version >= 2, random.below(5) < 2 { try addNote(connection, to: id) }
    }
  }

  private mutating func nextWorkout() -> [Value] {
    clock += 3600 * (20 + random.below(50)) + random.below(3600)
    let title: Value = random.below(3) == 0 ? .null : .text(random.pick(Self.titles))
    let values = [.integer(Int64(clock)), .integer(Int64(1200 + random.below(5000))), title]
    return values + (version >= 4 ? [.text(random.pick(Self.timezones))] : [])
  }

  private mutating func nextSet(of workout: Int64, position: Int) -> [Value] {
    let weight = Double(random.below(60)) * 2.5
    // Version 4 no longer allows a set without a weight.
    let bodyWeight: Value = version >= 4 ? .real(0) : .null
    let values: [Value] = [
      .integer(workout), .integer(Int64(1 + random.below(Self.exercises.count))),
      .integer(Int64(position)), .integer(Int64(1 + random.below(15))),
      weight == 0 ? bodyWeight : .real(weight),
    ]
    let rpe: Value = random.below(3) == 0 ? .null : .real(6 + Double(random.below(9)) / 2)
    return version >= 3 ? values + [rpe] : values
  }

  private mutating func addNote(_ connection: borrowing Connection, to workout: Int64) throws {
    let body = (0..<(1 + random.below(4))).map { _ in random.pick(Self.sentences) }
    let photo: Value =
      random.below(2) == 0 ? .blob(random.bytes(1000 + random.below(19_000))) : .null
    let insert = try connection.prepare(
      "INSERT INTO notes (workout_id, body, photo) VALUES (?, ?, ?)")
    try insert.run([.integer(workout), .text(body.joined(separator: " ")), photo])
  }

  private static let exercises = [
    ("Squat", "legs"), ("Deadlift", "back"), ("Bench press", "chest"), ("Overhead press", "arms"),
    ("Pull-up", "back"), ("Row", "back"), ("Lunge", "legs"), ("Dip", "chest"), ("Curl", "arms"),
    ("Plank", "core"), ("Hip thrust", "legs"), ("Calf raise", "legs"), ("Push-up", "chest"),
    ("Face pull", "back"), ("Crunch", "core"), ("Kettlebell swing", "legs"),
    ("Kniebeuge vorne", "legs"), ("Développé incliné", "chest"), ("自重スクワット", "legs"),
    ("Farmer’s walk", "core"),
  ]

  private static let titles = [
    "Morning", "Upper body", "Lower body", "Full body", "Push", "Pull", "Legs", "Deload week",
    "Testing a new programme 🏋️", "Nach der Arbeit",
  ]

  private static let timezones = [
    "UTC", "Europe/Zurich", "Europe/London", "America/New_York", "Asia/Tokyo",
  ]

  private static let sentences = [
    "Felt strong today.", "Slept badly, kept it light.", "Left knee is fine again.",
    "Need to work on depth.", "New shoes, much better grip.", "Rushed, skipped the accessories.",
    "Grip gave out before the back did.", "Three minutes of rest between the heavy sets.",
    "Video looks good from the side.", "Ça va mieux.", "Next time start five kilos lower.",
  ]
}
