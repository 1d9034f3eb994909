// SPDX-License-Identifier: Apache-2.0
// Copies a whole database through SQLite's backup API: out of a live one, or into one.

internal import CSQLite
internal import SQLiteFormat

/// Copies of a whole database, page for page, through SQLite's backup API.
package enum OnlineBackup {
  /// How many pages are copied at a time.
  private static let pagesPerStep: Int32 = 4096

  /// Copies a live database, with its committed WAL, into a new file of ours.
  ///
  /// A read transaction is held on the source for the whole copy: without one, SQLite
  /// starts again at page 1 after every commit of another connection, and a busy writer
  /// keeps it from ever finishing. With it the copy is the state at one moment; writers
  /// go on in WAL mode, and wait for their commit in the other modes.
  ///
  /// The source is not changed. A WAL that is there stays as it is, also when this is its last
  /// connection; a `-shm` may appear. One with a hot journal is refused, which SQLite would play
  /// back: it is given a private copy instead.
  ///
  /// The copy is in a file that needs no journal or WAL beside it. It is not yet durable.
  ///
  /// - Parameters:
  ///   - source: The database.
  ///   - destination: The new file; it may exist if it is empty.
  ///   - wait: How long to wait for locks of other connections.
  ///   - isCancelled: Whether somebody wishes the run to stop.
  ///   - progress: Told how many bytes more are copied.
  /// - Throws: ``RescueError`` of the kind `.busy` when a lock was held for longer, and
  ///   `.invalidInput` when SQLite cannot read the source, or must not: it can still be stored raw.
  package static func image(
    of source: FilePath, into destination: FilePath, wait: Duration = .seconds(5),
    isCancelled: () -> Bool = { false }, progress: (Progress) -> Void = { _ in }
  ) throws(RescueError) {
    let reader = try openSource(source, wait: wait)
    let writer = try openNew(destination)
    do {
      try copy(reader, into: writer, isCancelled: isCancelled, progress: progress)
      try reader.execute("COMMIT")
    } catch {
      throw RescueError(
        error, doing: "copy '\(source)'", meaning: "nothing was stored; the database is untouched")
    }
  }

  /// Copies a good database into a live one, as one transaction of the live one.
  ///
  /// Peers that hold the live database open see the new content with their next
  /// transaction; a kill at any moment leaves all of the old or all of the new. The
  /// journal mode of the live database stays, unless it is a rollback mode and the good
  /// file is marked as WAL: then it becomes WAL. The good file is not changed. The old
  /// content is gone afterwards, with what crashed transactions left beside it:
  /// `onceLocked` is called to keep it, when nobody else can write to it any more. In a
  /// rollback mode nobody else can read it then, either, but for its plain bytes.
  ///
  /// Where it is said whether the live database is to be in WAL mode, it is brought back to that
  /// afterwards; while another connection is open it stays as it is.
  ///
  /// - Parameters:
  ///   - source: The good database.
  ///   - destination: The live database; it must exist and SQLite must be able to open it.
  ///   - isWAL: Whether it is to be in WAL mode; nil where its mode stays.
  ///   - wait: How long to wait for locks of other connections.
  ///   - onceLocked: Keeps the old content; nothing is changed if it throws.
  /// - Throws: ``RescueError`` of the kind `.busy` when a lock was held for longer,
  ///   `.invalidInput` when either file is damaged, and `.cannotWrite` when the page
  ///   sizes differ and the live database is in WAL mode, where SQLite cannot change it.
  package static func copy(
    from source: FilePath, into destination: FilePath, asWAL isWAL: Bool? = nil,
    wait: Duration = .seconds(5), onceLocked: () throws(RescueError) -> Void = {}
  ) throws(RescueError) {
    let reader = try openSource(source, wait: wait)
    try JournalInPlace.requireNotHot(beside: destination)
    do {
      let writer = try Connection(destination, mode: .readWrite)
      writer.wait(milliseconds: wait.milliseconds)
      // A database that shrinks is cut after its journal is gone. Unless that is durable first, a
      // journal that comes back after a power failure finds nothing to put its pages back to.
      try writer.execute("PRAGMA synchronous = EXTRA")
      // Reads the header, and so finds a file that SQLite cannot replace from within.
      _ = try writer.value("SELECT 1 FROM sqlite_schema")
      try copy(reader, into: writer, onceLocked: onceLocked)
      try reader.execute("COMMIT")
      if let isWAL { try? writer.setWAL(isWAL) }
    } catch {
      let meaning = "the database in '\(destination)' is as it was"
      guard let error = error as? SQLiteError, error.code == SQLITE_READONLY else {
        throw RescueError(error, doing: "copy into '\(destination)'", meaning: meaning)
      }
      throw RescueError(
        .cannotWrite, "cannot copy into '\(destination)': \(error.message)",
        meaning: meaning + "; it cannot be written to, or its page size is another in WAL mode",
        advice: "close every app that uses it, so that the file itself can be replaced")
    }
  }

  /// Whether some connection, of this process or another, is in a write transaction.
  ///
  /// Nothing is read: a journal beside the database, hot or not, stays as it is. Only
  /// rollback modes answer; in WAL mode this is always false.
  ///
  /// - Throws: ``RescueError`` when SQLite cannot open the file or ask for its locks.
  package static func hasWriter(_ path: FilePath) throws(RescueError) -> Bool {
    do throws(SQLiteError) {
      let connection = try Connection(path, mode: .readOnly)
      var file: UnsafeMutablePointer<sqlite3_file>?
      var isReserved: Int32 = 0
      var result = unsafe withUnsafeMutablePointer(to: &file) { file in
        unsafe sqlite3_file_control(connection.handle, "main", SQLITE_FCNTL_FILE_POINTER, file)
      }
      if result == SQLITE_OK {
        let check = unsafe file?.pointee.pMethods?.pointee.xCheckReservedLock
        result = unsafe check?(file, &isReserved) ?? SQLITE_NOTFOUND
      }
      guard result == SQLITE_OK else {
        throw SQLiteError(extendedCode: result, message: "cannot ask for locks")
      }
      return isReserved != 0
    } catch {
      throw RescueError(error, doing: "read '\(path)'")
    }
  }

  /// The first bytes of a database file, read by SQLite; none where it has fewer.
  ///
  /// Nothing of what lies beside the file is looked at, and nothing is locked. A process that
  /// opened and closed the file itself would give up the locks of its own connections.
  ///
  /// - Throws: ``RescueError`` when SQLite cannot open or read the file.
  static func start(of path: FilePath, count: Int) throws(RescueError) -> Bytes {
    do throws(SQLiteError) {
      let connection = try Connection(path, mode: .readOnly)
      var file: UnsafeMutablePointer<sqlite3_file>?
      var result = unsafe withUnsafeMutablePointer(to: &file) { file in
        unsafe sqlite3_file_control(connection.handle, "main", SQLITE_FCNTL_FILE_POINTER, file)
      }
      var bytes = Bytes(repeating: 0, count: count)
      if result == SQLITE_OK {
        let read = unsafe file?.pointee.pMethods?.pointee.xRead
        result = unsafe bytes.withUnsafeMutableBytes { buffer in
          unsafe read?(file, buffer.baseAddress, Int32(count), 0) ?? SQLITE_NOTFOUND
        }
      }
      // What lies behind the end of the file is zero.
      if result == SQLITE_IOERR | 2 << 8 { return [] }
      guard result == SQLITE_OK else {
        throw SQLiteError(extendedCode: result, message: "cannot read its first bytes")
      }
      return bytes
    } catch {
      throw RescueError(error, doing: "read '\(path)'")
    }
  }

  /// Opens a file that is ours alone, and worth nothing until the copy is complete.
  private static func openNew(_ path: FilePath) throws(RescueError) -> Connection {
    do throws(SQLiteError) {
      let connection = try Connection(path, mode: .create)
      try connection.execute("PRAGMA journal_mode = MEMORY; PRAGMA synchronous = OFF")
      return connection
    } catch {
      throw RescueError(error, doing: "write '\(path)'")
    }
  }

  /// Opens a database and begins a read transaction on it.
  private static func openSource(
    _ path: FilePath, wait: Duration
  ) throws(RescueError) -> Connection {
    // Looked at before SQLite opens the file: it makes an empty WAL of its own at once.
    let (main, log, journal) = try byteCounts(path)
    guard main > 0 || (log == 0 && journal == 0) else {
      throw RescueError(
        .invalidInput, "'\(path)' is empty, but its WAL or journal is not",
        meaning: "SQLite would delete what may be the only copy of the data",
        advice: "dbrescue diagnose FILE")
    }
    try JournalInPlace.requireNotHot(beside: path)
    // The last connection to close must not write a WAL back into the main file. An empty
    // one is left to SQLite to remove again, which it does safely beside peers.
    let keepsLog = log > 0
    do throws(SQLiteError) {
      do throws(SQLiteError) {
        return try begin(path, mode: .readWrite, wait: wait, keepsLog: keepsLog)
      } catch  where [.permission, .cannotOpen].contains(error.cause) {
        // A folder or file that must not be written to.
        return try begin(path, mode: .readOnly, wait: wait, keepsLog: keepsLog)
      }
    } catch {
      throw RescueError(
        error, doing: "read '\(path)'", meaning: "nothing was stored; the database is untouched")
    }
  }

  private static func begin(
    _ path: FilePath, mode: Connection.Mode, wait: Duration, keepsLog: Bool
  ) throws(SQLiteError) -> Connection {
    let connection = try Connection(path, mode: mode)
    connection.configure(SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, keepsLog)
    connection.wait(milliseconds: wait.milliseconds)
    // BEGIN alone takes no lock; the first read does.
    try connection.execute("BEGIN; SELECT 1 FROM sqlite_schema LIMIT 1")
    return connection
  }

  /// The sizes of the main file, the WAL and the journal.
  private static func byteCounts(
    _ path: FilePath
  ) throws(RescueError) -> (main: Int, log: Int, journal: Int) {
    let storage = SystemStorage()
    func size(_ path: FilePath) throws(StorageError) -> Int {
      try storage.status(of: path)?.byteCount ?? 0
    }
    do throws(StorageError) {
      // SQLite, too, looks for them beside the file that a link leads to.
      let main = try storage.resolve(path)
      return try (
        size(main), size(main.adding(suffix: "-wal")), size(main.adding(suffix: "-journal"))
      )
    } catch {
      throw RescueError(error)
    }
  }

  /// Copies all pages; both connections stay open.
  private static func copy(
    _ source: borrowing Connection, into destination: borrowing Connection,
    isCancelled: () -> Bool = { false }, progress: (Progress) -> Void = { _ in },
    onceLocked: () throws -> Void = {}
  ) throws {
    let pageSize = Int(try source.value("PRAGMA page_size")?.integerValue ?? 0)
    guard
      let backup = unsafe sqlite3_backup_init(destination.handle, "main", source.handle, "main")
    else { throw destination.error }
    // No pages at first: that locks the destination.
    var result = unsafe sqlite3_backup_step(backup, 0)
    var failure: (any Error)?
    var left = 0
    if result == SQLITE_OK {
      do { try onceLocked() } catch { failure = error }
    }
    while result == SQLITE_OK, failure == nil {
      if isCancelled() {
        failure = RescueError.interrupted
      } else {
        result = unsafe sqlite3_backup_step(backup, pagesPerStep)
        let rest = Int(unsafe sqlite3_backup_remaining(backup))
        if rest < left { progress(.advanced((left - rest) * pageSize)) }
        left = rest
      }
    }
    // The result of a failed step is also that of finishing, and is set on the destination.
    let finished = unsafe sqlite3_backup_finish(backup)
    if let failure { throw failure }
    guard result == SQLITE_DONE, finished == SQLITE_OK else {
      let code = result == SQLITE_DONE ? finished : result
      let message = unsafe sqlite3_errstr(code).map { unsafe String(cString: $0) }
      throw SQLiteError(extendedCode: code, message: message ?? "unknown error")
    }
  }
}

extension Duration {
  /// The whole milliseconds, as SQLite takes them.
  fileprivate var milliseconds: Int32 {
    Int32(min(max(self / .milliseconds(1), 0), Double(Int32.max)))
  }
}

extension Connection {
  /// Brings a database to WAL mode, or out of it, where it is not in that already.
  fileprivate func setWAL(_ isWAL: Bool) throws(SQLiteError) {
    let mode = try value("PRAGMA journal_mode")?.utf8String
    guard (mode == "wal") != isWAL else { return }
    try execute("PRAGMA journal_mode = \(isWAL ? "WAL" : "DELETE")")
  }
}
