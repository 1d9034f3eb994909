// SPDX-License-Identifier: Apache-2.0
// `dbrescue migrate`: numbered SQL files between a verified backup and a verification.

import DatabaseRescue
import Diagnosis
import SQLiteFormat

/// Migrates a database with numbered SQL files, and keeps the result only if it verifies.
let migrateCommand: CommandBody = { invocation, context throws(RescueError) in
  let folder = try MigrationFolder(
    invocation.requiredPath(.migrations), world: context.world)
  var options = MigrationOptions()
  options.contract = try context.contract(at: invocation.path(.contract))
  options.vault = invocation.path(.vault)
  options.target = invocation.number(.to)
  options.transactions = invocation.requiredChoice(.transactions)
  options.timeout = invocation.number(.timeout).map { .seconds($0) }
  options.wait = .seconds(invocation.requiredNumber(.wait))
  options.backup = backupOptions(invocation)
  return invocation.isSet(.dryRun)
    ? try foresee(folder, options, invocation, context)
    : try migrate(folder, options, invocation, context)
}

private func migrate(
  _ folder: MigrationFolder, _ options: MigrationOptions, _ invocation: Invocation,
  _ context: CommandContext
) throws(RescueError) -> ExitCode {
  let file = invocation.path(.file)
  let policy: FailurePolicy? = invocation.choice(.onFailure)
  let result = try context.interruption.patiently { () throws(RescueError) in
    try context.rescue.migrate(
      file, with: folder, options: options, onStep: context.tell,
      onFailure: { report throws(RescueError) in
        context.decide(report, policy)
      })
  }
  let report = result.value
  if context.console.manner.isJSON {
    context.console.print(document: try MigrateJSON.document(report, result.code))
  } else if let guarded = report.guarded {
    let versions = "version \(report.start) to \(report.end)"
    context.tellEnd(
      of: guarded, file, vault: options.vault, result.code,
      kept: "\(file.name): migrated from \(versions), and \("verified", .good)")
  } else {
    context.tellNothingToDo(file, report.found)
  }
  if let failure = report.ledgerFailure {
    context.console.warn("\(failure.message): \(failure.meaning)")
  }
  if let guarded = report.guarded { context.warnAfter(guarded) }
  context.tellCode(of: result)
  return ExitCode(rawValue: report.exitStatus) ?? .internal
}

/// Tells what a migration would do.
private func foresee(
  _ folder: MigrationFolder, _ options: MigrationOptions, _ invocation: Invocation,
  _ context: CommandContext
) throws(RescueError) -> ExitCode {
  let file = invocation.path(.file)
  let result = try context.rescue.foreseeMigration(
    of: file, with: folder, options: options, onStep: context.tell)
  let forecast = result.value
  if context.console.manner.isJSON {
    context.console.print(document: try MigrateJSON.document(forecast, result.code))
  } else if let judgement = forecast.judgement {
    context.tell(judgement, of: forecast, file)
  } else {
    context.tellNothingToDo(file, forecast.found)
  }
  context.tellCode(of: result)
  return ExitCode(rawValue: forecast.exitStatus) ?? .internal
}

extension CommandContext {
  /// Tells of a file that has run.
  fileprivate func tell(_ step: MigrationStep) {
    guard speaksToPeople, !console.manner.isJSON else { return }
    console.note("\(step.file.description): \(Quantity.shortTime(seconds: step.seconds))")
  }

  fileprivate func tellNothingToDo(_ file: FilePath, _ found: Examination) {
    guard found.verdict == .healthy else {
      console.print(
        "\(file.name): has version \(found.foundVersion ?? 0) already, and is \(found.verdict.word)"
      )
      for finding in found.findings where finding.severity >= .warning {
        console.print("  \(finding.message)")
      }
      return
    }
    console.print(
      "\(file.name): has version \(found.foundVersion ?? 0) already; there is nothing to do")
  }

  fileprivate func tell(
    _ judgement: MigrationJudgement, of forecast: MigrationForecast, _ file: FilePath
  ) {
    let versions = "from version \(forecast.start) to version \(forecast.end)"
    if judgement.isGood {
      console.print("\(file.name): would be migrated \(versions), and would \("verify", .good)")
    } else {
      console.print("\(file.name): would \("not", .bad) be migrated \(versions):")
      for problem in judgement.problems { console.print("  \(problem)") }
      for line in judgement.examination.diff { console.print("  \(line)") }
    }
    for change in judgement.schemaChanges { console.print("  \(change)") }
    if !judgement.rowCounts.isEmpty {
      console.print(RowCountTable.table(judgement.rowCounts))
    }
    for line in ExaminationText.lines(for: judgement.examination.unchecked) { console.note(line) }
    console.note("this was tried on a private copy; nothing was changed")
  }
}

/// Rows before and after, as a table for people.
enum RowCountTable {
  static func table(_ counts: [MigrationJudgement.RowCount]) -> TextTable {
    var table = TextTable([.text("table"), .number("before"), .number("after")])
    for count in counts {
      let name: StyledText =
        count.oldName.map { "\(count.table.text) (was \($0.text))" } ?? "\(count.table.text)"
      table.add([name, cell(count.before), cell(count.after)])
    }
    return table
  }

  private static func cell(_ count: Int?) -> StyledText {
    StyledText(verbatim: count.map { Quantity.grouped($0) } ?? "none")
  }
}
