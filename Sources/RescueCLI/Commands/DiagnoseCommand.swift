// SPDX-License-Identifier: Apache-2.0
// `dbrescue diagnose`: everything that is wrong, what was lost, and what can be done.

import DatabaseRescue
import Diagnosis

/// Diagnoses a database and lists what can be done.
let diagnoseCommand: CommandBody = { invocation, context throws(RescueError) in
  let contract = try context.contract(at: invocation.path(.contract))
  let file = invocation.path(.file)
  let result = try context.rescue.diagnose(
    context.input(invocation), contract: contract, vault: invocation.path(.vault))
  let (examination, options) = (result.value.examination, result.value.options)
  let text = ExaminationText(examination, name: file.name)
  context.console.print(text.headline)
  context.console.print(text.findings)
  context.console.print(OptionText.lines(options))
  context.tellCode(of: result)
  return ExitCode(examination.verdict)
}
