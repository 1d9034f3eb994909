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
  /// Who else had the database open when it began.
  let writers: OtherWriters
  let net: MigrationNet
}

extension Run {
  /// Verifies what an undertaking has left, and puts the backup back where that is wished.
  mutating func keepOrRecover(
    _ work: GuardedWork, _ record: HeldGuardRecord
  ) throws(RescueError) -> GuardReport {
    let detour = try work.place.detour(in: world.storage)
    let result = try step("verify", at: .verify) { run throws(RescueError) in
      try run.judge(work, detour)
    }
    var report = result.report
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

    guard !result.othersWrite else {
      return leave(
        report, after: work.backup,
        "another process may have committed something meanwhile, which would be gone: the backup is "
          + "not put back")
    }
    let wish = try work.net.onFailure(report)
    report.isDecided = true
    if wish == .stop { return leave(report, after: work.backup) }
    if wish == .restore {
      func noteEnd(_ reason: String) {
        report.isUnsettled = true
        record.note(
          end: "was refused (\(report.problems.first ?? report.end.description)); what was before "
            + "it could not be put back: \(reason)", hasBackup: report.isBackupWhole)
      }
      guard report.isBackupWhole else {
        noteEnd("the backup from before it does not hold any more")
        return leave(report, after: work.backup)
      }
      do throws(RescueError) {
        report.remainders = try putBack(work, over: result.state, report, detour)
      } catch  where error.isOverdue {
        let reason = "another process has written to the database since"
        noteEnd(reason)
        return leave(report, after: work.backup, "\(reason): the backup is not put back")
      } catch {
        noteEnd(error.message)
        throw error
      }
    }
    report.remedy = wish
    notes.take(report)
    return report
  }

  /// Leaves the database as the migration has left it, and the backup as the way back.
  private mutating func leave(
    _ report: GuardReport, after backup: Backup, _ reason: String? = nil
  ) -> GuardReport {
    var report = report
    // Where that cannot be noted, nothing is removed from there either.
    if report.isBackupWhole { try? Vault(of: backup, in: world.storage).keepAsWayBack(backup) }
    report.remedy = .stop
    report.remainders += [reason].compactMap(\.self)
    notes.take(report)
    return report
  }

  /// What a migration has left.
  private struct Result {
    let report: GuardReport
    /// The state that was judged; nil where there is no file, or it did not rest.
    let state: DatabaseState?
    /// Whether another process may have written meanwhile.
    let othersWrite: Bool
  }

  /// How often is looked for what others do where something is gone.
  private static let looksMax = 4

  private mutating func judge(
    _ work: GuardedWork, _ detour: Detour?
  ) throws(RescueError) -> Result {
    let (contract, wait) = (work.net.contract, work.net.wait)
    let left = try examineResult(work.database, contract, wait: wait)
    var found: Examination
    if let left { found = left.examination } else { found = try examinationOfNothing(contract) }
    // What was written when the migration had ended, it has not written.
    let othersWrite =
      left.map { $0.state == nil } == true
      || !work.writers.haveWrittenNothing(until: OtherWriters(of: work.database, in: world.storage))
    world.progress(.began(.comparing, byteCount: nil))
    if contract == nil { found = try world.askingModules(found) }
    var after = GuardedState(found)
    if contract == nil { after = after.with(danglingRows: world.danglingRows(in: found)) }
    func judgement(besides others: [Name: OtherWrites]) -> MigrationJudgement {
      MigrationJudgement(
        of: work.undertaking, work.outcome, on: after, before: work.before, contract,
        besides: others, detour: detour?.message,
        otherAccess: work.place.otherAccess(in: world.storage))
    }
    var judged = judgement(besides: [:])
    // What others take now and then has to be seen once.
    for _ in 0..<Self.looksMax where othersWrite && judged.losesData {
      judged = judgement(besides: world.writes(to: work.database, since: after, wait: wait))
    }
    return Result(
      report: GuardReport(judged, after: work.backup, clearedBy: detour?.clearing),
      state: left?.state, othersWrite: othersWrite)
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
    _ work: GuardedWork, over state: DatabaseState?, _ report: GuardReport, _ detour: Detour?
  ) throws(RescueError) -> [String] {
    if let detour {
      throw RescueError(
        .cannotWrite, detour.message, advice: "move that out of the way, and put the backup back:")
    }
    return try restore(
      work.backup, over: work.database, state, report, before: work.before, wait: work.net.wait)
      + [work.place.giveAccessBack(in: world.storage)].compactMap(\.self)
  }

  /// Examines what the migration left; nil for no file at all, or something that is none.
  private mutating func examineResult(
    _ database: FilePath, _ contract: Contract?, wait: Duration
  ) throws(RescueError) -> Examined? {
    do throws(RescueError) {
      return try examineInUse(database, contract, wait: wait)
    } catch  where error.kind == .missing || isNoFile(database) {
      return nil
    }
  }

  /// What is not there is judged like a file without a byte.
  private mutating func examinationOfNothing(
    _ contract: Contract?
  ) throws(RescueError) -> Examination {
    let examination = try world.examinationOfNothing(contract)
    notes.examination = examination
    return examination
  }

  private func isNoFile(_ path: FilePath) -> Bool {
    (try? world.storage.status(of: path))?.map { $0.kind != .file } ?? false
  }

  /// Puts a backup back over what a migration has left, and proves that it is back.
  ///
  /// - Returns: What is not as it was.
  private mutating func restore(
    _ backup: Backup, over database: FilePath, _ state: DatabaseState?, _ report: GuardReport,
    before: GuardedState, wait: Duration
  ) throws(RescueError) -> [String] {
    world.progress(.began(.restoring, byteCount: nil))
    let folder = try RescueFolder(of: database, storage: world.storage)
    folder.giveReserveBack(world.storage)
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
    work.state = state
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

extension World {
  /// How long is waited for others to write once more.
  private static let writingDelay = Duration.milliseconds(300)

  /// What others do to tables: how these differ from what they were when a migration had ended.
  fileprivate func writes(
    to database: FilePath, since end: GuardedState, wait: Duration
  ) -> [Name: OtherWrites] {
    pause(Self.writingDelay)
    guard let now = try? examineInUse(database, nil, wait: wait) else { return [:] }
    return end.state.writes(until: GuardedState(now.examination).state)
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
      byPagesOf: backup.manifest?.content.pageSize ?? 0,
      ofByteCount: backup.manifest?.image.byteCount, storage: world.storage)
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
