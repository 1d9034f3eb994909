// SPDX-License-Identifier: Apache-2.0
// What copying the rows of a database gives, known from having done it once beside it.

import SQLiteFormat

/// What copying every readable row into a fresh database gives, from having done it.
///
/// The copy is thrown away: what is promised of a salvage is what it did, and not what another
/// reading expects of it.
package struct SalvageTrial: Hashable, Sendable {
  /// What became of every table's rows; the entry without a name is of rows without a table.
  package let balances: [Balance]
  /// Whether every row and every object is in the copy, and SQLite finds it sound.
  package let isComplete: Bool

  /// Keeps what a salvage did.
  package init(balances: [Balance], isComplete: Bool) {
    self.balances = balances
    self.isComplete = isComplete
  }

  /// How many rows the copy has.
  var storedRows: Int { balances.shown.reduce(0) { $0 + $1.stored } }

  /// What it adds to a verdict, which a first reading gave; nil where the two say the same.
  func meaning(of verdict: Verdict) -> String? {
    switch verdict {
    case .damagedLossy where isComplete:
      "the structure is damaged, and a salvage brings every row back"
    case .damagedIntact where balances.contains { $0.quarantined > 0 }:
      "the structure is damaged; every row can be read, and some are doubtful"
    case .damagedIntact where !isComplete:
      "the structure is damaged; what was found can be read, and nothing vouches for all of it"
    default: nil
    }
  }

  /// What became of rows whose table nothing tells; nil where there are none.
  package var unplaced: Balance? { balances.first { $0.table == nil } }
}

/// A salvage that takes what the file has lost from a backup.
package struct BackedTrial: Hashable, Sendable {
  /// The backup, by file name.
  package let backup: String
  /// What it gave; or why it could not be tried, such as a full disk.
  package let outcome: Result<SalvageTrial, Obstacle>

  /// Why something could not be tried.
  package struct Obstacle: Error, Hashable {
    /// The reason, as a part of a sentence.
    package let reason: String

    /// Makes an obstacle.
    package init(_ reason: String) { self.reason = reason }
  }

  /// Why it could not be tried; nil where it was.
  var obstacle: String? {
    guard case .failure(let obstacle) = outcome else { return nil }
    return obstacle.reason
  }

  /// Keeps what a salvage with a backup gave.
  package init(backup: String, _ outcome: Result<SalvageTrial, Obstacle>) {
    self.backup = backup
    self.outcome = outcome
  }
}

/// The trials that options are predicted from.
package struct SalvageTrials: Hashable, Sendable {
  /// A salvage; nil where none was tried.
  package var salvage: SalvageTrial?
  /// A salvage with the newest backup; nil where none was tried.
  package var withBackup: BackedTrial?
  /// New indexes for the tables as they are; nil where that was not tried.
  package var newIndexes: SalvageTrial?
  /// Why what should have been tried was not, such as a full disk; nil where nothing stood in the
  /// way.
  package var obstacle: String?

  /// No trial.
  package init() {}
}

extension Examination {
  /// Whether something can be promised only when copying the rows has been tried.
  package var wantsTrial: Bool {
    switch verdict {
    case .healthy, .newer, .outdated: false
    case .drifted, .damagedIntact, .damagedLossy, .unreadable:
      survey.image != nil && survey.readFailure == nil
    }
  }

  /// The same, with what a trial of a salvage found out about losses.
  ///
  /// A salvage asks more witnesses than a first reading: where it knows of more rows that are gone,
  /// the finding says so.
  package func refined(by trial: SalvageTrial) -> Examination {
    let losses = Dictionary(
      trial.balances.compactMap { balance in balance.table.map { ($0, balance) } },
      uniquingKeysWith: { first, _ in first })
    return worded(trial.meaning(of: verdict)) { finding in
      guard finding.code == .rowsLost, let table = finding.place.object.map({ Name($0) }),
        let balance = losses[table]
      else { return finding }
      guard balance.lost != .none else {
        return Finding(
          .rowsLost,
          balance.quarantined > 0
            ? LostRowsCheck.words(ofDoubtful: balance.quarantined, of: table)
            : LostRowsCheck.wordsOfAllFound(of: table),
          at: finding.place, severity: finding.severity)
      }
      let isWhole = survey.tree(named: table).map { !reconstruction.mayMissRows($0) } ?? true
      return Finding(
        .rowsLost, LostRowsCheck.words(balance.lossWords, of: table, isWhole: isWhole),
        at: finding.place, severity: finding.severity)
    }
  }
}
