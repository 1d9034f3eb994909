// SPDX-License-Identifier: Apache-2.0
// What SQLite itself says of the database that a backup gives back.

internal import Diagnosis
internal import SQLiteFormat

#if canImport(FoundationEssentials)
  internal import FoundationEssentials
#else
  internal import Foundation
#endif

/// The checks that SQLite does on the private copy that the finished backup was restored to.
enum ImageChecks {
  typealias Check = BackupManifest.Check

  /// The name of SQLite's check of structure, indexes and constraints.
  static let integrityCheck = "integrity_check"
  /// The name of SQLite's check that foreign keys point somewhere.
  static let foreignKeyCheck = "foreign_key_check"
  /// The name of the checks that modules do of their virtual tables.
  static let moduleCheck = "module_check"
  /// The name of what says why a check is not there.
  static let notChecked = "not checked"

  /// Checks the whole copy, which is not changed, unless somebody wishes the run to stop.
  ///
  /// - Throws: ``RescueError`` when the copy cannot be read: that says nothing of the database.
  static func all(
    of copy: FilePath, until isCancelled: @escaping @Sendable () -> Bool = { false }
  ) throws(RescueError) -> [Check] {
    try integrity(in: copy, until: isCancelled) + foreignKeys(in: copy, until: isCancelled)
      + modules(in: copy, until: isCancelled)
  }

  /// Checks what of a copy has changed since SQLite found an earlier one sound.
  ///
  /// - Parameters:
  ///   - copy: The copy, which is not changed.
  ///   - earlier: The backup for which the check was done.
  ///   - tables: The tables that are different now; nil when any may be.
  ///   - isCancelled: Whether somebody wishes the run to stop.
  /// - Returns: The checks, each with the earlier backup where it rests on that.
  /// - Throws: ``RescueError`` when the copy cannot be read.
  static func of(
    _ copy: FilePath, since earlier: EarlierBackup?, changed tables: [Name]?,
    until isCancelled: @escaping @Sendable () -> Bool = { false }
  ) throws(RescueError) -> [Check] {
    guard let earlier, earlier.isIntact else { return try all(of: copy, until: isCancelled) }
    if earlier.changes.isEmpty {
      let names = [integrityCheck, foreignKeyCheck, moduleCheck, notChecked]
      return earlier.manifest.checks.filter { names.contains($0.name) }
        .map { $0.done(for: earlier.id) }
    }
    guard let tables else { return try all(of: copy, until: isCancelled) }
    let names = tables.isEmpty ? "no table" : tables.joined(separator: ", ")
    let detail = "ok for \(names); nothing else has changed"
    let pieces = tables.split(into: ProcessInfo.processInfo.activeProcessorCount)
    let results = Parallel.map(pieces.count + 1) { index -> Result<[Check], RescueError> in
      Result { () throws(RescueError) -> [Check] in
        index == 0
          ? try foreignKeys(in: copy, until: isCancelled)
          : try integrity(
            of: pieces[index - 1], in: copy, otherwise: detail, until: isCancelled)
      }
    }
    let checks = try results.map { result throws(RescueError) in try result.get() }
    return sum(of: checks.dropFirst(), otherwise: detail, for: earlier) + checks[0]
      + (try modules(in: copy, until: isCancelled))
  }

  /// One check for those of the pieces, and what was not checked.
  private static func sum(
    of pieces: ArraySlice<[Check]>, otherwise detail: String, for earlier: EarlierBackup
  ) -> [Check] {
    let done = pieces.compactMap { $0.first { $0.name == integrityCheck } }
    var sum = done.first { !$0.passed }
    if sum == nil, done.count == pieces.count {
      sum =
        done.first { $0.detail != detail }
        ?? Check(integrityCheck, passed: true, detail: detail)
    }
    var said: Set<String> = []
    let unchecked = pieces.joined()
      .filter { $0.name == notChecked && said.insert($0.detail).inserted }
    return ([sum].compactMap(\.self) + unchecked).map { $0.done(for: earlier.id) }
  }

  /// What SQLite finds wrong with the structure, or with that of some tables.
  private static func integrity(
    of tables: [Name]? = nil, in copy: FilePath, otherwise detail: String = "ok",
    until isCancelled: @escaping @Sendable () -> Bool
  ) throws(RescueError) -> [Check] {
    try run(integrityCheck, on: copy, .readWrite, otherwise: detail, until: isCancelled) {
      (connection) throws(SQLiteError) in
      var unchecked: [String] = []
      for table in tables.map({ $0.map(Optional.some) }) ?? [nil] {
        let found = try Verification.checkIntegrity(of: connection, in: table, listing: linesMax)
        unchecked += found.unchecked.map(\.reason)
        // The first line of a damaged tree only names the database.
        let lines = found.problems.flatMap { $0.split(separator: "\n") }
          .filter { !$0.hasPrefix("***") }
        guard let first = lines.first else { continue }
        return ("\(lines.count.of("problem")), the first: \(first)", unchecked)
      }
      return (nil, unchecked)
    }
  }

  /// How many problems SQLite names at most.
  private static let linesMax = 100

