// SPDX-License-Identifier: Apache-2.0
// What a salvage did: the account of every table, and what could not be brought along.

public import Diagnosis
public import SQLiteFormat

/// What a salvage did.
public struct SalvageReport: Sendable {
  /// The fresh database.
  public internal(set) var output: FilePath
  /// The database of doubtful rows; nil when there were none.
  public let quarantine: FilePath?
  /// What became of every table's rows; the last entry, without a name, of rows without a table.
  package internal(set) var balances: [Balance]
  /// Objects of the schema that could not be made, with the reason.
  public let unrestored: [(name: Name, reason: String)]
  /// What else should be known, such as an index that was built anew.
  public let notes: [String]
  /// What `PRAGMA integrity_check` says about the fresh database; empty when it is sound.
  public let integrityProblems: [String]
  /// Rows of the fresh database that refer to rows that are not there, by table.
  public let danglingReferences: [(table: Name, count: Int)]
  /// The backups that rows were taken from, and how many of each table.
  package internal(set) var origins: [RestoredRows] = []
  /// What was not checked, of the input or of the fresh database.
  public internal(set) var unchecked: [Unchecked] = []
  /// How many reads of the input have failed for good: what lies there is not known.
  public internal(set) var failedReads = 0
  /// Whether the input was the same from the first look at it to the last; what was read of one that
  /// was not may be of two states.
  public internal(set) var isInputUnchanged = true

  /// Why there may be more than the rows that were seen: another database in the file, or an archive
  /// that is cut off.
  package internal(set) var reservations: [String] = []

  /// The verdict that a salvage ends in: what of the file could not be brought along.
  public var outcome: Verdict {
    if isComplete { return .healthy }
    return isWhollyRead && balances.allSatisfy(\.isComplete) && reservations.isEmpty
      ? .damagedIntact : .damagedLossy
  }

  /// The error in which a run ends whose rows do not add up: a defect of this program, which
  /// must not pass for a result.
  public var imbalance: RescueError? {
    guard let table = balances.first(where: { !$0.holds }) else { return nil }
    let name = table.table.map { "of '\($0)'" } ?? "without a table"
    return RescueError(
      .internal,
      "the rows \(name) do not add up: \(table.seen) seen, \(table.written) written, "
        + "\(table.duplicates) duplicates, \(table.quarantined) set aside, \(table.restored) "
        + "restored, \(table.counted.map { "\($0)" } ?? "unknown") in the fresh table",
      meaning: "the fresh database was written, and must not be trusted",
      advice: "keep the damaged file, and report this with the support code")
  }

  /// Whether every row of every table is in the fresh database.
  public var isComplete: Bool {
    isWhollyRead && balances.allSatisfy(\.isComplete) && unrestored.isEmpty
      && integrityProblems.isEmpty && reservations.isEmpty
  }

  /// Whether all that the survey found was read again, of the same input.
  var isWhollyRead: Bool { failedReads == 0 && isInputUnchanged }
}
