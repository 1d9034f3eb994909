// SPDX-License-Identifier: Apache-2.0
// Carries out the steps of a playbook on a real database, by the same actions as the commands.

import Diagnosis
import SQLiteFormat

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Carries out the steps of a playbook on a real database.
struct DatabasePerformer: PlaybookPerformer {
  /// The run that the playbook is carried out in.
  var run: Run
  let database: FilePath
  let setting: PlaybookSetting
  /// The values of the playbook's parameters, by name.
  let parameters: [String: PlaybookFacts.Value]
  /// Puts a question to whoever is there.
  let asking: (PlaybookQuestion) -> PlaybookAnswer
  /// Hears of every step that ended.
  let telling: (Playbook.Step, PlaybookStepRecord) -> Void

  /// The rows that replacing the database has cost.
  private(set) var losses: [String] = []
  /// The commands that take back what was replaced, the last first.
  var undo: [String] = []

  private(set) var known = PlaybookFacts()
  /// The newest good backup from before this run.
  private var earlier: Backup?

  init(
    run: Run, database: FilePath, setting: PlaybookSetting,
    _ parameters: [String: PlaybookFacts.Value] = [:],
    asking: @escaping (PlaybookQuestion) -> PlaybookAnswer,
    telling: @escaping (Playbook.Step, PlaybookStepRecord) -> Void
  ) {
    self.run = run
    self.database = database
    self.setting = setting
    self.parameters = parameters
    self.asking = asking
    self.telling = telling
  }

  private var rescue: Rescue { run.rescue }

  mutating func facts() throws(RescueError) -> PlaybookFacts {
    let vault = try rescue.backups(of: database, vault: setting.vault)
    let backups = vault.preferred(try vault.list())
    let now = run.world.now()
    earlier = backups.first { $0.isGood && $0.created <= now }
    known[.backupExists] = .flag(!backups.isEmpty)
    known[.backupVerified] = .flag(earlier != nil)
    known[.contractGiven] = .flag(setting.contract != nil)
    known[.versionExpected] = setting.contract.map { .integer(Int($0.userVersion)) }
    known[.interactive] = .flag(!run.unattended)
    if let earlier {
      known[.backupSound] = .flag(earlier.manifest?.clean ?? false)
      known[.backupAgeHours] = .real(
        run.world.now().timeIntervalSince(earlier.created) / 3600)
      known[.backupVersion] = .integer(Int(earlier.name.userVersion))
      run.notes.hasVerifiedBackup = true
    }
    do {
      known[.freeBytes] = .integer(try run.world.storage.freeBytes(at: database.folder))
    } catch {
      throw RescueError(error)
    }
    return known
  }

  mutating func perform(_ step: Playbook.Step) throws(RescueError) -> PlaybookStepResult {
    switch step.action {
    case .check, .diagnose, .contractVerify:
      let examination = try look(asFarAs: step.action)
      return PlaybookStepResult(
        summary: "\(examination.verdict.word): \(examination.verdict.meaning)", facts: known)
    case .backup: return try backUp(step)
    case .salvage where step.inPlace != true: return try salvageCopy()
    case .salvage:
      return try replace(by: step.withBackup == true ? [.salvageWithBackup, .salvage] : [.salvage])
    case .restore: return try replace(by: [.restore])
    case .reset: return try replace(by: [.reset])
    case .rebuild: return try replace(by: [.rebuildIndexes])
    case .guardCommand: return try migrate(step)
    case .ask, .note, .stop: return PlaybookStepResult(summary: step.text, facts: known)
    }
  }

  func ask(_ question: PlaybookQuestion) -> PlaybookAnswer { asking(question) }

  mutating func didEnd(_ step: Playbook.Step, _ record: PlaybookStepRecord) {
    run.notes.note(
      RunRecord.Step(
        name: PlainName(step.id), outcome: PlainName(record.outcome.rawValue),
        seconds: record.seconds))
    telling(step, record)
  }

  /// Examines the database beside its newest backup, and learns every fact about it: a diagnosis has
  /// virtual tables asked too, and looks at what is around the files.
  @discardableResult
  mutating func look(
    asFarAs action: PlaybookAction = .diagnose
  ) throws(RescueError) -> Examination {
    let input = try InputFiles(database, storage: run.world.storage)
    let examined = try run.examine(
      input, setting.contract, askingModules: action == .diagnose)
    var examination = try run.descended(examined, of: input, vault: setting.vault)
    if action == .diagnose {
      examination = examination.amid(
        run.world.circumstances(of: input, examination, backups: earlier.map { [$0] } ?? []))
    }
    try learn(examination)
    return examination
  }

  /// Forgets every fact about the database, which is not any more what it was.
  mutating func forgetDatabase() {
    for fact in PlaybookFact.ofDatabase { known[fact] = nil }
  }

