// SPDX-License-Identifier: Apache-2.0
// What SQLite says of a database that may be anything: in a process that may die of it.

import CSQLite

/// Prints a database's path and the first thing that `PRAGMA integrity_check` answers, or the
/// error that it ends in.
///
/// SQLite is as an app has it: it trusts the schema, and applies what journals lie beside the file.
func judge(_ path: String) {
  var opened: OpaquePointer?
  var result = unsafe sqlite3_open_v2(path, &opened, SQLITE_OPEN_READWRITE, nil)
  var statement: OpaquePointer?
  if result == SQLITE_OK {
    result = unsafe sqlite3_prepare_v2(opened, "PRAGMA integrity_check(1)", -1, &statement, nil)
  }
  if result == SQLITE_OK { result = unsafe sqlite3_step(statement) }
  if result == SQLITE_ROW, let text = unsafe sqlite3_column_text(statement, 0) {
    unsafe tell(path, String(cString: text))
  } else if let message = unsafe sqlite3_errmsg(opened) {
    unsafe tell(path, "error \(result): \(String(cString: message))")
  }
  unsafe sqlite3_finalize(statement)
  unsafe sqlite3_close(opened)
}

private func tell(_ path: String, _ answer: String) {
  print("\(path)\t\(String(answer.map { $0.isNewline ? " " : $0 }))")
}
