// SPDX-License-Identifier: Apache-2.0
// `dbrescue restore`: a proven backup to a new file, or into the place of the database.

import DatabaseRescue
import Diagnosis

/// Restores a backup.
let restoreCommand: CommandBody = { invocation, context throws(RescueError) in
  let file = invocation.path(.file)
  let vault = try context.rescue.backups(of: file, vault: invocation.path(.vault))
  let backup = try backup(invocation, vault, context)
  if let output = invocation.path(.output) {
    let result = try context.rescue.restore(backup, toNewFile: output)
    context.console.print("\(output)")
    context.console.note("restored from \(backup.path.name) and checked")
    context.tellCode(of: result)
    return .success
  }
  let contract = try context.contract(at: invocation.path(.contract))
  return try recover(
    .restore, invocation, context, contract: contract, vault: nil, backup: backup,
    choose: { examination, options throws(RescueError) in
      guard let option = options.first(where: { $0.kind == .restore }) else {
        throw RescueError(
          .invalidInput,
          "'\(file.name)' is \(examination.verdict.word): \(examination.verdict.meaning)",
          meaning: "restoring would lose rows and gain nothing; nothing was changed",
          advice: "restore to a new file instead: add --output NEW")
      }
      return option
    })
}

/// The backup that was named: a file, an id, a support code, or the newest good one.
private func backup(
  _ invocation: Invocation, _ vault: Vault, _ context: CommandContext
) throws(RescueError) -> Backup {
  let from = invocation.text(.from) ?? "latest"
  if from == "latest" {
    guard let latest = try vault.latest() else {
      throw RescueError(
        .missing, "there is no good backup in '\(vault.folder)'",
        meaning: "nothing was changed",
        advice: "run: dbrescue vault list \(vault.folder.shellQuoted)")
    }
    return latest
  }
  let path = FilePath(from)
  let isFile = ((try? context.world.storage.status(of: path)) ?? nil)?.kind == .file
  return isFile
    ? try Vault(path.folder, in: context.world.storage).backup(path.name.description)
    : try vault.backup(from)
}
