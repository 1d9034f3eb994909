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
        let table = balance.shownTable.map { "'\($0)'" } ?? "no table"
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

/// An option that was chosen, and the database that it was chosen for.
private struct ChosenOption {
  let option: RecoveryOption
  /// The backup that it uses.
  let backup: Backup?
  /// What a salvage with that backup works on.
  let backed: BackedSalvage?
  let input: InputFiles
  let examination: Examination
  /// The files as they were examined.
  let state: DatabaseState?
}

extension Rescue {
  /// Carries out an option on a database as the operation that it is called.
  ///
  /// - Throws: ``RescueError``; the database is then as it was, or a plan is on disk that the
  ///   next run finishes.
  package func recover(
    _ operation: SupportCode.Operation, _ database: FilePath, contract: Contract? = nil,
    vault: FilePath? = nil, backup: Backup? = nil, wait: Duration = .seconds(5),
    choose: (Examination, [RecoveryOption]) throws(RescueError) -> RecoveryOption,
    approve: (Plan) throws(RescueError) -> Void
  ) throws(RescueError) -> RunResult<RecoveryReport> {
    try run(operation, on: database) { run throws(RescueError) in
      try run.recover(
        operation, database, contract, vault: vault, backup: backup, wait: wait, choose: choose,
        approve: approve)
    }
  }
}

extension Run {
  /// Carries out an option on a database as the operation that it is called.
  mutating func recover(
    _ operation: SupportCode.Operation, _ database: FilePath, _ contract: Contract?,
    vault: FilePath?, backup: Backup? = nil,
    wait: Duration,
    choose: (Examination, [RecoveryOption]) throws(RescueError) -> RecoveryOption,
    approve: (Plan) throws(RescueError) -> Void
  ) throws(RescueError) -> RecoveryReport {
    try finishPending(database)
    try world.requireNotHeldApart(database)
    for number in 1...Self.plansMax {
      if let report = try recoverAsItIs(
        operation, database, contract, vault: vault, backup: backup, wait: wait,
        mayHold: number == Self.plansMax && unattended, choose: choose, approve: approve)
      {
        return report
      }
    }
    throw RescueError.neverAtRest(database)
  }

  /// How often a plan is made anew because somebody has written to the database since.
  static let plansMax = 3

  /// Carries out an option on a database as it is now; nil when somebody has written to it before
  /// it could be replaced: what they have added is in no plan.
  ///
  /// Where it `mayHold` the others up, as nobody is asked, what does not depend on the state of the
  /// database is planned once more under the lock.
  private mutating func recoverAsItIs(
    _ operation: SupportCode.Operation, _ database: FilePath, _ contract: Contract?,
    vault: FilePath?, backup: Backup?, wait: Duration, mayHold: Bool,
    choose: (Examination, [RecoveryOption]) throws(RescueError) -> RecoveryOption,
    approve: (Plan) throws(RescueError) -> Void
  ) throws(RescueError) -> RecoveryReport? {
    let chosen = try chosenOption(
      operation, database, contract, vault: vault, backup: backup, choose: choose)
    let option = chosen.option
    guard option.kind != .nothing, option.kind != .migrate else {
      let verdict = chosen.examination.verdict
      notes.outcome = .nothingToDo
      notes.exitStatus = verdict.exitStatus
      return RecoveryReport(
        plan: nil, salvage: nil, exported: [], verdict: verdict, quarantine: nil)
    }
    notes.restored = option.kind == .restore
    notes.rowsLost = option.losesRows
    let report: RecoveryReport?
    do throws(RescueError) {
      report = try carryOut(
        chosen, contract, wait: wait, mayHold: mayHold, approve: approve)
    } catch {
      notes.restored = false
      throw error
    }
    guard let report else { return nil }
    notes.outcome = option.losesRows ? .succeededWithLoss : .succeeded
    notes.exitStatus = report.outcome.exitStatus
    return report
  }

