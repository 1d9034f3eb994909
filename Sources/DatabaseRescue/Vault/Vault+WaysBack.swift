// SPDX-License-Identifier: Apache-2.0
// The backups that are the way back from a migration which was refused and left: an empty file beside
// each says so, until somebody has gone back or kept what is there.

import SQLiteFormat

extension Vault {
  /// The folder of a backup, of which those of its database are seen.
  init(of backup: Backup, in storage: any Storage) {
    let place = backup.manifest?.content.place
    self.init(
      backup.path.folder, of: backup.name.database,
      at: place.map { TellingPlace(digest: $0, ownsVault: false) }, in: storage)
  }

  /// How the name of such a file begins; the id of the backup follows.
  private static let wayBackPrefix = ".way-back-"

  private static func mark(of id: BackupID) -> FilePath { FilePath("\(wayBackPrefix)\(id)") }

  /// The backups that are a way back.
  func waysBack() throws(RescueError) -> Set<BackupID> {
    do throws(StorageError) {
      return Set(
        try storage.names(in: folder).map(\.description)
          .filter { $0.hasPrefix(Self.wayBackPrefix) }
          .compactMap { BackupID(String($0.dropFirst(Self.wayBackPrefix.count))) })
    } catch  where error.cause == .missing {
      return []
    } catch {
      throw RescueError(error)
    }
  }

  /// Notes that a backup is the way back, so that it is not pruned.
  func keepAsWayBack(_ backup: Backup) throws(RescueError) {
    do throws(StorageError) {
      let place = try storage.openFolder(folder)
      _ = try place.create(Self.mark(of: backup.name.id), holding: [])
      try place.synchronize()
    } catch  where error.cause == .exists {
      return
    } catch {
      throw RescueError(error)
    }
  }

  /// Takes back that backups of the database are the way back: all, or those that were made when
  /// `backup` was, or later.
  func releaseWaysBack(since backup: Backup? = nil) throws(RescueError) {
    let marked = try waysBack()
    guard !marked.isEmpty else { return }
    let moot = try list().filter { other in
      marked.contains(other.name.id) && isOfDatabase(other)
        && backup.map { $0.created <= other.created } ?? true
    }
    do throws(StorageError) {
      let place = try storage.openFolder(folder)
      for other in moot { try place.remove(Self.mark(of: other.name.id)) }
      if !moot.isEmpty { try place.synchronize() }
    } catch {
      throw RescueError(error)
    }
  }
}
