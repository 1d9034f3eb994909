// SPDX-License-Identifier: Apache-2.0
// `dbrescue contract`: what an app expects, captured, verified, compared.

import DatabaseRescue
import Diagnosis

/// Captures a contract from a healthy database or a script.
let contractCaptureCommand: CommandBody = { invocation, context throws(RescueError) in
  let source = ContractSource(world: context.world)
  let contract = try source.load(invocation.path(.file))
  let text = try source.text(of: contract)
  if let output = invocation.path(.output) {
    try source.write(text, to: output)
    context.console.print("\(output)")
  } else {
    context.console.write(text)
  }
  context.console.note(
    "version \(contract.userVersion), \(Quantity.count(contract.description.tables.count, "table"))")
  return .success
}

/// Compares a database with a contract.
let contractVerifyCommand: CommandBody = { invocation, context throws(RescueError) in
  let contract = try context.contract(at: invocation.requiredPath(.contract))
  let result = try context.rescue.check(
    context.input(invocation, journals: false), contract: contract)
  let examination = result.value
  if context.console.manner.isJSON {
    var members = ExaminationJSON(examination, code: result.code).members
    members["diff"] = .array((examination.verification?.diff ?? []).map { .string($0) })
    context.console.print(document: .document("contract-verify", members))
    return ExitCode(examination.verdict)
  }
  let text = ExaminationText(examination, name: invocation.path(.file).name)
  context.console.print(text.headline)
  context.console.print(text.findings)
  for line in examination.verification?.diff ?? [] { context.console.print("  \(line)") }
  context.tellCode(of: result)
  return ExitCode(examination.verdict)
}

/// Compares two contracts, scripts or databases.
let contractDiffCommand: CommandBody = { invocation, context throws(RescueError) in
  let source = ContractSource(world: context.world)
  let lines = try source.load(invocation.path(.first))
    .diff(from: source.load(invocation.path(.second)))
  if context.console.manner.isJSON {
    context.console.print(
      document: .document("contract-diff", ["diff": .array(lines.map { .string($0) })]))
  } else {
    for line in lines { context.console.print("\(line)") }
    if lines.isEmpty { context.console.note("no difference") }
  }
  return lines.isEmpty ? .success : .drifted
}
