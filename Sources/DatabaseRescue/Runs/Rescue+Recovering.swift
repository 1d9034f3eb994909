// SPDX-License-Identifier: Apache-2.0
// Carrying out an option: the plan as values, then its steps, each noted before the next.

public import Diagnosis
import SQLiteFormat

/// What a recovery did.
public struct RecoveryReport: Sendable {
  /// The plan that was carried out; nil when there was nothing to do.
  public let plan: Plan?
  /// What a salvage did with every row, when that was the option.
  public let salvage: SalvageReport?
  /// The files with unsynced rows, and how many each has.
  public let exported: [(path: FilePath, rows: Int)]
  /// The verdict on the database in its place afterwards.
  public let verdict: Verdict
  /// Where the old files are.
  public let quarantine: FilePath?

  /// The rows that this has cost, a line for each table that has lost any.
  var losses: [String] {
    if let salvage {
      return salvage.balances.filter { !$0.isComplete }.map { balance in
        let table = balance.table.map { "'\($0)'" } ?? "no table"
        let aside = balance.quarantined - balance.uncommitted
        return "\(balance.lost) of \(table)" + (aside > 0 ? " and \(aside) set aside" : "")
      }
    }
    return (plan?.option.outcomes ?? []).filter { $0.lost != .none }.map {
      "\($0.lost) of '\($0.table)'"
    }
  }

  /// The verdict that the run ends in: a sound database that a salvage could not fill completely
  /// is no success.
  public var outcome: Verdict {
    guard verdict == .healthy, let salvage, !salvage.isComplete else { return verdict }
    return .damagedLossy
  }
}

extension Rescue {
  func recover(
    _ operation: SupportCode.Operation, _ database: FilePath, _ contract: Contract?,
    vault: FilePath?, backup: Backup? = nil,
    wait: Duration,
    choose: (Examination, [RecoveryOption]) throws(RescueError) -> RecoveryOption,
    approve: (Plan) throws(RescueError) -> Void, _ notes: inout RunNotes
  ) throws(RescueError) -> RecoveryReport {
    notes.take(try finishPending(database))
    try world.requireNotHeldApart(database)
    for number in 1...Self.plansMax {
      if let report = try recoverAsItIs(
        operation, database, contract, vault: vault, backup: backup, wait: wait,
        mayHold: number == Self.plansMax && unattended, choose: choose, approve: approve, &notes)
      {
        return report
      }
    }
    throw RescueError(
      .busy, "another process goes on writing to '\(database)'",
      meaning: "every plan was for a state that is gone; nothing was changed",
      advice: "close what uses it, and give the command again")
  }

  /// How often a plan is made anew because somebody has written to the database since.
  private static let plansMax = 3

  /// Carries out an option on a database as it is now; nil when somebody has written to it before
  /// it could be replaced: what they have added is in no plan.
  ///
  /// Where it `mayHold` the others up, as nobody is asked, what does not depend on the state of the
  /// database is planned once more under the lock.
  private func recoverAsItIs(
    _ operation: SupportCode.Operation, _ database: FilePath, _ contract: Contract?,
    vault: FilePath?, backup: Backup?, wait: Duration, mayHold: Bool,
    choose: (Examination, [RecoveryOption]) throws(RescueError) -> RecoveryOption,
    approve: (Plan) throws(RescueError) -> Void, _ notes: inout RunNotes
  ) throws(RescueError) -> RecoveryReport? {
    let input = try InputFiles(database, storage: world.storage)
    let examined = try notes.noting { () throws(RescueError) in
      try world.examine(input, contract, askingModules: true)
    }
    var examination = examined.examination
    var offers = try offers(for: &examination, of: input.main, vault: vault, &notes)
    if let backup { offers = [(backup, try offer(backup, for: examination))] }
    // What becomes of the rows is tried out where it can be chosen: not by who has chosen already.
    let trials =
      operation == .restore || operation == .reset
      ? SalvageTrials() : try salvageTrials(for: examination, contract)
    var options = examination.options(
      backups: offers.map(\.offer), hasFreshSchema: contract != nil, trials: trials)
    // Who names a backup may want it over a sound database too: rows can be gone that nobody
    // misses but its user. Only what a newer app wrote is left alone.
    if backup != nil, examination.verdict != .newer,
      !options.contains(where: { $0.kind == .restore })
    {
      options += offers.map { examination.restoreOption($0.offer) }
    }
    let option = try choose(examination, options)
    guard option.kind != .nothing, option.kind != .migrate else {
      notes.outcome = .nothingToDo
      notes.exitStatus = examination.verdict.exitStatus
      return RecoveryReport(
        plan: nil, salvage: nil, exported: [], verdict: examination.verdict, quarantine: nil)
    }

    notes.restored = option.kind == .restore
    notes.rowsLost = option.losesRows
    let code = notes.publishCode(option.losesRows ? .succeededWithLoss : .succeeded)
    let folder = try RescueFolder(of: input.main, storage: world.storage)
    let chosen = offers.first { $0.offer.name == option.backup }?.backup
    let plan = try plan(option, input, examination, contract, chosen, folder, code)
    try approve(plan)

    let isRenewed = mayHold && plan.canBeRenewed
    var carriedOut = plan
    var run = PlanRun(plan.steps, in: world, on: folder, code: code, wait: wait)
    (run.examination, run.contract, run.backup) = (examination, contract, chosen)
    run.state = isRenewed ? nil : examined.state
    do throws(RescueError) {
      try run.carryOut(&notes) { notes throws(RescueError) in
        guard isRenewed else { return }
        let kept = folder.quarantine(code).appending(folder.database.name)
        let now = try notes.noting { () throws(RescueError) in
          try world.examine(InputFiles(kept, storage: world.storage), contract)
        }.examination
        let option =
          if let chosen { now.restoreOption(try offer(chosen, for: now)) } else { now.resetOption }
        carriedOut = try self.plan(option, input, now, contract, chosen, folder, code)
        try approve(carriedOut)
      }
    } catch  where error.isOverdue {
      return nil
    }
    let report = RecoveryReport(
      plan: carriedOut, salvage: run.salvage, exported: run.exported,
      verdict: run.verdict ?? examination.verdict, quarantine: folder.quarantine(code))
    notes.outcome = option.losesRows ? .succeededWithLoss : .succeeded
    notes.exitStatus = report.outcome.exitStatus
    return report
  }

