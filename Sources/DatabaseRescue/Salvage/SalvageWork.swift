// SPDX-License-Identifier: Apache-2.0
// A salvage under way: the rows go from the input into a fresh database and a quarantine, phase by
// phase, and the ledger says what has become of each.

import Diagnosis
import SQLiteFormat

/// A salvage under way, with the two databases that it fills.
struct SalvageWork: ~Copyable {
  let salvage: Salvage
  let reader: SalvageReader
  let families: ShadowFamilies
  /// The AUTOINCREMENT counters, by the names that the tables have in the file.
  let sequences: [Name: Int64]
  /// The fresh database.
  var target: FreshDatabase
  /// The doubtful rows.
  var aside: QuarantineDatabase
  /// What the tables that were read own of the input.
  var claims: PageClaims
  var ledger: SalvageLedger

  var reconstruction: Reconstruction { salvage.reconstruction }
  var survey: Survey { salvage.survey }
  var world: World { salvage.world }

  /// Makes both databases, empty.
  ///
  /// - Throws: ``SQLiteError`` when they cannot be made.
  init(
    _ salvage: Salvage, _ reader: SalvageReader, to partial: FilePath,
    aside partialQuarantine: FilePath
  ) throws {
    let (survey, world) = (salvage.survey, salvage.world)
    world.progress(.began(.copying, byteCount: nil))
    let target = try FreshDatabase(
      at: partial, schema: salvage.schema, inputByteCount: salvage.inputByteCount,
      byteCountMax: world.outputByteCountMax ?? 2 * salvage.inputByteCount + (1 << 20),
      isCancelled: world.isCancelled)
    let aside = try QuarantineDatabase(
      at: partialQuarantine, encoding: survey.encoding, image: survey.image, meta: salvage.meta)
    self.salvage = salvage
    self.reader = reader
    self.target = target
    self.aside = aside
    claims = reader.startingClaims
    sequences = survey.sequences
    ledger = SalvageLedger(notes: salvage.evidence + salvage.transferNotes)
    families = ShadowFamilies(
      survey,
      salvage.isOwnSchema
        ? [:] : salvage.schema.virtualMappings(from: survey, salvage.renames))
  }

  /// Carries out every phase; `whenRead` is called after the last look at the input.
  ///
  /// - Returns: What was filled, which no connection is on any more.
  consuming func carryOut(
    whenRead: () throws(RescueError) -> Void
  ) throws -> SalvagedDatabase {
    try copyTables()
    try target.settle(storage: world.storage)
    try buildFullText()
    try setAsideOrphans()
    try setAsideReplicas()
    // Reads that were refused look like damage: a run that was stopped has no result.
    try world.requireGoingOn()
    try gatherLossEvidence()
    try takeFromBackups()
    try target.settle(storage: world.storage)
    for (table, order) in families.reordered where target.hasTable(table) {
      try target.reorderCoordinates(of: table, order)
    }
    for page in reconstruction.unreadPages { try aside.add(page) }
    let sequences = salvage.sequences
    try whenRead()
    closeLedger()
    try target.setSequences(sequences)
    try makeIndexesOfEntries()
    return SalvagedDatabase(
      salvage, unrestored: try target.finish(), aside: aside, ledger: ledger)
  }

  /// Does what belongs to one object; where it fails, both databases are as they were before.
  ///
  /// - Throws: What `body` throws.
  mutating func attempt<Result>(
    _ body: (inout SalvageWork) throws -> Result
  ) throws -> Result {
    let asideMark = try aside.mark()
    try target.secure()
    let mark = try target.mark()
    do {
      let result = try body(&self)
      try target.keep(since: mark)
      try aside.keep(since: asideMark)
      return result
    } catch {
      try target.takeBack(to: mark)
      try aside.takeBack(to: asideMark)
      throw error
    }
  }

