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
  let result = try context.deciding(by: policy) { onFailure throws(RescueError) in
    try context.rescue.migrate(
      file, with: folder, options: options, onStep: context.tell, onFailure: onFailure)
  }
  return try context.give(
    MigrationAnswer(result, of: file, in: options.vault, by: context.rescue), of: result)
}

/// Tells what a migration would do.
private func foresee(
  _ folder: MigrationFolder, _ options: MigrationOptions, _ invocation: Invocation,
  _ context: CommandContext
) throws(RescueError) -> ExitCode {
  let file = invocation.path(.file)
  let result = try context.rescue.foreseeMigration(
    of: file, with: folder, options: options, onStep: context.tell)
  return try context.give(MigrationForecastAnswer(result, of: file), of: result)
}

extension CommandContext {
  /// Tells of a file that has run.
  fileprivate func tell(_ step: MigrationStep) {
    guard speaksToPeople, !console.manner.isJSON else { return }
    console.note("\(step.file.description): \(Quantity.shortTime(seconds: step.seconds))")
  }
}
