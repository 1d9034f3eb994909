// SPDX-License-Identifier: Apache-2.0
// The file system of the machine, with less room than it has.

package import DatabaseRescue

/// A file system that says how many bytes are free, and is otherwise the machine's.
package struct CrampedStorage: ForwardingStorage {
  package let base: any Storage = SystemStorage()
  private let free: @Sendable (FilePath) -> Int

  /// Makes a file system with so many bytes free.
  package init(free: Int) { self.init { _ in free } }

  /// Makes a file system that tells how many bytes are free at a path when it is asked.
  package init(free: @escaping @Sendable (FilePath) -> Int) { self.free = free }

  package func freeBytes(at path: FilePath) throws(StorageError) -> Int { free(path) }
}
