// SPDX-License-Identifier: Apache-2.0
// SQLite's reads of a database: what fails is tried again, and nothing is made up.
//
// Where a read ends before the file does, SQLite takes the rest of the page for zeros and goes on:
// a copy then has zeros that the database has not.

internal import CSQLite

/// The calls on a file of SQLite, with a read that is tried again and never fills up with zeros what
/// the file has.
@safe struct GuardedReads {
  /// What SQLite sees; first, so that its address is that of the whole.
  private var own: sqlite3_io_methods
  /// The calls that are passed on to.
  private let base: UnsafePointer<sqlite3_io_methods>

  /// How often a read is tried.
  private static let attemptsMax = 4

  /// The calls over others; they stay for as long as the process.
  @unsafe static func over(
    _ base: UnsafePointer<sqlite3_io_methods>
  ) -> UnsafePointer<sqlite3_io_methods> {
    var own = unsafe base.pointee
    unsafe own.xRead = { unsafe GuardedReads.read($0, $1, $2, $3) }
    let made = UnsafeMutablePointer<GuardedReads>.allocate(capacity: 1)
    unsafe made.initialize(to: GuardedReads(own: own, base: base))
    return unsafe UnsafeRawPointer(made).assumingMemoryBound(to: sqlite3_io_methods.self)
  }

  @unsafe private static func read(
    _ file: UnsafeMutablePointer<sqlite3_file>?, _ buffer: UnsafeMutableRawPointer?,
    _ count: Int32, _ offset: sqlite3_int64
  ) -> Int32 {
    guard let methods = unsafe file?.pointee.pMethods else { return SQLITE_IOERR }
    let base = unsafe UnsafeRawPointer(methods).assumingMemoryBound(to: GuardedReads.self)
      .pointee.base
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
}
