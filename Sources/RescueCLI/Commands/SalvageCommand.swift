// SPDX-License-Identifier: Apache-2.0
// `dbrescue salvage`: every readable row of a damaged file into a new one.

import DatabaseRescue
import Diagnosis

/// Copies every readable row into a new database.
let salvageCommand: CommandBody = { invocation, context throws(RescueError) in
  var files = context.files(invocation)
  let reportFile = try context.reportFile(invocation, in: &files)
  let contract = try context.contract(at: invocation.path(.schema))
  let file = invocation.path(.file)
  let output = invocation.requiredPath(.output)
  let input = try context.input(invocation, heldBy: invocation.number(.fromProcess))
  let result = try context.rescue.salvage(
    input, to: output, into: contract, backups: invocation.paths(.mergedBackup),
    replacing: invocation.isSet(.force), files: files)
  return try context.finish(
    result, report: reportFile, file: file, output: output,
    schema: invocation.path(.schema))
}

extension CommandContext {
  /// Tells what a salvage did, and gives the status that it ends in.
  ///
  /// - Throws: ``RescueError`` of kind `internal` when its rows do not add up, after the report.
  func finish(
    _ result: RunResult<SalvageReport>, report reportFile: ReportFile?, file: FilePath,
    output: FilePath, schema: FilePath?
  ) throws(RescueError) -> ExitCode {
    let report = SalvageAccount(
      of: result.value, file: PlainName(file), inputs: result.inputs, code: result.code,
      created: result.started)
    tellLogFailure(of: result)
    tellInterruption(of: result)
    let contract = schema.map { " --contract \($0.shellQuoted)" } ?? ""
    try rescue.concluding(result) { () throws(RescueError) in
      try tell(report, to: reportFile, naming: output.shellQuoted + contract)
    }
    if let imbalance = result.value.imbalance { throw imbalance }
    return ExitCode(result.value.outcome)
  }
}
