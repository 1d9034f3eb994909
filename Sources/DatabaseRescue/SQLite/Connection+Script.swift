// SPDX-License-Identifier: Apache-2.0
// A script of many statements, run one by one, so that a failure has a line.

internal import CSQLite

/// A statement of a script that failed, and where it starts.
struct ScriptFailure: Error {
  /// The line, from 1.
  let line: Int
  /// What SQLite says.
  let error: SQLiteError
}

extension Connection {
  /// Runs a script; statements for SQLite's own tables, which dumps contain, are passed over.
  ///
  /// Where it is that of an app, something stands in for functions that only the app has.
  ///
  /// - Throws: ``ScriptFailure`` at the first statement that fails.
  func executeScript(_ sql: String, ofApp isOfApp: Bool = false) throws(ScriptFailure) {
    let bytes = Array(sql.utf8CString)
    var start = 0
    while start < bytes.count - 1 {
      do throws(SQLiteError) {
        start = try executeStatement(of: bytes, from: start)
      } catch {
        if isOfApp, standIn(forWhatLacks: error) { continue }
        guard error.isReservedName else {
          let before = bytes[..<firstWord(of: bytes, from: start)]
          throw ScriptFailure(line: before.count { $0 == 0x0A } + 1, error: error)
        }
        let end = bytes[start...].firstIndex(of: CChar(UInt8(ascii: ";")))
        start = end.map { $0 + 1 } ?? bytes.count
      }
    }
  }

  /// Runs the statement that starts at an offset, and gives the offset of the next.
  func executeStatement(of bytes: [CChar], from start: Int) throws(SQLiteError) -> Int {
    var prepared: OpaquePointer?
    var next = bytes.count
    let code = unsafe bytes.withUnsafeBufferPointer { buffer in
      guard let first = buffer.baseAddress else { return SQLITE_OK }
      var tail: UnsafePointer<CChar>?
      let code = unsafe sqlite3_prepare_v3(
        handle, first + start, Int32(clamping: buffer.count - start), 0, &prepared, &tail)
      if let tail = unsafe tail { next = unsafe tail - first }
      return code
    }
    guard code == SQLITE_OK else { throw unsafe Self.error(of: handle, patience) }
    guard let statement = unsafe prepared else { return next }
    defer { unsafe sqlite3_finalize(statement) }
    while true {
      switch unsafe sqlite3_step(statement) {
      case SQLITE_ROW: continue
      case SQLITE_DONE: return next
      default: throw unsafe Self.error(of: handle, patience, running: statement)
      }
    }
  }

  /// Where a statement's text begins, after the space before it.
  private func firstWord(of bytes: [CChar], from start: Int) -> Int {
    bytes[start...].firstIndex { $0 > 0x20 || $0 < 0 } ?? start
  }
}

extension SQLiteError {
  fileprivate var isReservedName: Bool {
    message.hasPrefix("object name reserved for internal use: sqlite_")
  }
}
