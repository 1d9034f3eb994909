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
    patience = mode == .create || author == .us ? Patience() : Patience(stepsFor: byteCount)
    unsafe handle = try Self.open(path, mode)
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

  /// How long a statement waits for another connection's lock, in milliseconds.
  package func wait(milliseconds: Int32) {
    unsafe sqlite3_busy_timeout(handle, milliseconds)
  }

  /// Runs SQL that returns nothing: one statement or several.
  package func execute(_ sql: String) throws(SQLiteError) {
    patience.beginStatement()
    let result = unsafe sqlite3_exec(handle, sql, nil, nil, nil)
    guard result == SQLITE_OK else { throw unsafe Self.error(of: handle, patience) }
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

  /// The last error of a handle.
  @unsafe static func error(of handle: OpaquePointer, _ patience: Patience? = nil) -> SQLiteError {
    let code = unsafe sqlite3_extended_errcode(handle)
    if code == SQLITE_INTERRUPT, patience?.isExhausted == true {
      return SQLiteError(extendedCode: code, message: "it takes more steps than it may")
    }
    let message = unsafe sqlite3_errmsg(handle)
    return SQLiteError(
      extendedCode: code,
      message: unsafe message.map { unsafe String(cString: $0) } ?? "unknown error")
  }
}

/// A prepared statement; finalized when it goes.
///
/// Its connection must outlive it only for new work: SQLite keeps a closed connection until its
/// last statement is gone.
@safe package struct Statement: ~Copyable {
  private let handle: OpaquePointer
  private let connection: OpaquePointer
  private let patience: Patience

  fileprivate init(
    _ sql: String, on connection: OpaquePointer, _ patience: Patience
  ) throws(SQLiteError) {
    var prepared: OpaquePointer?
    let bytes = Array(sql.utf8CString)
    var rest = 0
    let result = unsafe bytes.withUnsafeBufferPointer { buffer in
      var tail: UnsafePointer<CChar>?
      let result = unsafe sqlite3_prepare_v3(
        connection, buffer.baseAddress, Int32(clamping: buffer.count), 0, &prepared, &tail)
      if let tail = unsafe tail, let start = buffer.baseAddress {
        rest = unsafe tail - start
      }
      return result
    }
    guard result == SQLITE_OK else { throw unsafe Connection.error(of: connection) }
    guard let handle = unsafe prepared else {
      throw SQLiteError(extendedCode: SQLITE_ERROR, message: "no statement")
    }
    guard unsafe !Self.holdsStatement(Array(bytes[rest...]), on: connection) else {
      unsafe sqlite3_finalize(handle)
      throw SQLiteError(extendedCode: SQLITE_ERROR, message: "more than one statement")
    }
    unsafe self.handle = handle
    unsafe self.connection = connection
    self.patience = patience
    patience.beginStatement()
  }

  deinit { unsafe sqlite3_finalize(handle) }

  /// Whether the rest of the text is more than white space and comments.
  @unsafe private static func holdsStatement(
    _ text: [CChar], on connection: OpaquePointer
  ) -> Bool {
    guard text.count > 1 else { return false }
    var next: OpaquePointer?
    let result = unsafe sqlite3_prepare_v3(
      connection, text, Int32(clamping: text.count), 0, &next, nil)
    unsafe sqlite3_finalize(next)
    return unsafe result != SQLITE_OK || next != nil
  }

  /// The number of columns that rows of this statement have.
  package var columnCount: Int { Int(unsafe sqlite3_column_count(handle)) }

  /// The names of the columns.
  package var columnNames: [String] {
    (0..<Int32(columnCount)).map { index in
      unsafe sqlite3_column_name(handle, index).map { unsafe String(cString: $0) } ?? ""
    }
  }

  /// Whether the statement only says what another one would do.
  var isExplanation: Bool { unsafe sqlite3_stmt_isexplain(handle) != 0 }

  /// Runs to the next row; false when there is none.
  package func step() throws(SQLiteError) -> Bool {
    switch unsafe sqlite3_step(handle) {
    case SQLITE_ROW: return true
    case SQLITE_DONE: return false
    default: throw unsafe Connection.error(of: connection, patience)
    }
  }

  /// Makes the statement ready to run again; bound values stay.
  package func reset() {
    unsafe sqlite3_reset(handle)
    patience.beginStatement()
  }

  /// Runs once with these values, for statements without rows.
  package func run(_ values: [Value]) throws(SQLiteError) {
    try bind(values)
    defer { reset() }
    while try step() {}
  }

  /// Binds values to the parameters from the first on.
  package func bind(_ values: [Value]) throws(SQLiteError) {
    for (index, value) in values.enumerated() { try bind(value, at: index + 1) }
  }

  /// Binds a value to a parameter, from 1; text as the given encoding.
  package func bind(
    _ value: Value, at index: Int, encoding: TextEncoding = .utf8
  ) throws(SQLiteError) {
    switch value {
    case .null: try require(unsafe sqlite3_bind_null(handle, Int32(clamping: index)))
    case .integer(let integer):
      try require(unsafe sqlite3_bind_int64(handle, Int32(clamping: index), integer))
    case .real(let real):
      try require(unsafe sqlite3_bind_double(handle, Int32(clamping: index), real))
    case .text(let bytes):
      try bind(bytes, 0..<bytes.count, isText: true, at: index, encoding: encoding)
    case .blob(let bytes):
      try bind(bytes, 0..<bytes.count, isText: false, at: index, encoding: encoding)
    }
  }

  /// Binds a range of bytes as text or blob.
  package func bind(
    _ bytes: Bytes, _ range: Range<Int>, isText: Bool, at index: Int, encoding: TextEncoding
  ) throws(SQLiteError) {
    guard isText, encoding.isTakenForMark(bytes[range].prefix(2)) else {
      return try bindAsItIs(bytes, range, isText: isText, at: index, encoding: encoding)
    }
    let marked = encoding.byteOrderMark + bytes[range]
    try bindAsItIs(marked, 0..<marked.count, isText: true, at: index, encoding: encoding)
  }

  private func bindAsItIs(
    _ bytes: Bytes, _ range: Range<Int>, isText: Bool, at index: Int, encoding: TextEncoding
  ) throws(SQLiteError) {
    let index = Int32(clamping: index)
    let result: Int32 = unsafe bytes.withUnsafeBytes { buffer in
      let content = unsafe UnsafeRawBufferPointer(rebasing: buffer[range])
      guard !isText else {
        // A null start would bind NULL: an empty text needs some address.
        let start = unsafe content.baseAddress ?? UnsafeRawPointer(bitPattern: 1)
        return unsafe sqlite3_bind_text64(
          handle, index, start?.assumingMemoryBound(to: CChar.self), UInt64(content.count),
          dbrescue_transient(), encoding.sqliteCode)
      }
      guard unsafe !content.isEmpty else { return unsafe sqlite3_bind_zeroblob(handle, index, 0) }
      return unsafe sqlite3_bind_blob64(
        handle, index, content.baseAddress, UInt64(content.count), dbrescue_transient())
    }
    try require(result)
  }

  /// Binds bytes as text or blob that stay where they are until the statement forgets them.
  @unsafe func bind(
    kept content: UnsafeRawBufferPointer, isText: Bool, at index: Int, encoding: TextEncoding
  ) throws(SQLiteError) {
    let index = Int32(clamping: index)
    // What is empty may have no address, which would be NULL.
    guard unsafe !content.isEmpty, let start = content.baseAddress else {
      return try bind(isText ? .text([]) : .blob([]), at: Int(index), encoding: encoding)
    }
    if isText, unsafe encoding.isTakenForMark(content.prefix(2)) {
      return try bind(.text(unsafe Bytes(content)), at: Int(index), encoding: encoding)
    }
    try require(
      isText
        ? unsafe sqlite3_bind_text64(
          handle, index, start.assumingMemoryBound(to: CChar.self), UInt64(content.count), nil,
          encoding.sqliteCode)
        : unsafe sqlite3_bind_blob64(handle, index, start, UInt64(content.count), nil))
  }

  /// Limits how long values are on the statement's connection.
  func limitValues(to byteCount: Int) {
    unsafe sqlite3_limit(connection, SQLITE_LIMIT_LENGTH, Int32(clamping: byteCount))
  }

  /// Forgets all bound values.
  func forgetValues() {
    unsafe sqlite3_clear_bindings(handle)
  }

  /// Binds a blob of so many zeros, which takes no memory.
  package func bind(zeros count: Int, at index: Int) throws(SQLiteError) {
    try require(unsafe sqlite3_bind_zeroblob64(handle, Int32(clamping: index), UInt64(count)))
  }

  private func require(_ result: Int32) throws(SQLiteError) {
    guard result == SQLITE_OK else { throw unsafe Connection.error(of: connection) }
  }

  /// The values of the current row; text in UTF-8.
  package var row: [Value] { (0..<columnCount).map { self[$0] } }

  /// A value of the current row; text in UTF-8.
  package subscript(column: Int) -> Value {
    let index = Int32(clamping: column)
    switch unsafe sqlite3_column_type(handle, index) {
    case SQLITE_INTEGER: return .integer(unsafe sqlite3_column_int64(handle, index))
    case SQLITE_FLOAT: return .real(unsafe sqlite3_column_double(handle, index))
    case SQLITE_TEXT:
      let start = unsafe sqlite3_column_text(handle, index)
      return unsafe .text(bytes(UnsafeRawPointer(start), index))
    case SQLITE_BLOB:
      let start = unsafe sqlite3_column_blob(handle, index)
      return unsafe .blob(bytes(start, index))
    default: return .null
    }
  }

  @unsafe private func bytes(_ start: UnsafeRawPointer?, _ index: Int32) -> Bytes {
    guard let start = unsafe start else { return [] }
    let count = Int(unsafe sqlite3_column_bytes(handle, index))
    return unsafe Bytes(UnsafeRawBufferPointer(start: start, count: count))
  }
}

extension TextEncoding {
  /// Whether SQLite takes the beginning of a text for a byte order mark, and drops it: it does so
  /// once, with a mark that is put before it.
  fileprivate func isTakenForMark(_ start: some Collection<UInt8>) -> Bool {
    self != .utf8 && (start.elementsEqual([0xFF, 0xFE]) || start.elementsEqual([0xFE, 0xFF]))
  }

  fileprivate var byteOrderMark: Bytes { self == .utf16be ? [0xFE, 0xFF] : [0xFF, 0xFE] }

  var sqliteCode: UInt8 {
    switch self {
    case .utf8: UInt8(SQLITE_UTF8)
    case .utf16le: UInt8(SQLITE_UTF16LE)
    case .utf16be: UInt8(SQLITE_UTF16BE)
    }
  }
}

extension FilePath {
  /// The path in a URI, with every byte written as its number.
  fileprivate var percentEncoded: String {
    let digits = Array("0123456789ABCDEF")
    return String(bytes.flatMap { ["%", digits[Int($0 >> 4)], digits[Int($0 & 15)]] })
  }
}
