// SPDX-License-Identifier: Apache-2.0
// Journals that another database left where a new one is about to be made. SQLite would take
// them for the new file's own, and change it by what they say.

import SQLiteFormat

/// The journals beside a file that does not exist yet.
struct JournalsBeside {
  private let path: FilePath
  private let storage: any Storage

  init(_ path: FilePath, storage: any Storage) {
    self.path = path
    self.storage = storage
  }

  /// Refuses to make the file where a journal with content lies beside it.
  ///
  /// - Throws: ``RescueError`` of the kind `.cannotWrite` that names the journal.
  func refuse() throws(RescueError) {
    for suffix in FilePath.journalSuffixes {
      let journal = path.adding(suffix: suffix)
      let byteCount: Int
      do {
        byteCount = try storage.status(of: journal)?.byteCount ?? 0
      } catch {
        throw RescueError(error, meaning: "nothing was written")
      }
      guard byteCount == 0 else {
        throw RescueError(
          .cannotWrite, "'\(journal)' lies where the new file goes",
          meaning: "SQLite would change the new file by what it holds; nothing was written",
          advice: "keep it in another folder, or choose another name for the new file")
      }
    }
  }
}
