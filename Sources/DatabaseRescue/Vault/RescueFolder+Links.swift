// SPDX-License-Identifier: Apache-2.0
// A rescue folder that leads elsewhere is refused: what is done to it would be done there.

import SQLiteFormat

extension RescueFolder {
  /// Refuses a folder that is a symbolic link: what is done to it would be done elsewhere.
  ///
  /// - Throws: ``RescueError`` of the kind `.cannotWrite`.
  func requireNoLinks(_ storage: any Storage) throws {
    try requireNoLinks(
      [path, quarantines], storage,
      meaning: "the old files would not be kept beside the database; nothing was changed",
      advice: "move it out of the way, and try again")
  }

  /// Refuses a vault beside the database that is a symbolic link, as one that came with it.
  ///
  /// - Throws: ``RescueError`` of the kind `.cannotWrite`.
  func requireOwnVault(_ storage: any Storage) throws(RescueError) {
    do {
      try requireNoLinks(
        [path, backups], storage, meaning: "the backup would go there; no backup was made",
        advice: "if that is meant, name the folder: --vault DIR")
    } catch {
      throw RescueError(error, doing: "look at '\(path)'")
    }
  }

  private func requireNoLinks(
    _ folders: [FilePath], _ storage: any Storage, meaning: String, advice: String
  ) throws {
    for folder in folders {
      guard let place = try opened(folder.folder, storage),
        let kind = try place.status(of: folder.name)?.kind, kind != .folder
      else { continue }
      throw RescueError(
        .cannotWrite, "'\(folder)' is not a folder of its own, but leads elsewhere",
        meaning: meaning, advice: advice)
    }
  }

  private func opened(
    _ path: FilePath, _ storage: any Storage
  ) throws(StorageError) -> (any StoredFolder)? {
    do throws(StorageError) {
      return try storage.openFolder(path)
    } catch  where error.cause == .missing {
      return nil
    }
  }
}
