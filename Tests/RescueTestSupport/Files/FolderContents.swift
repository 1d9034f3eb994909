// SPDX-License-Identifier: Apache-2.0
// A folder as it is at one moment, to be compared with itself later: evidence must not change.

package import DatabaseRescue
import SQLiteFormat

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// Every file under a folder with its bytes, and every symbolic link with where it leads.
package struct FolderContents {
  /// What a name stands for.
  private enum Entry: Equatable {
    case file(Bytes)
    case link(Bytes)
    case other(UInt32)
  }

  private var entries: [FilePath: Entry] = [:]
  private var folders: Set<FilePath> = []

  /// Reads all files under a folder; links are not followed.
  package init(of folder: FilePath) throws {
    try add(folder, as: "")
  }

  private mutating func add(_ folder: FilePath, as prefix: FilePath) throws {
    for name in try SystemStorage().names(in: folder) {
      let path = folder.appending(name)
      let relative = prefix.appending(name)
      switch Self.kind(of: path) {
      case S_IFDIR:
        folders.insert(relative)
        try add(path, as: relative)
      case S_IFLNK: entries[relative] = .link(Self.target(of: path))
      case S_IFREG: entries[relative] = .file(try path.contents())
      case let kind: entries[relative] = .other(UInt32(kind))
      }
    }
  }

  private static func kind(of path: FilePath) -> mode_t {
    var status = stat()
    return unsafe lstat(path.description, &status) == 0 ? status.st_mode & S_IFMT : 0
  }

  private static func target(of path: FilePath) -> Bytes {
    var buffer = [CChar](repeating: 0, count: 4096)
    let count = unsafe readlink(path.description, &buffer, buffer.count)
    return Bytes(buffer.prefix(max(count, 0)).map { UInt8(bitPattern: $0) })
  }

  /// The names of the files and links, relative to the folder, in order.
  package var names: [String] { entries.keys.map(\.description).sorted() }

  /// The bytes of all files together.
  package var byteCount: Int {
    entries.values.reduce(0) { sum, entry in
      if case .file(let bytes) = entry { sum + bytes.count } else { sum }
    }
  }

  /// What was added, removed and changed until a later look, one line each.
  package func changes(until later: FolderContents) -> [String] {
    let paths = Set(entries.keys).union(later.entries.keys)
    return paths.sorted { $0.description < $1.description }.compactMap { path in
      switch (entries[path], later.entries[path]) {
      case (nil, _): "added \(path)"
      case (_, nil): "removed \(path)"
      case (let old, let new): old == new ? nil : "changed \(path)"
      }
    }
  }

  /// The folders that came or went until a later look, one line each.
  package func folderChanges(until later: FolderContents) -> [String] {
    folders.subtracting(later.folders).map { "removed \($0)/" }.sorted()
      + later.folders.subtracting(folders).map { "added \($0)/" }.sorted()
  }
}
