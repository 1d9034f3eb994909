// SPDX-License-Identifier: Apache-2.0
// The API that an app embeds, on one page. Every call is one run: it ends in a value and a support
// code, or in a RescueError that carries one, and in a line of the run log either way.
//
// The articles in `DatabaseRescue.docc` show how each is used, with examples that are compiled;
// `samples/AppStart` is a whole start, which its tests run. What else an app needs is public, and
// everything else is for the package.

public import Diagnosis
import SQLiteFormat
import Synchronization

/// What a diagnosis found.
public struct Diagnosed: Sendable {
  /// What is known of the database.
  public let examination: Examination
  /// What copying its rows gave, where it was tried.
  package let trial: SalvageTrial?
  /// What can be done, least destructive first.
  public let options: [RecoveryOption]
  /// What happened to it, as far as that can be told.
  public let causes: CauseAnswer
}

extension Rescue {
  /// Gives a verdict on a database without touching it, and tells whether it is older than its
  /// newest good backup.
  ///
  /// - Throws: ``RescueError`` when there is no such file or it cannot be opened; what is wrong
  ///   *inside* the file is part of the result, and so are backups that cannot be looked at.
  public func check(
    _ input: InputFiles, contract: Contract? = nil, vault: FilePath? = nil
  ) throws(RescueError) -> RunResult<Examination> {
    try run(.check, on: input.main) { run throws(RescueError) in
      try run.descended(run.examine(input, contract), of: input, vault: vault)
    }
  }

  /// Diagnoses a database without touching it, and works out what can be done.
  ///
  /// - Throws: ``RescueError`` as ``check(_:contract:vault:)``.
  public func diagnose(
    _ input: InputFiles, contract: Contract? = nil, vault: FilePath? = nil
  ) throws(RescueError) -> RunResult<Diagnosed> {
    try run(.diagnose, on: input.main) { run throws(RescueError) in
      var (examination, trials) = try withEvidence(
        input, note: { run.notes.inputs = $0 },
        examine: { () throws(RescueError) in
          try run.examine(input, contract, askingModules: true).examination
        },
        { examination, _ throws(RescueError) in
          (examination, try salvageTrials(for: examination, contract))
        })
      do { examination = try examination.judgedAgain() } catch { throw .interrupted }
      if let trial = trials.salvage { examination = examination.refined(by: trial) }
      run.notes.take(examination)
      let offers = try run.offers(for: &examination, of: input.main, vault: vault)
      examination = examination.amid(
        world.circumstances(
          of: input, examination, backups: offers.map(\.backup), offers.map(\.offer)))
      _ = try backedSalvage(of: input, examination, contract, offers: offers, &trials)
      return Diagnosed(
        examination: examination, trial: trials.salvage,
        options: examination.options(
          backups: offers.map(\.offer), hasFreshSchema: contract != nil, trials: trials),
        causes: examination.causes)
    }
  }

  /// Backs up a database, which others may be using, and reads the backup back.
  ///
  /// Where a process has files of it open that were deleted or moved away under it, `process` names
  /// it: what it has open is backed up.
  ///
  /// - Throws: ``RescueError``; the vault is then as it was.
  public func backUp(
    _ database: FilePath, contract: Contract? = nil, vault: FilePath? = nil,
    options: BackupWriter.Options = BackupWriter.Options(), asHeldBy process: Int32? = nil
  ) throws(RescueError) -> RunResult<Backup> {
    try run(.backup, on: database) { run throws(RescueError) in
      if let process {
        let held = try InputFiles(of: database, asHeldBy: process, world: world)
        let folder = try RescueFolder(of: database, storage: world.storage)
        return try withExtendedLifetime(held) { () throws(RescueError) in
          try run.backUp(held.main, contract, vault ?? folder.backups, options)
        }
      }
      try run.finishPending(database)
      let backup = try run.backUp(database, contract, vault, options)
      if options.acceptsOlder, backup.isGood {
        try forgetMigration(of: RescueFolder(of: database, storage: world.storage))
        try Vault(of: backup, in: world.storage).releaseWaysBack()
      }
      return backup
    }
  }

  /// Restores a backup to a new file; the database is not touched.
  ///
  /// - Throws: ``RescueError`` when the backup does not hold, or the file exists.
  public func restore(
    _ backup: Backup, toNewFile output: FilePath
  ) throws(RescueError) -> RunResult<Backup> {
    try restore(backup, toNewFile: output, files: RunFiles())
  }

