// SPDX-License-Identifier: Apache-2.0
// `dbrescue guard`: somebody else's migration between a verified backup and a verification.

import DatabaseRescue
import Diagnosis

/// Runs a command that changes a database, and keeps the result only if it verifies.
let guardCommand: CommandBody = { invocation, context throws(RescueError) in
  let file = invocation.path(.file)
  let contract = try context.contract(at: invocation.path(.contract))
  let policy: FailurePolicy? = invocation.choice(.onFailure)
  var output = context.console.manner.isJSON ? CommandOutput.errors : .shared
  if let path = invocation.path(.commandOutput) {
    var files = context.files(invocation)
    let isReplacing = invocation.isSet(.force)
    output = .file(
      try files.write(path, replacing: isReplacing, storage: context.world.storage).path)
  }
  let result = try context.interruption.patiently { () throws(RescueError) in
    try context.rescue.guardMigration(
      of: file, contract: contract, vault: invocation.path(.vault),
      command: invocation.rest.map { FilePath(bytes: $0) },
      timeout: invocation.number(.timeout).map { .seconds($0) },
      printingTo: output,
      options: backupOptions(invocation),
      onFailure: { report throws(RescueError) in context.decide(report, policy) })
  }
  let report = result.value
  if context.console.manner.isJSON {
    context.console.print(document: try GuardJSON.document(report, result.code))
  } else {
    context.tellEnd(
      of: report, file, vault: invocation.path(.vault), result.code,
      kept: "\(file.name): the migration is kept, and \("verified", .good)")
  }
  context.warnAfter(report)
  context.tellCode(of: result)
  return ExitCode(report)
}

extension CommandContext {
  /// Tells why a migration is refused, and finds out what is to be done about it.
  func decide(_ report: GuardReport, _ policy: FailurePolicy?) -> GuardReport.Remedy {
    // Who has stopped the migration is asked like everybody else.
    if case .stopped = report.end { interruption.fulfil() }
    if speaksToPeople { tell(report) }
    switch policy {
    case .restore: return .restore
    case .stop: return .stop
    case .ask, nil:
      guard case .given(true) = console.confirm("put the backup back?") else { return .stop }
      return .restore
    }
  }

  /// Tells what became of a migration under guard; `kept` is said of one that is kept.
  func tellEnd(
    of report: GuardReport, _ file: FilePath, vault: FilePath?, _ code: SupportCode,
    kept: StyledText
  ) {
    guard report.isKept else {
      if report.isUnchanged { tell(report) }
      return tellRefusal(report, of: file, in: vault, code)
    }
    console.print(kept)
    if report.isUnchanged { console.note("it has changed nothing") }
    console.note("the backup before it: \(report.backup.path)")
    for line in ExaminationText.lines(for: report.examination.unchecked) { console.note(line) }
  }

  /// Warns of what is not as it should be after a migration, kept or not.
  func warnAfter(_ report: GuardReport) {
    if !report.isBackupWhole {
      let isThere = ((try? world.storage.status(of: report.backup.path)) ?? nil) != nil
      console.warn(
        isThere
          ? "the backup before it does not hold any more: the migration has written to it"
          : "the backup before it is gone: the migration has removed it")
    }
    for remainder in report.remainders { console.warn("\(remainder)") }
  }

  private func tellRefusal(
    _ report: GuardReport, of file: FilePath, in vault: FilePath?, _ code: SupportCode
  ) {
    switch report.result {
    case .kept, .unchanged:
      console.print(
        "\(file.name): unchanged; it is page for page what it was before the migration")
    case .restored:
      console.print("\(file.name): \("restored", .good) from \(report.backup.path.name)")
      // Where the migration left no file, there is nothing to see.
      if (try? rescue.displaced(by: code, of: file)) != nil {
        console.say("to see what the migration left: dbrescue undo \(code) \(file.shellQuoted)")
      }
    case .left:
      console.print("\(file.name): left as the migration left it")
      let way = report.wayBack(of: file, in: vault)
      console.say("\(way.purpose): \(way.command)")
    }
    let message = BlockingMessage(report, code: code)
    console.print("")
    for line in message.lines { console.print("  \(line)") }
  }

  private func tell(_ report: GuardReport) {
    let what = report.end.succeeded ? "verification failed" : "the migration failed"
    console.say("\(what, .bad):")
    for problem in report.problems { console.say("  \(problem)") }
    for line in report.examination.diff { console.say("  \(line)") }
    for line in ExaminationText.lines(for: report.examination.unchecked) { console.say(line) }
  }
}
