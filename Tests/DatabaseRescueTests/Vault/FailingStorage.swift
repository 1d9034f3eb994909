// SPDX-License-Identifier: Apache-2.0
// A disk on which chosen calls fail.

import DatabaseRescue
import SQLiteFormat
import Synchronization

/// A storage on which chosen calls fail, and the rest goes to the machine.
final class FailingStorage: ForwardingStorage {
  let base: any Storage = SystemStorage()
  private let calls = Mutex(0)
  /// The number of the call that fails, from 1; nil for none.
  private let failing: Int?
  /// What is said to be free; nil for the truth.
  private let free: Int?
  /// What is said to be free when it is asked again.
  private let laterFree: Int?
  private let hasAsked = Mutex(false)

  /// The file that nobody may open.
  private let forbidden: FilePath?

  init(
    failing: Int? = nil, free: Int? = nil, thenFree: Int? = nil, forbidding path: FilePath? = nil
  ) {
    self.failing = failing
    forbidden = path
    self.free = free
    laterFree = thenFree ?? free
  }

  /// How many calls there have been that could fail.
  var callCount: Int { calls.withLock { $0 } }

  fileprivate func count(_ operation: String, _ path: FilePath) throws(StorageError) {
    let number = calls.withLock { calls in
      calls += 1
      return calls
    }
    if number == failing { throw StorageError(operation: operation, path: path, errno: 5) }
  }

  func open(_ path: FilePath, _ mode: OpenMode) throws(StorageError) -> any StoredFile {
    try count("open", path)
    if path == forbidden { throw StorageError(operation: "open", path: path, errno: 13) }
    return FailingFile(try base.open(path, mode), path: path, storage: self)
  }

  func status(of path: FilePath) throws(StorageError) -> FileStatus? {
    try count("look at", path)
    return try base.status(of: path)
  }

  func resolve(_ path: FilePath) throws(StorageError) -> FilePath {
    try count("resolve", path)
    return try base.resolve(path)
  }

  func createFolder(_ path: FilePath) throws(StorageError) {
    try count("create folder", path)
    try base.createFolder(path)
  }

  func rename(_ path: FilePath, to newPath: FilePath) throws(StorageError) {
    try count("rename", path)
    try base.rename(path, to: newPath)
  }

  func renameWithoutReplacing(_ path: FilePath, to newPath: FilePath) throws(StorageError) {
    try count("rename", path)
    try base.renameWithoutReplacing(path, to: newPath)
  }

  func remove(_ path: FilePath) throws(StorageError) {
    try count("remove", path)
    try base.remove(path)
  }

  func openFolder(_ path: FilePath) throws(StorageError) -> any StoredFolder {
    try count("open", path)
    return try base.openFolder(path)
  }

  func synchronizeFolder(_ path: FilePath) throws(StorageError) {
    try count("synchronize", path)
    try base.synchronizeFolder(path)
  }

  func lockFolder(_ path: FilePath) throws(StorageError) -> HeldLock? {
    try count("lock", path)
    return try base.lockFolder(path)
  }

  func lockDatabase(_ path: FilePath) throws(StorageError) -> HeldLock? {
    try count("lock", path)
    return try base.lockDatabase(path)
  }

  func link(_ path: FilePath, to newPath: FilePath) throws(StorageError) -> Bool {
    try count("link", path)
    return try base.link(path, to: newPath)
  }

  func freeBytes(at path: FilePath) throws(StorageError) -> Int {
    try count("look at", path)
    let hasAsked = hasAsked.withLock { asked in
      defer { asked = true }
      return asked
    }
    if let free = hasAsked ? laterFree : free { return free }
    return try base.freeBytes(at: path)
  }
}

/// A file of a ``FailingStorage``.
private final class FailingFile: ForwardingFile {
  let base: any StoredFile
  private let path: FilePath
  private let storage: FailingStorage

  init(_ file: any StoredFile, path: FilePath, storage: FailingStorage) {
    base = file
    self.path = path
    self.storage = storage
  }

  func read(at offset: Int, count: Int) throws(ReadFailure) -> Bytes {
    do { try storage.count("read", path) } catch {
      throw ReadFailure(offset: offset, reason: error.reason)
    }
    return try base.read(at: offset, count: count)
  }

  func write(_ bytes: Bytes, at offset: Int) throws(StorageError) {
    try storage.count("write", path)
    try base.write(bytes, at: offset)
  }

  func append(_ bytes: Bytes) throws(StorageError) {
    try storage.count("write", path)
    try base.append(bytes)
  }

  func truncate(to byteCount: Int) throws(StorageError) {
    try storage.count("truncate", path)
    try base.truncate(to: byteCount)
  }

  func synchronize() throws(StorageError) {
    try storage.count("synchronize", path)
    try base.synchronize()
  }
}
