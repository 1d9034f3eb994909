// SPDX-License-Identifier: Apache-2.0
// Disks as they are in some scenes: with bad sectors, without room, on another machine.

import DatabaseRescue
import Diagnosis
import RescueTestSupport
import SQLiteFormat

/// The machine's file system, with something about it that a scene needs.
struct StagedDisk: Storage {
  private let machine = SystemStorage()
  /// The file and the bytes of it that cannot be read.
  var bad: (path: FilePath, range: Range<Int>)?
  /// How many bytes are free; nil for what the machine has.
  var free: Int?
  /// What kind of file system it is; nil for what the machine has.
  var kind: Circumstances.FileSystem?

  func open(_ path: FilePath, _ mode: OpenMode) throws(StorageError) -> any StoredFile {
    let file = try machine.open(path, mode)
    guard let bad, mode == .read, path.name == bad.path.name else { return file }
    return BadFile(base: file, bad: bad.range)
  }
  func freeBytes(at path: FilePath) throws(StorageError) -> Int {
    if let free { return free }
    return try machine.freeBytes(at: path)
  }
  func fileSystem(at path: FilePath) throws(StorageError) -> Circumstances.FileSystem? {
    if let kind { return kind }
    return try machine.fileSystem(at: path)
  }
  func status(of path: FilePath) throws(StorageError) -> FileStatus? {
    try machine.status(of: path)
  }
  func resolve(_ path: FilePath) throws(StorageError) -> FilePath { try machine.resolve(path) }
  func place(of path: FilePath) throws(StorageError) -> FilePath { try machine.place(of: path) }
  func names(in folder: FilePath) throws(StorageError) -> [FilePath] {
    try machine.names(in: folder)
  }
  func createFolder(_ path: FilePath) throws(StorageError) { try machine.createFolder(path) }
  func rename(_ path: FilePath, to newPath: FilePath) throws(StorageError) {
    try machine.rename(path, to: newPath)
  }
  func renameWithoutReplacing(
    _ path: FilePath, to newPath: FilePath
  ) throws(StorageError) { try machine.renameWithoutReplacing(path, to: newPath) }
  func link(_ path: FilePath, to newPath: FilePath) throws(StorageError) -> Bool {
    try machine.link(path, to: newPath)
  }
  func remove(_ path: FilePath) throws(StorageError) { try machine.remove(path) }
  func removeFolder(_ path: FilePath) throws(StorageError) { try machine.removeFolder(path) }
  func openFolder(_ path: FilePath) throws(StorageError) -> any StoredFolder {
    try machine.openFolder(path)
  }
  func synchronizeFolder(_ path: FilePath) throws(StorageError) {
    try machine.synchronizeFolder(path)
  }
  func lockFolder(_ path: FilePath) throws(StorageError) -> HeldLock? {
    try machine.lockFolder(path)
  }
  func lockDatabase(_ path: FilePath) throws(StorageError) -> HeldLock? {
    try machine.lockDatabase(path)
  }
  func copyAttributes(from path: FilePath, to other: FilePath) throws(StorageError) {
    try machine.copyAttributes(from: path, to: other)
  }
  func setAccess(of path: FilePath, to access: FileAccess) throws(StorageError) {
    try machine.setAccess(of: path, to: access)
  }
  func openFiles(ofUsersOf path: FilePath) -> OpenFiles? { machine.openFiles(ofUsersOf: path) }
}

/// A file of which some bytes cannot be read.
private final class BadFile: StoredFile {
  private let base: any StoredFile
  private let bad: Range<Int>

  init(base: any StoredFile, bad: Range<Int>) {
    self.base = base
    self.bad = bad
  }

  var byteCount: Int { base.byteCount }
  func read(at offset: Int, count: Int) throws(ReadFailure) -> Bytes {
    let range = offset..<(offset + max(0, count))
    if range.overlaps(bad) {
      throw ReadFailure(offset: max(offset, bad.lowerBound), reason: "input/output error")
    }
    return try base.read(at: offset, count: count)
  }
  func write(_ bytes: Bytes, at offset: Int) throws(StorageError) {
    try base.write(bytes, at: offset)
  }
  func append(_ bytes: Bytes) throws(StorageError) { try base.append(bytes) }
  func truncate(to byteCount: Int) throws(StorageError) { try base.truncate(to: byteCount) }
  func synchronize() throws(StorageError) { try base.synchronize() }
  func lock() throws(StorageError) -> Bool { try base.lock() }
}
