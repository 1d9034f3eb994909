// SPDX-License-Identifier: Apache-2.0
// A folder of our own for private copies, gone when its owner is.

import SQLiteFormat

/// A new folder that nobody else can read, removed with its files at the end.
///
/// It is locked while its owner lives. What a process left that was killed is removed by the next
/// one that makes a folder in the same place: it is known by the ``Claim`` in it, by its owner and
/// its mode, and is emptied from within, so that nothing else can be taken for it. One that it
/// could not claim any more is empty.
package struct PrivateFolder: ~Copyable {
  private static let prefix = "dbrescue-"
  /// How many digits of base 36 follow, but for one random number in a hundred thousand.
  private static let digitsMin = 10
  /// How often another name is tried.
  private static let attemptsMax = 8
  /// How deep folders can lie in one another: work on a private copy makes folders of its own.
  private static let depthMax = 8

  /// The folder.
  package let path: FilePath
  private let name: FilePath
  private let storage: any Storage
  /// The folder that it lies in.
  private let place: any StoredFolder
  /// The folder, locked.
  let contents: any StoredFolder

  /// Makes a folder in the system's place for temporary files, or in `parent`.
  ///
  /// - Throws: ``RescueError`` when it cannot be made.
  package init(in parent: FilePath? = nil, world: World) throws(RescueError) {
    let isOwn = parent == nil
    let parent = parent ?? Self.place(in: world)
    do throws(StorageError) {
      if isOwn { try world.storage.createFolder(parent) }
      let place = try world.storage.openFolder(parent)
      Self.sweep(place, world.storage)
      (name, contents) = try Self.make(in: place, world)
      self.place = place
      storage = world.storage
      path = parent.appending(name)
    } catch  where error.cause == .missing && !isOwn {
      throw RescueError(
        .cannotWrite, "there is no folder '\(parent)'", meaning: "nothing was changed",
        advice: "make it, or write to another place")
    } catch {
      throw RescueError(error, meaning: "nothing was changed")
    }
  }

  deinit { Self.remove(name, contents, from: place, storage) }

  /// Makes, locks and claims a folder of a name that is not taken.
  private static func make(
    in place: any StoredFolder, _ world: World
  ) throws(StorageError) -> (FilePath, any StoredFolder) {
    var attempt = 0
    while true {
      let name = FilePath(prefix + String(world.random(), radix: 36))
      do throws(StorageError) {
        try place.createFolder(name)
        return (name, try claim(name, in: place, world))
      } catch  where [.exists, .missing].contains(error.cause) && attempt < attemptsMax {
        attempt += 1
      }
    }
  }

  /// Locks and claims a folder that was just made; it goes again if that fails.
  private static func claim(
    _ name: FilePath, in place: any StoredFolder, _ world: World
  ) throws(StorageError) -> any StoredFolder {
    do throws(StorageError) {
      try place.synchronize()
      let folder = try place.folder(name)
      // Until it is claimed, somebody who sweeps may take it for one that was left.
      guard try folder.lock() else {
        throw StorageError(operation: "lock", path: folder.path, errno: StorageError.exists)
      }
      try Claim(name, in: folder).write(id: world.random())
      return folder
    } catch {
      try? place.removeFolder(name)
      throw error
    }
  }

  /// The system's place for temporary files.
  static func place(in world: World) -> FilePath {
    FilePath(world.environment["TMPDIR"] ?? "/tmp")
  }

  /// Removes the private folders of processes that are gone.
  static func sweep(_ parent: FilePath, _ storage: any Storage) {
    if let place = try? storage.openFolder(parent) { sweep(place, storage) }
  }

  private static func sweep(_ place: any StoredFolder, _ storage: any Storage) {
    for name in (try? place.names()) ?? [] where name.bytes.starts(with: prefix.utf8) {
      // What cannot be removed is litter in a place that is swept, and hides no result.
      guard let folder = try? abandoned(name, in: place) else { continue }
      remove(name, folder, from: place, storage)
    }
  }

  /// Opens and locks a folder that a process has left which is gone; nil for any other.
  private static func abandoned(
    _ name: FilePath, in place: any StoredFolder
  ) throws(StorageError) -> (any StoredFolder)? {
    guard try place.status(of: name)?.kind == .folder else { return nil }
    let folder = try place.folder(name)
    let status = try folder.status()
    guard status.isOwn, status.mode & 0o777 == 0o700, try folder.lock() else { return nil }
    if try Claim(name, in: folder).holds() { return folder }
    return try isUnused(name, folder) ? folder : nil
  }

  /// Whether a folder was made for a process that was killed before it could claim it: there is
  /// nothing in it that could be lost.
  private static func isUnused(
    _ name: FilePath, _ folder: any StoredFolder
  ) throws(StorageError) -> Bool {
    let digits = name.bytes.dropFirst(prefix.utf8.count)
    guard digits.count >= digitsMin,
      UInt64(String(decoding: digits, as: UTF8.self), radix: 36) != nil
    else { return false }
    return try folder.names().isEmpty
  }

  private static func remove(
    _ name: FilePath, _ folder: any StoredFolder, from place: any StoredFolder,
    _ storage: any Storage
  ) {
    // A disk may fail for a moment; what cannot go then either, the next one removes.
    do { try removeOnce(name, folder, from: place, storage) } catch {
      try? removeOnce(name, folder, from: place, storage)
    }
  }

  private static func removeOnce(
    _ name: FilePath, _ folder: any StoredFolder, from place: any StoredFolder,
    _ storage: any Storage
  ) throws(StorageError) {
    // What an exchange has not finished comes first; if it cannot be undone, the next one tries.
    try FileExchange.undo(in: folder, of: place, storage)
    let claim = Claim(name, in: folder)
    try empty(folder, keeping: claim.file, depth: 0)
    // Nothing may come back after a crash that is not claimed any more.
    try folder.synchronize()
    let isInPlace = try place.status(of: name)?.identity == folder.status().identity
    try claim.withdraw()
    if isInPlace { try place.removeFolder(name) }
  }

  private static func empty(
    _ folder: any StoredFolder, keeping kept: FilePath?, depth: Int
  ) throws(StorageError) {
    for name in try folder.names() where name != kept {
      guard let status = try folder.status(of: name) else { continue }
      guard status.kind == .folder else {
        try folder.remove(name)
        continue
      }
      if depth < depthMax { try empty(folder.folder(name), keeping: nil, depth: depth + 1) }
      try folder.removeFolder(name)
    }
  }

  /// A file in the folder.
  package func file(_ name: FilePath) -> FilePath {
    path.appending(name)
  }
}
