// SPDX-License-Identifier: Apache-2.0
// The files of a database at one moment, as the file system sees them: whether somebody wrote to
// them since is told by comparing two.

import SQLiteFormat

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

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

  /// How long a write may go unseen: file systems tell times in steps of some milliseconds.
  private static let step = 0.02
  /// How often is waited for a moment without a write.
  private static let waitsMax = 5

  /// The files at a moment from which on every write is seen, where there is such a moment.
  ///
  /// - Throws: ``RescueError`` when the folder cannot be looked at.
  static func settled(
    of input: InputFiles, in world: World
  ) throws(RescueError) -> DatabaseState {
    for _ in 0..<waitsMax {
      let now = Date().timeIntervalSince1970
      let state = try DatabaseState(of: input, storage: world.storage)
      let isFresh = state.files.values.contains { (-step...step).contains(now - $0.modified) }
      guard isFresh, !input.isPrivate else { return state }
      world.pause(.milliseconds(20))
    }
    return try DatabaseState(of: input, storage: world.storage)
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
