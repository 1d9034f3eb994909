// SPDX-License-Identifier: Apache-2.0
// The start of an app: whatever earlier runs have begun is finished, the database is checked,
// migrated under guard where that is due, and nothing queries it before.

import Diagnosis
import SQLiteFormat
import Synchronization

/// One start of an app.
struct AppOpening: Sendable {
  private var rescue: Rescue
  private let database: FilePath
  private let contract: Contract
  private let options: OpeningOptions
  private let migrate: @Sendable (FilePath) async throws -> Void

  /// How a start ends, as far as it is known without its support code.
  private enum End {
    case ready(isNew: Bool, GuardReport?, [Finding])
    case refused(Verdict)
    case migrationRefused(GuardReport)
    case missing
    /// The app's migration failed where there was nothing to lose.
    case notMade
  }

  private var world: World { rescue.world }

  init(
    of database: FilePath, _ contract: Contract, _ options: OpeningOptions,
    watchedBy tell: @escaping @Sendable (OpeningProgress) -> Void, with rescue: Rescue,
    migrate: @escaping @Sendable (FilePath) async throws -> Void
  ) {
    self.database = database
    self.contract = contract
    self.options = options
    self.migrate = migrate
    var world = rescue.world
    let byteCount = ((try? world.storage.status(of: database)) ?? nil)?.byteCount ?? 0
    let watch = OpeningWatch(byteCount: byteCount, tell: tell)
    let progress = world.progress
    world.progress = {
      progress($0)
      watch.take($0)
    }
    self.rescue = Rescue(world: world, unattended: rescue.unattended)
  }

  /// Starts, until somebody wishes otherwise.
  func run(isCancelled: @escaping @Sendable () -> Bool) async -> Opening {
    var opening = self
    var world = world
    let wasCancelled = world.isCancelled
    world.isCancelled = { wasCancelled() || isCancelled() }
    opening.rescue = Rescue(world: world, unattended: rescue.unattended)
    return await AsyncWork.blocking { [opening] in opening.run() }
  }

  /// Starts; blocks its thread.
  private func run() -> Opening {
    let thrown = Thrown()
    let result: RunResult<End>
    do throws(RescueError) {
      result = try rescue.run(.open, on: database) { run throws(RescueError) in
        let end = try open(in: &run, thrown)
        switch end {
        case .missing: run.notes.fail(.missing)
        case .notMade: run.notes.fail(.invalidInput)
        case .ready, .refused, .migrationRefused: break
        }
        return end
      }
    } catch {
      return .blocked(blockade(for: error))
    }
    return opening(result.value, result.code, thrown.error)
  }

  // MARK: What is done

  private func open(in run: inout Run, _ thrown: Thrown) throws(RescueError) -> End {
    try run.finishPending(database)
    try world.requireNotHeldApart(database)
    let folder = try RescueFolder(of: database, storage: world.storage)
    try world.requireNobodyMigrates(folder)
    guard try hasContent() else { return try openNew(in: &run, thrown) }
    if let cutOff = try rescue.settleCutOffMigration(of: folder) {
      run.notes.note(try goBack(before: cutOff))
    }
    let net = MigrationNet(
      contract: contract, vault: options.vault, wait: options.wait,
      onFailure: { [options] _ throws(RescueError) in options.onFailure })
    let found = try run.descended(
      run.examineInUse(database, contract, wait: options.wait),
      of: InputFiles(database, storage: world.storage), vault: options.vault)
    switch found.verdict {
    case .healthy: return .ready(isNew: false, nil, found.findings)
    case .outdated: break
    default: return .refused(found.verdict)
    }
    if found.survey.hasForeignLog {
      throw try run.setForeignLogAside(from: database, found.verdict)
    }
    let report = try run.carryOut(undertaking(thrown), on: database, found, in: net)
    return report.isKept ? .ready(isNew: false, report, []) : .migrationRefused(report)
  }

  /// Whether there is anything in the place of the database, or beside it.
  private func hasContent() throws(RescueError) -> Bool {
    do throws(StorageError) {
      for suffix in [""] + FilePath.journalSuffixes {
        let status = try world.storage.status(of: database.adding(suffix: suffix))
        if let status, status.byteCount > 0 { return true }
      }
      return false
    } catch {
      throw RescueError(error)
    }
  }

  /// Lets the app make its database, where there never was one.
  private func openNew(in run: inout Run, _ thrown: Thrown) throws(RescueError) -> End {
    guard try latestBackup() == nil else { return .missing }
    let place = Undertaking.Place(
      database: database, backup: nil, mark: "\(world.random())", world: world)
    let outcome = try run.step("make", at: .migrate) { _ throws(RescueError) in
      try undertaking(thrown).run(place)
    }
    run.notes.note(Change(.addition, "the app has begun to make its database"))
    guard outcome.end.succeeded, try hasContent() else { return .notMade }
    let made = try run.unstoppably { run throws(RescueError) in
      try run.examineInUse(database, contract, wait: options.wait).examination
    }
    guard made.verdict == .healthy else { return .refused(made.verdict) }
    return .ready(isNew: true, nil, made.findings)
  }

  /// Goes back to before a migration that was cut off, as nobody knows how far it came.
  ///
  /// - Returns: What that has changed.
  private func goBack(before cutOff: CutOffMigration) throws(RescueError) -> Change {
    let folder = try RescueFolder(of: database, storage: world.storage)
    let vault = Vault(
      cutOff.vault ?? options.vault ?? folder.backups, of: folder.database.name,
      in: world.storage)
    let backups = try vault.list()
    guard let backup = backups.first(where: { $0.name == cutOff.backup && $0.isGood }) else {
      throw RescueError(
        .decisionNeeded, cutOff.message, meaning: "the backup from before it is gone",
        advice: cutOff.wayOn(of: database))
    }
    world.progress(.began(.restoring, byteCount: nil))
    try rescue.putBack(backup, over: database, contract, wait: options.wait)
    return Change(
      .something, "\(cutOff.message); the backup '\(backup.path.name)' was put back")
  }