  /// How many rows refer to rows that are not there.
  private static func foreignKeys(
    in copy: FilePath, until isCancelled: @escaping @Sendable () -> Bool
  ) throws(RescueError) -> [Check] {
    try run(foreignKeyCheck, on: copy, .immutable, otherwise: "ok", until: isCancelled) {
      (connection) throws(SQLiteError) in
      let statement = try connection.prepare("PRAGMA foreign_key_check")
      var count = 0
      while try statement.step() { count += 1 }
      return (
        count == 0 ? nil : count.of("row", "refers", "refer") + " to rows that are not there", []
      )
    }
  }

  /// What the modules of virtual tables say of what they keep; nothing where there are none.
  private static func modules(
    in copy: FilePath, until isCancelled: @escaping @Sendable () -> Bool
  ) throws(RescueError) -> [Check] {
    try twice { () throws(RescueError) in try modulesOnce(in: copy, until: isCancelled) }
  }

  private static func modulesOnce(
    in copy: FilePath, until isCancelled: @escaping @Sendable () -> Bool
  ) throws(RescueError) -> [Check] {
    do throws(SQLiteError) {
      let tables = try SchemaReader.virtualTables(Connection(copy, mode: .immutable))
      let bytes = try Connection(copy, mode: .immutable).value(
        "SELECT page_count * page_size FROM pragma_page_count, pragma_page_size")
      let verdicts = try ModuleReview.verdicts(
        on: tables, in: copy, byteCount: Int(bytes?.integerValue ?? 0),
        isCancelled: isCancelled)
      guard !verdicts.isEmpty else { return [] }
      let damaged = verdicts.filter { $0.outcome == .damaged }.map(\.table)
      let check = Check(
        moduleCheck, passed: damaged.isEmpty,
        detail: damaged.isEmpty ? "ok" : "malformed: \(damaged.joined(separator: ", "))")
      let unchecked = zip(tables.filter(\.canBeAsked), verdicts).compactMap { $1.unchecked($0) }
      return [check] + unchecked.map { Check(notChecked, passed: true, detail: $0.message) }
    } catch  where speaksOfDatabase(error) {
      return [Check(moduleCheck, passed: false, detail: error.message)]
    } catch {
      throw notDone(error)
    }
  }

  /// Whether an error tells of the database, and not of the disk or of this run.
  static func speaksOfDatabase(_ error: SQLiteError) -> Bool {
    [.damaged, .constraint, .other].contains(error.cause)
  }

  /// What is done here, as errors say it, and what it means if it cannot be done.
  static let doing = "check the database that the backup gives back"
  static let meaning = "no backup was made; the database is untouched"

  private static func notDone(_ error: SQLiteError) -> RescueError {
    .ofOwnFile(error, doing: doing, meaning: meaning)
  }

  /// Does checks again where they find something: a page that could not be read for a moment is a
  /// problem like others to SQLite.
  private static func twice(
    _ checks: () throws(RescueError) -> [Check]
  ) throws(RescueError) -> [Check] {
    let found = try checks()
    return try found.allSatisfy(\.passed) ? found : checks()
  }

  /// A problem, or none, and why some of a check was not done.
  private typealias Findings = (problem: String?, unchecked: [String])

  /// Runs a check that names a problem, or none.
  ///
  /// What SQLite cannot check, for example because the app defines a collation of its own, has not
  /// failed: an entry says why it was not done. What fails because the disk does is no check at all.
  private static func run(
    _ name: String, on copy: FilePath, _ mode: Connection.Mode, otherwise detail: String,
    until isCancelled: @escaping @Sendable () -> Bool,
    _ findings: (borrowing Connection) throws(SQLiteError) -> Findings
  ) throws(RescueError) -> [Check] {
    try twice { () throws(RescueError) in
      try runOnce(name, on: copy, mode, otherwise: detail, until: isCancelled, findings)
    }
  }

  private static func runOnce(
    _ name: String, on copy: FilePath, _ mode: Connection.Mode, otherwise detail: String,
    until isCancelled: @escaping @Sendable () -> Bool,
    _ findings: (borrowing Connection) throws(SQLiteError) -> Findings
  ) throws(RescueError) -> [Check] {
    do throws(SQLiteError) {
      let connection = try Connection(copy, mode: mode)
      connection.stop(when: isCancelled)
      do throws(SQLiteError) {
        let found = try findings(connection)
        let detail = found.unchecked.isEmpty ? detail : "\(detail) as far as it could be done"
        return [Check(name, passed: found.problem == nil, detail: found.problem ?? detail)]
          + found.unchecked.map {
            Check(notChecked, passed: true, detail: "\(name) could not be done in full: \($0)")
          }
      } catch  where error.cause == .other {
        return [
          Check(notChecked, passed: true, detail: "\(name) could not be done: \(error.message)")
        ]
      }
    } catch  where speaksOfDatabase(error) {
      return [Check(name, passed: false, detail: error.message)]
    } catch {
      throw notDone(error)
    }
  }
}

extension [Name] {
  /// At most so many groups with all elements, each about as large as the others.
  fileprivate func split(into count: Int) -> [[Name]] {
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
