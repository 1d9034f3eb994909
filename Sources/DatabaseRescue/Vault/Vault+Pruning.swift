// SPDX-License-Identifier: Apache-2.0
// Removing the backups that a policy does not keep: only while one that was just proven stays.

/// The right to remove backups from a vault, which one run at a time has.
final class VaultLock {
  private let file: any StoredFile

  /// Takes it; it is given back with the last reference.
  ///
  /// - Throws: ``RescueError`` of the kind `.busy` when another run has it.
  init(of folder: FilePath, _ storage: any Storage) throws(RescueError) {
    do {
      file = try storage.open(folder.appending(".lock"), .append)
      if try file.lock() { return }
    } catch {
      throw RescueError(error, meaning: "nothing was removed")
    }
    throw RescueError(
      .busy, "another run is removing backups from '\(folder)'", meaning: "nothing was removed",
      advice: "try again when it has ended")
  }
}

extension Vault {
  /// What a policy would remove; changes nothing.
  ///
  /// - Throws: ``RescueError`` when the folder cannot be listed.
  func prunePlan(
    _ retention: Retention, world: World, isSound: Bool
  ) throws(RescueError) -> PrunePlan {
    var entries: [Retention.Entry] = []
    let waysBack = try waysBack()
    for backup in try list() where isOfDatabase(backup) {
      entries.append(
        Retention.Entry(
          backup.name, created: backup.created, of: backup.manifest?.content.place,
          isGood: backup.isGood, isInUse: try isInUse(backup.path),
          isWayBack: waysBack.contains(backup.name.id), ordinal: backup.ordinal,
          finished: backup.modified))
    }
    return retention.plan(for: entries, now: world.now(), isSound: isSound)
  }

  /// Keeps a backup from being pruned for as long as the result lives.
  ///
  /// Where files cannot be locked, no run prunes either.
  func hold(_ backup: Backup) -> (any StoredFile)? {
    guard let file = try? storage.open(backup.path, .read), (try? file.lock()) == true else {
      return nil
    }
    return file
  }

  /// Whether a run that has not ended holds a backup.
  private func isInUse(_ path: FilePath) throws(RescueError) -> Bool {
    do throws(StorageError) {
      return try !storage.open(path, .read).lock()
    } catch  where error.cause == .missing || error.cause == .permission {
      return false
    } catch {
      throw RescueError(error, meaning: "nothing was removed")
    }
  }

  /// Reads the backups that stay in the place of others, and notes those that do not hold: they are
  /// not good any more.
  ///
  /// - Parameters:
  ///   - plan: What is to go and to stay.
  ///   - proven: Those that were read before and held.
  ///   - world: The time, and whether to go on.
  /// - Returns: Whether all of them hold.
  /// - Throws: ``RescueError`` when the newest does not hold, or one cannot be read.
  func proveSubstitutes(
    of plan: PrunePlan, _ proven: inout Set<BackupID>, world: World
  ) throws(RescueError) -> Bool {
    var rotten: [BackupProof] = []
    for decision in plan.substitutes where !proven.contains(decision.entry.name.id) {
      try world.requireGoingOn()
      let name = decision.entry.name
      let verification = try BackupReader(folder.appending(name.path), in: storage).verify()
      if verification.passed {
        proven.insert(name.id)
      } else if verification.isUnread {
        throw RescueError(
          .inputOutput, "the backup '\(name.path)' cannot be read in full",
          meaning: "others may be needed; nothing was removed",
          advice: "try again, then look: dbrescue vault verify \(folder.shellQuoted)")
      } else if decision.reason == .lastGood {
        throw RescueError(
          .invalidInput, "the newest backup, '\(name.path)', does not hold any more",
          meaning: "older ones are needed; nothing was removed",
          advice: "make a new backup, then look: dbrescue vault verify \(folder.shellQuoted)")
      } else {
        rotten.append(BackupProof(name.id, at: world.now(), passed: false))
      }
    }
    if !rotten.isEmpty { try ProofLog(in: folder, storage).add(rotten) }
    return rotten.isEmpty
  }

  /// Removes what a plan says, oldest first, and makes that durable.
  ///
  /// - Throws: ``RescueError`` when a file cannot be removed, with how many were.
  func carryOut(_ plan: PrunePlan) throws(RescueError) {
    var removed: Set<BackupName> = []
    do throws(StorageError) {
      for name in plan.removals {
        try storage.remove(folder.appending(name.path))
        removed.insert(name)
      }
      if !plan.removals.isEmpty { try storage.synchronizeFolder(folder) }
    } catch {
      // What failed may have been done all the same.
      removed.formUnion(plan.removals.filter { !has($0) })
      var failure = RescueError(error, meaning: "nothing was removed")
      if !removed.isEmpty { failure.change = .removal(removed.count, of: plan.removals.count) }
      throw failure
    }
  }

  /// Whether a backup is there, or may be.
  func has(_ name: BackupName) -> Bool {
    do throws(StorageError) {
      return try storage.status(of: folder.appending(name.path)) != nil
    } catch {
      return true
    }
  }
}

extension Change {
  /// The removal of so many backups of those that were to be removed.
  static func removal(_ count: Int, of total: Int) -> Change {
    Change(.something, "\(count) of \(total) backups were removed; every newer one is there")
  }
}
