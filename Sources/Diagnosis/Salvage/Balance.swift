// SPDX-License-Identifier: Apache-2.0
// The account of a salvage: nothing that was seen may disappear.

/// What became of the rows of one table.
public struct Balance: Hashable, Sendable {
  /// The table; nil for rows whose table is unknown.
  public let table: String?
  /// Rows that could be read.
  public var seen = 0
  /// Rows written to the fresh database.
  public var written = 0
  /// Rows that were there already, value for value.
  public var duplicates = 0
  /// Rows set aside with a reason.
  public var quarantined = 0
  /// Of these, rows of a transaction that was never committed: they are not missed.
  public var uncommitted = 0
  /// Rows that could not be read.
  public var lost: Loss = .none

  /// An account with nothing in it.
  public init(table: String?) {
    self.table = table
  }

  /// Whether everything that was seen is accounted for.
  public var holds: Bool { seen == written + duplicates + quarantined }

  /// Whether every row of the table is in the fresh database.
  public var isComplete: Bool { holds && quarantined == uncommitted && lost == .none }
}
