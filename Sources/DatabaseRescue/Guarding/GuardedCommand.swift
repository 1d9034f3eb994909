// SPDX-License-Identifier: Apache-2.0
// The command of a migration, run on a database.

import SQLiteFormat

/// The command of a migration.
struct GuardedCommand {
  /// The variable in the environment of the command and of all that it starts.
  static let mark = "DBRESCUE_GUARD"

  /// The program and its arguments.
  let words: [FilePath]
  /// How long it may take.
  let timeout: Duration?
  /// Whether what it prints goes to the standard error.
  let printsToErrors: Bool

  /// The program, without the folder that it lies in.
  var program: PlainName { PlainName(words.first?.name ?? "") }

  /// Runs it, under a mark that all carry which it starts.
  ///
  /// - Throws: ``RescueError`` when it cannot be started.
  func run(
    on database: FilePath, _ backup: Backup, mark: String, in world: World
  ) throws(RescueError) -> ProcessEnd {
    var environment = world.environment
    environment["DBRESCUE_DATABASE"] = database.description
    environment["DBRESCUE_BACKUP"] = backup.path.description
    environment[Self.mark] = mark
    do {
      let process = ChildProcess(
        words, environment: environment, mark: Self.mark, printsToErrors: printsToErrors)
      return try process.run(
        timeout: timeout, isStopWished: world.isCancelled, stopSignal: world.cancelledSignal)
    } catch {
      throw RescueError(error, meaning: "the migration was not started; the database is unchanged")
    }
  }
}
