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
  guard let output else {
    // The contract is a JSON document itself.
    context.console.write(String(decoding: document, as: UTF8.self))
    for line in contract.notes { context.console.note("\(line)") }
    return .success
  }
  try ContractDocument.save(document, as: output, in: context.world)
  return try context.give(ContractAnswer(type, contract, at: output.path))
}

/// Compares a database with a contract.
let contractVerifyCommand: CommandBody = { invocation, context throws(RescueError) in
  let contract = try context.contract(at: invocation.requiredPath(.contract))
  let result = try context.rescue.check(
    context.input(invocation, journals: false), contract: contract)
  return try context.give(
    ContractVerificationAnswer(result, of: invocation.path(.file)), of: result)
}

/// Tells what leads from one contract, script or database to another.
let contractDiffCommand: CommandBody = { invocation, context throws(RescueError) in
  let change = try SchemaChange.load(
    from: invocation.path(.first), to: invocation.path(.second), world: context.world)
  return try context.give(change)
}
