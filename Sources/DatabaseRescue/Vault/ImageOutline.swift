// SPDX-License-Identifier: Apache-2.0
// What is known of a database before anything of it was read but its first pages.

internal import SQLiteFormat

/// What a private copy says about itself at first sight.
enum ImageOutline {
  /// Page size, versions and schema; what SQLite cannot read is left out.
  ///
  /// It stands at the very front of a backup, so that also one that was cut off has it.
  static func content(of copy: FilePath) -> BackupContent {
    do throws(SQLiteError) {
      let connection = try Connection(copy, mode: .immutable)
      func number(_ pragma: String) throws(SQLiteError) -> Int64 {
        try connection.value("PRAGMA \(pragma)")?.integerValue ?? 0
      }
      return BackupContent(
        pageSize: Int(try number("page_size")),
        userVersion: Int32(truncatingIfNeeded: try number("user_version")),
        applicationID: UInt32(truncatingIfNeeded: try number("application_id")),
        schemaSQL: try connection.rows(
          "SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL ORDER BY rowid"
        ).compactMap { $0.first?.utf8String })
    } catch {
      // Nothing is lost: what is measured later does not ask SQLite.
      return BackupContent()
    }
  }
}
