// SPDX-License-Identifier: Apache-2.0
// One connection to SQLite. Never opened on a file that a user submitted: only on private
// copies, on fresh files, and on live databases that a command was asked to change.

internal import CSQLite
package import SQLiteFormat

/// A connection to SQLite; closed when it goes.
///
/// Unless its schema is our own, no statement on it attaches a file, loads an extension, calls a
/// function that is not on our list, or takes more time and memory than it may: whatever a schema,
/// a script or a contract says.
@safe package struct Connection: ~Copyable {
  /// How a file is opened.
  package enum Mode: Hashable, Sendable {
    /// Reading only; the file must exist.
    case readOnly
    /// Reading only a file that nobody writes to: no locks, no journal, and nothing beside it.
    case immutable
    /// Reading and writing; the file must exist.
    case readWrite
    /// Reading and writing as an app does it: made where there is none, and what a crash has left is
    /// played back. Never for a file that came from elsewhere.
    case app
    /// The same of a file that exists, for SQL files of the app: see
    /// ``StatementGuard/Permission/migration``.
    case migration
    /// Reading and writing; made where there is none.
    case create
    /// No file: a database in memory.
    case memory
  }

  /// Who wrote the schema of a database.
  package enum Author: Hashable, Sendable {
    /// Anybody: a user who sent a file, an app, a contract.
    case others
    /// This program, which need not be kept from anything.
    case us
  }

  /// The handle, owned by this value alone and closed by its `deinit`.
  let handle: OpaquePointer
  /// What statements may do, for as long as the handle lives.
  let statementGuard = StatementGuard()
  /// How long statements may take, for as long as the handle lives.
  let patience: Patience

  /// Opens a connection in defensive mode.
  ///
  /// No value that a statement makes has more bytes than the files of the database, or a megabyte:
  /// what is longer, no row can hold. A new file has no such limit, unless it is set.
  ///
  /// - Throws: ``SQLiteError`` when the file cannot be opened. SQLite reads nothing
  ///   of it before the first statement.
  package init(
    _ path: FilePath = "", mode: Mode, schemaBy author: Author = .others
  ) throws(SQLiteError) {
    let author = mode == .app || mode == .migration ? .us : author
    let byteCount = Self.byteCount(of: path, mode)
    unsafe self.init(try Self.open(path, mode), mode, author, byteCount)
  }

  /// Opens bytes of ours as a database that nobody can write to: nothing of it is on any disk.
  ///
  /// - Throws: ``SQLiteError`` when there is no memory for it.
  package static func reading(_ image: Bytes) throws(SQLiteError) -> Connection {
    let opened = try unsafe open("", .memory)
    let result = unsafe load(image, into: opened)
    let connection = unsafe Connection(opened, .memory, .others, image.count)
    guard result == SQLITE_OK else { throw connection.error }
    return connection
  }

  /// Puts a handle, which it owns, into defensive mode.
  @unsafe private init(
    _ opened: OpaquePointer, _ mode: Mode, _ author: Author, _ byteCount: Int
  ) {
    patience = mode == .create || author == .us ? Patience() : Patience(stepsFor: byteCount)
    unsafe handle = opened
    unsafe sqlite3_busy_timeout(handle, 5000)
    configure(SQLITE_DBCONFIG_DEFENSIVE, true)
    // Which functions a schema may call is told by our own list, which SQLite's word would narrow.
    configure(SQLITE_DBCONFIG_TRUSTED_SCHEMA, true)
    configure(SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION, false)
    configure(SQLITE_DBCONFIG_ENABLE_FTS3_TOKENIZER, false)
    if author == .others { guardAgainstOthers(mode, byteCount) }
    if mode == .migration {
      limit(SQLITE_LIMIT_ATTACHED, to: 0)
      putOnGuard()
    }
  }

  /// Keeps SQL that somebody else wrote within bounds.
  private func guardAgainstOthers(_ mode: Mode, _ byteCount: Int) {
    limit(SQLITE_LIMIT_ATTACHED, to: 0)
    limit(SQLITE_LIMIT_WORKER_THREADS, to: 0)
    if mode != .create { limit(SQLITE_LIMIT_LENGTH, to: max(1 << 20, byteCount)) }
    putOnGuard()
    for function in KnownFunctions.unlisted {
      standIn(forFunction: function.name, argumentCount: Int32(clamping: function.argumentCount))
    }
    unsafe BoundedFormatting.install(on: handle)
    for module in KnownModules.unlisted { standIn(forModule: module) }
  }

  @unsafe private static func open(
    _ path: FilePath, _ mode: Mode
  ) throws(SQLiteError) -> OpaquePointer {
    var flags = SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE
    switch mode {
    case .readOnly: flags |= SQLITE_OPEN_READONLY
    case .immutable: flags |= SQLITE_OPEN_READONLY | SQLITE_OPEN_URI
    case .readWrite, .migration: flags |= SQLITE_OPEN_READWRITE
    case .create, .app: flags |= SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE
    case .memory: flags |= SQLITE_OPEN_READWRITE | SQLITE_OPEN_MEMORY
    }
    var opened: OpaquePointer?
    // A name such as ":memory:" or "file:x" is special to SQLite; "./" before it makes it a file.
    let name: FilePath =
      switch mode {
      case .memory: ":memory:"
      case .immutable: FilePath("file:\(path.percentEncoded)?immutable=1")
      case .readOnly, .readWrite, .create, .app, .migration:
        path.isAbsolute ? path : FilePath("./").appending(path)
      }
    let isApp = mode == .app || mode == .migration
    let files = unsafe isApp ? nil : GuardedFiles.name
    let result = unsafe name.withCString { unsafe sqlite3_open_v2($0, &opened, flags, files) }
    guard result == SQLITE_OK, let handle = unsafe opened else {
      let error =
        if let broken = unsafe opened { unsafe Self.error(of: broken) } else {
          SQLiteError(extendedCode: result, message: "out of memory")
        }
      unsafe sqlite3_close_v2(opened)
      throw error
    }
    return unsafe handle
  }

  /// Gives a connection a copy of the bytes in the place of its main database.
  @unsafe private static func load(_ image: Bytes, into handle: OpaquePointer) -> Int32 {
    let count = Int64(image.count)
    guard let memory = unsafe sqlite3_malloc64(UInt64(image.count)) else { return SQLITE_NOMEM }
    unsafe image.withUnsafeBytes { bytes in
      unsafe memory.copyMemory(
        from: bytes.baseAddress ?? UnsafeRawPointer(memory), byteCount: image.count)
    }
    // SQLite frees the memory, also where this fails.
    return unsafe sqlite3_deserialize(
      handle, "main", memory.assumingMemoryBound(to: UInt8.self), count, count,
      UInt32(SQLITE_DESERIALIZE_READONLY | SQLITE_DESERIALIZE_FREEONCLOSE))
  }

  /// The bytes of a database and its log; what cannot be looked at cannot be opened, either.
  private static func byteCount(of path: FilePath, _ mode: Mode) -> Int {
    guard mode != .memory else { return 0 }
    return [path, path.adding(suffix: "-wal")].reduce(0) { sum, path in
      sum + (((try? SystemStorage().status(of: path)) ?? nil)?.byteCount ?? 0)
    }
  }

  deinit {
    // A statement may keep what is closed alive, and must not ask any more.
    unsafe sqlite3_progress_handler(handle, 0, nil, nil)
    unsafe sqlite3_set_authorizer(handle, nil, nil)
    unsafe sqlite3_close_v2(handle)
  }

  /// Spares SQLite, in all of this process, the counting of its memory; before the first connection
  /// is opened, and in a process of our own only.
  package static func forgoStatistics() {
    _ = dbrescue_forgo_statistics()
  }

  /// Sets one of SQLite's per-connection switches.
  package func configure(_ option: Int32, _ on: Bool) {
    _ = unsafe dbrescue_db_config_int(handle, option, on ? 1 : 0)
  }

  /// Whether a transaction is open.
  var isInTransaction: Bool { unsafe sqlite3_get_autocommit(handle) == 0 }

  /// Makes every statement fail once `isWished` says so.
  package func stop(when isWished: @escaping @Sendable () -> Bool) {
    patience.isStopWished = isWished
  }

  /// Tells, while statements run, how many more bytes of the database were read from its file.
  ///
  /// - Throws: ``SQLiteError`` when not even its page size can be read.
  package func tell(_ advanced: @escaping @Sendable (Int) -> Void) throws(SQLiteError) {
    let pageSize = Int(try value("PRAGMA page_size")?.integerValue ?? 0)
    let read = unsafe PagesRead(handle)
    patience.look = { advanced(read.sinceLastLook * pageSize) }
  }

  /// How long a statement waits for another connection's lock, in milliseconds.
  package func wait(milliseconds: Int32) {
    unsafe sqlite3_busy_timeout(handle, milliseconds)
  }

  /// Runs SQL that returns nothing: one statement or several.
  package func execute(_ sql: String) throws(SQLiteError) {
    patience.beginStatement()
    let bytes = Array(sql.utf8CString)
    var start = 0
    while start < bytes.count - 1 { start = try executeStatement(of: bytes, from: start) }
  }

  /// Prepares one statement.
  ///
  /// - Throws: ``SQLiteError`` when the SQL does not parse, or when anything but
  ///   white space and comments follows the first statement.
  package func prepare(_ sql: String) throws(SQLiteError) -> Statement {
    try unsafe Statement(sql, on: handle, patience)
  }

  /// The rows of a query, each an array of its values.
  package func rows(_ sql: String, _ values: [Value] = []) throws(SQLiteError) -> [[Value]] {
    let statement = try prepare(sql)
    try statement.bind(values)
    var rows: [[Value]] = []
    while try statement.step() { rows.append(statement.row) }
    return rows
  }

  /// The first value of the first row of a query; nil when there is no row.
  package func value(_ sql: String, _ values: [Value] = []) throws(SQLiteError) -> Value? {
    let statement = try prepare(sql)
    try statement.bind(values)
    return try statement.step() ? statement[0] : nil
  }

  /// The last error of this connection.
  var error: SQLiteError { unsafe Self.error(of: handle) }

  /// The last error of a handle; of a statement that was running, without what it may say of rows.
  @unsafe static func error(
    of handle: OpaquePointer, _ patience: Patience? = nil, running statement: OpaquePointer? = nil
  ) -> SQLiteError {
    let code = unsafe sqlite3_extended_errcode(handle)
    if code == SQLITE_INTERRUPT, patience?.isExhausted == true {
      return SQLiteError(extendedCode: code, message: "it takes more steps than it may")
    }
    // Where there is no room for the index of a log, SQLite calls that an error of the disk.
    if code & 0xFF == SQLITE_IOERR, StorageError.isNoSpace(unsafe sqlite3_system_errno(handle)) {
      return SQLiteError(
        extendedCode: SQLITE_FULL, message: unsafe String(cString: sqlite3_errstr(SQLITE_FULL)))
    }
    let message = unsafe sqlite3_errmsg(handle)
    let error = SQLiteError(
      extendedCode: code,
      message: unsafe message.map { unsafe String(cString: $0) } ?? "unknown error")
    // What a module says of the table that it is to make is about the statement.
    guard let statement = unsafe statement, unsafe !isMakingVirtualTable(statement) else {
      return error
    }
    return error.withoutRows
  }

  @unsafe private static func isMakingVirtualTable(_ statement: OpaquePointer) -> Bool {
    guard let sql = unsafe sqlite3_sql(statement) else { return false }
    let words = unsafe String(cString: sql).prefix(40).split(whereSeparator: \.isWhitespace)
    return words.prefix(2).map { Name(String($0)) } == ["CREATE", "VIRTUAL"]
  }
}

extension FilePath {
  /// The path in a URI, with every byte written as its number.
  fileprivate var percentEncoded: String {
    let digits = Array("0123456789ABCDEF")
    return String(bytes.flatMap { ["%", digits[Int($0 >> 4)], digits[Int($0 & 15)]] })
  }
}

/// How many pages a connection has read from its file; for as long as its handle lives.
@safe private final class PagesRead {
  private let handle: OpaquePointer
  private var known = 0

  @unsafe init(_ handle: OpaquePointer) { unsafe self.handle = handle }

  /// How many were read since this was asked last.
  var sinceLastLook: Int {
    var (count, highest) = (Int32(0), Int32(0))
    unsafe sqlite3_db_status(handle, SQLITE_DBSTATUS_CACHE_MISS, &count, &highest, 0)
    defer { known = Int(count) }
    return max(0, Int(count) - known)
  }
}