  private func plan(
    _ option: RecoveryOption, _ input: InputFiles, _ examination: Examination,
    _ contract: Contract?, _ backup: Backup?, _ folder: RescueFolder, _ code: SupportCode
  ) throws(RescueError) -> Plan {
    var steps: [Plan.Step] = []
    if let backup = option.backup { steps.append(.verifyBackup(backup)) }
    switch option.kind {
    case .restore: steps.append(.buildFromBackup(option.backup ?? ""))
    case .salvage: steps.append(.buildBySalvage)
    case .rebuildIndexes: steps.append(.buildWithNewIndexes)
    case .reset: steps.append(.buildEmpty)
    case .nothing, .migrate: break
    }
    steps.append(.verifyNew)
    let places = UnsyncedExport.places(in: examination, contract)
    if option.kind.isDestructive, !places.isEmpty {
      steps.append(.exportUnsynced(tables: places.map(\.table)))
    }
    let method = Replacement.Method(
      replacing: examination, in: input,
      byPagesOf: backup.map { $0.manifest?.content.pageSize ?? 0 }, storage: world.storage)
    steps += [method.step, .verifyInstalled]
    do throws(CutShort) {
      return try Plan(
        for: examination, option: option, steps: steps,
        quarantine: folder.quarantine(code).description, undo: folder.undoCommand(code))
    } catch {
      throw .interrupted
    }
  }

  func undo(
    _ code: SupportCode, of database: FilePath, wait: Duration, _ notes: inout RunNotes
  ) throws(RescueError) -> FilePath {
    notes.take(try finishPending(database))
    try world.requireNotHeldApart(database)
    let displaced = try displaced(by: code, of: database)
    let folder = try RescueFolder(of: database, storage: world.storage)
    let kept = displaced.appending(folder.database.name)
    let method = try method(ofReplacing: folder.database, by: kept, wait: wait)
    var run = PlanRun(
      [.buildFromQuarantine("\(code)"), method.step], in: world, on: folder,
      code: notes.publishCode(.succeeded), wait: wait)
    run.displaced = displaced
    try run.carryOut(&notes)
    return displaced
  }

  /// How a database is replaced by another file: from within, so that those who have it open see
  /// the new content, where SQLite can open both; else by moving files.
  private func method(
    ofReplacing database: FilePath, by other: FilePath, wait: Duration
  ) throws(RescueError) -> Replacement.Method {
    do {
      guard try world.storage.status(of: database) != nil else { return .move }
    } catch {
      throw RescueError(error)
    }
    let present = try world.examineInUse(database, nil, wait: wait).examination
    let wanted = try world.examine(InputFiles(other, storage: world.storage), nil).examination
    guard wanted.verdict == .healthy else { return .move }
    return Replacement.Method(
      replacing: present, in: try InputFiles(database, storage: world.storage),
      byPagesOf: wanted.survey.geometry?.geometry.pageSize ?? 0, storage: world.storage)
  }

  /// The folder of the files that a run displaced.
  ///
  /// - Throws: ``RescueError`` of the kind `.missing` when there are none.
  package func displaced(
    by code: SupportCode, of database: FilePath
  ) throws(RescueError) -> FilePath {
    let folder = try RescueFolder(of: database, storage: world.storage)
    let displaced = folder.quarantine(code)
    let kept = displaced.appending(folder.database.name)
    do {
      guard try world.storage.status(of: kept) != nil else {
        throw RescueError(
          .missing, "the run \(code) displaced no files of '\(database)'",
          advice: "look into '\(folder.path.appending("quarantine"))'")
      }
    } catch {
      throw RescueError(error, doing: "look at '\(kept)'")
    }
    return displaced
  }
}

extension Plan {
  /// Whether what is put in place does not depend on what is there, and a copy of that is kept
  /// under the lock.
  fileprivate var canBeRenewed: Bool {
    [.restore, .reset].contains(option.kind) && steps.contains(.replaceContent)
  }
}

extension RecoveryOption {
  /// Whether rows of the current database go, or are known to be gone.
  fileprivate var losesRows: Bool { outcomes.contains { $0.lost != .none } }
}