  /// The phase of the tables: each is read once, in the order of the schema.
  private mutating func copyTables() throws {
    for table in reader.tables {
      let name = table.entry.name
      switch name {
      case "sqlite_sequence":
        continue
      case "sqlite_stat1" where salvage.isOwnSchema:
        try loadStatistics(table)
      case _ where name.hasPrefix("sqlite_stat"):
        ledger.notes.append("'\(name)' is left out: run ANALYZE to gather statistics anew")
      case _ where families.isRebuilt(name):
        continue
      default:
        try load(table, isShadow: families.contains(name))
      }
    }
  }

  /// The phase of the full-text indexes that are not copied: they are built from their rows, and
  /// what can be read of one is copied where that fails.
  private mutating func buildFullText() throws {
    for table in families.rebuilt where target.hasTable(table) {
      do {
        try attempt { work in try work.target.rebuildFullText(table) }
        ledger.notes.append("the full-text index '\(table)' was built anew from its rows")
      } catch {
        guard let reason = target.reasonToLeaveOut(error) else { throw error }
        ledger.notes.append(
          "the full-text index '\(table)' could not be built anew from its rows: \(reason); what "
            + "can be read of it was copied")
        for shadow in reader.tables
        where families.isRebuilt(shadow.entry.name, for: table)
          && families.haveAPlace(shadow.entry.name)
        {
          try load(shadow, isShadow: true)
        }
      }
    }
  }

  /// The phase of the pages that belong to no table: their rows are set aside.
  private mutating func setAsideOrphans() throws {
    // What the schema no longer names cannot be counted, and must not pass for nothing.
    if survey.schema?.isWhole != true { ledger.orphans.lost = .unknown }
    var claims = claims
    try reader.readOrphans(&claims) { item in
      switch item {
      case .doubtful(let table, let stored, let doubt):
        ledger.orphans.seen += 1
        try aside.add(stored, table: table, doubt: doubt)
        ledger.orphans.quarantined += 1
      case .partial(let table, let partial):
        try aside.add(partial, table: table, keyCount: 0, fieldCount: nil)
      case .row: break
      }
    }
  }

  /// The phase of the losses: what indexes still know of rows that are gone.
  private mutating func gatherLossEvidence() throws {
    for table in ledger.loaded
    where ledger.balances[table.balance].lost != .none || !table.plan.tree.isReadable {
      let evidence = try evidenceOfLoss(in: table)
      if !table.plan.isShadow || families.texts.contains(table.plan.name) {
        ledger.lossy.append(LossyTable(table, evidence))
      }
    }
  }

  /// The phase of the account: what is known once the last row has been read.
  private mutating func closeLedger() {
    ledger.notes += salvage.unreadNotes + salvage.missingNotes
    if let schema = survey.schema {
      ledger.notes += schema.entriesWithoutText.map { schema.remark(onTextOf: $0) }
    }
    ledger.notes += families.displaced.map {
      "'\($0)' has other columns in the fresh schema, or another module: the tables that store it are "
        + "set aside"
    }
    ledger.notes += ledger.remarks
    ledger.notes += survey.trees.filter { $0.entry.kind == .index && !$0.isSound }.map {
      survey.hasNothingButSameKeys($0)
        ? "rows have the same key by the UNIQUE index '\($0.entry.name)', and none is lost by it"
        : "the index '\($0.entry.name)' is damaged: it was made anew, and no row is lost by it"
    }
    salvage.noteVirtualRowsLost(in: &ledger.balances)
    if ledger.orphans.seen > 0 || ledger.orphans.lost != .none {
      ledger.balances.append(ledger.orphans)
    }
  }

  /// The phase of the indexes whose keys only the app can compute: they are made of their entries.
  private mutating func makeIndexesOfEntries() throws {
    for index in target.indexesOfEntries where ledger.isWhole(index.table) {
      guard let tree = reader.soundIndex(named: index.name) else { continue }
      try target.makeIndex(index) { body in try reader.readEntries(of: tree, body) }
    }
  }
}
