// SPDX-License-Identifier: Apache-2.0
// What becomes of what a migration under guard has left: it is verified, and kept or undone.

import Diagnosis
import SQLiteFormat

/// A migration that was carried out under guard, and is to be judged.
struct GuardedWork {
  let database: FilePath
  /// The database before it.
  let before: GuardedState
  /// The backup that was made before it.
  let backup: Backup
  let undertaking: Undertaking
  let outcome: Undertaking.Outcome
  let place: GuardedPlace
  let net: MigrationNet
}

extension Run {
  /// Verifies what an undertaking has left, and puts the backup back where that is wished.
  mutating func keepOrRecover(
    _ work: GuardedWork, _ record: HeldGuardRecord
  ) throws(RescueError) -> GuardReport {
    let detour = try work.place.detour(in: world.storage)
    var report = try step("verify", at: .verify) { run throws(RescueError) in
      try run.judge(work, detour)
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
    noteWayBack(from: work, report)

    let wish = try work.net.onFailure(report)
    let remedy = report.isBackupWhole ? wish : .stop
    if remedy == .restore {
      do throws(RescueError) {
        report.remainders = try putBack(work, report, detour)
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

  private mutating func judge(
    _ work: GuardedWork, _ detour: Detour?
  ) throws(RescueError) -> GuardReport {
    let contract = work.net.contract
    var found = try examineResult(work.database, contract, wait: work.net.wait)
    world.progress(.began(.comparing, byteCount: nil))
    if contract == nil { found = try world.askingModules(found) }
    var after = GuardedState(found)
    if contract == nil { after = after.with(danglingRows: world.danglingRows(in: found)) }
    return GuardReport(
      MigrationJudgement(
        of: work.undertaking, work.outcome, on: after, before: work.before, contract,
        detour: detour?.message, otherAccess: work.place.otherAccess(in: world.storage)),
      after: work.backup, clearedBy: detour?.clearing)
  }

  /// Corrects what was noted of the way back, where the migration has made it another one.
  private mutating func noteWayBack(from work: GuardedWork, _ report: GuardReport) {
    if !report.isBackupWhole {
      notes.correctLast(.migrationRun(without: work.backup, work.undertaking))
    } else if let clearing = report.clearing {
      notes.correctLast(
        .migrationRun(
          on: work.database, work.backup, in: work.net.vault, work.undertaking,
          clearedBy: clearing))
    }
  }

  /// Puts the backup back, unless something is in the way.
  ///
  /// - Returns: What is not as it was.
  private mutating func putBack(
    _ work: GuardedWork, _ report: GuardReport, _ detour: Detour?
  ) throws(RescueError) -> [String] {
    if let detour {
      throw RescueError(
        .cannotWrite, detour.message, advice: "move that out of the way, and put the backup back:")
    }
    return try restore(
      work.backup, over: work.database, report, before: work.before, wait: work.net.wait)
      + [work.place.giveAccessBack(in: world.storage)].compactMap(\.self)
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

extension Vault {
  /// Whether a backup gives back what was stored; what the disk does not hand out is asked for again.
  fileprivate func holds(_ backup: Backup) -> Bool {
    var results = verify(backup)
    if results.contains(where: \.isUnread) { results = verify(backup) }
    return results.allSatisfy(\.passed)
  }
}
