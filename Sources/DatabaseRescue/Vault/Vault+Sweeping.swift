// SPDX-License-Identifier: Apache-2.0
// Finding and removing what backup runs left behind that were killed.

/// What a backup run that was killed left in a vault.
public struct VaultLeftover: Hashable, Sendable {
  /// The name of the run.
  public let id: BackupID
  /// Its files.
  public let paths: [FilePath]
}

extension Vault {
  /// What dead runs left behind; the files of runs that are still writing are not among it.
  ///
  /// - Throws: ``RescueError`` when the folder cannot be read.
  public func leftovers() throws(RescueError) -> [VaultLeftover] {
    var leftovers: [VaultLeftover] = []
    try forEachDeadRun { leftover in leftovers.append(leftover) }
    return leftovers
  }

  /// Removes what dead runs left behind.
  ///
  /// - Returns: What was removed.
  /// - Throws: ``RescueError`` when the folder cannot be read, or a file not be removed.
  @discardableResult
  public func sweep() throws(RescueError) -> [VaultLeftover] {
    var swept: [VaultLeftover] = []
    try forEachDeadRun { (leftover) throws(RescueError) in
      do throws(StorageError) {
        for path in leftover.paths { try storage.remove(path) }
      } catch {
        throw RescueError(error)
      }
      swept.append(leftover)
    }
    if !swept.isEmpty {
      do { try storage.synchronizeFolder(folder) } catch { throw RescueError(error) }
    }
    return swept
  }

  /// Hands over the files of each dead run, while holding its lock so that it stays dead.
  private func forEachDeadRun(
    _ body: (VaultLeftover) throws(RescueError) -> Void
  ) throws(RescueError) {
    let names = try allNames()
    var files: [BackupID: [FilePath]] = [:]
    for name in names {
      if let id = BackupRun.id(ofTemporary: name) { files[id, default: []].append(name) }
    }
    // The files beside a raw backup get their names before it does; alone they are worth nothing.
    let whole = Set(names.compactMap(BackupName.init).filter { $0.part == .main }.map(\.id))
    for name in names {
      if let backup = BackupName(name), backup.part != .main, !whole.contains(backup.id) {
        files[backup.id, default: []].append(name)
      }
    }
    for (id, names) in files.sorted(by: { $0.key.description < $1.key.description }) {
      let holder = try container(of: id)
      do { if let holder, try !holder.lock() { continue } } catch { throw RescueError(error) }
      try withExtendedLifetime(holder) { (_) throws(RescueError) in
        try body(VaultLeftover(id: id, paths: names.map(folder.appending)))
      }
    }
  }
  /// The container of a run, which is locked while the run is alive; nil when it is gone.
  private func container(of id: BackupID) throws(RescueError) -> (any StoredFile)? {
    let path = BackupRun.path(of: .container(.main), of: id, in: folder)
    do { return try storage.open(path, .read) } catch  where error.cause == .missing {
      return nil
    } catch {
      throw RescueError(error)
    }
  }
}
