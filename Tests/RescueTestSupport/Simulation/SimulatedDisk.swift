// SPDX-License-Identifier: Apache-2.0
// What a disk holds after a power failure, told from what was done to it before.
//
// The fault model. A disk has files, numbered, and names in folders that lead to them.
//
// - What was there at the start is durable. So is the content of a file up to its last
//   synchronization, and every change of a name up to the last synchronization of its folder; for
//   a rename, of either folder.
// - Everything else was only meant to reach the disk. At the crash each of these operations, for
//   itself and whatever came after it, has arrived, or has not, or, for a write, has arrived in
//   some of its sectors of 512 bytes. Bytes that did not arrive are as they were, or zero where
//   the file was shorter.
// - Making, linking, renaming and removing a name each happen whole or not at all: a rename never
//   leaves a file without a name. But without a synchronized folder nothing orders two of them: a
//   file can be gone from its old place before its second name is there, and a name can be
//   durable when not a byte of its file is.
// - A killed process is the crash at which everything has arrived.
// - Folders keep their inodes over a crash. The folders of a test that are made of it have others,
//   and so the claims in them, which name those inodes, are made out to the new ones.
// - A disk does not lie about a synchronization, and does not change what it has. The `-shm` of a
//   database is a cache in memory, and is never there after a crash.
//
// Of the many disks that one moment allows, five are looked at: everything arrived; nothing did;
// only names; only content; and some of each, by a seeded choice.

package import DatabaseRescue
package import SQLiteFormat

/// One operation on a disk.
///
/// Paths are relative to the folder that is watched.
package enum DiskOperation: Sendable {
  /// Names in folders change, as one: some go, one may come, which leads to a file.
  case rename(leaving: FilePath?, entering: FilePath?, file: Int)
  /// Bytes are written to a file.
  case write(file: Int, Bytes, offset: Int)
  /// A file gets another length.
  case truncate(file: Int, byteCount: Int)
  /// The content of a file becomes durable.
  case synchronize(file: Int)
  /// A folder is made.
  case createFolder(FilePath)
  /// A folder goes.
  case removeFolder(FilePath)
  /// The names in a folder become durable.
  case synchronizeFolder(FilePath)

  /// Whether a crash can lose it.
  fileprivate var isChange: Bool {
    switch self {
    case .synchronize, .synchronizeFolder: false
    default: true
    }
  }

  /// Whether it becomes durable when this folder does.
  fileprivate func isName(in folder: FilePath) -> Bool {
    switch self {
    case .rename(let leaving, let entering, _):
      [leaving, entering].contains { $0?.folder == folder }
    case .createFolder(let path), .removeFolder(let path): path.folder == folder
    default: false
    }
  }

  /// Whether it becomes durable when this file does.
  fileprivate func isContent(of wanted: Int) -> Bool {
    switch self {
    case .write(let file, _, _), .truncate(let file, _): file == wanted
    default: false
    }
  }
}

/// What has arrived of what was not durable when a disk crashed.
package enum Arrival: Hashable, Sendable {
  /// Everything: only the process was killed.
  case everything
  /// Nothing.
  case nothing
  /// Names, without content.
  case names
  /// Content, without names.
  case content
  /// Some of each, by chance.
  case some(seed: UInt64)
}

