// SPDX-License-Identifier: Apache-2.0
// What SQLite itself says of a database, asked on a private copy.

internal import SQLiteFormat

/// The checks that SQLite does on a private copy of a database.
enum TrialRestore {
  /// The name of the check that the copy could be made and opened.
  static let restored = "trial restore"
  /// The name of SQLite's check of structure, indexes and constraints.
  static let integrityCheck = "integrity_check"
  /// The name of SQLite's check that foreign keys point somewhere.
  static let foreignKeyCheck = "foreign_key_check"

  /// Checks a private copy, which SQLite may change.
  ///
  /// A check that SQLite cannot do, for example because the app defines a collation of
  /// its own, is not in the list; the first entry then says why.
  static func checks(of copy: FilePath) -> [BackupManifest.Check] {
    do throws(SQLiteError) {
      let connection = try Connection(copy, mode: .readWrite)
      var notDone: [String] = []
      var checks: [BackupManifest.Check] = []
      for (name, check) in [(integrityCheck, integrity), (foreignKeyCheck, foreignKeys)] {
        do throws(SQLiteError) {
          let problem = try check(connection)
          checks.append(
            BackupManifest.Check(name, passed: problem == nil, detail: problem ?? "ok"))
        } catch  where error.cause == .other {
          notDone.append("; \(name) could not be done: \(error.message)")
        } catch {
          checks.append(BackupManifest.Check(name, passed: false, detail: error.message))
        }
      }
      let detail = "inflated to a private copy" + notDone.joined()
      return [BackupManifest.Check(restored, passed: true, detail: detail)] + checks
    } catch {
      return [BackupManifest.Check(restored, passed: false, detail: error.message)]
    }
  }

  /// What SQLite finds wrong with the structure; nil when nothing.
  private static func integrity(_ connection: borrowing Connection) throws(SQLiteError) -> String? {
    let messages = try connection.rows("PRAGMA integrity_check").compactMap { $0.first?.utf8String }
    guard messages != ["ok"] else { return nil }
    // The first line of a damaged tree only names the database.
    let lines = messages.flatMap { $0.split(separator: "\n") }.filter { !$0.hasPrefix("***") }
    return "\(lines.count) problems, the first: \(lines.first ?? "none named")"
  }

  /// How many rows refer to rows that are not there; nil when none.
  private static func foreignKeys(
    _ connection: borrowing Connection
  ) throws(SQLiteError) -> String? {
    let statement = try connection.prepare("PRAGMA foreign_key_check")
    var count = 0
    while try statement.step() { count += 1 }
    return count == 0 ? nil : "\(count) rows refer to rows that are not there"
  }
}
