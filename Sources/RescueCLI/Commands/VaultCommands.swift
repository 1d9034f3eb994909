// SPDX-License-Identifier: Apache-2.0
// `dbrescue vault list` and `vault verify`: the backups of a database, and whether they hold.

import DatabaseRescue
import Diagnosis

/// Lists the backups of a vault, newest first.
let vaultListCommand: CommandBody = { invocation, context throws(RescueError) in
  try context.give(VaultAnswer(vault(in: invocation, context)))
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
  let exit = try context.give(VerificationAnswer(result, of: vault))
  if let failure = result.value.noteFailure { context.console.warn("\(failure.message)") }
  context.tellCode(of: result)
  return exit
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
    let status = try context.world.storage.status(of: path)
    if status?.kind == .folder { return Vault(path, in: context.world.storage) }
    if status == nil {
      // Who has lost a database needs its backups more than anybody.
      let vault = try context.rescue.backups(of: path)
      guard try context.world.storage.status(of: vault.folder) == nil else { return vault }
      throw RescueError(.missing, "there is no file or folder '\(path)'", advice: "check the path")
    }
  } catch let error as RescueError {
    throw error
  } catch {
    throw RescueError(.inputOutput, "cannot look at '\(path)'")
  }
  return try context.rescue.backups(of: path)
}
