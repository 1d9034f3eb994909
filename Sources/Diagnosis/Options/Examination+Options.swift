// SPDX-License-Identifier: Apache-2.0
// Which options there are for what was found, and what each would keep and lose.

import SQLiteFormat

extension BackupOffer {
  /// The columns that a restore loses, in words.
  fileprivate var columnsLost: String {
    let columns = comparison.flatMap { table in
      table.columnsOnlyCurrent.map { "\(table.table).\($0)" }
    }
    guard !columns.isEmpty else { return "" }
    let rest = columns.count - 8
    return "; it has no columns " + columns.prefix(8).joined(separator: ", ")
      + (rest > 0 ? " and \(rest) more" : "")
  }
}

extension Examination {
  /// What can be done now, least destructive first.
  ///
  /// `hasFreshSchema` tells whether a contract or script gives a schema to reset to; `trials` is
  /// what copying the rows gave, where it was tried.
  package func options(
    backups: [BackupOffer], hasFreshSchema: Bool, trials: SalvageTrials = SalvageTrials()
  ) -> [RecoveryOption] {
    let restores = backups.map(restoreOption)
    if let process = use.process { return [keeping(whatIsHeldBy: process)] }
    switch verdict {
    case .healthy: return soundOptions(restores)
    case .newer:
      return [
        option(.nothing, "a newer app wrote this database: install that app, change nothing here")
      ]
    case .outdated:
      return [option(.migrate, "back up, then let the app run its migrations")] + restores
    case .drifted where isOnlyPacked: return [option(.nothing, soundButFirst ?? meaning)]
    case .drifted, .damagedIntact, .damagedLossy, .unreadable:
      if verdict == .drifted, let mend = mendOfBooks { return [option(.nothing, mend)] + restores }
      let indexes = rebuildIndexes(trials)
      // New indexes of an older table lose what only the old ones know.
      let isTableOlder = !indexes.isEmpty && self.isTableOlder
      let others = salvage(trials, with: backups) + restores
      let alone = salvage(trials)
      let ways =
        (isTableOlder ? [] : indexes)
        + (verdict == .drifted ? others + alone : others.placing(alone))
        + (isTableOlder ? indexes.map(\.ofOlderTable) : [])
        + (hasFreshSchema ? [resetOption(trials)] : [])
      // Who gave the wrong file needs the right one, and not a new one.
      return ways.isEmpty
        ? turnBack : findingLog + movingLogAway + (turnBack.isEmpty ? leaveAlone : turnBack) + ways
    }
  }

  private static let lacksRows = "lacks rows of its backup: compare first"

  /// What can be done about a sound database of the right version.
  private func soundOptions(_ restores: [RecoveryOption]) -> [RecoveryOption] {
    let isOfJournal = circumstances.before == nil
    let kinds = Set(causes.causes.map(\.kind))
    let flaw: String? =
      if kinds.contains(.putBack) {
        isOfJournal
          ? "older than its journal: look for the newer file first"
          : "older than its backup: compare first"
      } else if kinds.contains(.migrationLeftWrong) {
        isOfJournal
          ? "a migration left it wrong: look at it first"
          : Self.lacksRows
      } else if lacksRowsOfBackup {
        Self.lacksRows
      } else {
        nil
      }
    if let flaw { return [option(.nothing, "the database is sound, but \(flaw)")] + restores }
    if findings.contains(where: { $0.code == .fullTextStale }) {
      return [option(.nothing, "the database is sound, but searches may miss rows"), newIndexes()]
    }
    guard let first = soundButFirst else {
      return [option(.nothing, "nothing is wrong: leave the database as it is")]
    }
    return [option(.nothing, first)] + restores
  }

  /// What to do about a framework's books where only they are wrong; nil where that is not so.
  private var mendOfBooks: String? {
    switch relation {
    case .diverged:
      "the structure is sound: find the app that knows all of its migrations, or the backup from "
        + "before those that the contract does not know"
    case .other:
      "the structure is sound: of an older version, let the framework run its migrations; of a "
        + "newer one, install that app"
    default:
      isOnlyMigrationUnfinished
        ? "the structure is sound: finish or take back the migration with the framework's own tool"
        : nil
    }
  }

