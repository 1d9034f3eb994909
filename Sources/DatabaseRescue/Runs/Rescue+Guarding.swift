// SPDX-License-Identifier: Apache-2.0
// A migration between a verified backup and a verification, whoever carries it out.

import Diagnosis
import SQLiteFormat

/// What is around a migration under guard, whoever carries it out.
struct MigrationNet {
  /// What the app expects of the result.
  var contract: Contract?
  /// The folder of the backups; nil for the one beside the database.
  var vault: FilePath?
  /// How long locks of others are waited for.
  var wait = Duration.seconds(5)
  /// How the backup before is made.
  var options = BackupWriter.Options()
  /// What is done when the result is refused.
  let onFailure: (GuardReport) throws(RescueError) -> GuardReport.Remedy
}

extension Rescue {
  /// Guards a migration that this process itself does: it has written all that it is going to when
  /// `migrate` ends.
  ///
  /// - Throws: ``RescueError`` when the migration was not started, or its result cannot be judged.
  package func guardMigration(
    of database: FilePath, named name: PlainName, wait: Duration = .seconds(5),
    onFailure: @escaping (GuardReport) throws(RescueError) -> GuardReport.Remedy,
    migrate: @escaping (FilePath) -> ProcessEnd
  ) throws(RescueError) -> RunResult<GuardReport> {
    let undertaking = Undertaking(named: name) { (place) throws(RescueError) in
      Undertaking.Outcome(end: migrate(place.database))
    }
    return try run(.guard, on: database) { run throws(RescueError) in
      try run.carryOut(
        undertaking, on: database, in: MigrationNet(wait: wait, onFailure: onFailure))
    }
  }
}

extension Run {
  /// Carries out an undertaking on a database under guard.
  mutating func carryOut(
    _ undertaking: Undertaking, on database: FilePath, in net: MigrationNet
  ) throws(RescueError) -> GuardReport {
    let found = try examineBeforeMigration(of: database, in: net)
    return try carryOut(undertaking, on: database, found, in: net)
  }

  /// Finds out whether a database can be migrated, and finishes what earlier runs have begun.
  ///
  /// - Throws: ``RescueError`` where it must not be: nothing was changed but that.
  mutating func examineBeforeMigration(
    of database: FilePath, in net: MigrationNet
  ) throws(RescueError) -> Examination {
    try finishPending(database)
    try world.requireNotHeldApart(database)
    let folder = try RescueFolder(of: database, storage: world.storage)
    try rescue.requireNoOtherMigration(of: folder, accepting: net.options.acceptsOlder)
    let found = try examineInUse(database, net.contract, wait: net.wait)
    if found.survey.hasForeignLog {
      throw try setForeignLogAside(from: database, found.verdict)
    }
    try rescue.requireMigratable(found, database)
    return found
  }

  /// Carries out an undertaking on a database that was examined and can be migrated.
  mutating func carryOut(
    _ undertaking: Undertaking, on database: FilePath, _ found: Examination, in net: MigrationNet
  ) throws(RescueError) -> GuardReport {
    world.progress(.began(.comparing, byteCount: nil))
    var before = GuardedState(
      // A contract has its own say about them.
      net.contract == nil ? try world.askingModules(found) : found)
    let folder = try RescueFolder(of: database, storage: world.storage)
    var options = net.options
    options.wait = net.wait
    options.freeTables.formUnion(net.contract?.freeTables ?? [])
    let backup = try provenBackup(of: database, in: net.vault, options)
    if net.contract == nil {
      before = before.with(
        danglingRows: backup.manifest?.hasNoDanglingRows == true
          ? [:] : world.danglingRows(in: found))
    }
    // Until the end, nobody prunes the way back.
    let held = Vault(backup.path.folder, in: world.storage).hold(backup)
    defer { withExtendedLifetime(held) {} }
    try Replacement.requireRoom(toPutBack: backup, in: folder, world)
    try world.requireGoingOn()
    let place = try GuardedPlace(of: database, in: world.storage)
    let mark = "\(world.random())"
    if options.acceptsOlder { try rescue.forgetMigration(of: folder) }
    let record = try HeldGuardRecord(
      GuardRecord(
        of: undertaking, mark: mark, from: world.now(), backup, in: net.vault, before.digest),
      in: folder, world.storage)

    let outcome: Undertaking.Outcome
    do throws(RescueError) {
      outcome = try step("migrate", at: .migrate) { run throws(RescueError) in
        run.world.progress(.ended)
        return try undertaking.run(
          Undertaking.Place(database: database, backup: backup, mark: mark, world: run.world))
      }
    } catch {
      try? record.remove()
      throw error
    }
    notes.take(outcome)
    notes.note(.migrationRun(on: database, backup, in: net.vault, undertaking))
    // Whoever wishes to stop has stopped the undertaking. What it has left is judged to the end. A
    // run that cannot do so leaves its record.
    let report = try unstoppably { run throws(RescueError) in
      try run.keepOrRecover(
        database, before: before, after: (backup, undertaking, outcome, place), in: net, record)
    }
    try record.remove()
    return report
  }

