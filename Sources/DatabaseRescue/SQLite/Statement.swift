// SPDX-License-Identifier: Apache-2.0
// A prepared statement: values are bound to it, and its rows are read.

internal import CSQLite
package import SQLiteFormat

/// A prepared statement; finalized when it goes.
///
/// Its connection must outlive it only for new work: SQLite keeps a closed connection until its
/// last statement is gone.
@safe package struct Statement: ~Copyable {
  private let handle: OpaquePointer
  private let connection: OpaquePointer
  private let patience: Patience

  init(
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
      throw SQLiteError.severalStatements
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
    default: throw unsafe Connection.error(of: connection, patience, running: handle)
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

  /// The values of the current row; text in the encoding of its database.
  package var storedRow: [Value] { (0..<columnCount).map { stored($0) } }

  /// A value of the current row; text in the encoding of its database, byte for byte.
  package func stored(_ column: Int) -> Value {
    let index = Int32(clamping: column)
    guard unsafe sqlite3_column_type(handle, index) == SQLITE_TEXT else { return self[column] }
    // Asked for a blob, SQLite gives the bytes of a text as they are.
    let start = unsafe sqlite3_column_blob(handle, index)
    return unsafe .text(bytes(start, index))
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
