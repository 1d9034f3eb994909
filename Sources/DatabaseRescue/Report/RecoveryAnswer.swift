// SPDX-License-Identifier: Apache-2.0
// What a recovery, a restore or an undo did with a database.

package import Diagnosis

/// What a recovery did with a database.
package struct RecoveryAnswer: CommandAnswer {
  private let operation: SupportCode.Operation
  private let code: SupportCode
  private let report: RecoveryReport
  private let file: FilePath
  private let account: SalvageAccount?

  /// Makes the answer of a recovery of the database at this path.
  package init(
    _ operation: SupportCode.Operation, _ result: RunResult<RecoveryReport>, of file: FilePath
  ) {
    self.operation = operation
    self.file = file
    code = result.code
    report = result.value
    account = result.value.salvage.map {
      SalvageAccount(of: $0, file: PlainName(file.name), code: result.code, created: result.started)
    }
  }

  package var exitStatus: Int32 { report.outcome.exitStatus }

  package var document: JSON {
    get throws(RescueError) {
      .document(
        operation.name, exit: exitStatus,
        [
          "code": .string(code.description), "changed": .bool(report.plan != nil),
          "verdict": .string(report.verdict.word), "losesRows": .bool(report.verdict.losesRows),
          "option": report.plan.map { .string($0.option.name) },
          "backup": report.plan?.option.backup.map { .string($0) },
          "exported": .array(
            report.exported.map {
              ["path": .string($0.path.description), "rows": .integer($0.rows)]
            }),
          "quarantine": report.quarantine.map { .string($0.description) },
          "undo": report.plan.map { .string($0.undo) },
          "tables": account == nil
            ? try report.plan.map { plan throws(RescueError) in
              try JSON.list(plan.option.outcomes.map { DiagnosisReport.Option.Outcome($0) })
            } : nil,
          "salvage": try account.map { account throws(RescueError) in try account.document },
        ])
    }
  }

  /// What is not in the database any more, as the plan has said; a salvage gives an account of its own.
  private var lost: [StyledText] {
    guard account == nil, let outcomes = report.plan?.option.outcomes else { return [] }
    let lost = report.losses.map { "\("lost", .warning), as planned: \($0)" as StyledText }
    let changed = outcomes.filter { $0.changed > 0 }.map { outcome in
      "\("older values", .warning), as planned: \(Quantity.count(outcome.changed, "row")) of "
        + "'\(outcome.table)'" as StyledText
    }
    return lost + changed
  }

  package var lines: [AnswerLine] {
    guard let plan = report.plan else { return [.result("nothing was changed")] }
    var lines: [AnswerLine] = report.exported.map {
      .result("\(Quantity.count($0.rows, "unsynced row")) in \($0.path)")
    }
    lines += (account?.lines(naming: file.shellQuoted) ?? []).map { .result($0) }
    lines.append(
      report.outcome == report.verdict
        ? .result("\(file.name): now \(report.verdict.word, report.verdict.style)")
        : .result(
          "\(file.name): now \("sound, and not complete", .warning): rows are lost or set aside"))
    lines += lost.map { .result("  \($0)") }
    if let quarantine = report.quarantine {
      lines.append(.note("the old files are in \(quarantine)"))
    }
    return lines + [.note("to undo: \(plan.undo)")]
  }
}

/// A backup that was restored to a new file, or would be.
package struct RestoreAnswer: CommandAnswer {
  private let backup: FilePath
  private let output: FilePath
  private let code: SupportCode?

  /// Makes the answer of a run with this code; nil for a dry run.
  package init(_ backup: Backup, to output: FilePath, code: SupportCode? = nil) {
    self.backup = backup.path.name
    self.output = output
    self.code = code
  }

  package var document: JSON {
    .document(
      code == nil ? "restore-plan" : "restore-to-file",
      [
        "code": code.map { .string($0.description) }, "option": code == nil ? "restore" : nil,
        "backup": .string(backup.description), "output": .string(output.description),
      ])
  }

  package var lines: [AnswerLine] {
    code == nil
      ? [
        .result("restore \(backup) to the new file \(output)"),
        .note("nothing was written: this was a dry run"),
      ] : [.result("\(output)"), .note("restored from \(backup) and checked")]
  }
}

