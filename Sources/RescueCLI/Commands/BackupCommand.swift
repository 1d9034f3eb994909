// SPDX-License-Identifier: Apache-2.0
// `dbrescue backup`: a compressed backup of a live database, read back before it counts.

import DatabaseRescue
import Diagnosis

/// Backs up a database.
let backupCommand: CommandBody = { invocation, context throws(RescueError) in
  let contract = try context.contract(at: invocation.path(.contract))
  var options = BackupWriter.Options()
  options.level = invocation.requiredNumber(.level)
  let depth: VerifyDepth = invocation.requiredChoice(.verify)
  options.verification = depth == .full ? .full : .quick
  options.wait = .seconds(invocation.requiredNumber(.wait))
  let result = try context.rescue.backUp(
    invocation.path(.file), contract: contract, vault: invocation.path(.vault), options: options,
    asHeldBy: invocation.number(.fromProcess).map { Int32(clamping: $0) })
  let backup = result.value
  if context.console.manner.isJSON {
    context.console.print(
      document: .document(
        "backup",
        BackupJSON.members(backup).merging(["code": .string(result.code.description)]) { $1 }))
  } else {
    context.console.print("\(backup.path)")
    let size = backup.manifest.map { Quantity.bytes($0.image.byteCount) } ?? "unknown size"
    context.console.note(
      "\(size) in \(Quantity.bytes(backup.byteCount)), version \(backup.name.userVersion)")
    for check in backup.manifest?.checks ?? [] {
      let word: StyledText = check.passed ? "\("passed", .good)" : "\("failed", .bad)"
      context.console.note("  \(check.name): \(word), \(check.detail)")
    }
  }
  if !backup.isGood {
    context.console.warn(
      "the database has findings: the backup is kept, and does not count as a good one")
  }
  context.tellCode(of: result)
  return backup.isGood ? .success : .damagedLossy
}
