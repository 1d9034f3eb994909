// SPDX-License-Identifier: Apache-2.0
// What follows from the rows of a table by expressions of its schema, which only SQLite can compute.

public import SQLiteFormat

/// A table of which something can only be computed by SQLite.
public struct ComputedTable: Sendable {
  /// An index over expressions, over virtual columns, or over some of the rows.
  public struct Key: Sendable {
    /// The index.
    public let index: IndexDescription
    /// What its entries hold, but for the rowid at their end.
    public let columns: [IndexColumn]
  }

  /// The table.
  public let description: TableDescription
  /// How its records become rows.
  public let shape: RowShape
  /// The encoding of its text.
  public let encoding: TextEncoding
  /// The indexes whose keys are to be computed.
  public let keys: [Key]
  /// The virtual columns that refuse NULL.
  public let filledColumns: [Name]
}

/// A computation over the rows of one table, which takes them one by one.
public protocol RowComputation: AnyObject {
  /// Takes a row.
  func add(_ stored: StoredRecord)

  /// What came of all rows so far.
  var result: ComputedRows { get }
}

/// What was computed of the rows of a table.
public struct ComputedRows: Hashable, Sendable {
  /// The keys that each index over every row should hold.
  public var keys: [Name: Fingerprint] = [:]
  /// The keys that each index over some of the rows should hold.
  public var partialKeys: [Name: Fingerprint] = [:]
  /// Indexes with a key that SQLite cannot compute for a row that is there.
  public var failedIndexes: Set<Name> = []
  /// Indexes whose keys were not computed, and why.
  public var uncheckedIndexes: [Name: String] = [:]
  /// Rows that break a CHECK constraint, or have one that cannot be computed.
  public var broken = FaultList()
  /// Rows with NULL in a virtual column that refuses it.
  public var nulls = FaultList()
  /// Why not every constraint was checked.
  public var uncheckedConstraints: String?

  /// Nothing.
  public init() {}
}
