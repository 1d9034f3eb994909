// SPDX-License-Identifier: Apache-2.0
// One system call on files, as somebody sees it who watches them all: tests record what a run does
// to a disk, and make any of its calls fail.

package import SQLiteFormat

/// One system call on files.
package struct SystemCall: Sendable {
  /// What a call changes on the disk.
  package enum Effect: Sendable {
    /// Nothing: it asks or locks.
    case none
    /// Nothing: so many bytes are read from an offset.
    case read(offset: Int, count: Int)
    /// An open file, by number, and whether it is made where there is none.
    case open(file: UInt64, creates: Bool)
    /// A new open file that has no name.
    case openUnnamed(file: UInt64)
    /// An open file that had no name gets one.
    case name(file: UInt64)
    /// Bytes at an offset, or at the end where there is none.
    case write(file: UInt64, Bytes, offset: Int?)
    /// The length of a file.
    case truncate(file: UInt64, byteCount: Int)
    /// The content of a file becomes durable.
    case synchronize(file: UInt64)
    /// A file gets another name, in place of what had it.
    case rename(to: FilePath)
    /// A file gets a second name.
    case link(to: FilePath)
    /// A name goes.
    case remove
    /// A folder is made.
    case createFolder
    /// A folder goes.
    case removeFolder
    /// The names in a folder become durable.
    case synchronizeFolder
  }

  /// What is tried, such as `read` or `rename`.
  package let operation: String
  /// On which file.
  package let path: FilePath
  /// What it changes.
  package let effect: Effect

  /// Describes a call.
  package init(_ operation: String, _ path: FilePath, _ effect: Effect = .none) {
    self.operation = operation
    self.path = path
    self.effect = effect
  }
}

/// Somebody who watches system calls.
package protocol SystemCallWatch: Sendable {
  /// Told of a call before it is made.
  ///
  /// - Returns: The `errno` that it fails with instead; nil to have it made.
  func failure(before call: SystemCall) -> Int32?

  /// Told of a call that has succeeded.
  func succeeded(_ call: SystemCall)

  /// The bytes that a read gives in the place of those that it has read, or the first of them.
  func altered(_ bytes: Bytes, readBy call: SystemCall) -> Bytes
}

extension SystemCallWatch {
  /// The bytes themselves.
  package func altered(_ bytes: Bytes, readBy call: SystemCall) -> Bytes { bytes }
}
