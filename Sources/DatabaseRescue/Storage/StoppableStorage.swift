// SPDX-License-Identifier: Apache-2.0
// The file system for long work that is worth nothing by halves: once somebody wishes the run to
// stop, no more is read or written. It tells how much was read.

import Diagnosis
import SQLiteFormat

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

extension World {
  /// The file system for long work that is worth nothing by halves.
  ///
  /// What removes its traces, and what was begun and must come to its end, use `storage`.
  var stoppableStorage: any Storage {
    StoppableStorage(base: storage, isCancelled: isCancelled, progress: progress)
  }
}

/// A file system of which no file is read or written any more once somebody wishes the run to stop.
private struct StoppableStorage: Storage {
  let base: any Storage
  let isCancelled: @Sendable () -> Bool
  let progress: @Sendable (Progress) -> Void

  func open(_ path: FilePath, _ mode: OpenMode) throws(StorageError) -> any StoredFile {
    StoppableFile(
      base: try base.open(path, mode), path: path, isCancelled: isCancelled, progress: progress)
  }

  func status(of path: FilePath) throws(StorageError) -> FileStatus? { try base.status(of: path) }

  func resolve(_ path: FilePath) throws(StorageError) -> FilePath { try base.resolve(path) }

  func place(of path: FilePath) throws(StorageError) -> FilePath { try base.place(of: path) }

  func names(in folder: FilePath) throws(StorageError) -> [FilePath] {
    try base.names(in: folder)
  }

  func createFolder(_ path: FilePath) throws(StorageError) { try base.createFolder(path) }

  func rename(_ path: FilePath, to newPath: FilePath) throws(StorageError) {
    try base.rename(path, to: newPath)
  }

  func renameWithoutReplacing(
    _ path: FilePath, to newPath: FilePath
  ) throws(StorageError) {
    try base.renameWithoutReplacing(path, to: newPath)
  }

  func link(_ path: FilePath, to newPath: FilePath) throws(StorageError) -> Bool {
    try base.link(path, to: newPath)
  }

  func remove(_ path: FilePath) throws(StorageError) { try base.remove(path) }

  func removeFolder(_ path: FilePath) throws(StorageError) { try base.removeFolder(path) }

  func openFolder(_ path: FilePath) throws(StorageError) -> any StoredFolder {
    try base.openFolder(path)
  }

  func openPipe(_ path: FilePath) throws(StorageError) -> any StoredPipe {
    try base.openPipe(path)
  }

  func synchronizeFolder(_ path: FilePath) throws(StorageError) {
    try base.synchronizeFolder(path)
  }

  func freeBytes(at path: FilePath) throws(StorageError) -> Int { try base.freeBytes(at: path) }

  func fileSystem(at path: FilePath) throws(StorageError) -> Circumstances.FileSystem? {
    try base.fileSystem(at: path)
  }

  func lockFolder(_ path: FilePath) throws(StorageError) -> HeldLock? {
    try base.lockFolder(path)
  }

  func lockDatabase(_ path: FilePath) throws(StorageError) -> HeldLock? {
    try base.lockDatabase(path)
  }

  func copyAttributes(from path: FilePath, to other: FilePath) throws(StorageError) {
    try base.copyAttributes(from: path, to: other)
  }

  func setAccess(of path: FilePath, to access: FileAccess) throws(StorageError) {
    try base.setAccess(of: path, to: access)
  }
}

/// A file that is not read or written any more once somebody wishes the run to stop.
private final class StoppableFile: StoredFile {
  private let base: any StoredFile
  private let path: FilePath
  private let isCancelled: @Sendable () -> Bool
  private let progress: @Sendable (Progress) -> Void

  init(
    base: any StoredFile, path: FilePath, isCancelled: @escaping @Sendable () -> Bool,
    progress: @escaping @Sendable (Progress) -> Void
  ) {
    self.base = base
    self.path = path
    self.isCancelled = isCancelled
    self.progress = progress
  }

  var byteCount: Int { base.byteCount }

  func dataRange(from offset: Int) -> Range<Int>? { base.dataRange(from: offset) }

  func read(at offset: Int, count: Int) throws(ReadFailure) -> Bytes {
    guard !isCancelled() else { throw .stopped(at: offset) }
    let bytes = try base.read(at: offset, count: count)
    progress(.advanced(bytes.count))
    return bytes
  }

  func write(_ bytes: Bytes, at offset: Int) throws(StorageError) {
    try requireGoingOn()
    try base.write(bytes, at: offset)
  }

  func append(_ bytes: Bytes) throws(StorageError) {
    try requireGoingOn()
    try base.append(bytes)
  }

  func truncate(to byteCount: Int) throws(StorageError) { try base.truncate(to: byteCount) }

  func synchronize() throws(StorageError) { try base.synchronize() }

  func lock() throws(StorageError) -> Bool { try base.lock() }

  private func requireGoingOn() throws(StorageError) {
    guard !isCancelled() else {
      throw StorageError(operation: "write", path: path, errno: ECANCELED)
    }
  }
}
