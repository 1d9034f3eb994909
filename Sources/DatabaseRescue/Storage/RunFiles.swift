// SPDX-License-Identifier: Apache-2.0
// The files of one run: what it reads, and what it may write. Who writes a file that somebody named
// needs an output from here, and no output is an input.

package import SQLiteFormat

/// The files of one run: what it reads, and what it may write.
///
/// A file stands for the names as well that SQLite gives to its journals: a new file beside an
/// input would be taken for the input's log. Files are the same that have one device and inode, by
/// whatever links; where there is no file yet, names are compared that lie in one folder.
package struct RunFiles: Sendable {
  /// A file that a run may write.
  package struct Output: Sendable {
    /// Where it goes.
    package let path: FilePath
    /// Whether it may take the place of another one.
    package let isReplacing: Bool

    fileprivate init(_ path: FilePath, isReplacing: Bool) {
      self.path = path
      self.isReplacing = isReplacing
    }
  }

  private struct Known: Sendable {
    let path: FilePath
    let isInput: Bool
    let keys: Set<Key>
  }

  /// What two names have in common that lead to one file.
  private enum Key: Hashable {
    /// The device and inode of a file.
    case file([UInt64])
    /// The device and inode of a folder, and a name in it in lower case, as some file systems do not
    /// tell cases apart.
    case name([UInt64], [UInt8])
    /// A path of which no folder is there.
    case path(FilePath)
  }

  private var known: [Known] = []

  /// Begins with nothing.
  package init() {}

  /// Notes files that the run reads.
  package mutating func read(_ paths: [FilePath], storage: any Storage) {
    known += paths.map { Known(path: $0, isInput: true, keys: Self.keys(of: $0, storage)) }
  }

  /// Gives out a file to write.
  ///
  /// - Throws: ``RescueError`` of the kind `.usage` when it is an input, another output, or would
  ///   be taken for a journal of one of them; of the kind `.cannotWrite` when there is something
  ///   that may not be replaced.
  package mutating func write(
    _ path: FilePath, replacing: Bool = false, storage: any Storage
  ) throws(RescueError) -> Output {
    try requireApart(path, storage: storage)
    try Self.requirePlace(path, replacing, storage)
    known.append(Known(path: path, isInput: false, keys: Self.keys(of: path, storage)))
    return Output(path, isReplacing: replacing)
  }

  /// Refuses a file that is to be written, were it only to its end, where it is one of these.
  ///
  /// - Throws: ``RescueError`` of the kind `.usage`.
  package func requireApart(_ path: FilePath, storage: any Storage) throws(RescueError) {
    let keys = Self.keys(of: path, storage)
    if let other = known.first(where: { !$0.keys.isDisjoint(with: keys) }) {
      throw RescueError(
        .usage,
        other.isInput
          ? "'\(path)' would be written over '\(other.path)', which is read, or beside it as its "
            + "journal"
          : "'\(path)' would be written over '\(other.path)', which is written too, or beside it "
            + "as its journal",
        meaning: "nothing was written", advice: "choose another name for '\(path)'")
    }
  }

  /// Refuses a name that is taken, unless by a file that may be replaced.
  private static func requirePlace(
    _ path: FilePath, _ replacing: Bool, _ storage: any Storage
  ) throws(RescueError) {
    do {
      guard let there = try entry(path, storage) else { return }
      guard replacing else {
        throw RescueError(
          .cannotWrite, "'\(path)' already exists", meaning: "nothing was written",
          advice: "choose another name, or add --force to replace it where the command has it")
      }
      guard there.kind == .file || there.kind == .link else {
        throw RescueError(
          .cannotWrite, "'\(path)' is not a file that can be replaced",
          meaning: "nothing was written", advice: "choose another name")
      }
    } catch {
      throw RescueError(error, doing: "look at '\(path)'", meaning: "nothing was written")
    }
  }

  // MARK: Names

  /// What cannot be looked at cannot be read or written either, and has no key.
  private static func keys(of path: FilePath, _ storage: any Storage) -> Set<Key> {
    var keys: Set<Key> = []
    // SQLite follows a link to a database; who looks for journals may not.
    for name in Set([path, (try? storage.place(of: path)) ?? path]) {
      for suffix in [""] + FilePath.sidecarSuffixes {
        for spelling in Set([suffix, suffix.uppercased()]) {
          keys.formUnion(self.keys(ofOne: name.adding(suffix: spelling), storage))
        }
      }
    }
    return keys
  }

  private static func keys(ofOne path: FilePath, _ storage: any Storage) -> [Key] {
    func identity(_ path: FilePath) -> [UInt64]? {
      ((try? storage.status(of: path)) ?? nil)?.identity
    }
    let name =
      identity(path.folder).map { Key.name($0, path.name.bytes.map(lowercased)) } ?? .path(path)
    return [name] + (identity(path).map { [.file($0)] } ?? [])
  }

  /// What has a name, which may be a link that leads nowhere.
  private static func entry(
    _ path: FilePath, _ storage: any Storage
  ) throws(StorageError) -> FileStatus? {
    do throws(StorageError) {
      return try storage.openFolder(path.folder).status(of: path.name)
    } catch  where error.cause == .missing {
      return nil
    }
  }

  /// A letter of ASCII in lower case; other bytes as they are.
  private static func lowercased(_ byte: UInt8) -> UInt8 {
    UInt8(ascii: "A")...UInt8(ascii: "Z") ~= byte ? byte + 32 : byte
  }
}

extension RunFiles.Output {
  /// Writes the file, whole or not at all.
  ///
  /// `isForEverybody` lets all users read it; one that is replaced keeps its owner and mode then.
  ///
  /// - Throws: ``RescueError``; what was there is there then.
  package func write(
    _ bytes: Bytes, isForEverybody: Bool = false, world: World
  ) throws(RescueError) {
    do {
      let folder = try PrivateFolder(in: path.folder, world: world)
      try world.storage.open(folder.file("new"), .createNew).write(bytes, at: 0)
      if isForEverybody, try world.storage.status(of: path) != nil {
        try world.storage.copyAttributes(from: path, to: folder.file("new"))
      } else if isForEverybody {
        try world.storage.setAccess(of: folder.file("new"), to: .readableByAll)
      }
      try FileExchange.carryOut(
        [FileExchange.Change(path: path, new: folder.file("new"))], replacing: isReplacing,
        in: folder, world.storage)
    } catch {
      throw RescueError(error, doing: "write '\(path)'", meaning: "it was not written")
    }
  }
}
