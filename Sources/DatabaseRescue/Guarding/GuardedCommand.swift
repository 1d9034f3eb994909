// SPDX-License-Identifier: Apache-2.0
// The command of a migration, run on a database.

import SQLiteFormat

/// The command of a migration.
struct GuardedCommand {
  /// What a command is run on.
  struct Place {
    /// The database.
    let database: FilePath
    /// The backup that was made before.
    let backup: Backup
    /// The mark that the command carries, with all that it starts.
    let mark: String
    /// Environment and the wish to stop.
    let world: World
  }

  /// The variable in the environment of the command and of all that it starts.
  static let mark = "DBRESCUE_GUARD"

  /// The program, without the folder that it lies in.
  let program: PlainName
  /// How long it may take.
  let timeout: Duration?
  /// Runs it and all that it starts to the end.
  let run: (Place) throws(RescueError) -> ProcessEnd

  /// A migration that is done by `run`.
  init(
    named program: PlainName, timeout: Duration? = nil,
    run: @escaping (Place) throws(RescueError) -> ProcessEnd
  ) {
    self.program = program
    self.timeout = timeout
    self.run = run
  }

  /// A program with its arguments, which may print to the standard error alone.
  init(_ words: [FilePath], timeout: Duration?, printsToErrors: Bool) {
    self.init(named: PlainName(words.first?.name ?? ""), timeout: timeout) {
      (place) throws(RescueError) in
      var environment = place.world.environment
      environment["DBRESCUE_DATABASE"] = place.database.description
      environment["DBRESCUE_BACKUP"] = place.backup.path.description
      environment[Self.mark] = place.mark
      do throws(StorageError) {
        let process = ChildProcess(
          words, environment: environment, mark: Self.mark, printsToErrors: printsToErrors)
        return try process.run(
          timeout: timeout, isStopWished: place.world.isCancelled,
          stopSignal: place.world.cancelledSignal)
      } catch {
        throw RescueError(
          error, meaning: "the migration was not started; the database is unchanged")
      }
    }
  }
}
