// SPDX-License-Identifier: Apache-2.0
// Finding and removing what backup runs left behind that were killed.

/// What a backup run that was killed left in a vault.
package struct VaultLeftover: Hashable, Sendable {
  /// The name of the run.
  package let id: BackupID
  /// Its files.
  package let paths: [FilePath]
}

extension Vault {
  /// Removes what dead runs left behind.
  ///
  /// - Returns: What was removed.
  /// - Throws: ``RescueError`` when the folder cannot be read, or a file not be removed.
  @discardableResult
  package func sweep() throws(RescueError) -> [VaultLeftover] {
    var swept: [VaultLeftover] = []
    try forEachDeadRun { (leftover, claim) throws(StorageError) in
      for path in leftover.paths { try claim.folder.remove(path.name) }
      try claim.folder.synchronize()
      try claim.withdraw()
      if !leftover.paths.isEmpty { swept.append(leftover) }
    }
    return swept
  }

  /// Hands over the files of each dead run with its claim, whose lock is held so that it stays dead.
  func forEachDeadRun(
    _ body: (VaultLeftover, Claim) throws(StorageError) -> Void
  ) throws(RescueError) {
    do throws(StorageError) {
      let vault: any StoredFolder
      do throws(StorageError) { vault = try storage.openFolder(folder) } catch
        where error.cause == .missing
      {
        return
      }
      let names = try vault.names()
      // The files beside a raw backup get their names before it does; alone they are worth nothing.
      let whole = Set(names.compactMap(BackupName.init).filter { $0.part == .main }.map(\.id))
      for claim in try Claim.all(in: vault) {
        guard let id = BackupID(symbols: claim.name.bytes), let held = try? vault.open(claim.file),
          try held.lock()
        else { continue }
        let left = names.filter { name in
          if BackupRun.id(ofTemporary: name) == id { return true }
          guard let backup = BackupName(name) else { return false }
          return backup.id == id && backup.part != .main && !whole.contains(id)
        }
        try withExtendedLifetime(held) { () throws(StorageError) in
          try body(VaultLeftover(id: id, paths: left.map(folder.appending)), claim)
        }
      }
    } catch {
      throw RescueError(error)
    }
  }
}
