// SPDX-License-Identifier: Apache-2.0
// `dbrescue diagnose`: everything that is wrong, what was lost, and what can be done.

import DatabaseRescue
import Diagnosis

/// Diagnoses a database and lists what can be done.
let diagnoseCommand: CommandBody = { invocation, context throws(RescueError) in
  var files = context.files(invocation)
  let reportFile = try context.reportFile(invocation, in: &files)
  let contract = try context.contract(at: invocation.path(.contract))
  let file = invocation.path(.file)
  let input = try context.input(invocation)
  let result = try context.rescue.diagnose(
    input, contract: contract, vault: invocation.path(.vault))
  let advice =
    invocation.isSet(.advice) ? try context.rescue.advice(on: result.value.examination) : nil
  let (examination, options) = (result.value.examination, result.value.options)
  let report = DiagnosisReport(
    of: examination, trial: result.value.trial, options: options,
    causes: result.value.causes, file: file, contract: invocation.path(.contract),
    vault: invocation.path(.vault), inputs: result.inputs, code: result.code,
    created: result.started
  ).with(advice)
  context.tellLogFailure(of: result)
  try context.rescue.concluding(result) { () throws(RescueError) in
    try context.tell(
      report, to: reportFile,
      naming: report.goesOnWithFlags
        ? context.subject(invocation, with: [.contract, .vault]) : file.shellQuoted)
  }
  return ExitCode(examination.verdict)
}