  /// Copies every readable row of a damaged database into a new one, without touching it.
  ///
  /// Rows that it has lost come from `backups` where these still have them: backups of this
  /// library, or databases.
  ///
  /// - Throws: ``RescueError`` when there is no database in the file, or the output exists, is an
  ///   input or cannot be written.
  public func salvage(
    _ input: InputFiles, to output: FilePath, into contract: Contract? = nil,
    backups: [FilePath] = [], replacing: Bool = false
  ) throws(RescueError) -> RunResult<SalvageReport> {
    try salvage(
      input, to: output, into: contract, backups: backups, replacing: replacing,
      files: RunFiles())
  }

  /// Merges databases, damaged or not, into a new one: the rows of all of them, each once.
  ///
  /// The last one is the newest, and its schema and versions are those of the result. Of two rows
  /// with the same key and other values the policy says which one stays; the other is set aside.
  /// Each input is a database, a backup of this library, or an archive with a database.
  ///
  /// - Throws: ``RescueError`` when there are fewer than two inputs, there is no database in one of
  ///   them, or the output exists, is an input or cannot be written.
  public func merge(
    _ inputs: [FilePath], to output: FilePath, policy: MergePolicy = MergePolicy(),
    replacing: Bool = false
  ) throws(RescueError) -> RunResult<MergeReport> {
    try merge(inputs, to: output, policy: policy, replacing: replacing, files: RunFiles())
  }

  /// Carries out an option on a database: restore, salvage, reset or new indexes.
  ///
  /// `choose` is shown the options and names one; `approve` is shown the plan before anything
  /// changes. Either ends the run by throwing. A `backup` that was named is one to restore even
  /// if it is not in the vault.
  ///
  /// - Throws: ``RescueError``; the database is then as it was, or a plan is on disk that the
  ///   next run finishes.
  public func recover(
    _ database: FilePath, contract: Contract? = nil, vault: FilePath? = nil,
    backup: Backup? = nil, wait: Duration = .seconds(5),
    choose: (Examination, [RecoveryOption]) throws(RescueError) -> RecoveryOption,
    approve: (Plan) throws(RescueError) -> Void
  ) throws(RescueError) -> RunResult<RecoveryReport> {
    try recover(
      .recover, database, contract: contract, vault: vault, backup: backup, wait: wait,
      choose: choose, approve: approve)
  }

  /// Brings back the files that an earlier run displaced; the present ones are displaced instead.
  ///
  /// The value is the folder in which they were kept.
  ///
  /// - Throws: ``RescueError`` when that run displaced nothing, the database is in use, or somebody
  ///   has changed the files since and they are not to come back `evenIfChanged`.
  public func undo(
    _ code: SupportCode, of database: FilePath, evenIfChanged: Bool = false,
    wait: Duration = .seconds(5)
  ) throws(RescueError) -> RunResult<FilePath> {
    try run(.undo, on: database) { run throws(RescueError) in
      try run.undo(
        code, of: database, evenIfChanged: evenIfChanged, wait: wait, approve: { _ in }
      ).place
    }
  }

  /// Runs somebody else's migration between a verified backup and a verification.
  ///
  /// The command prints to `output`; it shares this process's streams where nothing is said.
  ///
  /// - Throws: ``RescueError`` when the migration was not started; what happens after that is
  ///   part of the result.
  public func guardMigration(
    of database: FilePath, contract: Contract? = nil, vault: FilePath? = nil,
    command: [FilePath], timeout: Duration? = nil, printingTo output: CommandOutput = .shared,
    wait: Duration = .seconds(5), options: BackupWriter.Options = BackupWriter.Options(),
    onFailure: @escaping (GuardReport) throws(RescueError) -> GuardReport.Remedy
  ) throws(RescueError) -> RunResult<GuardReport> {
    try run(.guard, on: database) { run throws(RescueError) in
      try run.carryOut(
        Undertaking(command, timeout: timeout, printingTo: output), on: database,
        in: MigrationNet(
          contract: contract, vault: vault, wait: wait, options: options, onFailure: onFailure))
    }
  }

