// SPDX-License-Identifier: Apache-2.0
// What follows from the rows of a table by expressions of its schema, which only SQLite can compute.

package import SQLiteFormat

/// A table of which something can only be computed by SQLite.
package struct ComputedTable: Sendable {
  /// An index over expressions, over virtual columns, or over some of the rows.
  package struct Key: Sendable {
    /// The index.
    package let index: IndexDescription
    /// What its entries hold, but for the rowid at their end.
    package let columns: [IndexColumn]
  }

  /// A virtual column that does not hold every value.
  package struct RuledColumn: Sendable {
    /// Its name.
    package let name: Name
    /// What it holds.
    package let classes: StorageClasses
  }

  /// The table.
  package let description: TableDescription
  /// How its records become rows.
  package let shape: RowShape
  /// The encoding of its text.
  package let encoding: TextEncoding
  /// The indexes whose keys are to be computed.
  package let keys: [Key]
  /// The virtual columns that do not hold every value.
  package let ruledColumns: [RuledColumn]
}

extension ComputedTable.RuledColumn {
  /// What a virtual column holds; nil for other columns, and for one that holds everything.
  init?(_ column: ColumnDescription, isStrict: Bool) {
    guard column.generated == .virtual else { return nil }
    // When SQLite has computed a value, it has made of it what the affinity prefers.
    classes = StorageClasses(
      .blob, declaredType: column.type, strict: isStrict, notNull: column.notNull)
    name = column.name
    guard classes != .all else { return nil }
  }
}

/// A computation over the rows of one table.
package protocol RowComputation: AnyObject {
  /// Takes the rows of a sound page; false, and none is taken, where they have to be looked at one
  /// by one.
  func add(_ visit: TreeWalk.Visit) -> Bool

  /// Takes a row.
  func add(_ stored: StoredRecord)

  /// What came of all rows so far.
  var result: ComputedRows { get }
}

/// What was computed of the rows of a table.
package struct ComputedRows: Hashable, Sendable {
  /// The keys that each index over every row should hold.
  package var keys: [Name: Fingerprint] = [:]
  /// The keys that each index over some of the rows should hold.
  package var partialKeys: [Name: Fingerprint] = [:]
  /// Indexes with a key that SQLite cannot compute for a row that is there.
  package var failedIndexes: Set<Name> = []
  /// Indexes whose keys were not computed, and why.
  package var uncheckedIndexes: [Name: String] = [:]
  /// Rows that break a CHECK constraint, or have one that cannot be computed.
  package var broken = FaultList()
  /// How many of these break each CHECK constraint, by its condition.
  package var brokenChecks: [String: Int] = [:]
  /// Rows with a value in a virtual column that its type in a STRICT table refuses.
  package var mistyped = FaultList()
  /// Rows with NULL in a virtual column that refuses it.
  package var nulls = FaultList()
  /// How many of these hold it in each column.
  package var nullCounts: [Name: Int] = [:]
  /// Why not every constraint was checked.
  package var uncheckedConstraints: String?

  /// Nothing.
  package init() {}
}
