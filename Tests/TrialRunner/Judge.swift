// SPDX-License-Identifier: Apache-2.0
// What SQLite says of a database that may be anything: in a process that may die of it.

import CSQLite

/// Prints what `PRAGMA integrity_check` answers, or the error that it ends in.
///
/// SQLite is as an app has it: it trusts the schema, and applies what journals lie beside the file.
func judge(_ path: String) {
  var opened: OpaquePointer?
  var result = unsafe sqlite3_open_v2(path, &opened, SQLITE_OPEN_READWRITE, nil)
  var statement: OpaquePointer?
  if result == SQLITE_OK {
    result = unsafe sqlite3_prepare_v2(
      opened, "PRAGMA integrity_check(3)", -1, &statement, nil)
  }
  while result == SQLITE_OK || result == SQLITE_ROW {
    result = unsafe sqlite3_step(statement)
    if result == SQLITE_ROW, let text = unsafe sqlite3_column_text(statement, 0) {
      unsafe print(String(cString: text))
    }
  }
  if result != SQLITE_DONE, let message = unsafe sqlite3_errmsg(opened) {
    unsafe print("error \(result): \(String(cString: message))")
  }
}
