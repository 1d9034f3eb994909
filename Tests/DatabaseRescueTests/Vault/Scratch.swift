// SPDX-License-Identifier: Apache-2.0
// What the tests of backups share: a folder of their own, databases, and a failing disk.

import DatabaseRescue
import SQLiteFormat
import Synchronization

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// A folder for one test, removed when the last reference goes.
final class Scratch: Sendable {
  let path: FilePath

  init() {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent(
      "vault-tests-\(UUID().uuidString)", isDirectory: true)
    try? FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    path = FilePath(folder.path)
  }

  deinit { try? FileManager.default.removeItem(atPath: path.description) }

  /// The path of a file in the folder.
  func file(_ name: String) -> FilePath { path.appending(FilePath(name)) }

  /// The names in a folder of this folder; none where there is none.
  func names(_ folder: String = ".") -> [String] {
    let names = try? SystemStorage().names(in: path.appending(FilePath(folder)))
    return (names ?? []).map(\.description)
  }

  /// The bytes of a file.
  func read(_ path: FilePath) throws -> Bytes {
    let file = try SystemStorage().open(path, .read)
    return try file.read(at: 0, count: file.byteCount)
  }

  /// Makes or replaces a file.
  func write(_ bytes: Bytes, to path: FilePath) throws {
    try SystemStorage().remove(path)
    try SystemStorage().open(path, .createNew).write(bytes, at: 0)
  }

  /// Makes a database with two tables, one of them of about so many KiB.
  @discardableResult
  func database(
    _ name: String = "app.db", pageSize: Int = 4096, journalMode: String = "delete",
    kibibytes: Int = 64
  ) throws -> FilePath {
    let path = file(name)
    let connection = try Connection(path, mode: .create, schemaBy: .us)
    try connection.execute(
      """
      PRAGMA page_size = \(pageSize); PRAGMA journal_mode = \(journalMode);
      PRAGMA user_version = 7; PRAGMA application_id = 99;
      CREATE TABLE note(id INTEGER PRIMARY KEY, body TEXT);
      CREATE TABLE tag(note INTEGER REFERENCES note(id), name TEXT);
      CREATE INDEX tag_name ON tag(name);
      INSERT INTO note(body) WITH RECURSIVE n(i) AS
        (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < \(kibibytes))
        SELECT substr(hex(randomblob(512)), 1, 1000) FROM n;
      INSERT INTO tag SELECT id, 'tag ' || id FROM note WHERE id % 8 = 0;
      """)
    return path
  }
}

/// A storage on which chosen calls fail, and the rest goes to the machine.
final class FailingStorage: Storage {
  private let machine = SystemStorage()
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
    return FailingFile(try machine.open(path, mode), path: path, storage: self)
  }

  func status(of path: FilePath) throws(StorageError) -> FileStatus? {
    try count("look at", path)
    return try machine.status(of: path)
  }

  func resolve(_ path: FilePath) throws(StorageError) -> FilePath {
    try count("resolve", path)
    return try machine.resolve(path)
  }

  func names(in folder: FilePath) throws(StorageError) -> [FilePath] {
    try machine.names(in: folder)
  }

  func createFolder(_ path: FilePath) throws(StorageError) {
    try count("create folder", path)
    try machine.createFolder(path)
  }

  func rename(_ path: FilePath, to newPath: FilePath) throws(StorageError) {
    try count("rename", path)
    try machine.rename(path, to: newPath)
  }

  func renameWithoutReplacing(_ path: FilePath, to newPath: FilePath) throws(StorageError) {
    try count("rename", path)
    try machine.renameWithoutReplacing(path, to: newPath)
  }

  func remove(_ path: FilePath) throws(StorageError) {
    try count("remove", path)
    try machine.remove(path)
  }

  func removeFolder(_ path: FilePath) throws(StorageError) {
    try machine.removeFolder(path)
  }

  func openFolder(_ path: FilePath) throws(StorageError) -> any StoredFolder {
    try count("open", path)
    return try machine.openFolder(path)
  }

  func synchronizeFolder(_ path: FilePath) throws(StorageError) {
    try count("synchronize", path)
    try machine.synchronizeFolder(path)
  }

  func place(of path: FilePath) throws(StorageError) -> FilePath {
    try machine.place(of: path)
  }

  func lockFolder(_ path: FilePath) throws(StorageError) -> HeldLock? {
    try count("lock", path)
    return try machine.lockFolder(path)
  }

  func lockDatabase(_ path: FilePath) throws(StorageError) -> HeldLock? {
    try count("lock", path)
    return try machine.lockDatabase(path)
  }

  func link(_ path: FilePath, to newPath: FilePath) throws(StorageError) -> Bool {
    try count("link", path)
    return try machine.link(path, to: newPath)
  }

  func freeBytes(at path: FilePath) throws(StorageError) -> Int {
    try count("look at", path)
    let hasAsked = hasAsked.withLock { asked in
      defer { asked = true }
      return asked
    }
    if let free = hasAsked ? laterFree : free { return free }
    return try machine.freeBytes(at: path)
  }

  func copyAttributes(from path: FilePath, to other: FilePath) throws(StorageError) {
    try machine.copyAttributes(from: path, to: other)
  }
  func setAccess(of path: FilePath, to access: FileAccess) throws(StorageError) {
    try machine.setAccess(of: path, to: access)
  }
}

/// A file of a ``FailingStorage``.
private final class FailingFile: StoredFile {
  private let file: any StoredFile
  private let path: FilePath
  private let storage: FailingStorage

  init(_ file: any StoredFile, path: FilePath, storage: FailingStorage) {
    self.file = file
    self.path = path
    self.storage = storage
  }

  var byteCount: Int { file.byteCount }

  func read(at offset: Int, count: Int) throws(ReadFailure) -> Bytes {
    do { try storage.count("read", path) } catch {
      throw ReadFailure(offset: offset, reason: error.reason)
    }
    return try file.read(at: offset, count: count)
  }

  func write(_ bytes: Bytes, at offset: Int) throws(StorageError) {
    try storage.count("write", path)
    try file.write(bytes, at: offset)
  }

  func append(_ bytes: Bytes) throws(StorageError) {
    try storage.count("write", path)
    try file.append(bytes)
  }

  func truncate(to byteCount: Int) throws(StorageError) {
    try storage.count("truncate", path)
    try file.truncate(to: byteCount)
  }

  func synchronize() throws(StorageError) {
    try storage.count("synchronize", path)
    try file.synchronize()
  }

  func lock() throws(StorageError) -> Bool { try file.lock() }
}
