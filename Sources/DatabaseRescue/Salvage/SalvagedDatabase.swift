// SPDX-License-Identifier: Apache-2.0
// A fresh database that has all its rows: what SQLite and the modules say of it, and the report.

import Diagnosis
import SQLiteFormat

/// A fresh database that was filled and closed, and the quarantine beside it, which is still open.
struct SalvagedDatabase: ~Copyable {
  private let salvage: Salvage
  private let unrestored: [UnrestoredObject]
  private var aside: QuarantineDatabase
  private var ledger: SalvageLedger

  private var world: World { salvage.world }

  init(
    _ salvage: Salvage, unrestored: [UnrestoredObject], aside: consuming QuarantineDatabase,
    ledger: SalvageLedger
  ) {
    self.salvage = salvage
    self.unrestored = unrestored
    self.aside = aside
    self.ledger = ledger
  }

  /// Checks both files under their temporary names, and finishes the second.
  ///
  /// `signature` gives the code that the run has when the report is what it is.
  consuming func finish(
    at partial: FilePath, aside partialQuarantine: FilePath, output: FilePath,
    quarantine: FilePath, signature: (SalvageReport) -> String
  ) throws -> SalvageReport {
    let report = try report(on: partial, output: output, quarantine: quarantine)
    let deferredTypes = try aside.finish(meta: [("support_code", signature(report))])
    try deferredTypes.write(to: partialQuarantine, storage: salvage.world.storage)
    return report
  }

  /// What became of everything, with what SQLite and its modules say of the result.
  private mutating func report(
    on partial: FilePath, output: FilePath, quarantine: FilePath
  ) throws -> SalvageReport {
    let modules = try salvage.reviewModules(in: partial)
    ledger.notes += modules.notes.filter { !ledger.notes.contains($0) }
    modules.correct(&ledger.balances)
    let verification = try verify(partial, counting: ledger.counted.map(\.table))
    for (table, rows) in zip(ledger.counted, verification.rowCounts) {
      ledger.balances[table.balance].counted = rows
    }
    let reservations = reservations
    var report = SalvageReport(
      output: output, quarantine: isAnythingAside ? quarantine : nil,
      balances: salvage.survey.naming(ledger.balances),
      unrestored: salvage.refusedObjects + salvage.guessedObjects
        + unrestored.map { ($0.name, $0.reason) },
      notes: ledger.notes.filter { !reservations.contains($0) },
      integrityProblems: verification.integrityProblems
        + salvage.problems(with: modules.verdicts),
      danglingReferences: verification.danglingReferences)
    report.origins = ledger.origins
    report.unchecked = salvage.unchecked(modules.verdicts) + verification.unchecked
    report.failedReads = salvage.survey.failures.count
    report.reservations = reservations
    return report
  }

  /// What may have been there besides what was seen.
  private var reservations: [String] {
    // Where there is no table, none can say that it may have lost rows.
    let missing = ledger.balances.isEmpty ? salvage.missingNotes : []
    let log =
      salvage.survey.image?.missingLog == nil
      ? [] : ["its -wal is missing, which had what was committed last"]
    return salvage.survey.neighbours.map(\.message) + salvage.reconstruction.undecidedTables
      + tablesOfAnotherMoment + tablesOfTwoMoments
      + [salvage.survey.pagesOfAnotherMoment].compactMap(\.self) + missing + log + lostCounters
      + laterJournal
  }

  /// What is said where the journal beside the file is of a later state.
  private var laterJournal: [String] {
    guard salvage.survey.isBehindJournal else { return [] }
    return [
      "the -journal is of a later state of the database: rows may be missing, or older than they were"
    ]
  }

  /// What is said where the counters of tables with AUTOINCREMENT cannot be read.
  private var lostCounters: [String] {
    guard let counters = salvage.survey.tree(named: "sqlite_sequence"),
      !counters.isReadable || counters.pages == 0
    else { return [] }
    return [
      "the counters of tables with AUTOINCREMENT cannot be read: numbers of rows that were deleted may be "
        + "given again"
    ]
  }

  /// What is said of tables of which every row was taken although an index speaks of others.
  private var tablesOfAnotherMoment: [String] {
    guard !salvage.believesTables else { return [] }
    return salvage.survey.naming(ledger.balances).filter(\.isComplete).compactMap { balance in
      guard let name = balance.table, let table = salvage.survey.tree(named: name),
        let index = salvage.survey.indexOfAnotherMoment(over: table)
      else { return nil }
      return
        "index '\(index)' holds other keys than '\(name)': one of the two is of another moment, "
        + "and nothing tells which"
    }
  }

  /// What is said of tables whose pages do not go together.
  private var tablesOfTwoMoments: [String] {
    salvage.survey.trees.filter { salvage.survey.isOfTwoMoments($0) }.map { tree in
      "pages of '\(tree.entry.name)' are of two moments: a transaction may be there in part"
    }
  }

  /// Whether the quarantine says anything that the fresh database does not.
  private var isAnythingAside: Bool {
    aside.count > 0 || !ledger.origins.isEmpty || ledger.balances.contains { $0.lost != .none }
  }

  /// Has SQLite check the fresh database while it goes to the disk.
  private func verify(
    _ partial: FilePath, counting tables: [Name]
  ) throws -> Verification {
    let storage = world.storage
    let byteCount = ((try? storage.status(of: partial)) ?? nil)?.byteCount
    world.progress(.began(.verifying, byteCount: byteCount))
    let flush = Background { () throws(StorageError) in
      try storage.open(partial, .readWrite).synchronize()
    }
    let verification = Result {
      try Verification.ofFreshDatabase(
        partial, counting: tables, isCancelled: world.isCancelled,
        // SQLite looks for the rows of indexes too, and reads most pages twice.
        telling: { [progress = world.progress] in progress(.advanced($0 / 2)) })
    }
    try flush.value()
    // A run that was stopped has no result.
    try world.requireGoingOn()
    return try verification.get()
  }
}
