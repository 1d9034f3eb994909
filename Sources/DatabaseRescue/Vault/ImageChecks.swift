// SPDX-License-Identifier: Apache-2.0
// What SQLite itself says of the private copy of a database that a backup holds.

internal import Diagnosis
internal import SQLiteFormat

/// The checks that SQLite does on the private copy that is stored.
///
/// What the backup gives back is this copy, byte for byte: that much was proven when it was stored.
enum ImageChecks {
  typealias Check = BackupManifest.Check

  /// The name of SQLite's check of structure, indexes and constraints.
  static let integrityCheck = "integrity_check"
  /// The name of SQLite's check that foreign keys point somewhere.
  static let foreignKeyCheck = "foreign_key_check"
  /// The name of what says why a check is not there.
  static let notChecked = "not checked"

  /// Checks the whole copy, which is not changed.
  static func all(of copy: FilePath) -> [Check] {
    run(on: copy) { (connection) throws(SQLiteError) in
      Check(integrityCheck, try integrity(of: nil, connection), otherwise: "ok")
    }
  }

  /// Checks what of a copy has changed since SQLite found an earlier one sound.
  ///
  /// - Parameters:
  ///   - copy: The copy, which is not changed.
  ///   - earlier: The backup for which the check was done.
  ///   - tables: The tables that are different now; nil when any may be.
  /// - Returns: The checks, each with the earlier backup where it rests on that.
  static func of(
    _ copy: FilePath, since earlier: EarlierBackup?, changed tables: [String]?
  ) -> [Check] {
    guard let earlier, earlier.isIntact else { return all(of: copy) }
    if earlier.changes.isEmpty {
      let names = [integrityCheck, foreignKeyCheck]
      return earlier.manifest.checks.filter { names.contains($0.name) }
        .map { $0.done(for: earlier.id) }
    }
    guard let tables else { return all(of: copy) }
    return run(on: copy) { (connection) throws(SQLiteError) in
      var problem: String?
      for table in tables where problem == nil { problem = try integrity(of: table, connection) }
      let names = tables.isEmpty ? "no table" : tables.joined(separator: ", ")
      return Check(
        integrityCheck, problem, otherwise: "ok for \(names); nothing else has changed"
      ).done(for: earlier.id)
    }
  }

  /// Runs both checks.
  ///
  /// One that SQLite cannot do, for example because the app defines a collation of its own, is not in
  /// the list; an entry then says why.
  private static func run(
    on copy: FilePath, integrity: (borrowing Connection) throws(SQLiteError) -> Check
  ) -> [Check] {
    do throws(SQLiteError) {
      let connection = try Connection(copy, mode: .immutable)
      // The copy is ours, and nobody makes it shorter while it is read.
      try connection.execute("PRAGMA mmap_size = \(1 << 40)")
      return [
        try run(integrityCheck, on: connection, integrity),
        try run(foreignKeyCheck, on: connection) { (connection) throws(SQLiteError) in
          Check(foreignKeyCheck, try foreignKeys(connection), otherwise: "ok")
        },
      ]
    } catch {
      return [Check(integrityCheck, passed: false, detail: error.message)]
    }
  }

  private static func run(
    _ name: String, on connection: borrowing Connection,
    _ check: (borrowing Connection) throws(SQLiteError) -> Check
  ) throws(SQLiteError) -> Check {
    do throws(SQLiteError) { return try check(connection) } catch {
      guard error.cause == .other else {
        return Check(name, passed: false, detail: error.message)
      }
      return Check(
        notChecked, passed: true, detail: "\(name) could not be done: \(error.message)")
    }
  }

  /// What SQLite finds wrong with the structure, or with that of one table; nil when nothing.
  private static func integrity(
    of table: String?, _ connection: borrowing Connection
  ) throws(SQLiteError) -> String? {
    let argument = table.map { "(\($0.quotedIdentifier))" } ?? ""
    let messages = try connection.rows("PRAGMA integrity_check\(argument)")
      .compactMap { $0.first?.utf8String }
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

extension BackupManifest.Check {
  /// A check that found a problem, or nothing.
  fileprivate init(_ name: String, _ problem: String?, otherwise detail: String) {
    self.init(name, passed: problem == nil, detail: problem ?? detail)
  }

  /// The same check, resting on what was found for an earlier backup.
  fileprivate func done(for id: BackupID) -> BackupManifest.Check {
    var check = self
    check.basis = basis ?? id
    return check
  }
}
