// SPDX-License-Identifier: Apache-2.0
// What a merge did: the account of every table by input, and what could not be brought along.

public import Diagnosis
public import SQLiteFormat

/// What a merge did.
public struct MergeReport: Sendable {
  /// What became of the rows of one table, or of those without one.
  package struct Table: Sendable {
    /// The table; nil for rows whose table is not known.
    package let name: Name?
    /// The columns of the key by which rows were compared; empty where all their values were.
    package let key: [Name]
    /// The column that told the newer row.
    package let newerBy: Name?
    /// What became of the rows of each input, the oldest first.
    let cells: [MergeLedger.Cell]
    /// Rows that the result has; nil when they were not counted.
    package let counted: Int?

    /// Whether every row of every input is accounted for once, and the result has those that it
    /// should.
    package var holds: Bool {
      let taken = cells.reduce(0) { $0 + $1.taken }
      return cells.allSatisfy(\.holds) && counted ?? taken == taken
    }
    /// Whether every row of every input is in the result.
    var isComplete: Bool { holds && cells.allSatisfy(\.isComplete) }
  }

  /// The merged database.
  public let output: FilePath
  /// The database of the rows that were set aside; nil when there is none.
  public let quarantine: FilePath?
  /// What the inputs are called, the oldest first.
  public let inputs: [String]
  /// What became of the rows of each table.
  package let tables: [Table]
  /// The policy that was asked for.
  package let policy: MergePolicy
  /// Objects of the schema that could not be made, with the reason.
  public let unrestored: [(name: Name, reason: String)]
  /// What else should be known.
  public let notes: [String]
  /// Why there may be more than the rows that were seen.
  package internal(set) var reservations: [String]
  /// How many rows of newer inputs referred to none, and refer to a row of an older one in the result.
  let adopted: Int
  /// What `PRAGMA integrity_check` says about the result; empty when it is sound.
  public let integrityProblems: [String]
  /// Rows of the result that refer to rows that are not there, by table.
  public let danglingReferences: [(table: Name, count: Int)]
  /// What was not checked.
  public let unchecked: [Unchecked]

  /// Whether every row of every input is in the result, itself or one with the same values.
  public var isComplete: Bool {
    tables.allSatisfy(\.isComplete) && reservations.isEmpty && unrestored.isEmpty
      && integrityProblems.isEmpty && adopted == 0
  }

  /// The verdict that a merge ends in.
  public var outcome: Verdict {
    if isComplete { return .healthy }
    return tables.allSatisfy(\.isComplete) && reservations.isEmpty
      ? .damagedIntact : .damagedLossy
  }

  /// The error in which a run ends whose rows do not add up: a defect of this program, which must
  /// not pass for a result.
  public var imbalance: RescueError? {
    guard let table = tables.first(where: { !$0.holds }) else { return nil }
    return RescueError(
      .internal,
      "the rows \(table.name.map { "of '\($0)'" } ?? "without a table") do not add up: "
        + table.cells.map {
          "\($0.seen) seen, \($0.taken) taken, \($0.identical) identical, \($0.quarantined) set aside"
        }.joined(separator: "; ")
        + "; \(table.counted.map { "\($0)" } ?? "unknown") in the merged table",
      meaning: "the merged database was written, and must not be trusted",
      advice: "keep the inputs, and report this with the support code")
  }

  /// The accounts as those of one salvage of all inputs, for the run log.
  var balances: [Balance] {
    tables.map { table in
      var balance = Balance(table: table.name)
      for cell in table.cells {
        balance.seen += cell.seen
        balance.written += cell.taken
        balance.duplicates += cell.identical
        balance.quarantined += cell.quarantined
        balance.uncommitted += cell.uncommitted
        balance.leftOut += cell.leftOut
        balance.changed += cell.changed
        balance.partial += cell.partial
      }
      balance.lost = RowLoss(sum: table.cells.map(\.lost)).loss
      balance.counted = table.counted
      return balance
    }
  }
}
