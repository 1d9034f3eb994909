// SPDX-License-Identifier: Apache-2.0
// SQLite's reads and writes of a file: a read that fails is tried again, and nothing is made up; a
// write for which the disk has no room is remembered.
//
// Where a read ends before the file does, SQLite takes the rest of the page for zeros and goes on:
// a copy then has zeros that the database has not. And it says the same of a disk that is full and
// of a database that is as large as it may be.

internal import CSQLite
import Synchronization

/// The calls on a file of SQLite, with a read that is tried again and never fills up with zeros what
/// the file has, and a write that remembers full disks.
@safe struct GuardedCalls {
  /// What SQLite sees; first, so that its address is that of the whole.
  private var own: sqlite3_io_methods
  /// The calls that are passed on to.
  private let base: UnsafePointer<sqlite3_io_methods>

  /// How often a read is tried.
  private static let attemptsMax = 4

  private static let refused = Atomic(0)
  /// How many writes of this process a full disk has refused.
  static var writesRefused: Int { refused.load(ordering: .relaxed) }

  /// The calls over others; they stay for as long as the process.
  @unsafe static func over(
    _ base: UnsafePointer<sqlite3_io_methods>
  ) -> UnsafePointer<sqlite3_io_methods> {
    var own = unsafe base.pointee
    unsafe own.xRead = { unsafe GuardedCalls.read($0, $1, $2, $3) }
    unsafe own.xWrite = { unsafe GuardedCalls.write($0, $1, $2, $3) }
    let made = UnsafeMutablePointer<GuardedCalls>.allocate(capacity: 1)
    unsafe made.initialize(to: GuardedCalls(own: own, base: base))
    return unsafe UnsafeRawPointer(made).assumingMemoryBound(to: sqlite3_io_methods.self)
  }

  @unsafe private static func read(
    _ file: UnsafeMutablePointer<sqlite3_file>?, _ buffer: UnsafeMutableRawPointer?,
    _ count: Int32, _ offset: sqlite3_int64
  ) -> Int32 {
    guard let base = unsafe base(of: file) else { return SQLITE_IOERR }
    var result = SQLITE_IOERR
    for _ in 0..<attemptsMax {
      result = unsafe base.pointee.xRead?(file, buffer, count, offset) ?? SQLITE_IOERR
      guard result & 0xFF == SQLITE_IOERR else { return result }
      guard result == dbrescue_ioerr_short_read else { continue }
      var size: sqlite3_int64 = 0
      let isKnown = unsafe base.pointee.xFileSize?(file, &size) == SQLITE_OK
      if isKnown, offset + sqlite3_int64(count) > size { return result }
      result = dbrescue_ioerr_read
    }
    return result
  }

  @unsafe private static func write(
    _ file: UnsafeMutablePointer<sqlite3_file>?, _ buffer: UnsafeRawPointer?, _ count: Int32,
    _ offset: sqlite3_int64
  ) -> Int32 {
    guard let base = unsafe base(of: file) else { return SQLITE_IOERR }
    let result = unsafe base.pointee.xWrite?(file, buffer, count, offset) ?? SQLITE_IOERR
    if result & 0xFF == SQLITE_FULL { refused.add(1, ordering: .relaxed) }
    return result
  }

  /// The calls that those on a file are passed on to.
  @unsafe private static func base(
    of file: UnsafeMutablePointer<sqlite3_file>?
  ) -> UnsafePointer<sqlite3_io_methods>? {
    guard let methods = unsafe file?.pointee.pMethods else { return nil }
    return unsafe UnsafeRawPointer(methods).assumingMemoryBound(to: GuardedCalls.self).pointee.base
  }
}
