// SPDX-License-Identifier: Apache-2.0
// `dbrescue salvage`: every readable row of a damaged file into a new one.

import DatabaseRescue
import Diagnosis

/// Copies every readable row into a new database.
let salvageCommand: CommandBody = { invocation, context throws(RescueError) in
  let contract = try context.contract(at: invocation.path(.schema))
  let file = invocation.path(.file)
  let output = invocation.requiredPath(.output)
  let input = try context.input(invocation)
  let result = try context.withProgress(
    of: [.examining, .copying, .verifying, .proving], over: input
  ) { rescue throws(RescueError) in
    try rescue.salvage(
      input, to: output, into: contract, replacing: invocation.isSet(.force))
  }
  let report = SalvageAccount(
    of: result.value, file: PlainName(file), inputs: result.inputs, code: result.code,
    created: result.started)
  try context.tell(report, of: invocation, naming: output)
  context.tellLogFailure(of: result)
  return ExitCode(result.value.outcome)
}
