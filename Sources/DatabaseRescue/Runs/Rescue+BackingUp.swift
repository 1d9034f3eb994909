// SPDX-License-Identifier: Apache-2.0
// Backups: made, proven, and turned back into databases.

import Diagnosis
import SQLiteFormat

extension Run {
  /// Makes a backup.
  mutating func backUp(
    _ database: FilePath, _ contract: Contract?, _ vault: FilePath?,
    _ options: BackupWriter.Options
  ) throws(RescueError) -> Backup {
    try world.requireNotHeldApart(database)
    let folder = try RescueFolder(of: database, storage: world.storage)
    if vault == nil { try folder.requireOwnVault(world.storage) }
    let vault = vault ?? folder.backups
    var options = options
    options.take(contract)
    let writer = BackupWriter(
      vault: vault, tool: Tool.version, options: options, world: world)
    let backup = try step("backup", at: .backup) { run throws(RescueError) in
      let world = run.world
      // What a run that was killed has left under temporary names goes first.
      try Vault(vault, of: folder.database.name, in: world.storage).sweep()
      // The manifest holds the code that the run has if the backup turns out good.
      run.notes.hasVerifiedBackup = true
      let code = run.notes.code(outcome: .succeeded)
      // The file that a link leads to gives the name, as it gives the place.
      return try writer.backUp(
        folder.database,
        describing: { (pages, earlier) throws(RescueError) in
          try BackupDescription(of: pages, since: earlier, supportCode: code)
        },
        checking: { copy throws(RescueError) in
          let migration = try world.migrationChecks(of: folder, accepting: options.acceptsOlder)
          guard let contract else { return migration }
          let verification = try world.verify(copy, against: contract)
          let problems = ContractVerification.findings(of: verification)
            .filter { $0.severity >= .damage }
          return migration + [
            BackupManifest.Check(
              BackupManifest.Check.contractName, passed: problems.isEmpty,
              detail: problems.isEmpty ? "holds" : problems.count.of("difference"))
          ]
        })
    }
    notes.note(Change(.addition, "the backup '\(backup.path)' was made"))
    notes.backupMade = PlainName(backup.path.name)
    notes.hasVerifiedBackup = backup.isGood
    notes.lineage = backup.manifest?.lineage
    notes.outcome = backup.isGood ? .succeeded : .findings
    notes.exitStatus = backup.exitStatus
    return backup
  }

  /// Proves a backup and restores it to a new file, which gets its name when SQLite has checked it.
  mutating func restore(
    _ backup: Backup, toNewFile output: RunFiles.Output, takesItsPlace: Bool
  ) throws(RescueError) {
    try prove(backup)
    let path = output.path
    do {
      try JournalsBeside(path, storage: world.storage).refuse()
      let folder = try PrivateFolder(in: path.folder, world: world)
      let partial = folder.file("new.db")
      try step(.buildFromBackup(backup.path.name.description)) { run throws(RescueError) in
        try run.world.reader(of: backup.path, for: .restoring).restore(to: partial)
        if takesItsPlace { try backup.giveAccess(to: partial, run.world.storage) }
      }
      try step(.verifyNew) { run throws(RescueError) in
        try Verification.requireSound(partial, in: run.world)
      }
      try world.requireGoingOn()
      let new = try world.storage.status(of: partial)?.identity
      do throws(StorageError) {
        try world.storage.renameWithoutReplacing(partial, to: path)
        try world.storage.synchronizeFolder(path.folder)
      } catch {
        var error = RescueError(error)
        error.change = withdraw(path, where: new)
        throw error
      }
      notes.note(Change(.addition, "'\(path)' was made"))
      if takesItsPlace {
        world.forgetMigration(of: RescueFolder(ofPlace: path), goneBackTo: backup)
      }
    } catch {
      throw RescueError(error, doing: "write '\(path)'", meaning: "nothing was written")
    }
  }

  /// Takes back a new file whose writing failed at the end, where it has its name already.
  ///
  /// - Returns: What has become of it.
  private func withdraw(_ path: FilePath, where identity: [UInt64]?) -> Change {
    func isThere() throws(StorageError) -> Bool {
      guard let identity else { return false }
      return try world.storage.status(of: path)?.identity == identity
    }
    do throws(StorageError) {
      guard try isThere() else { return Change(.nothing, "nothing was written") }
      try? world.storage.remove(path)
      guard try isThere() else { return Change(.nothing, "nothing was written") }
    } catch {
      // It is told as if it was there.
    }
    return Change(.addition, "'\(path)' is there all the same: whole, but perhaps not durable")
  }
}

extension Rescue {
  /// Restores a backup to a new file; `files` are what else the caller reads and writes.
  ///
  /// A file that is to be the database again `takesItsPlace`: it is for those who could use that one.
  ///
  /// - Throws: ``RescueError`` when the backup does not hold, or the file exists or is an input.
  package func restore(
    _ backup: Backup, toNewFile output: FilePath, files: RunFiles, takesItsPlace: Bool = false
  ) throws(RescueError) -> RunResult<Backup> {
    try run(.restore, on: output) { run throws(RescueError) in
      var files = files
      files.read([backup.path], storage: world.storage)
      let output = try files.write(output, storage: world.storage)
      try run.restore(backup, toNewFile: output, takesItsPlace: takesItsPlace)
      return backup
    }
  }
}

extension World {
  /// What a migration that has no end yet means for a backup: half of one is no way back.
  fileprivate func migrationChecks(
    of folder: RescueFolder, accepting: Bool
  ) throws(RescueError) -> [BackupManifest.Check] {
    let migration: GuardedMigration
    do { migration = try guardedMigration(of: folder) } catch { throw RescueError(error) }
    let detail: String
    switch migration {
    case .none: return []
    case .running: detail = "a migration is under way"
    case .cutOff(let migration):
      if accepting { return [] }
      detail = migration.message
    }
    return [
      BackupManifest.Check(
        BackupManifest.Check.migrationName, passed: false, detail: detail)
    ]
  }
}

extension BackupWriter.Options {
  /// Takes what a contract says of tables: which may have fewer rows than before, and which may have
  /// other names.
  mutating func take(_ contract: Contract?) {
    guard let contract else { return }
    freeTables.formUnion(contract.rowCounts.filter { $0.value == .any }.keys)
    renamedTables.merge(contract.renamedTables) { $1 }
  }
}
