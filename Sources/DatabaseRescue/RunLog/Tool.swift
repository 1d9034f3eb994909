// SPDX-License-Identifier: Apache-2.0
// Which program this is, as its records and reports name it.

/// This program and the libraries that it uses.
enum Tool {
  /// The version of this library and of the command.
  static let version = "0.2.0"

  /// The program with its version, as documents name it.
  static let name = "dbrescue \(version)"

  /// The libraries in use, with their versions, such as `SQLite 3.46.1, zlib 1.3.1`.
  static let libraries = "SQLite \(SQLiteLibrary.version), zlib \(Deflate.version)"
}
