// SPDX-License-Identifier: Apache-2.0
// What the commands are measured against, each run in a process of its own like the commands.

import DatabaseRescue
import FitnessLog
import SQLiteFormat

/// The work of SQLite, and the making of the database: `rescue-bench peer NAME FILE [OUTPUT]`.
enum Peer {
  /// Does one peer's work.
  static func run(_ words: [String]) throws {
    guard words.count >= 2 else { throw BenchError("a peer needs its name and a file") }
    let (name, file, last) = (words[0], FilePath(words[1]), words[words.count - 1])
    switch name {
    case "create": try FitnessLog.create(file, workouts: Int(last) ?? 0)
    case "edit":
      try OnlineBackup.image(of: file, into: FilePath(last))
      // One page in a hundred of the large database, far apart: edits of old workouts.
      try Connection(FilePath(last), mode: .readWrite, schemaBy: .us).execute(
        "UPDATE sets SET reps = reps + 1 WHERE workout_id % 150 = 0")
    case "integrity-check":
      let answer = try Connection(file, mode: .readOnly, schemaBy: .us).value(
        "PRAGMA integrity_check")
      guard answer == .text("ok") else { throw BenchError("'\(file)' is not sound") }
    case "vacuum-into":
      let connection = try Connection(file, mode: .readOnly, schemaBy: .us)
      try connection.prepare("VACUUM INTO ?").run([.text(last)])
    case "online-backup": try OnlineBackup.image(of: file, into: FilePath(last))
    default: throw BenchError("there is no peer '\(name)'")
    }
  }
}
