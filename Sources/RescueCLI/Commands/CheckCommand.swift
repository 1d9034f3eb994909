// SPDX-License-Identifier: Apache-2.0
// `dbrescue check`: a fast verdict, for scripts and for the start of an app.

import DatabaseRescue
import Diagnosis

/// Gives a verdict and the findings behind it.
let checkCommand: CommandBody = { invocation, context throws(RescueError) in
  let contract = try context.contract(at: invocation.path(.contract))
  let input = try context.input(invocation)
  let result = try context.rescue.check(
    input, contract: contract, vault: invocation.path(.vault))
  return try context.give(
    CheckAnswer(
      result, of: invocation.path(.file), contract: context.options(invocation, [.contract]),
      journals: context.options(invocation, [.wal, .journal]),
      vault: context.options(invocation, [.vault])),
    of: result)
}
