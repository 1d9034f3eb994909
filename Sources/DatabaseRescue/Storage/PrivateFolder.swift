// SPDX-License-Identifier: Apache-2.0
// A folder of our own for private copies, gone when its owner is.

import SQLiteFormat

/// A new folder that nobody else can read, removed with its files at the end.
///
/// It is locked while its owner lives. What a process left that was killed is removed by the next
/// one that makes a folder in the same place.
package struct PrivateFolder: ~Copyable {
  private static let prefix = "dbrescue-"
  /// How often another name is tried.
  private static let attemptsMax = 8

  /// The folder.
  package let path: FilePath
  private let storage: any Storage
  private let lock: HeldLock

  /// Makes a folder in the system's place for temporary files, or in `parent`.
  ///
  /// - Throws: ``RescueError`` when it cannot be made.
  package init(in parent: FilePath? = nil, world: World) throws(RescueError) {
    let parent = parent ?? Self.place(in: world)
    storage = world.storage
    Self.sweep(parent, storage)
    for _ in 0..<Self.attemptsMax {
      let path = parent.appending(FilePath(Self.prefix + String(world.random(), radix: 36)))
      do {
        try storage.createFolder(path)
        // Who sweeps may have seen it before the lock was on it.
        if let lock = try storage.lockFolder(path), try storage.status(of: path) != nil {
          self.path = path
          self.lock = lock
          return
        }
      } catch  where error.cause == .missing {
        continue
      } catch {
        throw RescueError(error, meaning: "nothing was changed")
      }
    }
    throw RescueError(
      .cannotWrite, "no private folder can be made in '\(parent)'", meaning: "nothing was changed",
      advice: "set TMPDIR to another folder")
  }

  deinit { Self.remove(path, storage) }

  /// The system's place for temporary files.
  static func place(in world: World) -> FilePath {
    FilePath(world.environment["TMPDIR"] ?? "/tmp")
  }

  /// Removes the private folders of processes that are gone.
  static func sweep(_ parent: FilePath, _ storage: any Storage) {
    let digits = Set("0123456789abcdefghijklmnopqrstuvwxyz".utf8)
    for name in (try? storage.names(in: parent)) ?? [] {
      let path = parent.appending(name)
      guard name.bytes.starts(with: prefix.utf8),
        name.bytes.dropFirst(prefix.utf8.count).allSatisfy(digits.contains),
        let lock = (try? storage.lockFolder(path)) ?? nil
      else { continue }
      withExtendedLifetime(lock) { remove(path, storage) }
    }
  }

  private static func remove(_ path: FilePath, _ storage: any Storage) {
    // What cannot be removed is litter in a place that is swept, and hides no result.
    for name in (try? storage.names(in: path)) ?? [] {
      let file = path.appending(name)
      // Work on a private copy may have made a private folder of its own in here.
      if ((try? storage.status(of: file)) ?? nil)?.kind == .folder {
        remove(file, storage)
      } else {
        try? storage.remove(file)
      }
    }
    try? storage.removeFolder(path)
  }

  /// A file in the folder.
  package func file(_ name: FilePath) -> FilePath {
    path.appending(name)
  }
}
