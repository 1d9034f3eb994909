// SPDX-License-Identifier: Apache-2.0
// Room at the end of every page that encryption and checksum extensions ask for.

internal import CSQLite

extension Connection {
  /// Keeps this many bytes at the end of every page unused (file header, offset 20).
  ///
  /// Takes effect only before the first table of a new file is made.
  package func reserve(bytesPerPage: Int) throws(SQLiteError) {
    var count = Int32(clamping: bytesPerPage)
    let result = unsafe sqlite3_file_control(
      handle, "main", SQLITE_FCNTL_RESERVE_BYTES, &count)
    guard result == SQLITE_OK else { throw error }
  }
}
