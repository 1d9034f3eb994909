// SPDX-License-Identifier: Apache-2.0
// What can be done now, least destructive first, each with what it would keep and lose.

public import SQLiteFormat

/// Something that can be done now, with its predicted outcome.
public struct RecoveryOption: Hashable, Sendable {
  /// The kinds of option, from the least to the most destructive.
  public enum Kind: String, Hashable, Sendable, CaseIterable {
    /// Leave the database as it is.
    case nothing
    /// Build the indexes anew from their tables.
    case rebuildIndexes = "rebuild-indexes"
    /// Let the app migrate.
    case migrate
    /// Copy every readable row into a fresh schema, and take what is lost from a backup.
    case salvageWithBackup = "salvage-with-backup"
    /// Put a backup in the place of the database.
    case restore
    /// Copy every readable row into a fresh schema.
    case salvage
    /// Start with an empty database.
    case reset

    /// Whether rows of the current database may go.
    public var isDestructive: Bool {
      switch self {
      case .nothing, .rebuildIndexes, .migrate: false
      case .salvageWithBackup, .restore, .salvage, .reset: true
      }
    }
  }

  /// What is predicted for one table.
  public struct Outcome: Hashable, Sendable {
    /// The table.
    public let table: Name
    /// Rows of the current database that stay as they are.
    public let kept: Int
    /// Rows that are there before and after, with other values.
    public var changed = 0
    /// Rows that go to the quarantine file.
    public var quarantined = 0
    /// Rows of the current database that go, or that are gone.
    public let lost: Loss
    /// The most rows that can be lost, where that is known.
    public var lostAtMost: Int?
    /// Rows that come back and are not in the current database.
    public var regained = 0
    /// Whether rows of the current database are lost, or may be, which nobody can compare with others.
    package var isReadInPart = false
  }

  /// What a prediction rests on.
  public enum Basis: Hashable, Sendable {
    /// All that it is about was read, or done once beside the database.
    case tried
    /// What a first reading tells; the reason why it was not tried.
    case estimated(String)
  }

  /// What kind of option this is.
  public let kind: Kind
  /// The backup that it uses, by file name.
  public let backup: String?
  /// What it does, in one sentence without a full stop.
  public internal(set) var summary: String
  /// What is predicted for every table; empty where nothing changes.
  public let outcomes: [Outcome]
  /// What becomes of rows whose table nothing tells; nil where there are none.
  package var unplaced: Balance?
  /// What the prediction rests on.
  public var basis = Basis.tried
  /// How many rows have other values than an index has, where it makes that anew.
  package var contradicted = 0
  /// The log or journal that it moves away; nil where it moves none.
  package var sidecarMoved: SidecarMove?

  /// What `--choose` is given to choose it.
  public var name: String { kind.rawValue }
}

/// A backup that could be restored, compared with the current state.
package struct BackupOffer: Sendable {
  /// The backup's file name.
  package let name: String
  /// Its age in words, such as `2 hours ago`.
  package let age: String
  /// When it was made, and by what it is told from others, such as `2026-11-21 02:00:00 (k3f9)`.
  package let made: String
  /// Its version.
  package let userVersion: Int
  /// How its rows differ from the current ones.
  package let comparison: [RowComparison]

  /// Makes an offer.
  package init(
    name: String, age: String, made: String, userVersion: Int, comparison: [RowComparison]
  ) {
    self.name = name
    self.age = age
    self.made = made
    self.userVersion = userVersion
    self.comparison = comparison
  }
}
