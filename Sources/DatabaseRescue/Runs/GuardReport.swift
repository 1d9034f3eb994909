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

  /// The number of rows of one table before and after.
  public struct RowCount: Hashable, Sendable {
    /// The table.
    public let table: Name
    /// Rows before; nil when there was no such table.
    public let before: Int?
    /// Rows after; nil when there is no such table.
    public let after: Int?
  }

  /// The backup that was made first.
  public let backup: Backup
  /// How the command ended.
  public let end: ProcessEnd
  /// The database after the command.
  public let examination: Examination
  /// Every table's rows before and after.
  public let rowCounts: [RowCount]
  /// Why the result is refused, one fact a line; empty when it is kept.
  public let problems: [String]
  /// What was done about the problems; nil when there were none.
  public internal(set) var remedy: Remedy?

  /// Whether the migration is kept.
  public var isKept: Bool { problems.isEmpty }

  /// Whether a table has fewer rows than before, or is gone.
  public var losesRows: Bool { rowCounts.contains { ($0.after ?? 0) < ($0.before ?? 0) } }
}

extension GuardReport {
  /// The verdict that a refusal ends in: that of the database, or drift where the database
  /// is sound and only the command or the rows are not as they should be.
  public var refusal: Verdict {
    examination.verdict == .healthy ? .drifted : examination.verdict
  }
}
