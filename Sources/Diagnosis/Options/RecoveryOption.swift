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
    /// Put a backup in the place of the database.
    case restore
    /// Copy every readable row into a fresh schema.
    case salvage
    /// Start with an empty database.
    case reset

    /// Whether rows of the current database may go.
    public var isDestructive: Bool { self == .restore || self == .salvage || self == .reset }
  }

  /// What is predicted for one table.
  public struct Outcome: Hashable, Sendable {
    /// The table.
    public let table: Name
    /// Rows of the current database that stay.
    public let kept: Int
    /// Rows of the current database that go.
    public let lost: Loss
    /// Rows that come back and are not in the current database.
    public let regained: Int
  }

  /// What kind of option this is.
  public let kind: Kind
  /// The backup that a restore uses, by file name.
  public let backup: String?
  /// What it does, in one sentence without a full stop.
  public let summary: String
  /// What is predicted for every table, from an actual reading; empty where nothing changes.
  public let outcomes: [Outcome]

  /// What `--choose` is given to choose it.
  public var name: String { kind.rawValue }
}

/// A backup that could be restored, compared with the current state.
public struct BackupOffer: Sendable {
  /// The backup's file name.
  public let name: String
  /// Its age in words, such as `2 hours ago`.
  public let age: String
  /// Its version.
  public let userVersion: Int
  /// How its rows differ from the current ones.
  public let comparison: [RowComparison]

  /// Makes an offer.
  public init(name: String, age: String, userVersion: Int, comparison: [RowComparison]) {
    self.name = name
    self.age = age
    self.userVersion = userVersion
    self.comparison = comparison
  }
}

extension Examination {
  /// What can be done now, least destructive first.
  ///
  /// `hasFreshSchema` tells whether a contract or script gives a schema to reset to.
  public func options(backups: [BackupOffer], hasFreshSchema: Bool) -> [RecoveryOption] {
    switch verdict {
    case .healthy:
      return [option(.nothing, "nothing is wrong: leave the database as it is")]
    case .newer:
      return [
        option(.nothing, "a newer app wrote this database: install that app, change nothing here")
      ]
    case .outdated:
      return [option(.migrate, "back up, then let the app run its migrations")]
        + backups.map(restoreOption)
    case .unreadable:
      return backups.map(restoreOption) + reset(hasFreshSchema)
    case .drifted, .damagedIntact, .damagedLossy:
      return rebuildIndexes() + backups.map(restoreOption) + salvage() + reset(hasFreshSchema)
    }
  }

  private func option(
    _ kind: RecoveryOption.Kind, _ summary: String, backup: String? = nil,
    _ outcomes: [RecoveryOption.Outcome] = []
  ) -> RecoveryOption {
    RecoveryOption(kind: kind, backup: backup, summary: summary, outcomes: outcomes)
  }

  /// Only indexes, and nothing but indexes, are wrong.
  private func rebuildIndexes() -> [RecoveryOption] {
    let wrong = findings.filter { $0.severity >= .damage }
    guard !wrong.isEmpty, wrong.allSatisfy({ [.indexDamaged, .indexMismatch].contains($0.code) })
    else { return [] }
    return [
      option(
        .rebuildIndexes, "build the indexes anew from their tables; every row stays",
        tables.map { .init(table: $0.entry.name, kept: $0.records, lost: .none, regained: 0) })
    ]
  }

  /// The option to put a backup in the place of the database.
  public func restoreOption(_ offer: BackupOffer) -> RecoveryOption {
    option(
      .restore,
      "put back the backup of \(offer.age) (version \(offer.userVersion)); "
        + "the current files are kept aside",
      backup: offer.name,
      offer.comparison.map { table in
        .init(
          table: table.table, kept: table.shared,
          lost: table.onlyCurrent == 0 ? .none : .exactly(table.onlyCurrent),
          regained: table.onlyOther)
      })
  }

  private func salvage() -> [RecoveryOption] {
    guard survey.schema?.entries.isEmpty == false else { return [] }
    return [
      option(
        .salvage, "copy every readable row into a fresh database; doubtful rows are set aside",
        tables.map { tree in
          .init(
            table: tree.entry.name, kept: tree.records + tree.regained,
            lost: survey.loss(of: tree), regained: 0)
        })
    ]
  }

  private func reset(_ hasFreshSchema: Bool) -> [RecoveryOption] {
    hasFreshSchema ? [resetOption] : []
  }

  /// The option to start with an empty database.
  public var resetOption: RecoveryOption {
    option(
      .reset, "start with an empty database; the current files are kept aside",
      tables.map { tree in
        .init(
          table: tree.entry.name, kept: 0, lost: tree.records == 0 ? .none : .exactly(tree.records),
          regained: 0)
      })
  }

  private var tables: [TreeSurvey] {
    survey.userTables.sorted { $0.key < $1.key }.map(\.value)
  }
}
