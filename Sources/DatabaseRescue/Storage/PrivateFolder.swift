// SPDX-License-Identifier: Apache-2.0
// A folder of our own for private copies, gone when its owner is.

import SQLiteFormat

/// A new folder that nobody else can read, removed with its files at the end.
package struct PrivateFolder: ~Copyable {
  /// The folder.
  package let path: FilePath
  private let storage: any Storage

  /// Makes a folder in the system's place for temporary files, or in `parent`.
  ///
  /// - Throws: ``RescueError`` when it cannot be made.
  package init(in parent: FilePath? = nil, world: World) throws(RescueError) {
    let parent = parent ?? FilePath(world.environment["TMPDIR"] ?? "/tmp")
    let name = "dbrescue-" + String(world.random(), radix: 36)
    path = parent.appending(FilePath(name))
    storage = world.storage
    do {
      try storage.createFolder(path)
    } catch {
      throw RescueError(error)
    }
  }

  deinit {
    // What cannot be removed is litter in a place that is swept, and hides no result.
    for name in (try? storage.names(in: path)) ?? [] {
      try? storage.remove(path.appending(name))
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
