// SPDX-License-Identifier: Apache-2.0
// An input of a merge: a database, one in an archive, or a backup of this program.

import Diagnosis
import SQLiteFormat

extension InputFiles {
  /// The files of a database, taken out of what holds it.
  ///
  /// - Throws: ``RescueError`` when there is no such file, or nothing can be taken out of it.
  init(mergedFrom path: FilePath, world: World) throws(RescueError) {
    let files = try InputFiles(path, world: world)
    guard try Self.isBackup(files.main, world) else {
      self = try files.unpacked(in: world)
      return
    }
    let folder = HeldFolder(try PrivateFolder(world: world))
    let database = folder.folder.file("backup.db")
    let extraction = try BackupReader(files.main, in: world.storage).extract(to: database)
    let damage = extraction.isWhole ? nil : "the backup is damaged: not all of it could be read"
    self = try InputFiles(files.main, storage: world.storage).unpacked(
      to: database,
      Packing(
        kind: .gzip, archive: path.name.description, member: "backup.db", damage: damage),
      in: folder, storage: world.storage)
  }

  private static func isBackup(_ path: FilePath, _ world: World) throws(RescueError) -> Bool {
    do {
      guard try world.storage.open(path, .read).read(at: 0, count: 2) == [0x1F, 0x8B] else {
        return false
      }
    } catch {
      throw RescueError(error, doing: "read '\(path)'")
    }
    return try BackupReader(path, in: world.storage).state != .foreign
  }
}
