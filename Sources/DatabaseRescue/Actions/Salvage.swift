// SPDX-License-Identifier: Apache-2.0
// Salvage: every row that can be read goes into a fresh database, everything doubtful beside it.

public import Diagnosis
import SQLiteFormat

/// What a salvage did.
public struct SalvageReport: Sendable {
  /// The fresh database.
  public internal(set) var output: FilePath
  /// The database of doubtful rows; nil when there were none.
  public let quarantine: FilePath?
  /// What became of every table's rows; the last entry, without a name, of rows without a table.
  public let balances: [Balance]
  /// Objects of the schema that could not be made, with the reason.
  public let unrestored: [(name: String, reason: String)]
  /// What else should be known, such as an index that was built anew.
  public let notes: [String]
  /// What `PRAGMA integrity_check` says about the fresh database; empty when it is sound.
  public let integrityProblems: [String]
  /// Rows of the fresh database that refer to rows that are not there, by table.
  public let danglingReferences: [(table: String, count: Int)]

  /// The verdict that a salvage ends in: what of the file could not be brought along.
  public var outcome: Verdict {
    if isComplete { return .healthy }
    return balances.allSatisfy(\.isComplete) ? .damagedIntact : .damagedLossy
  }

  /// Whether every row of every table is in the fresh database.
  public var isComplete: Bool {
    balances.allSatisfy(\.isComplete) && unrestored.isEmpty && integrityProblems.isEmpty
  }
}

