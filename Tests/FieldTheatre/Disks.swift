// SPDX-License-Identifier: Apache-2.0
// Disks as they are in some scenes: with bad sectors, without room, on another base.

import DatabaseRescue
import Diagnosis
import RescueTestSupport
import SQLiteFormat

/// The machine's file system, with something about it that a scene needs.
struct StagedDisk: ForwardingStorage {
  let base: any Storage = SystemStorage()
  /// The file, wherever it is moved to, and the bytes of it that cannot be read.
  var bad: (file: [UInt64], range: Range<Int>)?
  /// How many bytes are free; nil for what the machine has.
  var free: Int?
  /// What kind of file system it is; nil for what the machine has.
  var kind: Circumstances.FileSystem?

  /// A disk that does not hand out some bytes of a file.
  static func without(_ range: Range<Int>, of path: FilePath) throws -> StagedDisk {
    var disk = StagedDisk()
    disk.bad = try disk.base.status(of: path).map { ($0.identity, range) }
    return disk
  }

  func open(_ path: FilePath, _ mode: OpenMode) throws(StorageError) -> any StoredFile {
    let file = try base.open(path, mode)
    guard let bad, mode == .read, try base.status(of: path)?.identity == bad.file else {
      return file
    }
    return BadFile(base: file, bad: bad.range)
  }
  func freeBytes(at path: FilePath) throws(StorageError) -> Int {
    if let free { return free }
    return try base.freeBytes(at: path)
  }
  func fileSystem(at path: FilePath) throws(StorageError) -> Circumstances.FileSystem? {
    if let kind { return kind }
    return try base.fileSystem(at: path)
  }
}

/// A file of which some bytes cannot be read.
private final class BadFile: ForwardingFile {
  let base: any StoredFile
  private let bad: Range<Int>

  init(base: any StoredFile, bad: Range<Int>) {
    self.base = base
    self.bad = bad
  }

  func read(at offset: Int, count: Int) throws(ReadFailure) -> Bytes {
    let range = offset..<(offset + max(0, count))
    if range.overlaps(bad) {
      throw ReadFailure(offset: max(offset, bad.lowerBound), reason: "input/output error")
    }
    return try base.read(at: offset, count: count)
  }
}
