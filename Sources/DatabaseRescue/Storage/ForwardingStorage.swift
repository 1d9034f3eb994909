// SPDX-License-Identifier: Apache-2.0
// A file system on top of another one, to which all goes that it does not do in a way of its own.

package import Diagnosis
package import SQLiteFormat

/// A file system on top of another one, which does what this one does not do itself.
package protocol ForwardingStorage: Storage {
  /// The file system below.
  var base: any Storage { get }
}

extension ForwardingStorage {
  package func open(_ path: FilePath, _ mode: OpenMode) throws(StorageError) -> any StoredFile {
    try base.open(path, mode)
  }
  package func status(of path: FilePath) throws(StorageError) -> FileStatus? {
    try base.status(of: path)
  }
  package func born(_ path: FilePath) throws(StorageError) -> Double? { try base.born(path) }
  package func resolve(_ path: FilePath) throws(StorageError) -> FilePath {
    try base.resolve(path)
  }
  package func place(of path: FilePath) throws(StorageError) -> FilePath {
    try base.place(of: path)
  }
  package func names(in folder: FilePath) throws(StorageError) -> [FilePath] {
    try base.names(in: folder)
  }
  package func createFolder(_ path: FilePath) throws(StorageError) { try base.createFolder(path) }
  package func rename(_ path: FilePath, to newPath: FilePath) throws(StorageError) {
    try base.rename(path, to: newPath)
  }
  package func renameWithoutReplacing(
    _ path: FilePath, to newPath: FilePath
  ) throws(StorageError) {
    try base.renameWithoutReplacing(path, to: newPath)
  }
  package func link(_ path: FilePath, to newPath: FilePath) throws(StorageError) -> Bool {
    try base.link(path, to: newPath)
  }
  package func remove(_ path: FilePath) throws(StorageError) { try base.remove(path) }
  package func removeFolder(_ path: FilePath) throws(StorageError) { try base.removeFolder(path) }
  package func openFolder(_ path: FilePath) throws(StorageError) -> any StoredFolder {
    try base.openFolder(path)
  }
  package func openPipe(_ path: FilePath) throws(StorageError) -> any StoredPipe {
    try base.openPipe(path)
  }
  package func synchronizeFolder(_ path: FilePath) throws(StorageError) {
    try base.synchronizeFolder(path)
  }
  package func freeBytes(at path: FilePath) throws(StorageError) -> Int {
    try base.freeBytes(at: path)
  }
  package func fileSystem(at path: FilePath) throws(StorageError) -> Circumstances.FileSystem? {
    try base.fileSystem(at: path)
  }
  package func lockFolder(_ path: FilePath) throws(StorageError) -> HeldLock? {
    try base.lockFolder(path)
  }
  package func lockDatabase(_ path: FilePath) throws(StorageError) -> HeldLock? {
    try base.lockDatabase(path)
  }
  package func copyAttributes(from path: FilePath, to other: FilePath) throws(StorageError) {
    try base.copyAttributes(from: path, to: other)
  }
  package func setAccess(of path: FilePath, to access: FileAccess) throws(StorageError) {
    try base.setAccess(of: path, to: access)
  }
  package func openFiles(ofUsersOf path: FilePath) -> OpenFiles? {
    base.openFiles(ofUsersOf: path)
  }
}

/// An open file on top of another one, which does what this one does not do itself.
package protocol ForwardingFile: StoredFile {
  /// The file below.
  var base: any StoredFile { get }
}

extension ForwardingFile {
  package var byteCount: Int { base.byteCount }
  package func dataRange(from offset: Int) -> Range<Int>? { base.dataRange(from: offset) }
  package func read(at offset: Int, count: Int) throws(ReadFailure) -> Bytes {
    try base.read(at: offset, count: count)
  }
  package func write(_ bytes: Bytes, at offset: Int) throws(StorageError) {
    try base.write(bytes, at: offset)
  }
  package func append(_ bytes: Bytes) throws(StorageError) { try base.append(bytes) }
  package func truncate(to byteCount: Int) throws(StorageError) {
    try base.truncate(to: byteCount)
  }
  package func reserve(_ byteCount: Int) throws(StorageError) { try base.reserve(byteCount) }
  package func synchronize() throws(StorageError) { try base.synchronize() }
  package func lock() throws(StorageError) -> Bool { try base.lock() }
}
