// SPDX-License-Identifier: Apache-2.0
// The step of a playbook that runs a program of the app under guard.

import Diagnosis
import SQLiteFormat

extension DatabasePerformer {
  /// Runs a program under guard; what it did is known before anything is said of it.
  mutating func migrate(_ step: Playbook.Step) throws(RescueError) -> PlaybookStepResult {
    let undertaking = Undertaking(
      step.words(parameters, on: database), timeout: nil, printingTo: setting.commandOutput)
    let net = MigrationNet(contract: setting.contract, vault: setting.vault) { [asking] _ in
      if step.putBack == true { return .restore }
      return asking(PlaybookQuestion(text: "put the backup back?")) == .yes ? .restore : .stop
    }
    let report = try run.carryOut(undertaking, on: database, in: net)
    try learnAgain(after: report)
    let backup = report.backup
    let way = report.wayBack(of: database, in: setting.vault)
    if report.isBackupWhole, [.kept, .left].contains(report.result) {
      undo.insert(way.command, at: 0)
    }
    // Where the migration left no file, there is nothing to bring back.
    if report.result == .restored, let code = run.notes.published,
      (try? run.rescue.displaced(by: code, of: database)) != nil
    {
      undo.insert("dbrescue undo \(code) \(database.shellQuoted)", at: 0)
    }
    return PlaybookStepResult(
      summary: "\(undertaking.name): \(report.result.words)", facts: known,
      copy: report.isBackupWhole
        ? SafetyCopy(
          kind: .backup, name: backup.path.name.description,
          checks: backup.manifest?.checks.filter(\.passed).map(\.name) ?? []) : nil,
      // A playbook goes on where nothing was to be done.
      migration: .init(
        result: report.isKept ? .kept : report.result, exitStatus: report.exitStatus),
      refusal: report.isKept ? nil : report.refused(way: way))
  }

  /// Learns what is there now.
  ///
  /// Whoever wishes to stop is told what became of the migration first.
  private mutating func learnAgain(after report: GuardReport) throws(RescueError) {
    do throws(RescueError) {
      if report.result == .restored {
        try look(asFarAs: .check)
      } else {
        try learn(report.examination)
      }
    } catch  where error.kind == .interrupted {
      forgetDatabase()
    }
  }
}

extension GuardReport {
  /// Why a migration is refused, and what became of the database.
  fileprivate func refused(way: (purpose: String, command: String)) -> RescueError {
    let reason = judgement.problems.first ?? "it \(judgement.end.description)"
    return RescueError(
      .invalidInput, "the migration is refused: \(reason)", meaning: result.words,
      advice: result == .left
        ? "\(way.purpose): \(way.command)" : "mend the migration, then run it again",
      verdict: refusal)
  }
}

extension GuardReport.Result {
  /// What became of the database, in a few words.
  fileprivate var words: String {
    switch self {
    case .kept: "the migration is kept, and verified"
    case .unchanged: "the migration has changed nothing"
    case .restored: "the migration is refused, and the database is what it was before"
    case .left: "the migration is refused, and the database is as it left it"
    }
  }
}
