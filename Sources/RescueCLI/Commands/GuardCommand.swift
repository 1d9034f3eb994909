// SPDX-License-Identifier: Apache-2.0
// `dbrescue guard`: somebody else's migration between a verified backup and a verification.

import DatabaseRescue
import Diagnosis

/// Runs a command that changes a database, and keeps the result only if it verifies.
let guardCommand: CommandBody = { invocation, context throws(RescueError) in
  let file = invocation.path(.file)
  let contract = try context.contract(at: invocation.path(.contract))
  let policy: FailurePolicy? = invocation.choice(.onFailure)
  let result = try context.interruption.patiently { () throws(RescueError) in
    try context.rescue.guardMigration(
      of: file, contract: contract, vault: invocation.path(.vault),
      command: invocation.rest.map { FilePath(bytes: $0) },
      timeout: invocation.number(.timeout).map { .seconds($0) },
      printsToErrors: context.console.manner.isJSON,
      options: backupOptions(invocation),
      onFailure: { report throws(RescueError) in
        // Who has stopped the command is asked like everybody else.
        if case .stopped = report.end { context.interruption.fulfil() }
        if context.speaksToPeople { tell(report, context) }
        return remedy(policy, context)
      })
  }
  let report = result.value
  if context.console.manner.isJSON {
    context.console.print(document: try GuardJSON.document(report, result.code))
  } else if report.isKept {
    context.console.print("\(file.name): the migration is kept, and \("verified", .good)")
    if report.isUnchanged { context.console.note("the command has changed nothing") }
    context.console.note("the backup before it: \(report.backup.path)")
    for line in ExaminationText.lines(for: report.examination.unchecked) {
      context.console.note(line)
    }
  } else {
    if report.isUnchanged { tell(report, context) }
    tellRefusal(report, of: file, in: invocation.path(.vault), result.code, context)
  }
  if ((try? context.world.storage.status(of: report.backup.path)) ?? nil) == nil {
    context.console.warn("the backup before it is gone: the command has removed it")
  }
  for remainder in report.remainders { context.console.warn("\(remainder)") }
  context.tellCode(of: result)
  return ExitCode(report)
}

private func tellRefusal(
  _ report: GuardReport, of file: FilePath, in vault: FilePath?, _ code: SupportCode,
  _ context: CommandContext
) {
  switch report.result {
  case .kept, .unchanged:
    context.console.print(
      "\(file.name): unchanged; it is page for page what it was before the command")
  case .restored:
    context.console.print("\(file.name): \("restored", .good) from \(report.backup.path.name)")
    // Where the migration left no file, there is nothing to see.
    if (try? context.rescue.displaced(by: code, of: file)) != nil {
      context.console.say(
        "to see what the migration left: dbrescue undo \(code) \(file.shellQuoted)")
    }
  case .left:
    context.console.print("\(file.name): left as the migration left it")
    context.console.say("to restore: \(report.backup.restoreCommand(for: file, in: vault))")
  }
  let message = BlockingMessage(report, code: code)
  context.console.print("")
  for line in message.lines { context.console.print("  \(line)") }
}

private func tell(_ report: GuardReport, _ context: CommandContext) {
  let what = report.end.succeeded ? "verification failed" : "the migration failed"
  context.console.say("\(what, .bad):")
  for problem in report.problems { context.console.say("  \(problem)") }
  for line in report.examination.diff { context.console.say("  \(line)") }
  for line in ExaminationText.lines(for: report.examination.unchecked) {
    context.console.say(line)
  }
}

private func remedy(_ policy: FailurePolicy?, _ context: CommandContext) -> GuardReport.Remedy {
  switch policy {
  case .restore: return .restore
  case .stop: return .stop
  case .ask, nil:
    guard case .given(true) = context.console.confirm("put the backup back?") else { return .stop }
    return .restore
  }
}
