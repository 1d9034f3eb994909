// SPDX-License-Identifier: Apache-2.0
// `dbrescue contract`: what an app expects, captured, verified, compared.

import DatabaseRescue
import Diagnosis

/// Captures a contract from a healthy database or a script.
let contractCaptureCommand: CommandBody = { invocation, context throws(RescueError) in
  try makeContract("contract-capture", invocation, context)
}

/// Makes a contract of what others have written of a schema.
let contractImportCommand: CommandBody = { invocation, context throws(RescueError) in
  try makeContract("contract-import", invocation, context)
}

private func makeContract(
  _ type: String, _ invocation: Invocation, _ context: CommandContext
) throws(RescueError) -> ExitCode {
  var files = context.files(invocation)
  let output = try invocation.path(.output).map { path throws(RescueError) in
    try files.write(path, storage: context.world.storage)
  }
  let contract = try ContractSource.load(invocation.path(.file), world: context.world)
  let document = try ContractDocument.write(contract)
  let count = contract.objects.tables.count
  guard let output else {
    // The contract is a JSON document itself.
    context.console.write(String(decoding: document, as: UTF8.self))
    for line in contract.notes { context.console.note("\(line)") }
    return .success
  }
  try ContractDocument.save(document, as: output, in: context.world)
  if context.console.manner.isJSON {
    context.console.print(
      document: .document(
        type,
        [
          "output": .string(output.path.description),
          "userVersion": .integer(Int(contract.userVersion)),
          "tableCount": .integer(count),
          "notes": .array(contract.notes.map { .string($0) }),
        ]))
  } else {
    context.console.print("\(output.path)")
    context.console.note("version \(contract.userVersion), \(Quantity.count(count, "table"))")
    for line in contract.notes { context.console.note("\(line)") }
  }
  return .success
}

/// Compares a database with a contract.
let contractVerifyCommand: CommandBody = { invocation, context throws(RescueError) in
  let contract = try context.contract(at: invocation.requiredPath(.contract))
  let result = try context.rescue.check(
    context.input(invocation, journals: false), contract: contract)
  let examination = result.value
  if context.console.manner.isJSON {
    try context.printLook("contract-verify", result, at: invocation.path(.file))
  } else {
    let text = ExaminationText(examination, name: invocation.path(.file).name)
    context.console.print(text.headline)
    context.console.print(text.findings)
    context.tell(examination.diff)
  }
  context.tellCode(of: result)
  return ExitCode(examination.verdict)
}

/// Tells what leads from one contract, script or database to another.
let contractDiffCommand: CommandBody = { invocation, context throws(RescueError) in
  let change = try SchemaChange.load(
    from: invocation.path(.first), to: invocation.path(.second), world: context.world)
  if context.console.manner.isJSON {
    context.console.print(document: try change.document)
  } else {
    for line in change.text { context.console.write(line + "\n") }
    if !change.isExactlyShown {
      context.console.warn("the statements hold characters that are not shown: --json has them")
    }
    if change.isEmpty { context.console.note("no difference in the schema") }
  }
  return change.isEmpty ? .success : .drifted
}

extension CommandContext {
  /// Prints differences; a statement to paste is never cut.
  func tell(_ differences: [String]) {
    for line in differences {
      if line.hasPrefix("      ") || line.hasPrefix("    mend: ") {
        console.write("  \(line.harmless())\n")
      } else {
        console.print("  \(line)")
      }
    }
  }
}
