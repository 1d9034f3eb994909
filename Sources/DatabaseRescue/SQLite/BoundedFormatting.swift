// SPDX-License-Identifier: Apache-2.0
// The one function of the library that takes as long as its arguments say, whatever comes out.

internal import CSQLite
import Synchronization

/// `printf`, with widths that a value can have.
///
/// SQLite counts every character of a width of a billion, although the text was given up long before,
/// and nothing interrupts it. On guarded connections such a width is an error at once; all else is
/// formatted by SQLite, on a connection that has nothing but this to do.
enum BoundedFormatting {
  /// The widest field.
  private static let widthMax: Int64 = 1 << 20
  /// The names of the function.
  static let names = ["printf", "format"]

  /// The connection, made when it is first needed.
  private static let formatter = Mutex<UInt>(0)

  /// Stands in for the function on a connection.
  @unsafe static func install(on handle: OpaquePointer) {
    for name in names {
      unsafe sqlite3_create_function_v2(
        handle, name, -1, SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_INNOCUOUS, nil,
        { context, count, arguments in
          unsafe BoundedFormatting.format(context, Int(count), arguments)
        }, nil, nil, nil)
    }
  }

  @unsafe private static func format(
    _ context: OpaquePointer?, _ count: Int,
    _ arguments: UnsafeMutablePointer<OpaquePointer?>?
  ) {
    guard let arguments = unsafe arguments, count > 0 else {
      unsafe sqlite3_result_null(context)
      return
    }
    guard unsafe isBounded(arguments, count) else {
      unsafe sqlite3_result_error_toobig(context)
      return
    }
    formatter.withLock { address in
      if address == 0 {
        var opened: OpaquePointer?
        unsafe sqlite3_open(":memory:", &opened)
        address = UInt(bitPattern: opened)
      }
      let marks = Array(repeating: "?", count: count).joined(separator: ", ")
      var statement: OpaquePointer?
      unsafe sqlite3_prepare_v2(
        OpaquePointer(bitPattern: address), "SELECT printf(\(marks))", -1, &statement, nil)
      defer { unsafe sqlite3_finalize(statement) }
      for index in 0..<count {
        unsafe bind(arguments[index], to: statement, at: Int32(index + 1))
      }
      if unsafe sqlite3_step(statement) == SQLITE_ROW {
        unsafe sqlite3_result_value(context, sqlite3_column_value(statement, 0))
      } else {
        unsafe sqlite3_result_error_toobig(context)
      }
    }
  }

  /// Hands an argument on: of a blob the text that it is in the encoding of its database, which here
  /// is another one.
  @unsafe private static func bind(
    _ argument: OpaquePointer?, to statement: OpaquePointer?, at index: Int32
  ) {
    guard unsafe sqlite3_value_type(argument) == SQLITE_BLOB,
      let text = unsafe sqlite3_value_text(argument)
    else {
      unsafe sqlite3_bind_value(statement, index, argument)
      return
    }
    let count = UInt64(unsafe sqlite3_value_bytes(argument))
    let start = unsafe UnsafeRawPointer(text).assumingMemoryBound(to: CChar.self)
    unsafe sqlite3_bind_text64(
      statement, index, start, count, dbrescue_transient(), UInt8(SQLITE_UTF8))
  }

  /// Whether no width is too large: neither one in the format, nor one among the values.
  @unsafe private static func isBounded(
    _ arguments: UnsafeMutablePointer<OpaquePointer?>, _ count: Int
  ) -> Bool {
    guard let text = unsafe sqlite3_value_text(arguments[0]) else { return true }
    let length = Int(unsafe sqlite3_value_bytes(arguments[0]))
    var digits = 0
    var takesWidths = false
    for index in 0..<length {
      let byte = unsafe text[index]
      digits = (0x30...0x39).contains(byte) ? digits + 1 : 0
      if digits > 6 { return false }
      if byte == UInt8(ascii: "*") { takesWidths = true }
    }
    guard takesWidths else { return true }
    return (1..<count).allSatisfy { index in
      unsafe sqlite3_value_type(arguments[index]) != SQLITE_INTEGER
        || (-widthMax...widthMax).contains(sqlite3_value_int64(arguments[index]))
    }
  }
}
