// SPDX-License-Identifier: Apache-2.0
// The files of a database at one moment, as the file system sees them: whether somebody wrote to
// them since is told by comparing two.

import SQLiteFormat

/// The files of a database at one moment: which are there, how long, and when last written.
struct DatabaseState: Equatable {
  private let files: [FilePath: FileStatus]

  /// Looks at the files, those that are there and those that might come.
  ///
  /// - Throws: ``RescueError`` when the folder cannot be looked at.
  init(of input: InputFiles, storage: any Storage) throws(RescueError) {
    let usual = ["-wal", "-journal"].map { input.main.adding(suffix: $0) }
    var files: [FilePath: FileStatus] = [:]
    do throws(StorageError) {
      for path in Set(input.all + usual) { files[path] = try storage.status(of: path) }
    } catch {
      throw RescueError(error)
    }
    self.files = files
  }
}

extension InputFiles {
  /// The same database with the journals that lie beside it now; one that was named stays.
  func lookedForAgain(in storage: any Storage) throws(RescueError) -> InputFiles {
    guard !isPrivate else { return self }
    func named(_ path: FilePath?, _ suffix: String) -> FilePath? {
      guard let path, path != main.adding(suffix: suffix) else { return nil }
      return path
    }
    return try InputFiles(
      main, wal: named(wal, "-wal"), journal: named(journal, "-journal"), storage: storage)
  }
}
