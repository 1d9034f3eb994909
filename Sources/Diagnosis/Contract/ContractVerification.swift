// SPDX-License-Identifier: Apache-2.0
// How a database stands to its contract: counts and names, never values of rows.

package import SQLiteFormat

/// How a database stands to its contract.
package struct ContractVerification: Hashable, Sendable {
  /// An invariant that rows break.
  package struct BrokenInvariant: Hashable, Sendable {
    /// Its name.
    package let name: String
    /// How many rows break it, as far as they were counted.
    package let rows: Int
    /// Whether all rows were counted; else there are at least so many.
    package let isExact: Bool

    /// Makes an entry.
    package init(name: String, rows: Int, isExact: Bool = true) {
      self.name = name
      self.rows = rows
      self.isExact = isExact
    }
  }

  /// Something that could not be checked.
  package struct UncheckedRule: Hashable, Sendable {
    /// The invariant or table.
    package let name: String
    /// Why, in SQLite's words.
    package let reason: String

    /// Makes an entry.
    package init(name: String, reason: String) {
      self.name = name
      self.reason = reason
    }
  }

  /// Rows of a table that refer to rows that are not there.
  package struct DanglingReferences: Hashable, Sendable {
    /// The table.
    package let table: Name
    /// How many of its references dangle.
    package let count: Int

    /// Makes an entry.
    package init(table: Name, count: Int) {
      self.table = table
      self.count = count
    }
  }

  /// Rows that wait to be sent, in one place.
  package struct Unsynced: Hashable, Sendable {
    /// The name of the place.
    package let name: String
    /// The table.
    package let table: Name
    /// What is known of its rows.
    package let rows: UnsyncedRows

    /// Makes an entry.
    package init(name: String, table: Name, rows: UnsyncedRows) {
      self.name = name
      self.table = table
      self.rows = rows
    }
  }

  /// How the books of a framework stand to those that the contract knows.
  package struct BookState: Hashable, Sendable {
    /// The framework.
    package let framework: Framework
    /// How many migrations are noted that the contract does not know.
    package let unknown: Int
    /// How many that it knows are not noted.
    package let missing: Int
    /// The number that is expected, and the one that is noted, where a framework notes only one.
    package var numbers: Numbers?

    /// The number of the contract, and that of the database.
    package struct Numbers: Hashable, Sendable {
      /// The number of the contract.
      package let expected: Int
      /// The number of the database.
      package let found: Int

      /// Makes a pair.
      package init(expected: Int, found: Int) { (self.expected, self.found) = (expected, found) }
    }

    /// Makes a state.
    package init(_ framework: Framework, unknown: Int, missing: Int) {
      (self.framework, self.unknown, self.missing) = (framework, unknown, missing)
    }
  }

  /// The version that the contract expects.
  package var expectedVersion: Int32
  /// The version of the database.
  package var foundVersion: Int32
  /// The application id that the contract expects; nil when any will do.
  package var expectedApplicationID: Int32?
  /// The application id of the database.
  package var foundApplicationID: Int32
  /// How the schema differs.
  package var differences: [ContractDifference]
  /// The invariants that rows break.
  package var brokenInvariants: [BrokenInvariant]
  /// The invariants that could not be checked.
  package var uncheckedInvariants: [UncheckedRule]
  /// Dangling references, by table.
  package var danglingReferences: [DanglingReferences]
  /// The tables whose foreign keys could not be checked.
  package var uncheckedForeignKeys: [UncheckedRule]
  /// Rows that wait to be sent, by place.
  package var unsynced: [Unsynced]
  /// The books of frameworks that are not those that the contract knows.
  package var books: [BookState] = []
  /// The migrations that the contract knows, by their names.
  package var knownMigrations: Set<String> = []
  /// Tables that are not looked at.
  package var ignoredTables: [Name] = []
  /// Whether the rows were asked; else only what the bytes say was compared.
  package var hasAskedRows = true

  /// Makes a result.
  package init(
    expectedVersion: Int32, foundVersion: Int32, expectedApplicationID: Int32? = nil,
    foundApplicationID: Int32 = 0, differences: [ContractDifference] = [],
    brokenInvariants: [BrokenInvariant] = [], uncheckedInvariants: [UncheckedRule] = [],
    danglingReferences: [DanglingReferences] = [], uncheckedForeignKeys: [UncheckedRule] = [],
    unsynced: [Unsynced] = []
  ) {
    self.expectedVersion = expectedVersion
    self.foundVersion = foundVersion
    self.expectedApplicationID = expectedApplicationID
    self.foundApplicationID = foundApplicationID
    self.differences = differences
    self.brokenInvariants = brokenInvariants
    self.uncheckedInvariants = uncheckedInvariants
    self.danglingReferences = danglingReferences
    self.uncheckedForeignKeys = uncheckedForeignKeys
    self.unsynced = unsynced
  }

  /// How the version of the database relates to the one expected.
  ///
  /// A migration that the contract does not know is of a newer app, whatever the number says.
  package var relation: VersionRelation {
    let hasUnknown = books.contains { $0.unknown > 0 }
    if hasUnknown, books.contains(where: { $0.missing > 0 }) { return .diverged }
    if foundVersion > expectedVersion || hasUnknown { return .newer }
    if foundVersion < expectedVersion || !books.isEmpty { return .older }
    return differences.contains { [.migrationHeads, .model].contains($0.subject) } ? .other : .equal
  }

  /// Whether the application id is the one expected.
  package var isExpectedApplication: Bool {
    expectedApplicationID.map { $0 == foundApplicationID } ?? true
  }

  /// The tables of which rows are not looked at: those that are extra, and those that are ignored.
  var unwatchedTables: Set<Name> {
    Set(ignoredTables).union(
      differences.filter { $0.kind == .extra && $0.subject == .table }.map { Name($0.object) })
  }

  /// The differences because of which the database does not do what the app expects.
  package var drifts: [ContractDifference] { differences.filter { $0.weight == .drift } }

  /// What is known of all rows that wait: where some do, at least so many; never none where
  /// one place cannot tell, or where there is no place to look.
  package var unsyncedRows: UnsyncedRows {
    UnsyncedRows(unsynced.map(\.rows))
  }
}
