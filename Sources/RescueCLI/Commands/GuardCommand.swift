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
  let result = try context.deciding(by: policy) { onFailure throws(RescueError) in
    try context.rescue.guardMigration(
      of: file, contract: contract, vault: invocation.path(.vault),
      command: invocation.rest.map { FilePath(bytes: $0) },
      timeout: invocation.number(.timeout).map { .seconds($0) },
      printingTo: output,
      options: backupOptions(invocation), onFailure: onFailure)
  }
  return try context.give(
    GuardAnswer(
      result.value, result.code, of: file, in: invocation.path(.vault),
      kept: "\(file.name): the migration is kept, and \("verified", .good)", by: context.rescue),
    of: result)
}

extension CommandContext {
  /// Carries out a migration whose refusal is told, and decided about.
  ///
  /// Where what was before could not be put back, the message for users is said all the same.
  func deciding<Value>(
    by policy: FailurePolicy?,
    _ body: (@escaping (GuardReport) throws(RescueError) -> GuardReport.Remedy)
      throws(RescueError) -> Value
  ) throws(RescueError) -> Value {
    var refused: GuardReport?
    do throws(RescueError) {
      return try interruption.patiently { () throws(RescueError) in
        try body { report throws(RescueError) in
          refused = report
          return decide(report, policy)
        }
      }
    } catch {
      if let refused, let code = error.code, !console.manner.isJSON {
        for line in BlockingMessage(refused, code: code).lines { console.print("  \(line)") }
      }
      throw error
    }
  }

  /// Tells why a migration is refused, and finds out what is to be done about it.
  private func decide(_ report: GuardReport, _ policy: FailurePolicy?) -> GuardReport.Remedy {
    // Who has stopped the migration is asked like everybody else.
    if case .stopped = report.end { interruption.fulfil() }
    if speaksToPeople { report.judgement.refusalText.forEach(console.say) }
    switch policy {
    case .restore: return .restore
    case .stop: return .stop
    case .ask, nil:
      // Where the backup is gone, there is nothing to ask.
      guard report.isBackupWhole, case .given(true) = console.confirm("put the backup back?") else {
        return .stop
      }
      return .restore
    }
  }
}
