// SPDX-License-Identifier: Apache-2.0
// `dbrescue backup`: a compressed backup of a live database, read back before it counts.

import DatabaseRescue
import Diagnosis

/// Backs up a database.
let backupCommand: CommandBody = { invocation, context throws(RescueError) in
  let contract = try context.contract(at: invocation.path(.contract))
  var options = backupOptions(invocation)
  options.level = invocation.requiredNumber(.level)
  options.verification = invocation.requiredChoice(.verify)
  options.wait = .seconds(invocation.requiredNumber(.wait))
  let result = try context.rescue.backUp(
    invocation.path(.file), contract: contract, vault: invocation.path(.vault), options: options,
    asHeldBy: invocation.number(.fromProcess).map { Int32(clamping: $0) })
  let backup = result.value
  let exit = try context.give(BackupAnswer(result))
  tell(backup.manifest?.lineage, of: invocation.path(.file), context)
  if !backup.isGood, backup.manifest?.lineage?.isDoubtful != true {
    context.console.warn(
      "the database has findings: the backup is kept, and does not count as a good one")
  }
  context.tellCode(of: result)
  return exit
}

/// What of a backup `guard` and `backup` let people decide.
func backupOptions(_ invocation: Invocation) -> BackupWriter.Options {
  var options = BackupWriter.Options()
  options.recheckAfter = .seconds(invocation.requiredNumber(.recheckAfter) * 86_400)
  options.lossMax = invocation.number(.maxLoss)
  options.acceptsOlder = invocation.isSet(.accept)
  return options
}

/// Tells how the database follows from the backup before, where there is something to say.
private func tell(
  _ lineage: BackupManifest.Lineage?, of file: FilePath, _ context: CommandContext
) {
  guard let lineage, lineage.isDoubtful || !context.console.manner.isJSON else { return }
  for finding in lineage.findings {
    if finding.severity > .notice, !lineage.isAccepted {
      context.console.warn("\(finding.message)")
    } else if !context.console.manner.isJSON {
      context.console.note("\(finding.message)\(lineage.isAccepted ? ": accepted" : "")")
    }
  }
  guard lineage.isDoubtful else { return }
  context.console.warn(
    "the backup is kept, and does not count as a good one; the last good one is \(lineage.after)")
  if !context.console.manner.isJSON {
    context.console.say(
      "to get back what is missing: dbrescue restore \(file.shellQuoted) --from \(lineage.after)")
    context.console.say(
      "if all is as it should be: dbrescue backup \(file.shellQuoted) --accept")
  }
}