  /// Makes a backup, and requires that it counts.
  private mutating func provenBackup(
    of database: FilePath, in vault: FilePath?, _ options: BackupWriter.Options
  ) throws(RescueError) -> Backup {
    world.progress(.began(.backingUp, byteCount: nil))
    let backup = try backUp(database, nil, vault, options)
    if let lineage = backup.manifest?.lineage, lineage.isDoubtful {
      throw RescueError(
        .invalidInput, lineage.findings.map(\.message).joined(separator: "; "),
        meaning: "the migration was not started, and the backup '\(backup.path.name)' does not "
          + "count as a good one",
        advice: "restore what is missing, or run it again with --accept if all is as it should be")
    }
    guard backup.isGood else {
      // This run has begun none yet.
      let failed = (backup.manifest?.checks ?? []).filter { !$0.passed }
      if failed.contains(where: { $0.name == BackupManifest.Check.migrationName }) {
        throw .anotherMigrates(database)
      }
      throw RescueError(
        .invalidInput, "the backup '\(backup.path.name)' did not pass its checks",
        meaning: "the migration was not started",
        advice: "dbrescue diagnose \(database.shellQuoted)")
    }
    return backup
  }

  /// Verifies what an undertaking has left, and puts the backup back where that is wished.
  private mutating func keepOrRecover(
    _ database: FilePath, before: GuardedState,
    after work: (
      backup: Backup, undertaking: Undertaking, outcome: Undertaking.Outcome, place: GuardedPlace
    ), in net: MigrationNet, _ record: HeldGuardRecord
  ) throws(RescueError) -> GuardReport {
    let detour = try work.place.detour(in: world.storage)
    var report = try step("verify", at: .verify) { run throws(RescueError) in
      var found = try run.examineResult(database, net.contract, wait: net.wait)
      run.world.progress(.began(.comparing, byteCount: nil))
      if net.contract == nil { found = try run.world.askingModules(found) }
      var after = GuardedState(found)
      if net.contract == nil { after = after.with(danglingRows: run.world.danglingRows(in: found)) }
      return GuardReport(
        MigrationJudgement(
          of: work.undertaking, work.outcome, on: after, before: before, net.contract,
          detour: detour?.message, otherAccess: work.place.otherAccess(in: run.world.storage)),
        after: work.backup, clearedBy: detour?.clearing)
    }
    notes.take(report)
    let vault = Vault(of: work.backup, in: world.storage)
    guard !report.isKept, !report.isUnchanged else {
      report.isBackupWhole = vault.has(work.backup.name)
      if report.isKept {
        try? vault.releaseWaysBack()
      } else {
        report.remainders = [work.place.otherAccess(in: world.storage)].compactMap(\.self)
      }
      return report
    }
    report.isBackupWhole = vault.holds(work.backup)
    if !report.isBackupWhole {
      notes.correctLast(.migrationRun(without: work.backup, work.undertaking))
    } else if let clearing = report.clearing {
      notes.correctLast(
        .migrationRun(
          on: database, work.backup, in: net.vault, work.undertaking, clearedBy: clearing))
    }

    let wish = try net.onFailure(report)
    let remedy = report.isBackupWhole ? wish : .stop
    if remedy == .restore {
      do throws(RescueError) {
        if let detour {
          throw RescueError(
            .cannotWrite, detour.message,
            advice: "move that out of the way, and put the backup back:")
        }
        report.remainders =
          try restore(
            work.backup, over: database, report, before: before, wait: net.wait)
          + [work.place.giveAccessBack(in: world.storage)].compactMap(\.self)
      } catch {
        record.note(
          end: "was refused (\(report.problems.first ?? report.end.description)); what was before "
            + "it could not be put back: \(error.message)")
        throw error
      }
    }
    // Where that cannot be noted, nothing is removed from there either.
    if report.isBackupWhole, remedy == .stop { try? vault.keepAsWayBack(work.backup) }
    report.remedy = remedy
    notes.take(report)
    return report
  }