/// The files that a run displaced, brought back or to be brought back.
package struct UndoAnswer: CommandAnswer {
  private let displacing: SupportCode
  private let plan: UndoForecast
  private let file: FilePath
  private let code: SupportCode?

  /// Makes the answer of a run with this code that undoes another one; nil for a plan.
  package init(
    of displacing: SupportCode, by plan: UndoForecast, to file: FilePath, code: SupportCode? = nil
  ) {
    self.displacing = displacing
    self.plan = plan
    self.file = file
    self.code = code
  }

  /// What it is that is going to be done, and what becomes of the rows that are there.
  package var text: [StyledText] {
    ["bring back what the run \(displacing) displaced; the present files are kept aside"]
      + alteration.map { "  \($0)" }
      + ["  what comes back: \(plan.verdict.word, plan.verdict.style)"]
      + leftBehind.map { "  \($0)" } + OptionText.table(of: plan.outcomes)
  }

  /// What is said of a log or journal that does not come back.
  private var leftBehind: [StyledText] {
    plan.sidecarLeft.map { ["it is not the database's, and stays where it is: \($0)"] } ?? []
  }

  /// What is said of files that are not any more what was displaced.
  private var alteration: [StyledText] {
    guard !plan.altered.isEmpty else { return [] }
    let names = plan.altered.map { "\($0)" }.joined(separator: ", ")
    return ["\("changed", .warning) since they were displaced: \(names)"]
  }

  /// How many rows stay with other values.
  private var changedRows: Int { plan.outcomes.reduce(0) { $0 + $1.changed } }

  private var lostRows: Int {
    plan.outcomes.reduce(0) { if case .exactly(let count) = $1.lost { $0 + count } else { $0 } }
  }

  /// The command that takes this back.
  private var undo: String? { code.map { "dbrescue undo \($0) \(file.shellQuoted)" } }

  package var document: JSON {
    get throws(RescueError) {
      .document(
        code == nil ? "undo-plan" : "undo",
        [
          "code": code.map { .string($0.description) }, "option": code == nil ? "undo" : nil,
          "from": .string(plan.place.description), "undo": undo.map { .string($0) },
          "verdict": .string(plan.verdict.word), "losesRows": .bool(plan.verdict.losesRows),
          "sidecarLeft": plan.sidecarLeft.map { .string($0.description) },
          "alteredFiles": .array(plan.altered.map { .string($0.description) }),
          "tables": try .list(plan.outcomes.map { DiagnosisReport.Option.Outcome($0) }),
        ])
    }
  }

  package var lines: [AnswerLine] {
    guard let undo else {
      return text.map { .result($0) } + [.note("nothing was changed: this was a dry run")]
    }
    let lost =
      lostRows == 0
      ? []
      : [
        AnswerLine.note(
          "\(Quantity.count(lostRows, "row")) that came in since \(lostRows == 1 ? "is" : "are") only "
            + "in the files that were kept aside")
      ]
    let changed =
      changedRows == 0
      ? []
      : [
        AnswerLine.note(
          "\(Quantity.count(changedRows, "row")) had other values, which are in those files too")
      ]
    let words =
      leftBehind.map { AnswerLine.note($0) } + alteration.map { AnswerLine.warning($0) } + lost
      + changed
    return [.result("\(file.name): brought back from \(plan.place)"), standing]
      + words + [.note("to undo: \(undo)")]
  }

  /// What is in its place now.
  private var standing: AnswerLine {
    if plan.joinsJournal {
      return .note("what its log or journal holds is part of the file now; the two are kept there")
    }
    // What was said of it was said of the two together.
    guard plan.sidecarLeft == nil else {
      return .note("look at what it is now: dbrescue check \(file.shellQuoted)")
    }
    return .result("\(file.name): now \(plan.verdict.word, plan.verdict.style)")
  }
}
