// SPDX-License-Identifier: Apache-2.0
// The file system of the machine, with less room than it has.

package import DatabaseRescue

/// A file system that says how many bytes are free, and is otherwise the machine's.
package struct CrampedStorage: Storage {
  private let machine = SystemStorage()
  private let free: @Sendable (FilePath) -> Int

  /// Makes a file system with so many bytes free.
  package init(free: Int) { self.init { _ in free } }

  /// Makes a file system that tells how many bytes are free at a path when it is asked.
  package init(free: @escaping @Sendable (FilePath) -> Int) { self.free = free }

  package func freeBytes(at path: FilePath) throws(StorageError) -> Int { free(path) }

  package func open(_ path: FilePath, _ mode: OpenMode) throws(StorageError) -> any StoredFile {
    try machine.open(path, mode)
  }
  package func status(of path: FilePath) throws(StorageError) -> FileStatus? {
    try machine.status(of: path)
  }
  package func resolve(_ path: FilePath) throws(StorageError) -> FilePath {
    try machine.resolve(path)
  }
  package func place(of path: FilePath) throws(StorageError) -> FilePath {
    try machine.place(of: path)
  }
  package func names(in folder: FilePath) throws(StorageError) -> [FilePath] {
    try machine.names(in: folder)
  }
  package func createFolder(_ path: FilePath) throws(StorageError) {
    try machine.createFolder(path)
  }
  package func rename(_ path: FilePath, to newPath: FilePath) throws(StorageError) {
    try machine.rename(path, to: newPath)
  }
  package func renameWithoutReplacing(
    _ path: FilePath, to newPath: FilePath
  ) throws(StorageError) {
    try machine.renameWithoutReplacing(path, to: newPath)
  }
  package func link(_ path: FilePath, to newPath: FilePath) throws(StorageError) -> Bool {
    try machine.link(path, to: newPath)
  }
  package func remove(_ path: FilePath) throws(StorageError) { try machine.remove(path) }
  package func removeFolder(_ path: FilePath) throws(StorageError) {
    try machine.removeFolder(path)
  }
  package func openFolder(_ path: FilePath) throws(StorageError) -> any StoredFolder {
    try machine.openFolder(path)
  }
  package func synchronizeFolder(_ path: FilePath) throws(StorageError) {
    try machine.synchronizeFolder(path)
  }
  package func lockFolder(_ path: FilePath) throws(StorageError) -> HeldLock? {
    try machine.lockFolder(path)
  }
  package func lockDatabase(_ path: FilePath) throws(StorageError) -> HeldLock? {
    try machine.lockDatabase(path)
  }
  package func copyAttributes(from path: FilePath, to other: FilePath) throws(StorageError) {
    try machine.copyAttributes(from: path, to: other)
  }
  package func setAccess(of path: FilePath, to access: FileAccess) throws(StorageError) {
    try machine.setAccess(of: path, to: access)
  }
}
