// SPDX-License-Identifier: Apache-2.0
// Salvage: every row that can be read goes into a fresh database, everything doubtful beside it.

public import Diagnosis
public import SQLiteFormat

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// What a salvage did.
public struct SalvageReport: Sendable {
  /// The fresh database.
  public internal(set) var output: FilePath
  /// The database of doubtful rows; nil when there were none.
  public let quarantine: FilePath?
  /// What became of every table's rows; the last entry, without a name, of rows without a table.
  public internal(set) var balances: [Balance]
  /// Objects of the schema that could not be made, with the reason.
  public let unrestored: [(name: Name, reason: String)]
  /// What else should be known, such as an index that was built anew.
  public let notes: [String]
  /// What `PRAGMA integrity_check` says about the fresh database; empty when it is sound.
  public let integrityProblems: [String]
  /// Rows of the fresh database that refer to rows that are not there, by table.
  public let danglingReferences: [(table: Name, count: Int)]
  /// The backups that rows were taken from, and how many of each table.
  public internal(set) var origins: [RestoredRows] = []
  /// What was not checked, of the input or of the fresh database.
  public internal(set) var unchecked: [Unchecked] = []
  /// How many reads of the input have failed for good: what lies there is not known.
  public internal(set) var failedReads = 0
  /// Whether the input was the same from the first look at it to the last; what was read of one that
  /// was not may be of two states.
  public internal(set) var isInputUnchanged = true

  /// The verdict that a salvage ends in: what of the file could not be brought along.
  public var outcome: Verdict {
    if isComplete { return .healthy }
    return isWhollyRead && balances.allSatisfy(\.isComplete) ? .damagedIntact : .damagedLossy
  }

  /// The error in which a run ends whose rows do not add up: a defect of this program, which
  /// must not pass for a result.
  public var imbalance: RescueError? {
    guard let table = balances.first(where: { !$0.holds }) else { return nil }
    let name = table.table.map { "of '\($0)'" } ?? "without a table"
    return RescueError(
      .internal,
      "the rows \(name) do not add up: \(table.seen) seen, \(table.written) written, "
        + "\(table.duplicates) duplicates, \(table.quarantined) set aside, \(table.restored) "
        + "restored, \(table.counted.map { "\($0)" } ?? "unknown") in the fresh table",
      meaning: "the fresh database was written, and must not be trusted",
      advice: "keep the damaged file, and report this with the support code")
  }

  /// Whether every row of every table is in the fresh database.
  public var isComplete: Bool {
    isWhollyRead && balances.allSatisfy(\.isComplete) && unrestored.isEmpty
      && integrityProblems.isEmpty
  }

  /// Whether all that the survey found was read again, of the same input.
  var isWhollyRead: Bool { failedReads == 0 && isInputUnchanged }
}

