// SPDX-License-Identifier: Apache-2.0
// `dbrescue salvage`: every readable row of a damaged file into a new one.

import DatabaseRescue
import Diagnosis

/// Copies every readable row into a new database.
let salvageCommand: CommandBody = { invocation, context throws(RescueError) in
  guard invocation.paths(.backup).isEmpty else {
    throw RescueError(
      .usage, "--backup is not supported yet", meaning: "nothing was written",
      advice: "restore the backup to a file of its own: dbrescue restore FILE --output NEW")
  }
  let contract = try context.contract(at: invocation.path(.schema))
  let result = try context.rescue.salvage(
    context.input(invocation), to: invocation.requiredPath(.output), into: contract,
    replacing: invocation.isSet(.force))
  let report = result.value
  if context.console.manner.isJSON {
    context.console.print(document: SalvageText(report).document(code: result.code))
  } else {
    context.console.print(SalvageText(report).lines)
  }
  context.tellCode(of: result)
  if report.isComplete { return .success }
  return report.balances.allSatisfy(\.isComplete) ? .damagedIntact : .damagedLossy
}
