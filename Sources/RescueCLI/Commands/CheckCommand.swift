// SPDX-License-Identifier: Apache-2.0
// `dbrescue check`: a fast verdict, for scripts and for the start of an app.

import DatabaseRescue
import Diagnosis

/// Gives a verdict and the findings behind it.
let checkCommand: CommandBody = { invocation, context throws(RescueError) in
  let contract = try context.contract(at: invocation.path(.contract))
  let input = try context.input(invocation)
  let result = try context.rescue.check(input, contract: contract)
  let examination = result.value
  if context.console.manner.isJSON {
    try context.printLook("check", result, at: invocation.path(.file))
  } else {
    let text = ExaminationText(examination, name: invocation.path(.file).name)
    context.console.print(text.headline)
    context.console.print(text.findings)
    context.console.print(text.unchecked)
    context.console.print(text.next(invocation, context))
  }
  context.tellCode(of: result)
  return ExitCode(examination.verdict)
}

extension CommandContext {
  /// Prints what a look at a database found, as the JSON of the command.
  ///
  /// - Throws: ``RescueError`` of kind `internal`, which is a defect.
  func printLook(
    _ command: String, _ result: RunResult<Examination>, at file: FilePath
  ) throws(RescueError) {
    let report = DiagnosisReport(
      ofLook: command, result.value, file: PlainName(file), code: result.code,
      created: result.started)
    console.print(document: try report.document)
  }
}
