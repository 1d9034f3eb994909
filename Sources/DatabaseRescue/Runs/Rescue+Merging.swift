// SPDX-License-Identifier: Apache-2.0
// Several databases become one: each is salvaged into a private database, and what these hold is
// merged. The inputs are only read.

import Diagnosis
import SQLiteFormat

extension Rescue {
  /// Merges databases into a new one; `files` are what else the caller reads and writes.
  ///
  /// - Throws: ``RescueError`` when there are fewer than two inputs, there is no database in one of
  ///   them, or the output exists, is an input or cannot be written.
  package func merge(
    _ inputs: [FilePath], to output: FilePath, policy: MergePolicy = MergePolicy(),
    replacing: Bool = false, files: RunFiles
  ) throws(RescueError) -> RunResult<MergeReport> {
    try run(.merge, on: inputs.last) { run throws(RescueError) in
      guard inputs.count > 1 else {
        throw RescueError(
          .usage, "there are fewer than two databases to merge", meaning: "nothing was written",
          advice: "name the older database first, and the newer one behind it")
      }
      var files = files
      files.read(inputs, storage: world.storage)
      let output = try SalvageOutput(
        output, replacing: replacing, in: &files, storage: world.storage)
      let inputs = try inputs.map { path throws(RescueError) in
        let input = try InputFiles(mergedFrom: path, world: world)
        files.read(input.all, storage: world.storage)
        if !input.isPrivate { try world.requireNotHeldApart(input.main) }
        return input
      }
      return try run.merge(inputs, to: output, policy)
    }
  }
}

extension Run {
  /// Merges databases into a new one; the last input is the newest.
  ///
  /// - Throws: ``RescueError``; nothing was written then.
  mutating func merge(
    _ inputs: [InputFiles], to output: SalvageOutput, _ policy: MergePolicy
  ) throws(RescueError) -> MergeReport {
    let (path, quarantine) = (output.database.path, output.quarantine.path)
    do {
      for path in [path, quarantine] {
        try JournalsBeside(path, storage: world.storage).refuse()
      }
      try requireRoom(for: inputs, at: path)
      let folder = try PrivateFolder(in: path.folder, world: world)
      var staging = MergeStaging(inputs, policy, in: folder.path, world)
      let staged = try stage(&staging)
      let report = try step("merge", at: .act) { run throws(RescueError) in
        do {
          let before = run.notes
          return try run.merge(staged, staging, to: output, in: folder) { report in
            var notes = before
            notes.take(report)
            return notes.code().description
          }
        } catch {
          throw run.failure(error, writing: path)
        }
      }
      notes.take(report)
      notes.note(Change(.addition, "'\(path)' was made"))
      return report
    } catch {
      throw RescueError(error, doing: "write '\(path)'", meaning: "nothing was written")
    }
  }

  /// Salvages every input, the newest first, on which the verdict of the run is; gives the oldest
  /// first.
  private mutating func stage(_ staging: inout MergeStaging) throws(RescueError) -> [StagedInput] {
    var staged: [StagedInput] = []
    for number in staging.labels.indices.reversed() {
      let (input, learned) = try staging.stage(number, in: self)
      if staged.isEmpty { notes = learned }
      notes.inputs = learned.inputs
      staged.insert(input, at: 0)
    }
    return staged
  }

  private func failure(_ error: any Error, writing path: FilePath) -> RescueError {
    if world.isCancelled() { return .interrupted }
    if let error = error as? SQLiteError, error.isInterruption {
      return RescueError(
        .invalidInput, "the schema asks for more work than databases of this size can need",
        meaning: "nothing was written",
        advice: "salvage each input into a schema of the app's: "
          + "dbrescue salvage FILE --schema CONTRACT --output NEW, and merge the results")
    }
    return RescueError(error, doing: "write '\(path)'", meaning: "nothing was written")
  }