  /// Learns every fact about an examined database.
  mutating func learn(_ examination: Examination) throws(RescueError) {
    let survey = examination.survey
    let tables = Array(survey.userTables.values)
    known.set(examination.verdict)
    known[.fileKind] = .text(survey.kind.word(isDetermined: survey.geometry != nil))
    known[.rowsLost] = examination.reconstruction.lostRows(of: tables).map { .integer($0) }
    known[.rowsDoubtful] = .integer(tables.reduce(0) { $0 + $1.misplaced.count })
    known[.findingsCount] = .integer(examination.findings.count)
    // Of an app of another version, the verdict tells.
    let cause =
      examination.causes.causes.first {
        $0.confidence > .possible && ![.olderApp, .newerApp].contains($0.kind)
      } ?? examination.causes.leading
    known[.cause] = cause.map { .text($0.kind.rawValue) }
    known[.causeConfidence] = cause.map { .text($0.confidence.rawValue) }
    known[.leadingFinding] = examination.leadingFinding.map { .text($0.name) }
    known[.framework] = examination.frameworks.first.map { .text($0.framework.title) }
    known[.pageSize] = survey.geometry.map { .integer($0.geometry.pageSize) }
    known[.databaseBytes] = survey.image.map { .integer($0.files.main.byteCount) }
    known[.walPresent] = .flag(examination.hasWAL)
    known[.hotJournal] = .flag(examination.findings.contains { $0.code == .hotJournal })
    known[.versionFound] = examination.foundVersion.map { .integer($0) }
    known[.versionRelation] = .text(examination.relation.rawValue)
    known[.schemaDifferences] = examination.comparison.map { .integer($0.drifts.count) }
    known[.invariantsBroken] = examination.verification.map { .integer($0.brokenInvariants.count) }
    switch examination.unsynced {
    case .none: (known[.unsyncedRows], known[.unsyncedState]) = (0, "none")
    case .some(let count): (known[.unsyncedRows], known[.unsyncedState]) = (.integer(count), "some")
    case .cannotTell: (known[.unsyncedRows], known[.unsyncedState]) = (nil, "cannot-tell")
    }
    known[.rowsLostByRestore] = try earlier.map { backup throws(RescueError) in
      .integer(
        try rescue.compare(examination.reconstruction, with: backup).reduce(0) {
          $0 + $1.onlyCurrent
        })
    }
  }

  private mutating func backUp(_ step: Playbook.Step) throws(RescueError) -> PlaybookStepResult {
    var options = BackupWriter.Options()
    options.isRaw = step.raw == true
    let backup = try run.backUp(database, setting.contract, setting.vault, options)
    let checks = backup.manifest?.checks.filter(\.passed).map(\.name) ?? []
    return PlaybookStepResult(
      summary: "backed up to \(backup.path.name)", facts: known,
      copy: SafetyCopy(kind: .backup, name: backup.path.name.description, checks: checks))
  }

  private mutating func salvageCopy() throws(RescueError) -> PlaybookStepResult {
    let examination = try look()
    let output = database.adding(suffix: ".salvaged-\(run.world.random() % 1_000_000).db")
    var files = RunFiles()
    files.read([database], storage: run.world.storage)
    let target = try SalvageOutput(
      output, replacing: false, in: &files, storage: run.world.storage)
    let report = try run.salvage(examination, to: target, into: nil)
    if let imbalance = report.imbalance { throw imbalance }
    let rows = report.balances.shown
    let written = rows.reduce(0) { $0 + $1.written }
    let aside = rows.reduce(0) { $0 + $1.quarantined }
    return PlaybookStepResult(
      summary: "\(written.of("row")) in \(output.name), \(aside) set aside", facts: known)
  }

  /// Carries out an option in the place of the database: the first of these kinds that is possible.
  private mutating func replace(
    by kinds: [RecoveryOption.Kind]
  ) throws(RescueError) -> PlaybookStepResult {
    let wanted = earlier
    let operation: SupportCode.Operation =
      switch kinds {
      case [.restore]: .restore
      case [.reset]: .reset
      default: .recover
      }
    let report = try run.recover(
      operation, database, setting.contract, vault: setting.vault,
      backup: kinds == [.restore] ? wanted : nil, wait: .seconds(5),
      choose: { examination, options throws(RescueError) in
        let name = wanted?.path.name.description
        if kinds == [.reset] { return examination.resetOption }
        let possible = kinds.lazy.compactMap { kind in
          options.first { $0.kind == kind && (kind != .restore || $0.backup == name) }
        }
        guard let option = possible.first else {
          throw RescueError(
            .invalidInput, "'\(kinds[kinds.count - 1].rawValue)' is not possible here",
            meaning: "nothing was changed")
        }
        return option
      },
      approve: { _ in })
    known.set(report.verdict)
    let cost = report.losses
    losses += cost
    if let plan = report.plan { undo.insert(plan.undo, at: 0) }
    let kept = report.quarantine?.name.description ?? ""
    return PlaybookStepResult(
      summary: "the database is now \(report.verdict.word)"
        + (cost.isEmpty ? "" : ", without \(cost.joined(separator: ", "))")
        + "; the former files are kept", facts: known,
      copy: SafetyCopy(kind: .quarantine, name: kept, checks: ["moved as they were"]))
  }
}

extension FileKind {
  /// The word of the fact `file_kind`.
  fileprivate func word(isDetermined: Bool) -> String {
    switch self {
    case .database, .headlessDatabase: isDetermined ? "database" : "undetermined"
    case .empty: "empty"
    case .zeros, .erased: "zeros"
    case .encrypted: "encrypted"
    case .writeAheadLog, .rollbackJournal: "journal"
    case .other, .text, .backup: "other"
    case .unknown: "undetermined"
    }
  }
}

extension Reconstruction {
  /// The rows that tables have lost, when every table's loss is known exactly.
  fileprivate func lostRows(of tables: [TreeSurvey]) -> Int? {
    var sum = 0
    for table in tables {
      switch loss(of: table) {
      case .none: break
      case .exactly(let count): sum += count
      case .atLeast, .unknown: return nil
      }
    }
    return sum
  }
}
