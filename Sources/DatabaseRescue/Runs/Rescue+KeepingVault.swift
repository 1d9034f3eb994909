// SPDX-License-Identifier: Apache-2.0
// Looking after a vault: proving what is in it, removing what is no longer needed, getting it out.

internal import Diagnosis
internal import SQLiteFormat

/// What proving the backups of a vault showed.
package struct VaultVerification: Sendable {
  /// The files, newest first, those of a raw backup together.
  package var results: [BackupVerification] = []
  /// Why it could not be noted when the backups were proven, when it could not: a warning.
  package var noteFailure: RescueError?

  /// Whether every file gives back exactly what was stored.
  package var passed: Bool { results.allSatisfy(\.passed) }

  /// The exit status: that of a file that does not hold, or else of one that the disk does not hand
  /// out, or that may not be read; where there is no file, nothing is proven.
  package var exitStatus: Int32 {
    if results.isEmpty { return VaultStatus.Problem.noBackupStatus }
    if passed { return 0 }
    let failed = results.filter { !$0.passed }
    let kind: RescueError.Kind =
      if !failed.allSatisfy(\.isUnread) { .invalidInput } else {
        failed.allSatisfy(\.isForbidden) ? .permission : .inputOutput
      }
    return kind.rawValue
  }
}

extension Rescue {
  /// Reads backups in full, compares them with their own digests, and notes that in the vault.
  ///
  /// - Parameters:
  ///   - vault: The vault.
  ///   - backups: Which of its backups; all when nil.
  /// - Returns: What was found, file by file.
  /// - Throws: ``RescueError`` when the vault cannot be listed; a backup that does not hold is part
  ///   of the result.
  package func verify(
    _ vault: Vault, _ backups: [Backup]? = nil
  ) throws(RescueError) -> RunResult<VaultVerification> {
    try run(.vaultVerify, on: vault.folder) { run throws(RescueError) in
      var verification = VaultVerification()
      var proofs: [BackupProof] = []
      try run.step("verify-backups", at: .verify) { _ throws(RescueError) in
        let backups = if let backups { backups } else { try vault.list() }
        let stoppable = vault.stoppable(in: world)
        let byteCount = backups.reduce(0) { $0 + $1.byteCount }
        world.progress(.began(.readingBackup, byteCount: byteCount))
        for backup in backups {
          let results = stoppable.verify(backup)
          // A file that was not read to its end looks damaged.
          try world.requireGoingOn()
          verification.results += results
          // What could not be read is not proven, neither way.
          if results.contains(where: \.isUnread) { continue }
          proofs.append(
            BackupProof(backup.name.id, at: world.now(), passed: results.allSatisfy(\.passed)))
        }
      }
      do throws(RescueError) {
        if !proofs.isEmpty {
          try ProofLog(in: vault.folder, world.storage).add(proofs)
          run.notes.note(Change(.addition, "what was proven is noted in the vault"))
        }
      } catch {
        verification.noteFailure = error
      }
      if verification.exitStatus != 0 {
        let isUnread = verification.results.allSatisfy { $0.passed || $0.isUnread }
        run.notes.outcome = isUnread ? .failed : .findings
        run.notes.exitStatus = verification.exitStatus
      }
      return verification
    }
  }

  /// Removes the backups that a policy does not keep.
  ///
  /// Nothing is removed while the newest backup is not good or the database is damaged, and never
  /// the last good one. `approve` is shown the plan before anything changes, and may end the run by
  /// throwing.
  ///
  /// - Parameters:
  ///   - vault: The vault.
  ///   - retention: What is kept.
  ///   - database: The database that the backups are of, where it is known.
  ///   - approve: Shown what is going to be removed.
  /// - Returns: What became of each backup.
  /// - Throws: ``RescueError``; unless it says otherwise, every backup is still there.
  package func prune(
    _ vault: Vault, keeping retention: Retention, of database: FilePath? = nil,
    approve: (PrunePlan) throws(RescueError) -> Void
  ) throws(RescueError) -> RunResult<PrunePlan> {
    try run(.vaultPrune, on: database ?? vault.folder) { run throws(RescueError) in
      var isSound = true
      if let database {
        let input = try InputFiles(database, storage: world.storage)
        let present = try run.examine(input, nil).examination
        isSound = present.verdict.isStructureSound
      }
      run.notes.stage = .plan
      var plan = try vault.prunePlan(retention, world: world, isSound: isSound)
      try approve(plan)
      if !plan.removals.isEmpty {
        try run.step("prune", at: .act) { _ throws(RescueError) in
          let lock = try VaultLock(of: vault.folder, world.storage)
          try withExtendedLifetime(lock) { () throws(RescueError) in
            // Another run may have removed some in the meantime, and what was approved counts.
            var present = try vault.prunePlan(retention, world: world, isSound: isSound)
            guard present.contains(plan) else { throw Self.changedVault }
            // A backup that does not hold is not good any more, and others stay instead of it.
            var proven: Set<BackupID> = []
            while try !vault.proveSubstitutes(of: present, &proven, world: world) {
              present = try vault.prunePlan(retention, world: world, isSound: isSound)
            }
            try world.requireGoingOn()
            guard plan.contains(present) else { throw Self.changedVault }
            plan = present
            try vault.stoppable(in: world).carryOut(plan)
          }
        }
        run.notes.note(.removal(plan.removals.count, of: plan.removals.count))
      }
      if plan.isHeldUp {
        run.notes.outcome = .findings
        run.notes.exitStatus = RescueError.Kind.invalidInput.rawValue
      }
      return plan
    }
  }

