// SPDX-License-Identifier: Apache-2.0
// Somebody else's migration between a verified backup and a verification.

import Diagnosis
import SQLiteFormat

/// The command of a migration.
struct GuardedCommand {
  /// The program and its arguments.
  let words: [FilePath]
  /// How long it may take.
  let timeout: Duration?
  /// Whether what it prints goes to the standard error.
  let printsToErrors: Bool
}

extension Rescue {
  func guardMigration(
    of database: FilePath, _ contract: Contract?, vault: FilePath?, command: GuardedCommand,
    wait: Duration, options: BackupWriter.Options,
    onFailure: (GuardReport) throws(RescueError) -> GuardReport.Remedy, _ notes: inout RunNotes
  ) throws(RescueError) -> GuardReport {
    notes.take(try finishPending(database))
    try world.requireNotHeldApart(database)
    let before = try notes.noting { () throws(RescueError) in
      try world.examineInUse(database, contract, wait: wait)
    }.examination
    if before.survey.hasForeignLog {
      throw try setForeignLogAside(from: database, before.verdict, &notes)
    }
    try requireMigratable(before, database)

    var options = options
    options.wait = wait
    options.freeTables.formUnion(contract?.freeTables ?? [])
    let backup = try backUp(database, nil, vault, options, &notes)
    if let lineage = backup.manifest?.lineage, lineage.isDoubtful {
      throw RescueError(
        .invalidInput, lineage.findings.map(\.message).joined(separator: "; "),
        meaning: "the migration was not started, and the backup '\(backup.path.name)' does not "
          + "count as a good one",
        advice: "restore what is missing, or run it again with --accept if all is as it should be")
    }
    guard backup.isGood else {
      throw RescueError(
        .invalidInput, "the backup '\(backup.path.name)' did not pass its checks",
        meaning: "the migration was not started", advice: "dbrescue diagnose \(database)")
    }

    // Until the end, nobody prunes the way back.
    let held = Vault(backup.path.folder, in: world.storage).hold(backup)
    defer { withExtendedLifetime(held) {} }
    try world.requireGoingOn()
    let place = try GuardedPlace(of: database, in: world.storage)
    let end = try notes.step("migrate", at: .migrate) { _ throws(RescueError) in
      try run(command, on: database, backup)
    }
    notes.note(.commandRun(on: database, backup, in: vault))
    // Whoever wishes to stop has stopped the command. What it has left is judged to the end.
    return try unstoppable.keepOrRecover(
      database, contract, before: before, after: (backup, end, place), wait: wait,
      onFailure: onFailure, &notes)
  }

  /// Verifies what the command has left, and puts the backup back where that is wished.
  private func keepOrRecover(
    _ database: FilePath, _ contract: Contract?, before: Examination,
    after command: (backup: Backup, end: ProcessEnd, place: GuardedPlace), wait: Duration,
    onFailure: (GuardReport) throws(RescueError) -> GuardReport.Remedy, _ notes: inout RunNotes
  ) throws(RescueError) -> GuardReport {
    let (backup, end, place) = command
    let detour = try place.detour(in: world.storage)
    var report = try notes.step("verify", at: .verify) { notes throws(RescueError) in
      let after = try examineResult(database, contract, wait: wait, &notes)
      return GuardReport(
        judging: after, before: before, backup, end, contract, detour: detour)
    }
    notes.exitStatus = 0
    notes.outcome = .succeeded
    guard !report.isKept else { return report }

    notes.outcome = .failed
    notes.exitStatus = report.refusal.exitStatus
    let remedy = try onFailure(report)
    report.remedy = remedy
    if remedy == .restore {
      if let detour {
        throw RescueError(
          .cannotWrite, detour, advice: "move that out of the way, then put the backup back:")
      }
      notes.restored = true
      try restore(backup, over: database, report.examination, wait: wait, &notes)
    }
    return report
  }

  /// Examines what the command left; no file at all is judged like one without a byte.
  private func examineResult(
    _ database: FilePath, _ contract: Contract?, wait: Duration, _ notes: inout RunNotes
  ) throws(RescueError) -> Examination {
    do throws(RescueError) {
      return try notes.noting { () throws(RescueError) in
        try world.examineInUse(database, contract, wait: wait)
      }.examination
    } catch  where error.kind == .missing {
      let nothing = try world.survey(FileSet(main: MemorySource([])))
      let examination = try world.examination(
        nothing, expectedVersion: contract.map { Int($0.userVersion) })
      notes.examination = examination
      notes.rowsLost = true
      return examination
    }
  }

