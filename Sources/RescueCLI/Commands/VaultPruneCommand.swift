// SPDX-License-Identifier: Apache-2.0
// `dbrescue vault prune`: removes the backups that are no longer needed, and says why each stays.

import DatabaseRescue
import Diagnosis

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Removes the backups that a policy does not keep.
let vaultPruneCommand: CommandBody = { invocation, context throws(RescueError) in
  let vault = try vault(in: invocation, context)
  let named = invocation.path(.vault) == nil ? nil : invocation.path(.vaultFolder)
  let database = if let named { named } else { try context.database(of: vault) }
  let retention = Retention(
    last: invocation.requiredNumber(.keepLast), daily: invocation.requiredNumber(.keepDaily),
    weekly: invocation.requiredNumber(.keepWeekly))
  var shown: PrunePlan?
  do throws(RescueError) {
    let result = try context.rescue.prune(
      vault, keeping: retention, of: database
    ) { plan throws(RescueError) in
      shown = plan
      // Where nothing goes, there is nothing to ask.
      if plan.removals.isEmpty, !invocation.isSet(.dryRun) {
        if context.speaksToPeople { lines(plan).forEach(context.console.say) }
        return
      }
      try context.approve(
        lines(plan), as: document(plan, of: vault, type: "prune-plan"), invocation)
    }
    if context.console.manner.isJSON {
      context.console.print(
        document: document(result.value, of: vault, type: "vault-prune", code: result.code))
    } else {
      let count = result.value.removals.count
      context.console.print("removed \(Quantity.count(count, "backup")) of \(vault.folder)")
    }
    context.tellCode(of: result)
  } catch {
    guard CommandContext.ranDry(error) else { throw error }
  }
  return shown?.isHeldUp == true ? .invalidInput : .success
}

private func lines(_ plan: PrunePlan) -> [StyledText] {
  var table = TextTable([.text("id"), .text("made"), .number("version"), .text(""), .prose("why")])
  for decision in plan.decisions {
    let name = decision.entry.name
    table.add([
      "\(name.id)", "\(name.created.formatted(.iso8601))", "\(name.userVersion)",
      decision.isKept ? "keep" : "\("remove", .warning)", "\(decision.reason.text)",
    ])
  }
  return table.lines(width: nil)
}

private func document(
  _ plan: PrunePlan, of vault: Vault, type: String, code: SupportCode? = nil
) -> JSON {
  .document(
    type,
    [
      "code": code.map { .string($0.description) },
      "backups": .array(
        plan.decisions.map { decision in
          [
            "path": .string(vault.folder.appending(decision.entry.name.path).description),
            "id": .string(decision.entry.name.id.description),
            "keep": .bool(decision.isKept), "reason": .string(decision.reason.rawValue),
          ]
        }),
    ])
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