  /// The app's migration as something that can be undertaken.
  private func undertaking(_ thrown: Thrown) -> Undertaking {
    Undertaking(named: "the app") { [migrate] (place) throws(RescueError) in
      place.world.progress(.began(.migrating, byteCount: nil))
      let error = AsyncWork.waiting(isStopWished: place.world.isCancelled) {
        try await migrate(place.database)
      }
      guard let error else { return Undertaking.Outcome(end: .done) }
      thrown.note(error)
      if error is CancellationError, place.world.isCancelled() {
        return Undertaking.Outcome(end: .stopped(signal: place.world.cancelledSignal))
      }
      // What an error of an app says may hold values.
      return Undertaking.Outcome(
        end: .failed("the app threw \(type(of: error))", cause: (error as? RescueError)?.kind))
    }
  }

  // MARK: What is said

  private func opening(_ end: End, _ code: SupportCode, _ thrown: (any Error)?) -> Opening {
    let texts = options.texts
    switch end {
    case .ready(let isNew, let report, let findings):
      return .ready(
        ReadyDatabase(
          path: database, code: code, isNew: isNew, migration: report, findings: findings))
    case .refused(let verdict):
      let backup = try? latestBackup()
      let canGoBack = backup != nil && verdict != .newer
      return .blocked(
        Blockade(
          message: BlockingMessage(
            verdict, code: code, isBackedUp: backup != nil, texts: texts),
          options: canGoBack ? backup.map { [.restore($0)] } ?? [] : [], verdict: verdict,
          migration: nil, error: nil, thrown: thrown))
    case .migrationRefused(let report):
      let canGoBack = report.result == .left
      return .blocked(
        Blockade(
          message: BlockingMessage(report, code: code, texts: texts),
          options: canGoBack ? [.restore(report.backup)] : [.tryAgain], verdict: report.refusal,
          migration: report, error: nil, thrown: thrown))
    case .missing:
      let backup = try? latestBackup()
      return .blocked(
        Blockade(
          message: BlockingMessage(.missingTitle, .missingBackedUpBody, code: code, texts),
          options: backup.map { [.restore($0)] } ?? [], verdict: nil, migration: nil, error: nil,
          thrown: nil))
    case .notMade:
      return .blocked(
        Blockade(
          message: BlockingMessage(.updateTitle, .updateStoppedBody, code: code, texts),
          options: [.tryAgain], verdict: nil, migration: nil, error: nil, thrown: thrown))
    }
  }

  private func blockade(for error: RescueError) -> Blockade {
    let code = error.code ?? RunNotes(.open, unattended: true, world: world).code()
    let texts = options.texts
    if let verdict = error.verdict {
      let backup = try? latestBackup()
      return Blockade(
        message: BlockingMessage(verdict, code: code, isBackedUp: backup != nil, texts: texts),
        options: [.tryAgain], verdict: verdict, migration: nil, error: error, thrown: nil)
    }
    let message =
      switch error.kind {
      case .busy: BlockingMessage(.busyTitle, .busyBody, .busyRequest, code: code, texts)
      case .cannotWrite: BlockingMessage(.spaceTitle, .spaceBody, .spaceRequest, code: code, texts)
      case .interrupted:
        BlockingMessage(.stoppedTitle, .stoppedBody, .stoppedRequest, code: code, texts)
      case .missing: BlockingMessage(.missingTitle, .missingBody, code: code, texts)
      case .invalidInput, .decisionNeeded, .declined:
        BlockingMessage(.updateTitle, .updateStoppedBody, code: code, texts)
      case .inputOutput, .permission, .usage, .internal:
        BlockingMessage(.accessTitle, .accessBody, code: code, texts)
      }
    return Blockade(
      message: message, options: [.tryAgain], verdict: nil, migration: nil, error: error,
      thrown: nil)
  }

  private func latestBackup() throws(RescueError) -> Backup? {
    try rescue.backups(of: database, vault: options.vault).latest()
  }
}

extension Rescue {
  /// Puts a backup in the place of a database, as a run of its own.
  ///
  /// - Throws: ``RescueError``; the database is then as it was, or a plan is on disk that the next
  ///   run finishes.
  func putBack(
    _ backup: Backup, over database: FilePath, _ contract: Contract?, wait: Duration
  ) throws(RescueError) {
    // A database that is gone has nothing to lose.
    guard try exists(database) else {
      _ = try restore(backup, toNewFile: database, files: RunFiles(), takesItsPlace: true)
      return
    }
    _ = try recover(
      .restore, database, contract: contract, backup: backup, wait: wait,
      choose: { examination, options throws(RescueError) in
        if let option = options.first(where: { $0.kind == .restore }) { return option }
        throw RescueError(
          .invalidInput, "'\(database.name)' is \(examination.verdict.word)",
          meaning: "the backup was not put back; nothing was changed",
          advice: "restore it to a new file", verdict: examination.verdict)
      },
      approve: { _ throws(RescueError) in })
  }
}

extension RunNotes {
  /// Notes that the run has ended without what it was made for.
  fileprivate mutating func fail(_ kind: RescueError.Kind) {
    outcome = .failed
    exitStatus = kind.rawValue
  }
}

/// What the app's own migration threw.
private final class Thrown: Sendable {
  private let first = Mutex<(any Error)?>(nil)

  var error: (any Error)? { first.withLock(\.self) }

  func note(_ error: any Error) { first.withLock { $0 = error } }
}
