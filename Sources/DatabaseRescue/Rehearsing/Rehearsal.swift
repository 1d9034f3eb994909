// SPDX-License-Identifier: Apache-2.0
// A chain of migrations tried on many databases: what is tried, and what came of it.

public import Diagnosis

/// What is rehearsed: the files of a folder, or a program.
public enum RehearsedChain: Sendable {
  /// Numbered SQL files.
  case files(MigrationFolder)
  /// A program with its arguments; `{db}` in one stands for the database.
  case command([FilePath])

  /// What stands for the database in a command.
  package static let placeholder: String = "{db}"
}

/// What a rehearsal is asked to do.
public struct RehearsalOptions: Sendable {
  /// What the app expects of the result.
  public var contract: Contract?
  /// The version to go to; nil for that of the last file.
  public var target: Int?
  /// How many files share a transaction.
  public var transactions = MigrationTransactions.one
  /// How long each migration may take.
  public var timeout: Duration?
  /// What the rows that are made up depend on.
  public var seed: UInt64

  /// Makes options.
  public init(seed: UInt64) {
    self.seed = seed
  }
}

/// A database that a rehearsal starts from.
public struct RehearsalStart: Sendable {
  /// Where its schema and rows come from.
  public enum Kind: String, Hashable, Sendable, CaseIterable {
    /// A database, with its rows.
    case database
    /// A script or a contract; the rows are made up.
    case schema
    /// The files before; the rows are made up.
    case built
  }

  /// The name of its file, or its version.
  public let name: String
  /// Where its schema and rows come from.
  public let kind: Kind
  /// Its version; nil where it has none.
  public let version: Int?
  /// How its rows were made up; nil where it came with its own.
  public let seeding: Seeding?
}

/// One way from a start to the end.
public struct RehearsalCase: Sendable {
  /// How the way is gone.
  public enum Way: String, Hashable, Sendable, CaseIterable {
    /// In one go.
    case straight
    /// One file after the other, each judged.
    case steps
  }

  /// How it ended.
  public enum Outcome: String, Hashable, Sendable, CaseIterable {
    /// The result is right.
    case passed
    /// The migration failed.
    case failed
    /// The migration succeeded, and its result does not verify.
    case refused
    /// The migration could not be begun.
    case impossible
  }

  /// The name of the start.
  public let start: String
  /// How the way is gone.
  public let way: Way
  /// The version at its beginning.
  public let from: Int?
  /// The version at its end.
  public internal(set) var to: Int?
  /// How it ended.
  public internal(set) var outcome = Outcome.passed
  /// Why it did not pass, one fact a line.
  public internal(set) var problems: [String] = []
  /// What is another than before and may well be meant, one fact a line.
  public internal(set) var notices: [String] = []
  /// How long the migration itself took.
  public internal(set) var seconds = 0.0
  /// Every table's rows at the beginning and at the end.
  public internal(set) var rowCounts: [RowCount] = []
  /// The files that were applied.
  public internal(set) var steps: [MigrationStep] = []

  /// Rows at the beginning.
  public var rowsBefore: Int { rowCounts.reduce(0) { $0 + ($1.before ?? 0) } }
  /// Rows at the end.
  public var rowsAfter: Int { rowCounts.reduce(0) { $0 + ($1.after ?? 0) } }
}

/// What came of a rehearsal.
public struct RehearsalReport: Sendable {
  /// The databases that it started from.
  public internal(set) var starts: [RehearsalStart] = []
  /// Every way that was gone.
  public internal(set) var cases: [RehearsalCase] = []
  /// What the rows that were made up depend on.
  public let seed: UInt64

  /// The exit status: 0 only where all passed; else 16 where a migration failed, 18 where a result
  /// does not verify, and 65 where one could not be begun.
  public var exitStatus: Int32 {
    let outcomes = Set(cases.map(\.outcome))
    return outcomes.contains(.failed)
      ? 16
      : outcomes.contains(.refused)
        ? 18
        : outcomes.contains(.impossible) ? 65 : 0
  }
}
