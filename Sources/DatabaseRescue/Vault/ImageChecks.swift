// SPDX-License-Identifier: Apache-2.0
// What SQLite itself says of the private copy of a database that a backup holds.

internal import Diagnosis
internal import SQLiteFormat

#if canImport(FoundationEssentials)
  internal import FoundationEssentials
#else
  internal import Foundation
#endif

/// The checks that SQLite does on the private copy that is stored.
///
/// What the backup gives back is this copy, byte for byte but for what free pages held: that much was
/// proven when it was stored.
enum ImageChecks {
  typealias Check = BackupManifest.Check

  /// The name of SQLite's check of structure, indexes and constraints.
  static let integrityCheck = "integrity_check"
  /// The name of SQLite's check that foreign keys point somewhere.
  static let foreignKeyCheck = "foreign_key_check"
  /// The name of what says why a check is not there.
  static let notChecked = "not checked"

  /// Checks the whole copy, which is not changed, unless somebody wishes the run to stop.
  static func all(
    of copy: FilePath, until isCancelled: @escaping @Sendable () -> Bool = { false }
  ) -> [Check] {
    [integrity(in: copy, until: isCancelled), foreignKeys(in: copy, until: isCancelled)]
  }

  /// Checks what of a copy has changed since SQLite found an earlier one sound.
  ///
  /// - Parameters:
  ///   - copy: The copy, which is not changed.
  ///   - earlier: The backup for which the check was done.
  ///   - tables: The tables that are different now; nil when any may be.
  ///   - isCancelled: Whether somebody wishes the run to stop.
  /// - Returns: The checks, each with the earlier backup where it rests on that.
  static func of(
    _ copy: FilePath, since earlier: EarlierBackup?, changed tables: [String]?,
    until isCancelled: @escaping @Sendable () -> Bool = { false }
  ) -> [Check] {
    guard let earlier, earlier.isIntact else { return all(of: copy, until: isCancelled) }
    if earlier.changes.isEmpty {
      let names = [integrityCheck, foreignKeyCheck]
      return earlier.manifest.checks.filter { names.contains($0.name) }
        .map { $0.done(for: earlier.id) }
    }
    guard let tables else { return all(of: copy, until: isCancelled) }
    let names = tables.isEmpty ? "no table" : tables.joined(separator: ", ")
    let detail = "ok for \(names); nothing else has changed"
    let pieces = tables.split(into: ProcessInfo.processInfo.activeProcessorCount)
    let checks = Parallel.map(pieces.count + 1) { index in
      index == 0
        ? foreignKeys(in: copy, until: isCancelled)
        : integrity(
          of: pieces[index - 1], in: copy, otherwise: detail, until: isCancelled)
    }
    let found = checks.dropFirst()
    let sum =
      found.first { !$0.passed } ?? found.first { $0.name == notChecked }
      ?? Check(integrityCheck, passed: true, detail: detail)
    return [sum.done(for: earlier.id), checks[0]]
  }

  /// What SQLite finds wrong with the structure, or with that of some tables.
  private static func integrity(
    of tables: [String]? = nil, in copy: FilePath, otherwise detail: String = "ok",
    until isCancelled: @escaping @Sendable () -> Bool
  ) -> Check {
    run(integrityCheck, on: copy, otherwise: detail, until: isCancelled) {
      (connection) throws(SQLiteError) in
      for argument in tables.map({ $0.map { "(\($0.quotedIdentifier))" } }) ?? [""] {
        let messages = try connection.rows("PRAGMA integrity_check\(argument)")
          .compactMap { $0.first?.utf8String }
        guard messages != ["ok"] else { continue }
        // The first line of a damaged tree only names the database.
        let lines = messages.flatMap { $0.split(separator: "\n") }.filter { !$0.hasPrefix("***") }
        return "\(lines.count) problems, the first: \(lines.first ?? "none named")"
      }
      return nil
    }
  }

  /// How many rows refer to rows that are not there.
  private static func foreignKeys(
    in copy: FilePath, until isCancelled: @escaping @Sendable () -> Bool
  ) -> Check {
    run(foreignKeyCheck, on: copy, otherwise: "ok", until: isCancelled) {
      (connection) throws(SQLiteError) in
      let statement = try connection.prepare("PRAGMA foreign_key_check")
      var count = 0
      while try statement.step() { count += 1 }
      return count == 0 ? nil : "\(count) rows refer to rows that are not there"
    }
  }

  /// Runs a check that names a problem, or none.
  ///
  /// What SQLite cannot check, for example because the app defines a collation of its own, has not
  /// failed: an entry says why it was not done.
  private static func run(
    _ name: String, on copy: FilePath, otherwise detail: String,
    until isCancelled: @escaping @Sendable () -> Bool,
    _ problem: (borrowing Connection) throws(SQLiteError) -> String?
  ) -> Check {
    do throws(SQLiteError) {
      let connection = try Connection(copy, mode: .immutable)
      connection.stop(when: isCancelled)
      do throws(SQLiteError) {
        let problem = try problem(connection)
        return Check(name, passed: problem == nil, detail: problem ?? detail)
      } catch  where error.cause == .other {
        return Check(
          notChecked, passed: true, detail: "\(name) could not be done: \(error.message)")
      }
    } catch {
      return Check(name, passed: false, detail: error.message)
    }
  }
}

extension [String] {
  /// At most so many groups with all elements, each about as large as the others.
  fileprivate func split(into count: Int) -> [[String]] {
    (0..<Swift.min(count, self.count)).map { group in
      stride(from: group, to: self.count, by: count).map { self[$0] }
    }
  }
}

extension BackupManifest.Check {
  /// The same check, resting on what was found for an earlier backup.
  fileprivate func done(for id: BackupID) -> BackupManifest.Check {
    var check = self
    check.basis = basis ?? id
    return check
  }
}