  /// The error of a prune whose plan does not fit the vault any more.
  private static var changedVault: RescueError {
    RescueError(
      .busy, "the vault has changed since the plan was made",
      meaning: "nothing was removed", advice: "try again")
  }

  /// Gets the database of a backup into a new file.
  ///
  /// - Parameters:
  ///   - backup: The backup file.
  ///   - output: The new file.
  ///   - files: What else the caller reads and writes.
  ///   - isBestEffort: Whether a backup that is damaged or cut gives what it still has, with zeros
  ///     for the rest.
  /// - Returns: What is missing, if anything.
  /// - Throws: ``RescueError`` when the output exists, is an input or cannot be written, and when
  ///   the backup is not whole and that is asked for; nothing is left behind then.
  package func extract(
    _ backup: FilePath, to output: FilePath, files: RunFiles = RunFiles(),
    isBestEffort: Bool = false
  ) throws(RescueError) -> RunResult<BackupExtraction> {
    try run(.vaultExtract, on: backup) { run throws(RescueError) in
      var files = files
      files.read(self.files(of: backup), storage: world.storage)
      let output = try files.write(output, storage: world.storage).path
      try JournalsBeside(output, storage: world.storage).refuse()
      let extraction = try run.step("extract", at: .act) { _ throws(RescueError) in
        try extractAll(backup, to: output, isBestEffort)
      }
      run.notes.note(Change(.addition, "'\(output)' was made"))
      run.notes.backupUsed = PlainName(backup.name)
      if !extraction.isWhole {
        run.notes.outcome = .findings
        run.notes.exitStatus = Verdict.damagedLossy.exitStatus
      }
      return extraction
    }
  }

  /// A backup, with the files that were stored beside a raw one.
  private func files(of backup: FilePath) -> [FilePath] {
    guard let name = BackupName(backup.name) else { return [backup] }
    return BackupName.Part.allCases.map { backup.folder.appending(name.with($0).path) }
  }

  /// Extracts a backup, and the files that were stored beside a raw one.
  private func extractAll(
    _ backup: FilePath, to output: FilePath, _ isBestEffort: Bool
  ) throws(RescueError) -> BackupExtraction {
    let reader = try world.reader(of: backup, for: .restoring)
    let limit = world.outputByteCountMax ?? reader.extractedByteCountMax
    var made: [FilePath] = []
    do throws(RescueError) {
      var extraction = try reader.extract(to: output, limit, isBestEffort)
      made.append(output)
      for sidecar in reader.manifest?.sidecars ?? [] {
        guard let name = BackupName(backup.name),
          let part = BackupName.Part(rawValue: sidecar.suffix)
        else { continue }
        let path = output.adding(suffix: sidecar.suffix)
        let file = backup.folder.appending(name.with(part).path)
        do throws(RescueError) {
          try world.reader(of: file, for: .restoring)
            .restore(to: path, byteCountMax: limit)
          made.append(path)
          extraction.sidecars.append(path)
        } catch  where isBestEffort {
          extraction.endedBy = error
        }
      }
      // What could not be read because somebody wishes to stop is not lost.
      try world.requireGoingOn()
      return extraction
    } catch {
      // The error that led here is the one to report.
      for path in made { try? world.storage.remove(path) }
      var error = error
      let left = made.filter { ((try? world.storage.status(of: $0)) ?? nil) != nil }
      if let first = left.first {
        error.change = Change(.addition, "'\(first)' could not be removed again")
      }
      throw error
    }
  }
}

extension BackupReader {
  /// How large a file may become that is extracted: a backup says how large its database is, and a
  /// gzip file of anybody's may stand for more than any database that was compressed.
  fileprivate var extractedByteCountMax: Int {
    state == .foreign ? byteCount * 16 + (1 << 20) : .max
  }

  fileprivate func extract(
    to output: FilePath, _ limit: Int, _ isBestEffort: Bool
  ) throws(RescueError) -> BackupExtraction {
    if isBestEffort { return try extract(to: output, byteCountMax: limit) }
    try restore(to: output, byteCountMax: limit)
    return BackupExtraction(
      byteCount: imageByteCount ?? 0, pageSize: pageSize, lost: [], endedBy: nil)
  }
}

extension Vault {
  /// The same vault, of which nothing more is read once somebody wishes the run to stop.
  fileprivate func stoppable(in world: World) -> Vault {
    var world = world
    world.storage = storage
    return Vault(folder, of: database, in: world.stoppableStorage)
  }
}

extension PrunePlan {
  /// Whether every removal of another plan is one of this one too.
  fileprivate func contains(_ other: PrunePlan) -> Bool {
    Set(removals).isSuperset(of: other.removals)
  }
}