/// The files of a folder at one moment.
package struct SimulatedDisk: Hashable, Sendable {
  private var folders: Set<FilePath> = ["."]
  private var names: [FilePath: Int] = [:]
  private var contents: [Int: Bytes] = [:]

  /// Reads a real folder; `-shm` files are left out.
  package init(of root: FilePath) throws {
    var numbers: [[UInt64]: Int] = [:]
    try add(".", of: root, &numbers)
  }

  private mutating func add(
    _ folder: FilePath, of root: FilePath, _ numbers: inout [[UInt64]: Int]
  ) throws {
    let storage = SystemStorage()
    for name in try storage.names(in: root.appending(folder)) where !name.hasSuffix("-shm") {
      let path = folder == "." ? name : folder.appending(name)
      guard let status = try storage.status(of: root.appending(path)) else { continue }
      if status.kind == .folder {
        folders.insert(path)
        try add(path, of: root, &numbers)
      } else {
        let number = numbers[status.identity] ?? numbers.count
        numbers[status.identity] = number
        names[path] = number
        contents[number] = try root.appending(path).contents()
      }
    }
  }

  /// The files by name.
  package var files: [FilePath: Int] { names }
  /// The lengths of the files.
  package var byteCounts: [Int: Int] { contents.mapValues(\.count) }

  /// The disk after a crash that followed these operations.
  package func crashed(after operations: some Sequence<DiskOperation>, _ arrival: Arrival) -> Self {
    var disk = self
    var pending: [DiskOperation] = []
    for operation in operations {
      switch operation {
      case .synchronize(let file):
        pending.removeAll { change in
          let isDurable = change.isContent(of: file)
          if isDurable { disk.apply(change) }
          return isDurable
        }
      case .synchronizeFolder(let folder):
        pending.removeAll { change in
          let isDurable = change.isName(in: folder)
          if isDurable { disk.apply(change) }
          return isDurable
        }
      default: pending.append(operation)
      }
    }
    disk.receive(pending, arrival)
    return disk
  }

  private mutating func receive(_ pending: [DiskOperation], _ arrival: Arrival) {
    switch arrival {
    case .nothing: return
    case .everything: for change in pending { apply(change) }
    case .names: for change in pending where !change.isWrite { apply(change) }
    case .content: for change in pending where change.isWrite { apply(change) }
    case .some(let seed):
      var random = SeededRandom(seed: seed)
      for change in pending {
        switch random.below(3) {
        case 0: continue
        case 1: apply(change)
        default: tear(change, &random)
        }
      }
    }
  }

  private mutating func tear(_ change: DiskOperation, _ random: inout SeededRandom) {
    guard case .write(let file, let bytes, let offset) = change else { return apply(change) }
    var start = 0
    while start < bytes.count {
      let end = min(bytes.count, start + 512 - (offset + start) % 512)
      if random.below(2) == 0 {
        apply(.write(file: file, Bytes(bytes[start..<end]), offset: offset + start))
      }
      start = end
    }
  }

  private mutating func apply(_ change: DiskOperation) {
    switch change {
    case .rename(let leaving, let entering, let file):
      if let leaving { names[leaving] = nil }
      if let entering { names[entering] = file }
      if contents[file] == nil { contents[file] = [] }
    case .write(let file, let bytes, let offset):
      var content = contents[file] ?? []
      let end = offset + bytes.count
      if content.count < end { content += Bytes(repeating: 0, count: end - content.count) }
      content.replaceSubrange(offset..<end, with: bytes)
      contents[file] = content
    case .truncate(let file, let byteCount):
      let content = contents[file] ?? []
      contents[file] =
        content.prefix(byteCount) + Bytes(repeating: 0, count: max(0, byteCount - content.count))
    case .createFolder(let path): folders.insert(path)
    case .removeFolder(let path): folders.remove(path)
    case .synchronize, .synchronizeFolder: break
    }
  }

  /// Makes real files of it in an empty folder.
  package func write(to root: FilePath) throws {
    let storage = SystemStorage()
    for folder in folders.sorted(by: { $0.bytes.count < $1.bytes.count }) where isReachable(folder)
    {
      try storage.createFolder(root.appending(folder))
    }
    var written: [Int: FilePath] = [:]
    for (path, file) in names.sorted(by: { $0.key.description < $1.key.description })
    where isReachable(path.folder) && !folders.contains(path) {
      if let first = written[file] {
        _ = try storage.link(first, to: root.appending(path))
      } else {
        written[file] = root.appending(path)
        let content = contents[file] ?? []
        try root.appending(path).replaceContents(
          with: path.hasSuffix(".claim") ? Self.claim(content, madeOutTo: root, path) : content)
      }
    }
  }

  /// A claim, if it is complete, with the inodes of the folders that it now lies in.
  private static func claim(
    _ content: Bytes, madeOutTo root: FilePath, _ path: FilePath
  ) throws -> Bytes {
    guard content.starts(with: "dbrescue claim 1\n".utf8), content.last == 0x0A else {
      return content
    }
    let folder = root.appending(path).folder
    let lines = try String(decoding: content, as: UTF8.self).split(separator: "\n").map { line in
      guard let word = line.split(separator: " ").first else { return String(line) }
      let place: FilePath? = ["folder": folder, "above": folder.appending("..")][word]
      guard let place, let status = try SystemStorage().status(of: place) else {
        return String(line)
      }
      return "\(word) \(status.identity[1])"
    }
    return Bytes((lines.joined(separator: "\n") + "\n").utf8)
  }

  private func isReachable(_ folder: FilePath) -> Bool {
    folder == "." || (folders.contains(folder) && isReachable(folder.folder))
  }
}

extension DiskOperation {
  fileprivate var isWrite: Bool {
    switch self {
    case .write, .truncate: true
    default: false
    }
  }
}
