// SPDX-License-Identifier: Apache-2.0
// What the tests of the run log need: a folder of their own, and a disk that fills up.

import DatabaseRescue
import Foundation
import SQLiteFormat
import Synchronization

/// A folder that is gone afterwards.
enum RunLogScratch {
  static func use<Result>(_ body: (DatabaseRescue.FilePath) throws -> Result) throws -> Result {
    let folder = FileManager.default.temporaryDirectory
      .appending(path: "dbrescue-log-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    return try body(FilePath(folder.path(percentEncoded: false)))
  }
}

/// The file system of the machine with little space.
///
/// Appending stops with "no space" after some bytes; what fits is written, as on a real disk. It
/// also notes what was called.
final class RunLogFullDisk: Storage {
  let calls = Mutex<[String]>([])
  private let bytesLeft: Mutex<Int>
  private let system = SystemStorage()

  init(bytesLeft: Int) { self.bytesLeft = Mutex(bytesLeft) }

  func note(_ call: String) { calls.withLock { $0.append(call) } }

  func take(_ count: Int) -> Int {
    bytesLeft.withLock { left in
      let taken = min(left, count)
      left -= taken
      return taken
    }
  }

  func open(_ path: FilePath, _ mode: OpenMode) throws(StorageError) -> any StoredFile {
    RunLogFullDiskFile(try system.open(path, mode), path, self)
  }
  func status(of path: FilePath) throws(StorageError) -> FileStatus? {
    try system.status(of: path)
  }
  func resolve(_ path: FilePath) throws(StorageError) -> FilePath { try system.resolve(path) }
  func names(in folder: FilePath) throws(StorageError) -> [FilePath] {
    try system.names(in: folder)
  }
  func createFolder(_ path: FilePath) throws(StorageError) { try system.createFolder(path) }
  func rename(_ path: FilePath, to newPath: FilePath) throws(StorageError) {
    try system.rename(path, to: newPath)
  }
  func renameWithoutReplacing(_ path: FilePath, to newPath: FilePath) throws(StorageError) {
    try system.renameWithoutReplacing(path, to: newPath)
  }
  func remove(_ path: FilePath) throws(StorageError) { try system.remove(path) }
  func removeFolder(_ path: FilePath) throws(StorageError) { try system.removeFolder(path) }
  func openFolder(_ path: FilePath) throws(StorageError) -> any StoredFolder {
    try system.openFolder(path)
  }
  func synchronizeFolder(_ path: FilePath) throws(StorageError) {
    note("folder")
    try system.synchronizeFolder(path)
  }
  func freeBytes(at path: FilePath) throws(StorageError) -> Int { try system.freeBytes(at: path) }
  func place(of path: FilePath) throws(StorageError) -> FilePath {
    try system.place(of: path)
  }
  func lockFolder(_ path: FilePath) throws(StorageError) -> HeldLock? {
    try system.lockFolder(path)
  }
  func lockDatabase(_ path: FilePath) throws(StorageError) -> HeldLock? {
    try system.lockDatabase(path)
  }
  func link(_ path: FilePath, to newPath: FilePath) throws(StorageError) -> Bool {
    try system.link(path, to: newPath)
  }
  func copyAttributes(from path: FilePath, to other: FilePath) throws(StorageError) {
    try system.copyAttributes(from: path, to: other)
  }
  func setAccess(of path: FilePath, to access: FileAccess) throws(StorageError) {
    try system.setAccess(of: path, to: access)
  }
}

private final class RunLogFullDiskFile: StoredFile {
  private let file: any StoredFile
  private let path: FilePath
  private let disk: RunLogFullDisk

  init(_ file: any StoredFile, _ path: FilePath, _ disk: RunLogFullDisk) {
    self.file = file
    self.path = path
    self.disk = disk
  }

  var byteCount: Int { file.byteCount }
  func read(at offset: Int, count: Int) throws(ReadFailure) -> Bytes {
    try file.read(at: offset, count: count)
  }
  func write(_ bytes: Bytes, at offset: Int) throws(StorageError) {
    try file.write(bytes, at: offset)
  }
  func append(_ bytes: Bytes) throws(StorageError) {
    disk.note("append")
    let fitting = disk.take(bytes.count)
    try file.append(Bytes(bytes.prefix(fitting)))
    guard fitting == bytes.count else {
      throw StorageError(operation: "write", path: path, errno: ENOSPC)
    }
  }
  func truncate(to byteCount: Int) throws(StorageError) { try file.truncate(to: byteCount) }
  func synchronize() throws(StorageError) {
    disk.note("synchronize")
    try file.synchronize()
  }
  func lock() throws(StorageError) -> Bool {
    disk.note("lock")
    return try file.lock()
  }
}
