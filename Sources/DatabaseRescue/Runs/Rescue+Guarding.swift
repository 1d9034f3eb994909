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
    let found = try examineInUse(database, net.contract, wait: net.wait).examination
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
    options.take(net.contract)
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
      keeping: Replacement.reserve(for: backup),
      in: folder, world.storage)

    let writers = OtherWriters(of: database, in: world.storage)
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
        GuardedWork(
          database: database, before: before, backup: backup, undertaking: undertaking,
          outcome: outcome, place: place, writers: writers, net: net), record)
    }
    if !report.isUnsettled { try record.remove() }
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
}

extension BackupManifest {
  /// Whether no row refers to one that is not there, as was checked.
  fileprivate var hasNoDanglingRows: Bool {
    checks.contains { $0.name == ImageChecks.foreignKeyCheck && $0.passed }
  }
}