  /// Carries out numbered SQL files on a database, between a verified backup and a verification.
  ///
  /// Where the database has the version already, nothing is done. `onStep` is told of each file that
  /// has run, which may be undone yet.
  ///
  /// - Throws: ``RescueError`` when the migration was not started; what happens after that is
  ///   part of the result.
  public func migrate(
    _ database: FilePath, with folder: MigrationFolder,
    options: MigrationOptions = MigrationOptions(),
    onStep: @escaping (MigrationStep) -> Void = { _ in },
    onFailure: @escaping (GuardReport) throws(RescueError) -> GuardReport.Remedy
  ) throws(RescueError) -> RunResult<MigrationReport> {
    try run(.migrate, on: database) { run throws(RescueError) in
      try run.migrate(database, with: folder, options, tell: onStep, onFailure: onFailure)
    }
  }

  /// Tells what ``migrate(_:with:options:onStep:onFailure:)`` would do, by doing it to a private
  /// copy.
  ///
  /// - Throws: ``RescueError`` when the migration would not be started.
  public func foreseeMigration(
    of database: FilePath, with folder: MigrationFolder,
    options: MigrationOptions = MigrationOptions(),
    onStep: @escaping (MigrationStep) -> Void = { _ in }
  ) throws(RescueError) -> RunResult<MigrationForecast> {
    try run(.rehearse, on: database) { run throws(RescueError) in
      try run.foresee(database, with: folder, options, tell: onStep)
    }
  }

  /// Tries a chain of migrations on private copies of databases, and of empty ones that are made of
  /// scripts and contracts and filled with rows that exercise every column.
  ///
  /// Where no start is given, the files of a folder make one of each version. Each is brought to the
  /// end in one go, and file by file. `onCase` is told of each way that was gone.
  ///
  /// - Throws: ``RescueError`` when nothing could be rehearsed; what is wrong with one start is part
  ///   of the result.
  public func rehearse(
    _ chain: RehearsedChain, from starts: [FilePath], options: RehearsalOptions,
    onCase: @escaping (RehearsalCase) -> Void = { _ in }
  ) throws(RescueError) -> RunResult<RehearsalReport> {
    try run(.rehearse, on: nil) { run throws(RescueError) in
      var rehearsal = RehearsalRun(chain, options, with: self, tell: onCase)
      // A run that is stopped has gone some of the ways.
      defer { run.notes.take(rehearsal.report) }
      try rehearsal.run(from: starts)
      return rehearsal.report
    }
  }

  /// The start of an app: gets its database ready, and gives that, or what to show in its place.
  ///
  /// What earlier runs have begun is finished, the database is checked and, where it is older than
  /// the contract, migrated by `migrate` under guard: with a proven backup before, a check of every
  /// row after, and a way back. Where there never was a database, `migrate` makes it. It gets the
  /// path, and closes all that it opens before it returns; nothing else may open the database until
  /// this call has. No process is started.
  ///
  /// To cancel the task stops what has changed nothing yet, and cancels `migrate`; what it then
  /// leaves is judged as ever. `progress` is called from any thread.
  public func open(
    _ database: FilePath, contract: Contract, options: OpeningOptions = OpeningOptions(),
    progress: @escaping @Sendable (OpeningProgress) -> Void = { _ in },
    migrate: @escaping @Sendable (FilePath) async throws -> Void
  ) async -> Opening {
    let isCancelled = Mutex(false)
    return await withTaskCancellationHandler {
      await AppOpening(
        of: database, contract, options, watchedBy: progress, with: self, migrate: migrate
      ).run(isCancelled: { isCancelled.withLock(\.self) })
    } onCancel: {
      isCancelled.withLock { $0 = true }
    }
  }

  /// Does what the user of a blocked app has chosen; afterwards, ``open(_:contract:options:progress:migrate:)``
  /// is called again.
  ///
  /// - Throws: ``RescueError``; the database is then as it was, or a plan is on disk that the next
  ///   start finishes.
  public func carryOut(
    _ option: Blockade.Option, on database: FilePath, contract: Contract? = nil,
    wait: Duration = .seconds(5)
  ) async throws(RescueError) {
    guard case .restore(let backup) = option else { return }
    try await AsyncWork.blocking { () throws(RescueError) in
      try putBack(backup, over: database, contract, wait: wait)
    }
  }

  /// The backups of a database, newest first.
  ///
  /// - Throws: ``RescueError`` when the vault cannot be listed.
  public func backups(of database: FilePath, vault: FilePath? = nil) throws(RescueError) -> Vault {
    let folder = try RescueFolder(of: database, storage: world.storage)
    let kept = vault ?? folder.backups
    let place = Descent(of: folder.database, in: kept, world.storage).tellingPlace
    return Vault(kept, of: folder.database.name, at: place, in: world.storage)
  }
}
