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

extension Image {
  /// Writes every page to a new file that SQLite can open without any journal beside it.
  ///
  /// Pages that cannot be read become zeros: SQLite's checks then report them.
  ///
  /// - Throws: ``RescueError`` when the file cannot be written or there is no room for it.
  package func write(to path: FilePath, storage: any Storage) throws(RescueError) {
    do {
      let needed = pageCount * geometry.pageSize + (1 << 20)
      let free = try storage.freeBytes(at: path.folder)
      guard free >= needed else {
        throw RescueError(
          .cannotWrite,
          "a private copy needs \(needed) bytes in '\(path.folder)', \(free) are free",
          meaning: "nothing was changed", advice: "free some space, or set TMPDIR to another folder"
        )
      }
      let file = try storage.open(path, .createNew)
      var offset = 0
      var pending = Bytes()
      for number in pages {
        var page = (try? bytes(of: number)) ?? []
        page.append(contentsOf: repeatElement(0, count: geometry.pageSize - page.count))
        if number == .first { markAsComplete(&page) }
        pending.append(contentsOf: page)
        if pending.count >= 1 << 18 || number.number == pageCount {
          try file.write(pending, at: offset)
          offset += pending.count
          pending.removeAll(keepingCapacity: true)
        }
      }
    } catch {
      throw RescueError(error, doing: "write '\(path)'", meaning: "nothing was changed")
    }
  }

  /// Marks page 1 as that of a database with a rollback journal and the right page count.
  private func markAsComplete(_ page: inout Bytes) {
    guard page.count >= DatabaseHeader.byteCount, page.matches(DatabaseHeader.magic) else { return }
    if page[18] == 2 { page[18] = 1 }
    if page[19] == 2 { page[19] = 1 }
    let count = UInt32(clamping: pageCount)
    for (index, shift) in [24, 16, 8, 0].enumerated() {
      page[28 + index] = UInt8(truncatingIfNeeded: count >> UInt32(shift))
      page[92 + index] = page[24 + index]
    }
  }
}