/// The work of one salvage: from a survey to a fresh database under a temporary name.
package struct Salvage {
  /// The world.
  package let world: World
  /// What is known of the damaged file.
  package let survey: Survey
  /// The schema to fill.
  package let schema: FreshSchema
  /// New names of columns, by table in lower case.
  package let renamed: [String: [String: String]]

  /// Prepares a salvage into the schema that was asked for, or the file's own.
  package init(
    _ survey: Survey, into schema: FreshSchema? = nil, renamed: [String: [String: String]] = [:],
    world: World
  ) {
    self.world = world
    self.survey = survey
    self.schema = schema ?? FreshSchema(of: survey)
    self.renamed = renamed
  }

  /// Builds the fresh database, checks it, and gives it its name.
  ///
  /// Doubtful rows go to `quarantine`, beside the output unless given.
  ///
  /// - Throws: ``RescueError`` when the output exists, or cannot be written. Nothing is
  ///   left behind then.
  package func run(
    to output: FilePath, quarantine: FilePath? = nil, replacing: Bool = false, code: String
  ) throws(RescueError) -> SalvageReport {
    guard let reader = SalvageReader(survey) else {
      throw RescueError(.invalidInput, "there is no database to salvage")
    }
    let quarantine = quarantine ?? output.adding(suffix: ".quarantine.db")
    try requireRoom(at: output, quarantine, replacing: replacing)
    let partial = output.folder.appending(FilePath(".\(code).salvage.partial"))
    let partialQuarantine = output.folder.appending(FilePath(".\(code).quarantine.partial"))
    do {
      let report = try fill(
        partial, partialQuarantine, reader, code: code, output: output, quarantine: quarantine)
      try publish(partial, as: output, replacing: replacing)
      if report.quarantine != nil {
        try world.storage.createFolder(quarantine.folder)
        try publish(partialQuarantine, as: quarantine, replacing: replacing)
      } else {
        try world.storage.remove(partialQuarantine)
        if replacing { try world.storage.remove(quarantine) }
      }
      try world.storage.synchronizeFolder(output.folder)
      return report
    } catch {
      // The first error counts; what is left is only litter under temporary names.
      for path in [partial, partialQuarantine] {
        try? world.storage.remove(path)
        try? world.storage.remove(path.adding(suffix: "-journal"))
      }
      throw RescueError(error, doing: "write '\(output)'")
    }
  }

  /// Refuses before the first byte: the output is taken, or there is not enough space.
  private func requireRoom(
    at output: FilePath, _ quarantine: FilePath, replacing: Bool
  ) throws(RescueError) {
    do {
      for path in [output, quarantine] {
        try JournalsBeside(path, storage: world.storage).refuse()
      }
      for path in [output, quarantine] where !replacing {
        if try world.storage.status(of: path) != nil {
          throw RescueError(
            .cannotWrite, "'\(path)' already exists",
            meaning: "nothing was written",
            advice: "choose another --output, or add --force to replace it")
        }
      }
      let pages = survey.image.map { $0.pageCount * $0.geometry.pageSize } ?? 0
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

  private func publish(
    _ partial: FilePath, as path: FilePath, replacing: Bool
  ) throws(StorageError) {
    try world.storage.open(partial, .readWrite).synchronize()
    if replacing {
      try world.storage.rename(partial, to: path)
    } else {
      try world.storage.renameWithoutReplacing(partial, to: path)
    }
  }

  private func fill(
    _ partial: FilePath, _ partialQuarantine: FilePath, _ reader: SalvageReader, code: String,
    output: FilePath, quarantine: FilePath
  ) throws -> SalvageReport {
    var target = try FreshDatabase(at: partial, schema: schema)
    var aside = try QuarantineDatabase(
      at: partialQuarantine, encoding: survey.encoding,
      meta: [("tool", "dbrescue"), ("support_code", code), ("layout", "1")])
    var claims = reader.startingClaims
    var balances: [Balance] = []
    var notes: [String] = []
    let families = ShadowFamilies(survey)
    if case .lineFeedsExpanded(let removed) = survey.transfer {
      notes.append(
        "the file was transferred as text: \(removed) carriage returns before line feeds were left "
          + "out in reading it")
    }

    for table in reader.tables {
      let name = table.entry.name.lowercased()
      switch name {
      case "sqlite_sequence":
        continue
      case _ where name.hasPrefix("sqlite_stat"):
        notes.append("'\(table.entry.name)' is left out: run ANALYZE to gather statistics anew")
      case _ where families.isRebuilt(name):
        continue
      default:
        balances.append(
          try load(table, reader, &claims, into: target, &aside, isShadow: families.contains(name)))
      }
    }
    var orphans = Balance(table: nil)
    // What the schema no longer names cannot be counted, and must not pass for nothing.
    if survey.schema?.isWhole != true { orphans.lost = .unknown }
    try reader.readOrphans(&claims) { item in
      guard case .doubtful(let table, let stored, let doubt) = item else { return }
      orphans.seen += 1
      try aside.add(stored, table: table, doubt: doubt)
      orphans.quarantined += 1
    }
    try setAsideReplicas(reader, target, &aside, &balances, unknown: &orphans, &notes)
    if orphans.seen > 0 || orphans.lost != .none { balances.append(orphans) }

    // Reads that were refused look like damage: a run that was stopped has no result.
    try world.requireGoingOn()
    for table in families.rebuilt where target.hasTable(table) {
      try target.rebuildFullText(table)
      notes.append("the full-text index '\(table)' was built anew from its rows")
    }
    try target.setSequences(survey.sequences)
    try target.finish()
    let unrestored = target.unrestored.map { (name: $0.name, reason: $0.reason) }
    try aside.finish()
    let setAside = aside.count
    _ = consume target
    _ = consume aside

    let verification = try Verification.ofFreshDatabase(partial)
    return SalvageReport(
      output: output, quarantine: setAside > 0 ? quarantine : nil, balances: balances,
      unrestored: unrestored, notes: notes, integrityProblems: verification.integrityProblems,
      danglingReferences: verification.danglingReferences)
  }

  /// How the records of a table become rows: as the file says, else as the fresh schema suggests.
  func shape(ofTable name: String) -> RowShape? {
    survey.schema?.shape(ofTable: name)
      ?? schema.table(named: name).map { RowShape($0, defaults: [], encoding: survey.encoding) }
  }

  /// Which columns of a table go where in the fresh schema.
  func mapping(from shape: RowShape, to wanted: TableDescription) -> ColumnMapping {
    ColumnMapping(from: shape, to: wanted, renamed: renamed[wanted.name.lowercased()] ?? [:])
  }

  /// Reads one table and writes its rows, or sets them aside.
  private func load(
    _ table: TreeSurvey, _ reader: SalvageReader, _ claims: inout PageClaims,
    into target: borrowing FreshDatabase, _ aside: inout QuarantineDatabase, isShadow: Bool
  ) throws -> Balance {
    let name = table.entry.name
    var balance = Balance(table: name)
    balance.lost = survey.loss(of: table)
    guard let wanted = schema.table(named: name), target.hasTable(name),
      let shape = shape(ofTable: name)
    else {
      let doubt: Doubt = schema.table(named: name) == nil ? .tableNotWanted : .shapeUnknown
      try reader.read(table, &claims) { item in
        switch item {
        case .row(_, let stored), .doubtful(_, let stored, _):
          balance.seen += 1
          try aside.add(stored, table: name, doubt: doubt)
          balance.quarantined += 1
        case .lostCell, .lostPage: break
        }
      }
      return balance
    }
    if isShadow { try target.clear(name) }
    let loader = try target.loader(
      for: wanted.name, mapping(from: shape, to: wanted), encoding: survey.encoding)
    try reader.read(table, &claims) { item in
      switch item {
      case .row(_, let stored):
        balance.seen += 1
        guard shape.fits(stored.record) else {
          try aside.add(stored, table: name, doubt: .unfit)
          balance.quarantined += 1
          return
        }
        let values = shape.values(of: stored.record, rowID: stored.rowID)
        switch try loader.insert(values, rowID: stored.rowID) {
        case .written: balance.written += 1
        case .duplicate: balance.duplicates += 1
        case .refused(let doubt):
          try aside.add(stored, table: name, doubt: doubt)
          balance.quarantined += 1
        }
      case .doubtful(_, let stored, let doubt):
        balance.seen += 1
        try aside.add(stored, table: name, doubt: doubt)
        balance.quarantined += 1
      case .lostCell, .lostPage: break
      }
    }
    return balance
  }
}

extension FreshSchema {
  /// The schema that a file states itself, as far as it can be parsed.
  package init(of survey: Survey) {
    let refused = Set(survey.schema?.parsed.refused.map { $0.name.lowercased() } ?? [])
    self.init(
      entries: survey.schema?.entries.filter { !refused.contains($0.name.lowercased()) } ?? [],
      description: survey.schema?.parsed.description
        ?? SchemaDescription(),
      userVersion: survey.header?.userVersion ?? 0,
      applicationID: survey.header?.applicationID ?? 0,
      pageSize: survey.geometry?.geometry.pageSize ?? 4096, encoding: survey.encoding,
      autoVacuum: survey.header.map { header in
        header.isAutoVacuum ? (header.incrementalVacuum ? 2 : 1) : 0
      } ?? 0)
  }
}
