// SPDX-License-Identifier: Apache-2.0
// What a run learns on its way: what its support code and its line in the log are made of.

public import Diagnosis
import SQLiteFormat

#if canImport(FoundationEssentials)
  package import FoundationEssentials
#else
  package import Foundation
#endif

/// What a run ended in.
public struct RunResult<Value: Sendable>: Sendable {
  /// What it produced.
  public let value: Value
  /// Its support code.
  public let code: SupportCode
  /// When it began.
  package let started: Date
  /// The digests of the input files before and after, where they were taken.
  package let inputs: [RunRecord.InputDigest]
  /// Why the run could not be logged, when it could not: a warning, not a failure.
  public let logFailure: RescueError?
  /// Whether somebody wished the run to stop after its first change: it went on to its end.
  public internal(set) var wasInterrupted = false
}

/// What a run learns on its way; everything that its code and its log line say.
package struct RunNotes: Sendable {
  /// How far the run has come.
  package var stage = SupportCode.Stage.start
  /// How it ended; success unless said otherwise.
  package var outcome = SupportCode.Outcome.succeeded
  /// The exit status; that of the outcome unless said otherwise.
  package var exitStatus: Int32 = 0
  /// What was found out about the database.
  package var examination: Examination?
  /// What became of each table.
  package var balances: [Balance] = []
  /// The steps that were carried out.
  package private(set) var steps: [RunRecord.Step] = []
  /// The digests of the input files.
  package var inputs: [RunRecord.InputDigest] = []
  /// Whether a verified backup of the database exists.
  package var hasVerifiedBackup = false
  /// Whether the database was restored from a backup.
  package var restored = false
  /// Whether rows were lost.
  package var rowsLost = false
  /// What the run has changed so far.
  package private(set) var changes: [Change] = []
  /// The backup that was used, by file name.
  package var backupUsed: PlainName?
  /// The backup that was made, by file name.
  package var backupMade: PlainName?
  /// How the database follows from the backup before.
  var lineage: BackupManifest.Lineage?
  /// What a migration did to the database, where one was run.
  private(set) var migration: RunRecord.Migration?
  /// Whether the wish to stop has ended a command, and decides itself how the run ends.
  private(set) var hasHeededStop = false

  /// The code that something on disk is already named by; the run keeps it if it succeeds.
  package private(set) var published: SupportCode?

  private let operation: SupportCode.Operation
  /// Whether nobody is there to ask.
  let unattended: Bool
  private let random: UInt64
  private let world: World

  init(_ operation: SupportCode.Operation, unattended: Bool, world: World) {
    self.operation = operation
    self.unattended = unattended
    self.world = world
    random = world.random()
  }

  /// The support code as it stands, or as it will be with this outcome at the run's end.
  ///
  /// Quarantine folders are named before a run has ended: by the code that it has when it
  /// succeeds.
  package func code(outcome planned: SupportCode.Outcome? = nil) -> SupportCode {
    SupportCode(
      SupportCode.Content(
        operation: operation, stage: planned == nil ? stage : .done, outcome: planned ?? outcome,
        day: world.today, verdict: examination?.verdict, finding: leadingFinding,
        framework: examination?.frameworks.first?.framework ?? .none,
        relation: examination?.relation ?? .unknown, found: examination?.foundVersion,
        expected: examination?.expectedVersion, hasWAL: examination?.hasWAL ?? false,
        unsynced: examination?.unsynced, hasVerifiedBackup: hasVerifiedBackup, restored: restored,
        rowsLost: rowsLost, unattended: unattended),
      random: random)
  }

  /// The finding that weighs most: one of the database, or else that it went back in time.
  private var leadingFinding: FindingCode? {
    let doubt = lineage?.isDoubtful == true ? lineage?.findings.first : nil
    return examination?.leadingFinding ?? doubt.flatMap { FindingCode(name: $0.code) }
  }

  /// The code under which the run's displaced files are kept, as it will be when it succeeds.
  package mutating func publishCode(_ planned: SupportCode.Outcome) -> SupportCode {
    let code = code(outcome: planned)
    published = code
    return code
  }

  /// Notes what the run has changed; from now on it is not stopped before its end.
  mutating func note(_ change: Change) {
    if change.extent > .nothing { changes.append(change) }
  }

  /// Notes a change in the place of the last one, of which more is known now.
  mutating func correctLast(_ change: Change) {
    if !changes.isEmpty { changes.removeLast() }
    note(change)
  }

  /// Notes a step that was carried out.
  package mutating func note(_ step: RunRecord.Step) {
    steps.append(step)
  }

  /// Notes how a migration ended, and what it did on the way.
  mutating func take(_ outcome: Undertaking.Outcome) {
    for step in outcome.steps {
      note(RunRecord.Step(name: PlainName(step.file), outcome: "done", seconds: step.seconds))
    }
    if case .stopped = outcome.end { hasHeededStop = true }
  }

  /// Notes what became of a migration.
  mutating func take(_ report: GuardReport) {
    migration = RunRecord.Migration(report)
    outcome = report.isKept ? .succeeded : .failed
    exitStatus = report.exitStatus
    restored = report.result == .restored
    rowsLost = report.losesData && report.result == .left
  }

  /// Notes that somebody wished the run to stop when it could no more than go on.
  mutating func noteInterruption() {
    if !hasHeededStop { exitStatus = world.cancelledStatus() }
    steps.append(RunRecord.Step(name: "interrupted", outcome: "finished", seconds: 0))
  }

  /// The line for the log.
  func record(_ code: SupportCode, started: Date, file: FilePath?) -> RunRecord {
    var record = RunRecord(
      code: code, started: started, seconds: world.now().timeIntervalSince(started),
      exitStatus: exitStatus, tool: PlainName(Tool.name),
      libraries: PlainName(Tool.libraries), unsyncedRows: examination?.unsynced)
    record.file = file.map { PlainName($0) }
    record.began = published == code ? nil : published
    record.inputs = inputs
    record.steps = steps
    record.backupUsed = backupUsed
    record.backupMade = backupMade
    record.migration = migration
    if let examination {
      record.findings = RunRecord.FindingCount.counting(examination.findings)
      record.versions = RunRecord.Versions(
        found: examination.foundVersion, expected: examination.expectedVersion,
        relation: examination.relation)
      record.byteCount = examination.survey.image?.files.main.byteCount
    }
    record.tables = balances.shown.map { balance in
      RunRecord.TableCount(
        table: PlainName(balance.shownTable?.text ?? "(no table)"), seen: balance.seen,
        written: balance.written, quarantined: balance.quarantined,
        duplicates: balance.duplicates, lost: RowLoss(balance.lost))
    }
    return record
  }
}

extension RescueError.Kind {
  /// How a run that ends in this error is said to have ended.
  var outcome: SupportCode.Outcome {
    switch self {
    case .decisionNeeded: .needsDecision
    case .declined: .declined
    case .interrupted: .interrupted
    default: .failed
    }
  }
}
