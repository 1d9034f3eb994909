// SPDX-License-Identifier: Apache-2.0
// A copy of a database that SQLite may open: the files that were given are only read.

import SQLiteFormat

/// A copy of a database with its journals in a folder of its own; gone when the value goes.
struct PrivateCopy: ~Copyable {
  /// The copy of the database file; its journals have the usual names.
  let database: FilePath
  private let storage: any Storage

  /// How much is copied at a time.
  private static let chunk = 1 << 20

  /// Copies the files of a database.
  ///
  /// - Throws: ``RescueError`` when they cannot be read, or the copy cannot be written.
  ///   Nothing is left behind then.
  init(of files: InputFiles, world: World) throws(RescueError) {
    let root = FilePath(world.environment["TMPDIR"].flatMap { $0.isEmpty ? nil : $0 } ?? "/tmp")
    let folder = root.appending(FilePath("dbrescue-" + String(world.random(), radix: 36)))
    database = folder.appending("copy.db")
    storage = world.storage
    do throws(StorageError) {
      guard try storage.status(of: folder) == nil else {
        throw StorageError(operation: "create folder", path: folder, errno: Self.exists)
      }
      try storage.createFolder(folder)
    } catch {
      throw RescueError(error, meaning: "the database was not touched")
    }
    do throws(RescueError) {
      try Self.copy(files.main, to: database, storage)
      let sidecars = [("-wal", files.wal), ("-journal", files.journal)]
      for (suffix, path) in sidecars {
        if let path { try Self.copy(path, to: database.adding(suffix: suffix), storage) }
      }
    } catch {
      Self.remove(database, storage)
      throw error
    }
  }

  deinit { Self.remove(database, storage) }

  /// EEXIST, the same number on every system that this runs on.
  private static let exists: Int32 = 17

  private static func copy(
    _ source: FilePath, to copy: FilePath, _ storage: any Storage
  ) throws(RescueError) {
    do {
      let input = try storage.open(source, .read)
      let output = try storage.open(copy, .createNew)
      var offset = 0
      while offset < input.byteCount {
        let bytes = try input.read(at: offset, count: chunk)
        if bytes.isEmpty { break }
        try output.write(bytes, at: offset)
        offset += bytes.count
      }
    } catch let error as StorageError {
      throw RescueError(error, meaning: "the database was not touched")
    } catch let error as ReadFailure {
      throw RescueError(
        .inputOutput, "cannot read '\(source)': \(error.reason)",
        meaning: "the database was not touched", advice: "copy the file to another disk first")
    } catch {
      throw RescueError(.internal, "cannot copy '\(source)'")
    }
  }

  private static func remove(_ database: FilePath, _ storage: any Storage) {
    // What is left in the temporary folder does no harm, and nobody could act on the error.
    for suffix in ["", "-wal", "-shm", "-journal"] {
      try? storage.remove(database.adding(suffix: suffix))
    }
    try? storage.removeFolder(database.folder)
  }
}
