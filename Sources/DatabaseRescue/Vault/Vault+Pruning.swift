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
    retention.plan(
      for: try list().map { Retention.Entry($0.name, isGood: $0.isGood) }, now: world.now(),
      isSound: isSound)
  }

  /// Removes what a plan says, oldest first, and makes that durable.
  ///
  /// The newest good backup of each database concerned is read in full before.
  ///
  /// - Throws: ``RescueError`` when a backup that stays does not hold, before anything is removed,
  ///   and when a file cannot be removed.
  func carryOut(_ plan: PrunePlan) throws(RescueError) {
    let databases = Set(plan.removals.map(\.database))
    for decision in plan.decisions
    where decision.reason == .lastGood && databases.contains(decision.entry.name.database) {
      let path = folder.appending(decision.entry.name.path)
      guard try BackupReader(path, in: storage).verify().passed else {
        throw RescueError(
          .invalidInput, "the newest backup, '\(path.name)', does not hold any more",
          meaning: "older ones are needed; nothing was removed",
          advice: "make a new backup, then look: dbrescue vault verify \(folder)")
      }
    }
    do throws(StorageError) {
      for name in plan.removals { try storage.remove(folder.appending(name.path)) }
      if !plan.removals.isEmpty { try storage.synchronizeFolder(folder) }
    } catch {
      throw RescueError(error, meaning: "nothing was removed")
    }
  }
}