  /// Examines what the migration left; no file at all, or a folder, is judged like one without a byte.
  private mutating func examineResult(
    _ database: FilePath, _ contract: Contract?, wait: Duration
  ) throws(RescueError) -> Examination {
    do throws(RescueError) {
      return try examineInUse(database, contract, wait: wait)
    } catch  where error.kind == .missing || isFolder(database) {
      let examination = try world.examinationOfNothing(contract)
      notes.examination = examination
      return examination
    }
  }

  private func isFolder(_ path: FilePath) -> Bool {
    (try? world.storage.status(of: path))??.kind == .folder
  }

  /// Puts a backup back over what a migration has left, and proves that it is back.
  ///
  /// - Returns: What is not as it was.
  private mutating func restore(
    _ backup: Backup, over database: FilePath, _ report: GuardReport, before: GuardedState,
    wait: Duration
  ) throws(RescueError) -> [String] {
    world.progress(.began(.restoring, byteCount: nil))
    let folder = try RescueFolder(of: database, storage: world.storage)
    let method = try rescue.method(ofReplacing: folder.database, by: backup, report.examination)
    let name = backup.path.name.description
    // The files that are displaced are named by the code that the run has when they are.
    (notes.restored, notes.rowsLost) = (true, false)
    var work = PlannedWork(
      [
        .verifyBackup(name), .buildFromBackup(name), .verifyNew, method.step, .verifyInstalled,
      ], in: world, on: folder, code: notes.publishCode(.failed), wait: wait)
    work.backup = backup
    work.aim = .equality
    work.isOfGuard = true
    work.isWAL = before.state.isWAL
    do throws(RescueError) {
      _ = try carryOut(work)
    } catch {
      (notes.restored, notes.rowsLost) = (false, report.losesRows)
      throw error
    }
    let header = try DatabaseHeader(
      OnlineBackup.start(of: folder.database, count: DatabaseHeader.byteCount))
    guard let header, header.isWAL != before.state.isWAL else { return [] }
    return [
      "the journal mode is \(header.isWAL ? "WAL" : "not WAL") and was not so before: another "
        + "process has the database open"
    ]
  }
}

extension Rescue {
  /// How a backup is put in the place of what a migration has left.
  fileprivate func method(
    ofReplacing database: FilePath, by backup: Backup, _ present: Examination
  ) throws(RescueError) -> Replacement.Method {
    guard try exists(database) else { return .move }
    return Replacement.Method(
      replacing: present, in: try InputFiles(database, storage: world.storage),
      byPagesOf: backup.manifest?.content.pageSize ?? 0, storage: world.storage)
  }
}

extension Change {
  /// What an undertaking has done that left no way back by its backup.
  fileprivate static func migrationRun(
    without backup: Backup, _ undertaking: Undertaking
  ) -> Change {
    Change(
      .something,
      "\(undertaking.noun) ran, and the backup from before it does not hold any more",
      next: "dbrescue vault list \(backup.path.folder.shellQuoted)")
  }

  /// What an undertaking may have done that was carried out on a database.
  fileprivate static func migrationRun(
    on database: FilePath, _ backup: Backup, in vault: FilePath?, _ undertaking: Undertaking,
    clearedBy clearing: String? = nil
  ) -> Change {
    Change(
      .something, "\(undertaking.noun) ran; what the database was before is in '\(backup.path)'",
      next: backup.restoreCommand(for: database, in: vault, clearedBy: clearing))
  }
}

extension BackupManifest {
  /// Whether no row refers to one that is not there, as was checked.
  fileprivate var hasNoDanglingRows: Bool {
    checks.contains { $0.name == ImageChecks.foreignKeyCheck && $0.passed }
  }
}

extension Vault {
  /// Whether a backup gives back what was stored; what the disk does not hand out is asked for again.
  fileprivate func holds(_ backup: Backup) -> Bool {
    var results = verify(backup)
    if results.contains(where: \.isUnread) { results = verify(backup) }
    return results.allSatisfy(\.passed)
  }
}