  /// Gives a log of another database a name under which SQLite does not see it, where nobody has the
  /// database open: whoever opens the two together destroys the database.
  ///
  /// - Returns: The error that the run ends in.
  private func setForeignLogAside(
    from database: FilePath, _ verdict: Verdict, _ notes: inout RunNotes
  ) throws(RescueError) -> RescueError {
    let file = try RescueFolder(of: database, storage: world.storage).database
    let (log, aside) = (file.adding(suffix: "-wal"), file.adding(suffix: "-wal.set-aside"))
    let move = "mv \(log.shellQuoted) \(aside.shellQuoted)"
    let undo = "mv \(aside.shellQuoted) \(log.shellQuoted)"
    do {
      let lock = try world.storage.lockDatabase(file)
      guard lock != nil, try world.storage.status(of: aside) == nil else {
        return RescueError(
          .invalidInput, "the -wal beside '\(database)' is that of another database",
          meaning: "whoever opens the two together destroys the database; nothing was changed",
          advice: "close what uses it, and move the log away: \(move)", verdict: verdict)
      }
      try withExtendedLifetime(lock) { () throws(StorageError) in
        try world.storage.renameWithoutReplacing(log, to: aside)
        // It is so from here on, also where making it durable fails.
        notes.note(Change(.something, "'\(log)' is now '\(aside)'", next: "to undo: \(undo)"))
        try world.storage.synchronizeFolder(file.folder)
      }
    } catch {
      throw RescueError(error, doing: "move '\(log)' away")
    }
    return RescueError(
      .invalidInput, "the -wal beside '\(database)' was that of another database",
      meaning: "whoever opens the two together destroys the database: the log was moved to "
        + "'\(aside)', and the migration was not started",
      advice:
        "dbrescue check \(file.shellQuoted), then start the migration again; to undo: \(undo)",
      verdict: verdict)
  }

  private func requireMigratable(
    _ examination: Examination, _ database: FilePath
  ) throws(RescueError) {
    switch examination.verdict {
    case .healthy, .outdated, .drifted: return
    case .newer:
      throw RescueError(
        .invalidInput, "'\(database)' was written by a newer app",
        meaning: "a migration of this app would harm it; nothing was changed",
        advice: "install the newer app", verdict: .newer)
    case .damagedIntact, .damagedLossy, .unreadable:
      throw RescueError(
        .invalidInput, "'\(database)' is \(examination.verdict.word)",
        meaning: "a migration would make it worse; nothing was changed",
        advice: "dbrescue diagnose \(database)",
        verdict: examination.verdict)
    }
  }

  private func run(
    _ command: GuardedCommand, on database: FilePath, _ backup: Backup
  ) throws(RescueError) -> ProcessEnd {
    var environment = world.environment
    environment["DBRESCUE_DATABASE"] = database.description
    environment["DBRESCUE_BACKUP"] = backup.path.description
    do {
      let process = ChildProcess(
        command.words, environment: environment, printsToErrors: command.printsToErrors)
      return try process.run(
        timeout: command.timeout, isStopWished: world.isCancelled,
        stopSignal: world.cancelledSignal)
    } catch {
      throw RescueError(error, meaning: "the migration was not started; the database is unchanged")
    }
  }

  private func method(
    ofReplacing database: FilePath, by backup: Backup, _ present: Examination
  ) throws(RescueError) -> Replacement.Method {
    guard try exists(database) else { return .move }
    return Replacement.Method(
      replacing: present, in: try InputFiles(database, storage: world.storage),
      byPagesOf: backup.manifest?.content.pageSize ?? 0, storage: world.storage)
  }

  /// Puts a backup back over what a command has left, and proves that it is back.
  private func restore(
    _ backup: Backup, over database: FilePath, _ present: Examination, wait: Duration,
    _ notes: inout RunNotes
  ) throws(RescueError) {
    let folder = try RescueFolder(of: database, storage: world.storage)
    let method = try method(ofReplacing: folder.database, by: backup, present)
    let name = backup.path.name.description
    var run = PlanRun(
      [
        .verifyBackup(name), .buildFromBackup(name), .verifyNew, method.step, .verifyInstalled,
      ], in: world, on: folder, code: notes.publishCode(.failed), wait: wait)
    run.backup = backup
    run.aim = .equality
    try run.carryOut(&notes)
  }
}

extension Change {
  /// What a command may have done that was run on a database.
  fileprivate static func commandRun(
    on database: FilePath, _ backup: Backup, in vault: FilePath?
  ) -> Change {
    Change(
      .something, "the command ran; what the database was before is in '\(backup.path)'",
      next: backup.restoreCommand(for: database, in: vault))
  }
}

extension Backup {
  /// The command that puts this backup in the place of its database.
  package func restoreCommand(for database: FilePath, in vault: FilePath?) -> String {
    "dbrescue restore \(database.shellQuoted) --from \(name.id) --yes"
      + (vault.map { " --vault \($0.shellQuoted)" } ?? "")
  }
}
