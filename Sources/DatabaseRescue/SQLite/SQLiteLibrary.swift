// SPDX-License-Identifier: Apache-2.0
// Which SQLite is in use: what a library cannot do, or does wrong, depends on its version.

internal import CSQLite

/// The SQLite that this program calls.
enum SQLiteLibrary {
  /// Its version, such as `3.46.1`, as it says itself at run time.
  static let version = unsafe String(cString: sqlite3_libversion())
}
