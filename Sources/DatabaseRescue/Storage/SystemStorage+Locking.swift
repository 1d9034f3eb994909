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

/// What comes of asking for the lock of a reader.
package enum SharedLock {
  /// Nobody writes as long as it is held.
  case held(HeldLock)
  /// Another process writes.
  case busy
  /// This process has the database open itself, and so all its locks.
  case own
}

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

  /// Takes the lock that a reader takes: while it is held, nobody writes to a database in a rollback
  /// mode.
  package func shareDatabase(_ path: FilePath) throws(StorageError) -> SharedLock {
    let lock = try open(path, flags: OpenMode.read.flags)
    guard !OwnDescriptors.all.isOpenElsewhere(lock.descriptor) else { return .own }
    guard try isGranted(path, { lock.share() }) else { return .busy }
    return .held(lock)
  }

  /// Whether another process has locked a database in order to write to it.
  package func isWritten(_ path: FilePath) throws(StorageError) -> Bool {
    let lock = try open(path, flags: OpenMode.read.flags)
    return try !isGranted(path) { lock.isFreeOfWriters() }
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
  fileprivate func keepSQLiteAway() -> Int32 { set(Self.sqliteBytes, F_WRLCK) }

  fileprivate func isFreeOfSQLite() -> Int32 { isFree(Self.sqliteBytes, F_WRLCK) }

  /// Whoever writes to the database locks the shared bytes against readers.
  fileprivate func isFreeOfWriters() -> Int32 { isFree(Self.shared, F_RDLCK) }

  /// Takes the shared bytes as SQLite does, which lets nobody in any more once a writer waits.
  fileprivate func share() -> Int32 {
    guard set(Self.pending, F_RDLCK) == 0 else { return -1 }
    let result = set(Self.shared, F_RDLCK)
    let code = errno
    _ = set(Self.pending, F_UNLCK)
    errno = code
    return result
  }

  private static let sqliteBytes = (1 << 30)..<(1 << 30 + 512)
  private static let pending = (1 << 30)..<(1 << 30 + 1)
  private static let shared = (1 << 30 + 2)..<(1 << 30 + 512)

  private func set(_ bytes: Range<Int>, _ kind: Int32) -> Int32 {
    var lock = Self.lock(bytes, kind)
    let result = unsafe fcntl(descriptor, F_SETLK, &lock)
    // POSIX allows either.
    if result == -1, errno == EACCES { errno = EAGAIN }
    return result
  }

  private func isFree(_ bytes: Range<Int>, _ kind: Int32) -> Int32 {
    var lock = Self.lock(bytes, kind)
    guard unsafe fcntl(descriptor, F_GETLK, &lock) == 0 else { return -1 }
    guard lock.l_type != Int16(F_UNLCK) else { return 0 }
    errno = EAGAIN
    return -1
  }

  private static func lock(_ bytes: Range<Int>, _ kind: Int32) -> flock {
    var lock = flock()
    lock.l_type = Int16(kind)
    lock.l_whence = Int16(SEEK_SET)
    lock.l_start = off_t(bytes.lowerBound)
    lock.l_len = off_t(bytes.count)
    return lock
  }
}
