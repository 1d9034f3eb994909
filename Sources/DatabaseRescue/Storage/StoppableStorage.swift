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
private struct StoppableStorage: ForwardingStorage {
  let base: any Storage
  let isCancelled: @Sendable () -> Bool
  let progress: @Sendable (Progress) -> Void

  func open(_ path: FilePath, _ mode: OpenMode) throws(StorageError) -> any StoredFile {
    StoppableFile(
      base: try base.open(path, mode), path: path, isCancelled: isCancelled, progress: progress)
  }
}

/// A file that is not read or written any more once somebody wishes the run to stop.
private final class StoppableFile: ForwardingFile {
  let base: any StoredFile
  private let path: FilePath
  private let source: WatchedSource

  init(
    base: any StoredFile, path: FilePath, isCancelled: @escaping @Sendable () -> Bool,
    progress: @escaping @Sendable (Progress) -> Void
  ) {
    self.base = base
    self.path = path
    source = WatchedSource(base: base, isCancelled: isCancelled, progress: progress)
  }

  func read(at offset: Int, count: Int) throws(ReadFailure) -> Bytes {
    try source.read(at: offset, count: count)
  }

  func write(_ bytes: Bytes, at offset: Int) throws(StorageError) {
    try requireGoingOn()
    try base.write(bytes, at: offset)
  }

  func append(_ bytes: Bytes) throws(StorageError) {
    try requireGoingOn()
    try base.append(bytes)
  }

  private func requireGoingOn() throws(StorageError) {
    guard !source.isCancelled() else {
      throw StorageError(operation: "write", path: path, errno: ECANCELED)
    }
  }
}
