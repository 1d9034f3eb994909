// SPDX-License-Identifier: Apache-2.0
// Locks on folders and databases, which end with their holder, also when it is killed.

import SQLiteFormat

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// A lock that is held for as long as this lives.
package final class HeldLock: Sendable {
  fileprivate let descriptor: Int32

  fileprivate init(descriptor: Int32) {
    self.descriptor = descriptor
    OwnDescriptors.all.add(descriptor)
  }

  deinit { OwnDescriptors.all.close(descriptor) }
}

extension SystemStorage {
  /// Takes the lock of a folder; nil when another run has it.
  package func lockFolder(_ path: FilePath) throws(StorageError) -> HeldLock? {
    let lock = HeldLock(descriptor: try descriptor(ofFolder: path))
    return try isGranted(path) { lock.take() } ? lock : nil
  }

  /// Keeps the connections of other processes from a database; nil when one of them is using it, or
  /// this process has it open itself.
  package func lockDatabase(_ path: FilePath) throws(StorageError) -> HeldLock? {
    var mode = OpenMode.readWrite
    let lock: HeldLock
    do {
      lock = try open(path, flags: mode.flags)
    } catch  where [.permission, .readOnly].contains(error.cause) {
      // Who may not write to a file can only ask whether others have locked it.
      mode = .read
      lock = try open(path, flags: mode.flags)
    }
    // The locks of a process are all one: those of a connection in this one would be lost.
    guard !OwnDescriptors.all.isOpenElsewhere(lock.descriptor) else { return nil }
    return try isGranted(path) {
      mode == .read ? lock.isFreeOfSQLite() : lock.keepSQLiteAway()
    } ? lock : nil
  }

  private func open(_ path: FilePath, flags: Int32) throws(StorageError) -> HeldLock {
    HeldLock(
      descriptor: try call(SystemCall("open", path)) {
        unsafe path.withCString { unsafe systemOpen($0, flags, 0) }
      })
  }

  private func isGranted(_ path: FilePath, _ take: () -> Int32) throws(StorageError) -> Bool {
    do throws(StorageError) {
      try call(SystemCall("lock", path), take)
      return true
    } catch  where [EWOULDBLOCK, EAGAIN].contains(error.errno) {
      return false
    }
  }
}

extension HeldLock {
  fileprivate func take() -> Int32 { flock(descriptor, LOCK_EX | LOCK_NB) }

  /// Takes what SQLite locks: bytes 2^30 to 2^30 + 511, pending, reserved, and 510 shared ones.
  fileprivate func keepSQLiteAway() -> Int32 {
    var lock = Self.sqliteBytes
    let result = unsafe fcntl(descriptor, F_SETLK, &lock)
    // POSIX allows either.
    if result == -1, errno == EACCES { errno = EAGAIN }
    return result
  }

  fileprivate func isFreeOfSQLite() -> Int32 {
    var lock = Self.sqliteBytes
    guard unsafe fcntl(descriptor, F_GETLK, &lock) == 0 else { return -1 }
    guard lock.l_type != Int16(F_UNLCK) else { return 0 }
    errno = EAGAIN
    return -1
  }

  private static var sqliteBytes: flock {
    var lock = flock()
    lock.l_type = Int16(F_WRLCK)
    lock.l_whence = Int16(SEEK_SET)
    lock.l_start = 1 << 30
    lock.l_len = 512
    return lock
  }
}