  /// To leave a file as it is that is no database that can be read: it is nowhere said that it is
  /// damaged.
  private var leaveAlone: [RecoveryOption] {
    switch survey.kind {
    case .database, .headlessDatabase, .empty, .zeros, .erased, .unknown: []
    case .encrypted:
      [
        option(
          .nothing, "leave it as it is: it is encrypted and not known to be damaged; find its key")
      ]
    case .backup:
      [option(.nothing, "leave it as it is: it is a backup, and the database is another file")]
    case .writeAheadLog, .rollbackJournal:
      [option(.nothing, "leave it as it is: it belongs to a database, which is another file")]
    case .other, .text:
      [option(.nothing, "leave it as it is, and ask for the right file: this is another one")]
    }
  }

  /// To take a database out of what it was packed into or written as.
  private var turnBack: [RecoveryOption] {
    guard case .other(let name) = survey.kind, let command = OtherContentCause.commands[name] else {
      return []
    }
    return [option(.nothing, "leave it as it is, and get the database out of it: \(command)")]
  }

  /// To save what a process still has of it: everything else is refused as long as it runs, and
  /// what it has is gone when it ends.
  private func keeping(whatIsHeldBy process: Int32) -> RecoveryOption {
    option(
      .nothing,
      "let process \(process) run, and save what it still has: dbrescue backup FILE --from-process "
        + "\(process)")
  }

  /// To look for a log that is missing, where that is all that is wrong.
  private var findingLog: [RecoveryOption] {
    guard isOnlyLogMissing else { return [] }
    return [
      option(
        .nothing,
        "leave it as it is, and find its -wal, which has what was committed last: SQLite would go on "
          + "without it")
    ]
  }

  /// To move a log or journal away that is not the file's own, where that is all that is wrong.
  private var movingLogAway: [RecoveryOption] {
    guard let move = sidecarMove,
      findings.allSatisfy({
        $0.severity < .damage || [.walForeign, .journalForeign, .sidecarBlocked].contains($0.code)
      })
    else { return [] }
    var option = option(
      .nothing,
      "move the \(move.suffix) away first, and keep it: mv FILE\(move.suffix) FILE\(move.newSuffix); "
        + "the file alone is sound")
    option.sidecarMoved = move
    return [option]
  }

  private func option(
    _ kind: RecoveryOption.Kind, _ summary: String, backup: String? = nil,
    _ outcomes: [RecoveryOption.Outcome] = []
  ) -> RecoveryOption {
    RecoveryOption(kind: kind, backup: backup, summary: summary, outcomes: outcomes)
  }

  /// New indexes, where the tables are proven to be whole.
  private func rebuildIndexes(_ trials: SalvageTrials) -> [RecoveryOption] {
    guard isOnlyIndexesWrong, trials.newIndexes?.isComplete ?? true else { return [] }
    // What a salvage sets aside where only indexes are wrong are rows that one of them contradicts.
    let contradicted = (trials.salvage?.balances ?? []).reduce(0) {
      $0 + $1.quarantined - $1.refused - $1.uncommitted
    }
    var option = newIndexes(contradicting: contradicted)
    if let trial = trials.newIndexes {
      option = self.option(option.kind, option.summary, outcomes(of: trial))
    }
    option.contradicted = contradicted
    option.basis = basis(of: trials.newIndexes, trials)
    return [option]
  }

  /// The option to build the indexes anew, which was not tried; of some rows they have other values.
  private func newIndexes(contradicting count: Int = 0) -> RecoveryOption {
    let rest =
      count > 0 ? ", \(counted(count, "row")) with other values than an index has" : ""
    var option = option(
      .rebuildIndexes, "build the indexes anew from their tables; every row stays" + rest,
      tables.map { .init(table: $0, kept: $1.records, lost: .none) })
    option.basis = .estimated("it was not tried")
    return option
  }

  /// The option to put a backup in the place of the database.
  package func restoreOption(_ offer: BackupOffer) -> RecoveryOption {
    option(
      .restore,
      "put back the backup of \(offer.age) (version \(offer.userVersion)), made \(offer.made); "
        + "the current files are kept aside" + offer.columnsLost,
      backup: offer.name,
      offer.comparison.map(\.outcome))
  }

