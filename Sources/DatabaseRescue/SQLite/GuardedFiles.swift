// SPDX-License-Identifier: Apache-2.0
// The way by which SQLite reaches files here: what lies beside a database is carried out by none
// of our connections.
//
// A rollback journal that a file came with can say more than how its pages were: with the name of a
// super-journal in it, SQLite deletes whatever has that name. So the doors that lead there are shut
// below SQLite, whatever lies where, and whenever it was put there:
//
// - no journal is opened that a connection has not begun itself, but to ask whether it is hot;
// - no super-journal is opened at all;
// - no file is deleted but the journals and logs that our own connections have opened.

internal import CSQLite
import Synchronization

/// The system's files, as SQLite may reach them through a ``Connection``.
enum GuardedFiles {
  private struct State {
    /// The guard over each of SQLite's ways to the files, and back; by address.
    var guards: [UInt: UInt] = [:]
    var bases: [UInt: UInt] = [:]
    /// The guarded calls over others, by address.
    var methods: [UInt: UInt] = [:]
    /// The journals and logs that connections of this process have opened to write.
    var own: Set<FilePath> = []
  }

  private static let state = Mutex(State())

  /// The name by which SQLite opens files this way; made for the one that is the default now.
  @unsafe static var name: UnsafePointer<CChar>? {
    guard let base = unsafe sqlite3_vfs_find(nil) else { return nil }
    let address = UInt(bitPattern: base)
    let own = state.withLock { state in
      if let made = state.guards[address] { return made }
      let made = unsafe makeGuard(over: base, number: state.guards.count)
      state.guards[address] = made
      state.bases[made] = address
      return made
    }
    return unsafe UnsafePointer<sqlite3_vfs>(bitPattern: own)?.pointee.zName
  }

  /// Registers a guard, which stays for as long as the process.
  @unsafe private static func makeGuard(
    over base: UnsafeMutablePointer<sqlite3_vfs>, number: Int
  ) -> UInt {
    let own = UnsafeMutablePointer<sqlite3_vfs>.allocate(capacity: 1)
    // What is not guarded is the other's own.
    unsafe own.initialize(to: base.pointee)
    unsafe own.pointee.pNext = nil
    let name = Array("guarded-\(number)".utf8CString)
    let kept = UnsafeMutablePointer<CChar>.allocate(capacity: name.count)
    unsafe kept.initialize(from: name, count: name.count)
    unsafe own.pointee.zName = UnsafePointer(kept)
    unsafe own.pointee.xOpen = { unsafe GuardedFiles.open($0, $1, $2, $3, $4) }
    unsafe own.pointee.xDelete = { unsafe GuardedFiles.delete($0, $1, $2) }
    unsafe sqlite3_vfs_register(own, 0)
    return UInt(bitPattern: own)
  }

  @unsafe private static func base(
    of own: UnsafeMutablePointer<sqlite3_vfs>?
  ) -> UnsafeMutablePointer<sqlite3_vfs>? {
    unsafe UnsafeMutablePointer(
      bitPattern: state.withLock { $0.bases[UInt(bitPattern: own)] ?? 0 })
  }

  @unsafe private static func open(
    _ own: UnsafeMutablePointer<sqlite3_vfs>?, _ name: UnsafePointer<CChar>?,
    _ file: UnsafeMutablePointer<sqlite3_file>?, _ flags: Int32,
    _ outFlags: UnsafeMutablePointer<Int32>?
  ) -> Int32 {
    guard let base = unsafe base(of: own), let open = unsafe base.pointee.xOpen,
      isAllowed(flags)
    else {
      unsafe file?.pointee.pMethods = nil
      return SQLITE_CANTOPEN
    }
    let result = unsafe open(base, name, file, flags, outFlags)
    if result == SQLITE_OK, let methods = unsafe file?.pointee.pMethods {
      unsafe file?.pointee.pMethods = guardedMethods(over: methods)
    }
    if result == SQLITE_OK, flags & SQLITE_OPEN_CREATE != 0,
      flags & (SQLITE_OPEN_MAIN_JOURNAL | SQLITE_OPEN_WAL) != 0, let path = unsafe FilePath(name)
    {
      state.withLock { _ = $0.own.insert(path) }
    }
    return result
  }

  @unsafe private static func guardedMethods(
    over base: UnsafePointer<sqlite3_io_methods>
  ) -> UnsafePointer<sqlite3_io_methods>? {
    let address = UInt(bitPattern: base)
    let own = state.withLock { state in
      if let made = state.methods[address] { return made }
      let made = UInt(bitPattern: unsafe GuardedCalls.over(base))
      state.methods[address] = made
      return made
    }
    return unsafe UnsafePointer(bitPattern: own)
  }

  /// Whether a file may be opened: a journal to be played back is opened for writing, and is not
  /// made where there is none.
  private static func isAllowed(_ flags: Int32) -> Bool {
    if flags & SQLITE_OPEN_SUPER_JOURNAL != 0 { return false }
    return flags & SQLITE_OPEN_MAIN_JOURNAL == 0
      || flags & (SQLITE_OPEN_CREATE | SQLITE_OPEN_READONLY) != 0
  }

  @unsafe private static func delete(
    _ own: UnsafeMutablePointer<sqlite3_vfs>?, _ name: UnsafePointer<CChar>?, _ isDurable: Int32
  ) -> Int32 {
    guard let base = unsafe base(of: own), let delete = unsafe base.pointee.xDelete,
      let path = unsafe FilePath(name), state.withLock({ $0.own.contains(path) })
    else { return dbrescue_ioerr_delete }
    let result = unsafe delete(base, name, isDurable)
    if result == SQLITE_OK { state.withLock { _ = $0.own.remove(path) } }
    return result
  }
}

extension FilePath {
  /// A path as SQLite hands it over.
  @unsafe fileprivate init?(_ name: UnsafePointer<CChar>?) {
    guard let name = unsafe name else { return nil }
    var count = 0
    while unsafe name[count] != 0 { count += 1 }
    self.init(
      bytes: unsafe UnsafeBufferPointer(start: name, count: count).map { UInt8(bitPattern: $0) })
  }
}