  /// Examines a database, and has an option chosen for it.
  private mutating func chosenOption(
    _ operation: SupportCode.Operation, _ database: FilePath, _ contract: Contract?,
    vault: FilePath?, backup: Backup?,
    choose: (Examination, [RecoveryOption]) throws(RescueError) -> RecoveryOption
  ) throws(RescueError) -> ChosenOption {
    let input = try InputFiles(database, storage: world.storage)
    let examined = try examine(input, contract, askingModules: true)
    var examination = examined.examination
    var offers = try offers(for: &examination, of: input.main, vault: vault)
    if let backup { offers = [(backup, try rescue.offer(backup, for: examination))] }
    examination = examination.amid(
      world.circumstances(
        of: input, examination, backups: offers.map(\.backup), offers.map(\.offer)))
    // What becomes of the rows is tried out where it can be chosen: not by who has chosen already.
    var trials =
      operation == .restore || operation == .reset
      ? SalvageTrials() : try rescue.salvageTrials(for: examination, contract)
    if let trial = trials.salvage { examination = examination.refined(by: trial) }
    let backed = try rescue.backedSalvage(
      of: input, examination, contract, offers: offers, &trials)
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
    return ChosenOption(
      option: option, backup: offers.first { $0.offer.name == option.backup }?.backup,
      backed: option.kind == .salvageWithBackup ? backed : nil, input: input,
      examination: examination, state: examined.state)
  }

  /// Plans an option, has the plan approved, and carries it out; nil when it is overdue.
  private mutating func carryOut(
    _ chosen: ChosenOption, _ contract: Contract?, wait: Duration, mayHold: Bool,
    approve: (Plan) throws(RescueError) -> Void
  ) throws(RescueError) -> RecoveryReport? {
    let rescue = rescue
    let (option, backup, input) = (chosen.option, chosen.backup, chosen.input)
    let code = notes.publishCode(option.losesRows ? .succeededWithLoss : .succeeded)
    let folder = try RescueFolder(of: input.main, storage: world.storage)
    var plan = try rescue.plan(option, input, chosen.examination, contract, backup, folder, code)
    try approve(plan)

    let isRenewed = mayHold && plan.canBeRenewed
    var work = PlannedWork(plan.steps, in: world, on: folder, code: code, wait: wait)
    (work.examination, work.contract, work.backup) = (chosen.examination, contract, backup)
    work.backed = chosen.backed
    work.state = isRenewed ? nil : chosen.state
    let product: PlannedWork.Product
    do throws(RescueError) {
      product = try carryOut(work) { run throws(RescueError) in
        guard isRenewed else { return }
        let kept = folder.quarantine(code).appending(folder.database.name)
        let files = try InputFiles(kept, storage: run.world.storage)
        let now = try run.examine(files, contract).examination
        let option =
          if let backup {
            now.restoreOption(try rescue.offer(backup, for: now))
          } else {
            now.resetOption
          }
        plan = try rescue.plan(option, input, now, contract, backup, folder, code)
        try approve(plan)
      }
    } catch  where error.isOverdue {
      return nil
    }
    return RecoveryReport(
      plan: plan, salvage: product.salvage, exported: product.exported,
      verdict: product.verdict ?? chosen.examination.verdict, quarantine: folder.quarantine(code))
  }
}

extension Rescue {
  fileprivate func plan(
    _ option: RecoveryOption, _ input: InputFiles, _ examination: Examination,
    _ contract: Contract?, _ backup: Backup?, _ folder: RescueFolder, _ code: SupportCode
  ) throws(RescueError) -> Plan {
    var steps: [Plan.Step] = []
    if let backup = option.backup { steps.append(.verifyBackup(backup)) }
    switch option.kind {
    case .restore: steps.append(.buildFromBackup(option.backup ?? ""))
    case .salvage, .salvageWithBackup: steps.append(.buildBySalvage(backup: option.backup))
    case .rebuildIndexes: steps.append(.buildWithNewIndexes)
    case .reset: steps.append(.buildEmpty)
    case .nothing, .migrate: break
    }
    steps.append(.verifyNew)
    let places = UnsyncedExport.places(in: examination, contract)
    if option.kind.isDestructive, !places.isEmpty {
      steps.append(.exportUnsynced(tables: places.map(\.table)))
    }
    let restored = option.kind == .restore ? backup : nil
    let method = Replacement.Method(
      replacing: examination, in: input,
      byPagesOf: restored.map { $0.manifest?.content.pageSize ?? 0 },
      ofByteCount: restored?.manifest?.image.byteCount, storage: world.storage)
    steps += [method.step, .verifyInstalled]
    do throws(CutShort) {
      return try Plan(
        for: examination, option: option, steps: steps,
        quarantine: folder.quarantine(code).description, undo: folder.undoCommand(code))
    } catch {
      throw .interrupted
    }
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
