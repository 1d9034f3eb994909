// SPDX-License-Identifier: Apache-2.0
// A disk that fills up while a run log is written.

import DatabaseRescue
import Foundation
import SQLiteFormat
import Synchronization

/// The file system of the machine with little space.
///
/// Appending stops with "no space" after some bytes; what fits is written, as on a real disk. It
/// also notes what was called.
final class RunLogFullDisk: ForwardingStorage {
  let calls = Mutex<[String]>([])
  private let bytesLeft: Mutex<Int>
  let base: any Storage = SystemStorage()

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
    RunLogFullDiskFile(try base.open(path, mode), path, self)
  }
  func synchronizeFolder(_ path: FilePath) throws(StorageError) {
    note("folder")
    try base.synchronizeFolder(path)
  }
}

private final class RunLogFullDiskFile: ForwardingFile {
  let base: any StoredFile
  private let path: FilePath
  private let disk: RunLogFullDisk

  init(_ file: any StoredFile, _ path: FilePath, _ disk: RunLogFullDisk) {
    base = file
    self.path = path
    self.disk = disk
  }

  func append(_ bytes: Bytes) throws(StorageError) {
    disk.note("append")
    let fitting = disk.take(bytes.count)
    try base.append(Bytes(bytes.prefix(fitting)))
    guard fitting == bytes.count else {
      throw StorageError(operation: "write", path: path, errno: ENOSPC)
    }
  }
  func synchronize() throws(StorageError) {
    disk.note("synchronize")
    try base.synchronize()
  }
  func lock() throws(StorageError) -> Bool {
    disk.note("lock")
    return try base.lock()
  }
}
