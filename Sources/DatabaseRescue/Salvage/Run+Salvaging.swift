// SPDX-License-Identifier: Apache-2.0
// A salvage into a new file in a run, and what that takes note of.

import Diagnosis
import SQLiteFormat

extension Run {
  /// Salvages into a new file.
  mutating func salvage(
    _ examination: Examination, to output: SalvageOutput, into contract: Contract?,
    backups: [SalvageBackup] = [], believingTables: Bool = false,
    whenRead: () throws(RescueError) -> Void = {}
  ) throws(RescueError) -> SalvageReport {
    let world = world
    return try salvage(examination, to: output, whenRead: whenRead) {
      reconstruction, inputs throws(RescueError) in
      try Salvage(
        of: reconstruction, into: contract, inputs: inputs, backups: backups,
        believesTables: believingTables, world: world)
    }
  }

  /// Salvages into a new file by what `prepare` makes of what was found.
  mutating func salvage(
    _ examination: Examination, to output: SalvageOutput,
    whenRead: () throws(RescueError) -> Void = {},
    preparing prepare: (Reconstruction, [RunRecord.InputDigest]) throws(RescueError) -> Salvage
  ) throws(RescueError) -> SalvageReport {
    if let failure = examination.survey.readFailure {
      throw RescueError(failure, doing: "read the file", meaning: "nothing was written")
    }
    guard examination.survey.image != nil else {
      throw RescueError(
        .invalidInput, "there is no database in the file: \(examination.survey.kind.name)",
        meaning: "nothing can be salvaged from it",
        advice: "make sure that this is the right file: dbrescue diagnose FILE")
    }
    return try step("salvage", at: .act) { run throws(RescueError) in
      let before = run.notes
      let report = try prepare(examination.reconstruction, before.inputs).run(
        to: output, code: before.code(outcome: .succeeded).description, whenRead: whenRead
      ) { before.code(after: $0).description }
      run.notes.take(report)
      return report
    }
  }
}

extension RunNotes {
  /// Takes in what a salvage did.
  mutating func take(_ report: SalvageReport) {
    balances = report.balances
    let loses = report.outcome == .damagedLossy
    rowsLost = loses
    outcome = report.imbalance != nil ? .failed : loses ? .succeededWithLoss : .succeeded
    exitStatus = report.imbalance?.exitStatus ?? report.outcome.exitStatus
  }

  /// The code that the run has when a salvage is its last step.
  fileprivate func code(after report: SalvageReport) -> SupportCode {
    var notes = self
    notes.take(report)
    return published ?? notes.code(outcome: notes.outcome)
  }
}