  /// Whether a salvage can gain by taking lost rows from a backup, and has more than it.
  package func mayGain(by offer: BackupOffer, beyond trial: SalvageTrial) -> Bool {
    guard !trial.isComplete else { return false }
    // What is lost of a schema are the names of rows that are there.
    guard survey.schema?.isWhole == true else {
      return offer.comparison.contains { $0.same + $0.changed + $0.onlyOther > 0 }
    }
    let hasMore = offer.comparison.contains { $0.onlyCurrent + $0.changed > 0 }
    return hasMore && offer.comparison.contains { $0.onlyOther > 0 }
  }

  /// A salvage with a backup, where that keeps more than a salvage alone.
  private func salvage(
    _ trials: SalvageTrials, with backups: [BackupOffer]
  ) -> [RecoveryOption] {
    guard let backed = trials.withBackup, case .success(let trial) = backed.outcome,
      let offer = backups.first(where: { $0.name == backed.backup }),
      trial.storedRows > trials.salvage?.storedRows ?? 0
    else { return [] }
    var option = option(
      .salvageWithBackup,
      "copy every readable row into a fresh database; what is lost comes from the backup of "
        + "\(offer.age), made \(offer.made), as it was then",
      backup: offer.name, outcomes(of: trial))
    option.unplaced = trial.unplaced
    return [option]
  }

  private func salvage(_ trials: SalvageTrials) -> [RecoveryOption] {
    let summary =
      "copy every readable row into a fresh database; doubtful rows are set aside"
      + (trials.withBackup?.obstacle.map { "; with a backup that could not be tried: \($0)" } ?? "")
    guard let trial = trials.salvage else {
      guard survey.schema?.entries.isEmpty == false else { return [] }
      var option = option(
        .salvage, summary,
        tables.map { name, tree in
          .init(
            table: name, kept: tree.records + reconstruction.recordsRegained(by: tree),
            quarantined: tree.misplaced.count, lost: reconstruction.loss(of: tree))
        })
      option.basis = basis(of: nil, trials)
      return [option]
    }
    // Where no row finds a table, a fresh database is an empty one. Those that are set aside as rows of a
    // table have found one.
    guard
      trial.balances.contains(where: { $0.table != nil && $0.written + $0.quarantined > 0 })
        || (trial.unplaced?.quarantined ?? 0) == 0 && survey.schema?.entries.isEmpty == false
    else { return [] }
    var option = option(.salvage, summary, outcomes(of: trial))
    option.unplaced = trial.unplaced
    return [option]
  }

  /// The option to start with an empty database.
  package var resetOption: RecoveryOption { resetOption(SalvageTrials()) }

  private func resetOption(_ trials: SalvageTrials) -> RecoveryOption {
    // What can be read goes; of a table of which nothing can be, what is known to be gone counts.
    func outcome(
      _ table: Name, _ rows: Int, _ lost: Loss, atMost: Int? = nil
    ) -> RecoveryOption.Outcome {
      guard rows == 0 else { return .init(table: table, kept: 0, lost: .exactly(rows)) }
      return .init(table: table, kept: 0, lost: lost, lostAtMost: atMost)
    }
    var option = option(
      .reset, "start with an empty database; the current files are kept aside",
      trials.salvage.map { trial in
        outcomes(of: trial).map {
          outcome($0.table, $0.kept + $0.quarantined, $0.lost, atMost: $0.lostAtMost)
        }
      } ?? tables.map { outcome($0, $1.records + $1.misplaced.count, reconstruction.loss(of: $1)) })
    option.basis = basis(of: trials.salvage, trials)
    return option
  }

  private func basis(
    of trial: SalvageTrial?, _ trials: SalvageTrials
  ) -> RecoveryOption.Basis {
    trial != nil ? .tried : .estimated(trials.obstacle ?? "it was not tried")
  }

  /// What a trial did with the tables that people know, by name.
  private func outcomes(of trial: SalvageTrial) -> [RecoveryOption.Outcome] {
    trial.balances.shown.compactMap { balance in
      guard let table = balance.shownTable else { return nil }
      return RecoveryOption.Outcome(
        table: table, kept: balance.written, quarantined: balance.quarantined, lost: balance.lost,
        lostAtMost: balance.lostAtMost, regained: balance.restored)
    }.sorted { $0.table < $1.table }
  }

  private var tables: [(name: Name, tree: TreeSurvey)] {
    survey.userTables.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
  }
}
