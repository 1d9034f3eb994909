// SPDX-License-Identifier: Apache-2.0
// `dbrescue vault list` and `vault verify`: the backups of a database, and whether they hold.

import DatabaseRescue
import Diagnosis

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Lists the backups of a vault, newest first.
let vaultListCommand: CommandBody = { invocation, context throws(RescueError) in
  let vault = try vault(in: invocation, context)
  let backups = try vault.list()
  if context.console.manner.isJSON {
    context.console.print(
      document: .document(
        "vault-list", ["backups": .array(backups.map(BackupJSON.value))]))
    return .success
  }
  guard !backups.isEmpty else {
    context.console.note("no backups in '\(vault.folder)'")
    return .success
  }
  var table = TextTable([
    .text("id"), .text("made"), .number("version"), .number("size"), .text("state"),
    .text("proven"), .prose("file"),
  ])
  for backup in backups {
    table.add([
      "\(backup.name.id)", "\(backup.name.created.formatted(.iso8601))",
      "\(backup.name.userVersion)", "\(Quantity.bytes(backup.byteCount))",
      backup.isGood
        ? "\("good", .good)"
        : "\(backup.word, .warning)",
      backup.proof.map { "\($0.date.formatted(.iso8601))" } ?? "when made",
      "\(backup.path.name)",
    ])
  }
  context.console.print(table)
  return .success
}

/// Reads backups in full and says whether they hold.
let vaultVerifyCommand: CommandBody = { invocation, context throws(RescueError) in
  let vault = try vault(in: invocation, context)
  let named = invocation.paths(.backups)
  let backups =
    named.isEmpty
    ? try vault.list()
    : try named.map { path throws(RescueError) in try vault.backup(path.name.description) }
  let result = try context.rescue.verify(vault, backups)
  let results = result.value.results
  if context.console.manner.isJSON {
    context.console.print(
      document: .document(
        "vault-verify",
        [
          "backups": .array(results.map(json)), "code": .string(result.code.description),
        ]))
  } else {
    for result in results { tell(result, context) }
    if results.isEmpty { context.console.note("no backups in '\(vault.folder)'") }
  }
  if let failure = result.value.noteFailure { context.console.warn("\(failure.message)") }
  context.tellCode(of: result)
  return result.value.failure.map { ExitCode($0) } ?? .success
}

private func tell(_ result: BackupVerification, _ context: CommandContext) {
  let word: StyledText =
    result.passed
    ? "\("holds", .good)"
    : result.isUnread ? "\("cannot be read", .bad)" : "\("does not hold", .bad)"
  context.console.print("\(result.path.name): \(word)")
  for check in result.checks where !check.passed || context.console.manner.isVerbose {
    context.console.print("  \(check.name): \(check.passed ? "passed" : "failed"), \(check.detail)")
  }
  for damage in result.damage {
    let pages = damage.pages.map { ", pages \($0.lowerBound)–\($0.upperBound)" } ?? ""
    context.console.print("  \(damage.reason)\(pages)")
  }
}

extension Backup {
  /// What a backup is that is not good.
  fileprivate var word: String {
    if manifest?.raw == true { return "raw" }
    if proof?.passed == false { return "damaged" }
    return state == .complete ? "findings" : state.rawValue
  }
}

private func json(_ result: BackupVerification) -> JSON {
  [
    "path": .string(result.path.description), "passed": .bool(result.passed),
    "state": .string(result.state.rawValue), "checks": .array(result.checks.map(BackupJSON.check)),
    "damage": .array(result.damage.map { .string($0.reason) }),
  ]
}

/// The vault that was named: the folder itself, or the database that it belongs to.
func vault(
  in invocation: Invocation, _ context: CommandContext
) throws(RescueError) -> Vault {
  let path = invocation.path(.vaultFolder)
  if let folder = invocation.path(.vault) {
    return try context.rescue.backups(of: path, vault: folder)
  }
  do {
    guard let status = try context.world.storage.status(of: path) else {
      throw RescueError(.missing, "there is no file or folder '\(path)'", advice: "check the path")
    }
    if status.kind == .folder { return Vault(path, in: context.world.storage) }
  } catch let error as RescueError {
    throw error
  } catch {
    throw RescueError(.inputOutput, "cannot look at '\(path)'")
  }
  return try context.rescue.backups(of: path)
}
