// SPDX-License-Identifier: Apache-2.0
// `dbrescue vault prune`: removes the backups that are no longer needed, and says why each stays.

import DatabaseRescue
import Diagnosis

/// Removes the backups that a policy does not keep.
let vaultPruneCommand: CommandBody = { invocation, context throws(RescueError) in
  let vault = try vault(in: invocation, context)
  let named = invocation.path(.vault) == nil ? nil : invocation.path(.vaultFolder)
  let database = if let named { named } else { try context.database(of: vault) }
  let retention = Retention(
    last: invocation.requiredNumber(.keepLast), daily: invocation.requiredNumber(.keepDaily),
    weekly: invocation.requiredNumber(.keepWeekly))
  func answer(_ plan: PrunePlan, code: SupportCode? = nil) -> PruneAnswer {
    PruneAnswer(plan, of: vault, database, code: code)
  }
  var shown: PrunePlan?
  do throws(RescueError) {
    let result = try context.rescue.prune(
      vault, keeping: retention, of: database
    ) { plan throws(RescueError) in
      shown = plan
      // Where nothing goes, there is nothing to ask.
      if plan.removals.isEmpty, !invocation.isSet(.dryRun) {
        if context.speaksToPeople {
          answer(plan).decisions.forEach(context.console.say)
        }
        return
      }
      let answer = answer(plan)
      try context.approve(answer.decisions, as: answer.document, invocation)
    }
    let broken = shown.map(result.value.broken) ?? []
    if !broken.isEmpty, context.speaksToPeople {
      let names = broken.map(\.path.description).joined(separator: ", ")
      context.console.warn("\(names): does not hold any more, so that others stay:")
      answer(result.value).decisions.forEach(context.console.say)
    }
    return try context.give(answer(result.value, code: result.code), of: result)
  } catch {
    // A dry run ends with its plan.
    guard invocation.isSet(.dryRun), let shown, error.kind == .declined else { throw error }
    if context.speaksToPeople { answer(shown).heldUp.forEach(context.console.say) }
    return ExitCode(status: answer(shown).exitStatus)
  }
}

extension CommandContext {
  /// The database that a vault lies beside; nil when there is none, or it is gone.
  fileprivate func database(of vault: Vault) throws(RescueError) -> FilePath? {
    guard let database = vault.liveDatabase else { return nil }
    do {
      return try world.storage.status(of: database)?.kind == .file ? database : nil
    } catch {
      throw RescueError(error)
    }
  }
}
