// SPDX-License-Identifier: Apache-2.0
// What a guarded migration did to the database, and what is wrong with the result.

public import Diagnosis
public import SQLiteFormat

/// What a guarded migration did.
public struct GuardReport: Sendable {
  /// What is done when the migration fails.
  public enum Remedy: Hashable, Sendable {
    /// Put the backup back.
    case restore
    /// Leave the database as the migration left it.
    case stop
  }

  /// What became of the database.
  public enum Result: String, Hashable, Sendable, CaseIterable {
    /// The migration is kept.
    case kept
    /// The migration is refused, and had changed nothing.
    case unchanged
    /// The migration is refused, and what was before is back.
    case restored
    /// The migration is refused, and the database is as it left it.
    case left
  }

  /// The number of rows of one table before and after.
  public struct RowCount: Hashable, Sendable {
    /// The table, by its new name where it has one.
    public let table: Name
    /// Its name before; nil where that was the same, or there was no such table.
    public let oldName: Name?
    /// Rows before; nil when there was no such table.
    public let before: Int?
    /// Rows after; nil when there is no such table.
    public let after: Int?

    init(_ count: MigrationReview.RowCount) {
      (table, oldName) = (count.table, count.oldName)
      (before, after) = (count.before, count.after)
    }
  }

  /// The backup that was made first.
  public let backup: Backup
  /// The program of the command.
  package let program: PlainName
  /// How the command ended.
  public let end: ProcessEnd
  /// The database after the command.
  public let examination: Examination
  /// Every table's rows before and after.
  public let rowCounts: [RowCount]
  /// Why the result is refused, one fact a line; empty when it is kept.
  public let problems: [String]
  /// Whether rows or values are gone that should be there.
  public let losesData: Bool
  /// Whether the database holds, page for page, what it held before.
  public let isUnchanged: Bool
  /// What was done about the problems; nil when there were none, or nothing was to be done.
  public internal(set) var remedy: Remedy?
  /// What is not as it was, although the backup was put back.
  public internal(set) var remainders: [String] = []

  /// Whether the migration is kept.
  public var isKept: Bool { problems.isEmpty }

  /// Whether a table has fewer rows than before, or is gone.
  public var losesRows: Bool { rowCounts.contains { ($0.after ?? 0) < ($0.before ?? 0) } }

  /// What became of the database.
  public var result: Result {
    if isKept { return .kept }
    if isUnchanged { return .unchanged }
    return remedy == .restore ? .restored : .left
  }

  /// The exit status: whether the command failed or its result did not verify, and whether the
  /// database is what it was before.
  public var exitStatus: Int32 {
    switch result {
    case .kept: 0
    case .unchanged, .restored: end.succeeded ? 18 : 16
    case .left: end.succeeded ? 19 : 17
    }
  }
}

extension GuardReport {
  /// The verdict that a refusal ends in: that of the database, or drift where the database
  /// is sound and only the command or the rows are not as they should be.
  public var refusal: Verdict {
    examination.verdict == .healthy ? .drifted : examination.verdict
  }
}