  private func merge(
    _ inputs: [StagedInput], _ staging: MergeStaging, to output: SalvageOutput,
    in folder: borrowing PrivateFolder, signature: (MergeReport) -> String
  ) throws -> MergeReport {
    guard let newest = inputs.last, let schema = staging.schema else {
      throw RescueError(.usage, "there is nothing to merge", meaning: "nothing was written")
    }
    let asidePath = folder.file("quarantine.db")
    let work = folder.file("work.db")
    _ = try world.storage.open(work, .createNew)
    let rules = try MergeRules(staging.policy, schema.mergedTables)
    var merger = try Merger(
      inputs, schema: schema, rules: rules, aside: asidePath, meta: staging.meta,
      work: work, byteCount: staging.byteCount, world: world)
    try merger.begin(with: newest)
    try merger.findNumbersInUse(by: Array(inputs.dropLast()))
    for older in inputs.dropLast().reversed() { try merger.add(older) }
    let merged = try merger.finish()
    world.progress(.began(.verifying, byteCount: nil))
    let names = merged.ledger.tables
    let verification = try Verification.ofFreshDatabase(
      newest.database, counting: names, isCancelled: world.isCancelled)
    try world.requireGoingOn()
    let report = MergeReport(
      merged.ledger, verification, rules: rules, of: schema, staging, output)
    let types = try merged.aside.finish(meta: [("support_code", signature(report))])
    try types.write(to: asidePath, storage: world.storage)
    try world.storage.open(newest.database, .readWrite).synchronize()
    try world.requireGoingOn()
    try output.publish(
      newest.database, partialQuarantine: report.quarantine == nil ? nil : asidePath, in: folder,
      world.storage)
    return report
  }

  /// Refuses before the first byte where there is not enough space.
  private func requireRoom(for inputs: [InputFiles], at output: FilePath) throws {
    var needed = 2 << 20
    for path in inputs.flatMap(\.all) {
      needed += 2 * (try world.storage.status(of: path)?.byteCount ?? 0)
    }
    try world.requireRoom(for: needed, at: output)
  }
}

extension RunNotes {
  /// Takes in what a merge did.
  mutating func take(_ report: MergeReport) {
    balances = report.balances
    rowsLost = report.outcome == .damagedLossy
    outcome = report.imbalance != nil ? .failed : rowsLost ? .succeededWithLoss : .succeeded
    exitStatus = report.imbalance?.exitStatus ?? report.outcome.exitStatus
  }
}

extension MergeReport {
  fileprivate init(
    _ ledger: MergeLedger, _ verification: Verification, rules: MergeRules, of schema: FreshSchema,
    _ staging: MergeStaging, _ output: SalvageOutput
  ) {
    let described = schema.mergedTables
    let virtual = schema.virtualNames.filter { !ledger.tables.contains($0.value) }
    let known = zip(ledger.tables, verification.rowCounts).map { name, count in
      let table = described.first { $0.name == name }
      return Table(
        name: virtual[name] ?? name, key: virtual[name] == nil ? table?.mergeKey ?? [] : ["rowid"],
        newerBy: rules.clock(of: name),
        cells: ledger.cells[name] ?? [], counted: table == nil ? 0 : count)
    }
    let isOrphaned = ledger.orphans.contains { $0.seen > 0 || $0.lost != .none }
    tables =
      known
      + (isOrphaned
        ? [Table(name: nil, key: [], newerBy: nil, cells: ledger.orphans, counted: nil)] : [])
    let isLossy = tables.contains { table in
      table.cells.contains { $0.lost != .none || $0.leftOut > 0 || $0.changed > 0 }
    }
    let isAside =
      tables.contains { $0.cells.contains { $0.quarantined > 0 } } || isLossy
      || ledger.renumbered > 0 || staging.hasQuarantine
    self.output = output.database.path
    quarantine = isAside ? output.quarantine.path : nil
    inputs = staging.labels
    policy = staging.policy
    unrestored = ledger.unrestored
    let canBeRenumbered = described.contains {
      $0.hasKeyOfItsOwn && !rules.renumbered.contains($0.name)
    }
    notes =
      ledger.notes
      + (ledger.adopted > 0 && canBeRenumbered
        ? [
          "with --renumber-all, rows of older inputs get integer keys of their own, and what refers to them "
            + "goes with them"
        ] : [])
    adopted = ledger.adopted
    reservations = ledger.reservations + staging.reservations
    integrityProblems = verification.integrityProblems
    danglingReferences = verification.danglingReferences
    unchecked = staging.unchecked + verification.unchecked
  }
}
