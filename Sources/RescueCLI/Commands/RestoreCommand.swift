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
    return try restore(
      backup, to: output, beside: context.files(invocation), invocation, context)
  }
  // A database that is gone has nothing to lose: in its place the backup is a new file.
  guard try context.rescue.exists(file) else {
    return try restore(
      backup, to: file, beside: RunFiles(), takesItsPlace: true, invocation, context)
  }
  let contract = try context.contract(at: invocation.path(.contract))
  // Nobody has named it, and it may be of another database of this name: then its rows tell.
  let isGuessed = !invocation.namesBackup && !vault.isOfDatabase(backup)
  return try recover(
    .restore, invocation, context, contract: contract,
    vault: isGuessed ? invocation.path(.vault) : nil, backup: isGuessed ? nil : backup,
    wait: .seconds(invocation.requiredNumber(.wait)),
    choose: { examination, options throws(RescueError) in
      guard let option = options.first(where: { $0.kind == .restore }) else {
        if isGuessed {
          throw RescueError(
            .decisionNeeded,
            "the backups of this name in '\(vault.folder)' were made at another place, and none has a "
              + "row that is in '\(file.name)'",
            meaning: "they may be of another database; nothing was changed",
            advice: "dbrescue vault list \(vault.folder.shellQuoted), then name one: --from ID")
        }
        throw RescueError(
          .invalidInput,
          "'\(file.name)' is \(examination.verdict.word): \(examination.meaning)",
          meaning: "nothing was changed",
          advice: "restore to a new file instead: add --output NEW",
          verdict: examination.verdict)
      }
      return option
    })
}

/// Restores a backup to a new file.
private func restore(
  _ backup: Backup, to output: FilePath, beside files: RunFiles, takesItsPlace: Bool = false,
  _ invocation: Invocation, _ context: CommandContext
) throws(RescueError) -> ExitCode {
  if invocation.isSet(.dryRun) {
    return try context.give(RestoreAnswer(backup, to: output))
  }
  let result = try context.rescue.restore(
    backup, toNewFile: output, files: files, takesItsPlace: takesItsPlace)
  return try context.give(RestoreAnswer(backup, to: output, code: result.code), of: result)
}

extension Invocation {
  /// Whether a backup was named, and not just the newest one wished for.
  fileprivate var namesBackup: Bool { text(.from).map { $0 != "latest" } ?? false }
}

/// The backup that was named: a file, an id, a support code, or the newest good one.
private func backup(
  _ invocation: Invocation, _ vault: Vault, _ context: CommandContext
) throws(RescueError) -> Backup {
  guard let from = invocation.text(.from), invocation.namesBackup else {
    if let latest = try vault.latest(notAfter: context.world.now()) { return latest }
    let isInFuture = try vault.latest() != nil
    throw RescueError(
      .missing,
      "there is no good backup of this database in '\(vault.folder)'"
        + (isInFuture ? " but such as are dated in the future" : ""),
      meaning: isInFuture
        ? "nobody knows which of those is the newest; nothing was changed" : "nothing was changed",
      advice: "dbrescue vault list \(vault.folder.shellQuoted)"
        + (isInFuture ? ", then name one: --from ID" : ""))
  }
  let path = FilePath(from)
  let isFile = ((try? context.world.storage.status(of: path)) ?? nil)?.kind == .file
  if isFile { return try Vault.backup(inFile: path, context.world.storage) }
  do throws(RescueError) {
    return try vault.backup(from)
  } catch  where error.kind == .missing {
    // The code may be that of a guarded migration, or of another run that made a backup on its way.
    guard let code = try? SupportCode(parsing: from),
      let made = try RunLog(in: context.world).record(for: code)?.backupMade
    else { throw error }
    return try vault.backup(made.description)
  }
}
