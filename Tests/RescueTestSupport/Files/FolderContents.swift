// SPDX-License-Identifier: Apache-2.0
// A folder as it is at one moment, to be compared with itself later: evidence must not change.

package import DatabaseRescue
import SQLiteFormat

/// Every file under a folder with its bytes.
package struct FolderContents {
  private var files: [FilePath: Bytes] = [:]

  /// Reads all files under a folder.
  package init(of folder: FilePath) throws {
    try add(folder, as: "")
  }

  private mutating func add(_ folder: FilePath, as prefix: FilePath) throws {
    let storage = SystemStorage()
    for name in try storage.names(in: folder) {
      let path = folder.appending(name)
      let relative = prefix.appending(name)
      if try storage.status(of: path)?.kind == .folder {
        try add(path, as: relative)
      } else {
        files[relative] = try path.contents()
      }
    }
  }

  /// The names of the files, relative to the folder, in order.
  package var names: [String] { files.keys.map(\.description).sorted() }

  /// What was added, removed and changed until a later look, one line each.
  package func changes(until later: FolderContents) -> [String] {
    let paths = Set(files.keys).union(later.files.keys)
    return paths.sorted { $0.description < $1.description }.compactMap { path in
      switch (files[path], later.files[path]) {
      case (nil, _): "added \(path)"
      case (_, nil): "removed \(path)"
      case (let old, let new): old == new ? nil : "changed \(path)"
      }
    }
  }
}