/// The work of one salvage: from a survey to a fresh database under a temporary name.
package struct Salvage {
  /// The world.
  package let world: World
  /// What is known of the damaged file.
  package let survey: Survey
  /// The schema to fill.
  package let schema: FreshSchema
  /// New names of tables and columns.
  package let renames: Renames
  /// Whether the schema is the file's own: a table that is not in it cannot be parsed.
  let isOwnSchema: Bool
  /// Whose schema is filled, in words.
  private let schemaSource: String
  /// The files that are read, with their digests.
  private let inputs: [RunRecord.InputDigest]
  /// The backups that lost rows may come from, in the order in which they are asked.
  let backups: [SalvageBackup]
  /// Whether a row counts although an index contradicts it.
  private let believesTables: Bool

  /// Prepares a salvage into the schema that was asked for, or the file's own.
  package init(
    _ survey: Survey, into schema: FreshSchema? = nil, from schemaSource: String? = nil,
    renames: Renames = Renames(), inputs: [RunRecord.InputDigest] = [],
    backups: [SalvageBackup] = [], believesTables: Bool = false, world: World
  ) {
    self.believesTables = believesTables
    self.world = world
    self.survey = survey
    self.schema = schema ?? FreshSchema(of: survey)
    isOwnSchema = schema == nil
    self.schemaSource = schemaSource ?? "the damaged file"
    self.renames = renames
    self.inputs = inputs
    self.backups = backups
  }

  /// Builds the fresh database, checks it, and gives it its name.
  ///
  /// `code` names what is unfinished; `whenRead` is called after the last look at the input, and ends
  /// the work by throwing;
  /// `signature` gives the code that the run has when the report is what it is.
  ///
  /// - Throws: ``RescueError`` when the output cannot be written. Nothing is left behind then, and
  ///   what was there is still there.
  package func run(
    to target: SalvageOutput, code: String, whenRead: () throws(RescueError) -> Void = {},
    signature: ((SalvageReport) -> String)? = nil
  ) throws(RescueError) -> SalvageReport {
    guard let reader = SalvageReader(survey, believesTables: believesTables) else {
      throw RescueError(.invalidInput, "there is no database to salvage")
    }
    let (output, quarantine) = (target.database.path, target.quarantine.path)
    try requireRoom(at: output, quarantine)
    do {
      let folder = try PrivateFolder(in: output.folder, world: world)
      let partial = folder.file("salvage.db")
      let partialQuarantine = folder.file("quarantine.db")
      let report = try fill(
        partial, partialQuarantine, reader, output: output, quarantine: quarantine,
        whenRead: whenRead
      ) { signature?($0) ?? code }
      try world.requireGoingOn()
      try target.publish(
        partial, partialQuarantine: report.quarantine == nil ? nil : partialQuarantine,
        in: folder, world.storage)
      return report
    } catch {
      let error: any Error = world.isCancelled() ? RescueError.interrupted : error
      throw RescueError(error, doing: "write '\(output)'")
    }
  }

  /// The bytes that there are rows in.
  ///
  /// What a schema computes for each row can be anything: how large the fresh database may become,
  /// and how long that may take, is told by them.
  var inputByteCount: Int {
    ([survey] + backups.map(\.survey)).reduce(0) { $0 + ($1.image?.dataByteCount ?? 0) }
  }

  /// Refuses before the first byte: a journal lies in the way, or there is not enough space.
  private func requireRoom(
    at output: FilePath, _ quarantine: FilePath
  ) throws(RescueError) {
    do {
      for path in [output, quarantine] {
        try JournalsBeside(path, storage: world.storage).refuse()
      }
      let pages = survey.image?.dataByteCount ?? 0
      let needed = pages + pages / 4 + (1 << 20)
      let free = try world.storage.freeBytes(at: output.folder)
      guard free >= needed else {
        throw RescueError(
          .cannotWrite,
          "\(needed) bytes may be needed in '\(output.folder)', \(free) are free",
          meaning: "nothing was written", advice: "free some space, or choose another --output")
      }
    } catch {
      throw RescueError(error, doing: "look at '\(output)'", meaning: "nothing was written")
    }
  }

  private func fill(
    _ partial: FilePath, _ partialQuarantine: FilePath, _ reader: SalvageReader,
    output: FilePath, quarantine: FilePath, whenRead: () throws(RescueError) -> Void,
    signature: (SalvageReport) -> String
  ) throws -> SalvageReport {
    world.progress(.began(.copying))
    var target = try FreshDatabase(
      at: partial, schema: schema, inputByteCount: inputByteCount,
      byteCountMax: world.outputByteCountMax ?? 2 * inputByteCount + (1 << 20),
      isCancelled: world.isCancelled)
    var aside = try QuarantineDatabase(
      at: partialQuarantine, encoding: survey.encoding, image: survey.image, meta: meta)
    var claims = reader.startingClaims
    var balances: [Balance] = []
    var notes = evidence
    var loaded: [LoadedTable] = []
    let families = ShadowFamilies(survey)
    if case .lineFeedsExpanded(let removed) = survey.transfer {
      notes.append(
        "the file was transferred as text: \(removed) carriage returns before line feeds were left "
          + "out in reading it")
    }

    for table in reader.tables {
      let name = table.entry.name
      switch name {
      case "sqlite_sequence":
        continue
      case "sqlite_stat1" where isOwnSchema:
        try loadStatistics(table, reader, &claims, into: &target, &aside, &balances)
      case _ where name.hasPrefix("sqlite_stat"):
        notes.append("'\(table.entry.name)' is left out: run ANALYZE to gather statistics anew")
      case _ where families.isRebuilt(name):
        continue
      default:
        try load(
          table, isShadow: families.contains(name), reader, &claims, into: &target, &aside,
          &balances, &loaded)
      }
    }
    try target.settle(storage: world.storage)
    for table in families.rebuilt where target.hasTable(table) {
      do {
        try target.attempt { try target.rebuildFullText(table) }
        notes.append("the full-text index '\(table)' was built anew from its rows")
      } catch {
        guard let reason = target.reasonToLeaveOut(error) else { throw error }
        notes.append(
          "the full-text index '\(table)' could not be built anew from its rows: \(reason); what "
            + "can be read of it was copied")
        for shadow in reader.tables where families.isRebuilt(shadow.entry.name, for: table) {
          try load(
            shadow, isShadow: true, reader, &claims, into: &target, &aside, &balances, &loaded)
        }
      }
    }
    var orphans = try setAsideOrphans(reader, &claims, &aside)
    try setAsideReplicas(reader, loaded, target, &aside, &balances, unknown: &orphans, &notes)

    // Reads that were refused look like damage: a run that was stopped has no result.
    try world.requireGoingOn()
    var lossy: [LossyTable] = []
    for table in loaded
    where balances[table.balance].lost != .none || !table.plan.tree.isReadable {
      let evidence = try witness(table, in: target, &aside, &balances[table.balance])
      if !table.plan.isShadow { lossy.append(LossyTable(table, evidence)) }
    }
    if !backups.isEmpty { lossy += unseenTables(beside: loaded, in: target, &balances) }
    let origins = try merge(lossy, in: target, &aside, &balances, &notes)
    try target.settle(storage: world.storage)
    for page in survey.strayPages { try aside.add(page) }
    let sequences = sequences
    try whenRead()
    notes += unreadNotes
    if let schema = survey.schema {
      notes += schema.entriesWithoutText.map { schema.remark(onTextOf: $0) }
    }
    notes += loaded.flatMap { remarks(on: $0.plan, balances[$0.balance]) }
    notes += survey.trees.filter { $0.entry.kind == .index && !$0.isSound }.map {
      "the index '\($0.entry.name)' is damaged: it was made anew, and no row is lost by it"
    }
    balances += virtualRowsLost
    if orphans.seen > 0 || orphans.lost != .none { balances.append(orphans) }
    try target.setSequences(sequences)
    for index in target.indexesOfEntries where isWhole(index.table, loaded, balances) {
      guard let tree = reader.soundIndex(named: index.name) else { continue }
      try target.makeIndex(index) { body in try reader.readEntries(of: tree, body) }
    }
    try target.finish()
    let unrestored =
      (isOwnSchema ? schema.declared.refused.map { (name: $0.name, reason: $0.reason) } : [])
      + target.unrestored.map { (name: $0.name, reason: $0.reason) }
    _ = consume target

    let modules = try reviewModules(in: partial, &notes)
    let counted =
      loaded.filter { !$0.plan.isShadow }.map { ($0.plan.wanted.name, $0.balance) }
      + lossy.filter { $0.plan == nil }.map { ($0.wanted.name, $0.balance) }
    let verification = try verify(partial, counting: counted.map(\.0))
    for (table, rows) in zip(counted, verification.rowCounts) { balances[table.1].counted = rows }
    let isAnythingAside =
      aside.count > 0 || !origins.isEmpty || balances.contains { $0.lost != .none }
    var report = SalvageReport(
      output: output, quarantine: isAnythingAside ? quarantine : nil, balances: balances,
      unrestored: unrestored, notes: notes,
      integrityProblems: verification.integrityProblems + problems(with: modules),
      danglingReferences: verification.danglingReferences)
    report.origins = origins
    report.unchecked = unchecked(modules) + verification.unchecked
    report.failedReads = survey.failures.count
    try aside.finish(meta: [("support_code", signature(report))])
    let deferredTypes = aside.deferredTypes
    _ = consume aside
    try deferredTypes.write(to: partialQuarantine, storage: world.storage)
    return report
  }

  /// Whether every row that a table had is in the fresh one.
  private func isWhole(_ table: Name, _ loaded: [LoadedTable], _ balances: [Balance]) -> Bool {
    loaded.contains { loaded in
      let balance = balances[loaded.balance]
      return loaded.plan.wanted.name == table && balance.isComplete
        && balance.written == balance.seen
    }
  }

  /// Reads the statistics that ANALYZE has gathered of the tables and indexes.
  private func loadStatistics(
    _ table: TreeSurvey, _ reader: SalvageReader, _ claims: inout PageClaims,
    into target: inout FreshDatabase, _ aside: inout QuarantineDatabase,
    _ balances: inout [Balance]
  ) throws {
    let columns = ["tbl", "idx", "stat"].map { ColumnDescription(name: $0, type: "") }
    let wanted = TableDescription(
      name: table.entry.name, columns: columns, storageOrder: [0, 1, 2], sql: "")
    let shape = RowShape(wanted, defaults: [], encoding: survey.encoding)
    try target.makeStatistics()
    let plan = TablePlan(
      tree: table, table: nil, wanted: wanted, shape: shape,
      mapping: ColumnMapping(from: shape, to: wanted), isShadow: false)
    balances.append(try load(table, plan, reader, &claims, into: &target, &aside))
  }

  /// Reads one table into the fresh database, where it has a place that is not taken.
  private func load(
    _ table: TreeSurvey, isShadow: Bool, _ reader: SalvageReader, _ claims: inout PageClaims,
    into target: inout FreshDatabase, _ aside: inout QuarantineDatabase,
    _ balances: inout [Balance], _ loaded: inout [LoadedTable]
  ) throws {
    let plan = plan(table, in: target, isShadow: isShadow)
    balances.append(try load(table, plan, reader, &claims, into: &target, &aside))
    guard let plan, target.hasTable(plan.wanted.name) else { return }
    target.close(plan.wanted.name)
    loaded.append(LoadedTable(plan, balance: balances.count - 1))
  }

  /// Has SQLite check the fresh database while it goes to the disk.
  private func verify(
    _ partial: FilePath, counting tables: [Name]
  ) throws -> Verification {
    world.progress(.began(.verifying))
    let storage = world.storage
    let flush = Background { () throws(StorageError) in
      try storage.open(partial, .readWrite).synchronize()
    }
    let verification = Result {
      try Verification.ofFreshDatabase(partial, counting: tables, isCancelled: world.isCancelled)
    }
    try flush.value()
    // A run that was stopped has no result.
    try world.requireGoingOn()
    return try verification.get()
  }

  /// What the quarantine file says of itself.
  private var meta: [(key: String, value: String)] {
    let files = inputs.enumerated().map { index, input in
      ("input.\(index + 1)", "\(input.name) \(input.before.map { "\($0)" } ?? "")")
    }
    return [
      ("tool", "dbrescue"), ("version", Rescue.version), ("layout", QuarantineDatabase.layout),
      ("created", world.now().ISO8601Format()),
      ("schema_source", schemaSource), ("encoding", survey.encoding.name),
    ] + files + evidence.enumerated().map { ("evidence.\($0 + 1)", $1) }
      + backups.enumerated().map { index, backup in
        let date = backup.created.map { " \($0.ISO8601Format())" } ?? ""
        return ("backup.\(index + 1)", "\(backup.name)\(date)")
      }
  }

  /// Sets aside the rows of pages that belong to no table.
  private func setAsideOrphans(
    _ reader: SalvageReader, _ claims: inout PageClaims, _ aside: inout QuarantineDatabase
  ) throws -> Balance {
    var orphans = Balance(table: nil)
    // What the schema no longer names cannot be counted, and must not pass for nothing.
    if survey.schema?.isWhole != true { orphans.lost = .unknown }
    try reader.readOrphans(&claims) { item in
      guard case .doubtful(let table, let stored, let doubt) = item else { return }
      orphans.seen += 1
      try aside.add(stored, table: table, doubt: doubt)
      orphans.quarantined += 1
    }
    return orphans
  }
}

extension FreshSchema {
  /// The schema that a file states itself, as far as it can be parsed.
  package init(of survey: Survey) {
    self.init(
      DeclaredSchema(survey.schema?.entries ?? []),
      userVersion: survey.header?.userVersion ?? 0,
      applicationID: survey.header?.applicationID ?? 0,
      pageSize: survey.geometry?.geometry.pageSize ?? 4096, encoding: survey.encoding,
      autoVacuum: survey.header.map { header in
        header.isAutoVacuum ? (header.incrementalVacuum ? 2 : 1) : 0
      } ?? 0)
    keepsComputedValues = true
  }

  /// This schema with what another one has besides; of one name, this one's counts.
  package func completed(by other: FreshSchema, withVersions: Bool) -> FreshSchema {
    var schema = self
    schema.declared = declared.completed(by: other.declared)
    schema.keepsComputedValues = false
    if withVersions {
      schema.userVersion = other.userVersion
      schema.applicationID = other.applicationID
      schema.autoVacuum = other.autoVacuum
    }
    return schema
  }
}
