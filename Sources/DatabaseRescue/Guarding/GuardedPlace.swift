// SPDX-License-Identifier: Apache-2.0
// The file that a migration is run on, as it was found: what is put back goes there and nowhere
// else, whatever the migration has left in its place.

import SQLiteFormat

/// The place of a database, as it was before a command was run on it.
struct GuardedPlace {
  /// The path that was given.
  private let path: FilePath
  /// The file that it leads to.
  let file: FilePath
  /// Which file that is: its device and inode.
  private let identity: [UInt64]?

  /// Looks at the place.
  init(of path: FilePath, in storage: any Storage) throws(RescueError) {
    self.path = path
    file = try RescueFolder(of: path, storage: storage).database
    do { identity = try storage.status(of: file)?.identity } catch { throw RescueError(error) }
  }

  /// What would be written to in the place of the database; nil where that is the database, a new
  /// file of its own, or nothing.
  func detour(in storage: any Storage) throws(RescueError) -> String? {
    do throws(StorageError) {
      guard let link = try storage.openFolder(file.folder).status(of: file.name) else { return nil }
      guard link.kind != .folder else { return "in the place of the database is a folder" }
      let target = try storage.place(of: path)
      guard link.kind != .link, target == file else {
        return "in the place of the database is a link, which leads to '\(target)'"
      }
      guard link.identity == identity || link.linkCount == 1 else {
        return "in the place of the database is a file that has other names as well"
      }
      return nil
    } catch  where error.cause == .missing {
      return nil
    } catch {
      throw RescueError(error)
    }
  }
}
