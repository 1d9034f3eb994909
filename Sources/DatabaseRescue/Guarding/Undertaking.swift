// SPDX-License-Identifier: Apache-2.0
// What changes a database under guard: somebody's program, SQL files, or work of an app.

import SQLiteFormat

/// What changes a database under guard, or a private copy of it.
struct Undertaking {
  /// What it is done on.
  struct Place {
    /// The database.
    let database: FilePath
    /// The backup that was made before; nil for a private copy.
    let backup: Backup?
    /// The mark that a program carries, with all that it starts.
    let mark: String
    /// Environment and the wish to stop.
    let world: World
  }

  /// How it ended, and what was done on the way.
  struct Outcome {
    /// How it ended.
    let end: ProcessEnd
    /// The steps that were carried out for good.
    var steps: [MigrationStep] = []
  }

  /// The variable in the environment of a program and of all that it starts.
  static let mark = "DBRESCUE_GUARD"

  /// What it is called in records: a program without the folder that it lies in, or the versions.
  let name: PlainName
  /// What it is called in sentences.
  let noun: String
  /// How long it may take.
  let timeout: Duration?
  /// Does it, and ends with all that it has started.
  ///
  /// Throws where it was not begun: the database is as it was.
  let run: (Place) throws(RescueError) -> Outcome

  /// Work of this process, which `run` does.
  init(
    named name: PlainName, timeout: Duration? = nil,
    run: @escaping (Place) throws(RescueError) -> Outcome
  ) {
    self.init(named: name, noun: "the migration", timeout: timeout, run: run)
  }

  private init(
    named name: PlainName, noun: String, timeout: Duration?,
    run: @escaping (Place) throws(RescueError) -> Outcome
  ) {
    self.name = name
    self.noun = noun
    self.timeout = timeout
    self.run = run
  }

  /// A program with its arguments.
  init(_ words: [FilePath], timeout: Duration?, printingTo output: CommandOutput) {
    let name = PlainName(words.first?.name ?? "")
    self.init(named: name, noun: "the command", timeout: timeout) { (place) throws(RescueError) in
      var environment = place.world.environment
      environment[Self.mark] = place.mark
      environment["DBRESCUE_BACKUP"] = nil
      do throws(StorageError) {
        var process = ChildProcess(
          words, environment: environment, mark: Self.mark, printingTo: output)
        process.adoptsOrphans = place.world.adoptsOrphans
        // The command may go to another folder.
        process.paths["DBRESCUE_DATABASE"] = try place.world.storage.place(of: place.database)
        process.paths["DBRESCUE_BACKUP"] = place.backup?.path
        return Outcome(
          end: try process.run(
            timeout: timeout, isStopWished: place.world.isCancelled,
            stopSignal: place.world.cancelledSignal))
      } catch {
        throw RescueError(
          error, meaning: "the migration was not started; the database is unchanged")
      }
    }
  }
}

/// One file of SQL, or one piece of another undertaking, that was carried out.
public struct MigrationStep: Hashable, Sendable {
  /// The version that the database has after it.
  public let version: Int
  /// The name of the file.
  public let file: FilePath
  /// How long it took.
  public let seconds: Double
}
