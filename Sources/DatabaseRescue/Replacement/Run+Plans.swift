// SPDX-License-Identifier: Apache-2.0
// The one interpreter of plans: it carries out one step after the other, and notes each. No other
// code replaces a live database.

import Diagnosis
import SQLiteFormat

extension Run {
  /// Carries out the steps of a plan.
  ///
  /// `whenHeld` is called when nobody can write to the database any more, and nothing has been
  /// changed yet; it ends the run by throwing.
  ///
  /// - Throws: ``RescueError``; before the step that replaces, the database is as it was. Where it
  ///   ``RescueError/isOverdue``, the database is not any more what the plan was made for.
  mutating func carryOut(
    _ work: PlannedWork, whenHeld: (inout Run) throws(RescueError) -> Void = { _ in }
  ) throws(RescueError) -> PlannedWork.Product {
    if !work.isOfGuard { try world.requireNobodyMigrates(work.folder) }
    var replacement = try Replacement(
      of: work.folder, code: work.code,
      by: work.steps.contains(.replaceFiles) ? .move : .transaction,
      newByteCount: work.newByteCount(), world: world)
    replacement.beginsEmpty = work.steps.contains(.buildEmpty)
    var product = PlannedWork.Product()
    do throws(RescueError) {
      for step in work.steps {
        try carryOut(step, of: work, replacement, &product, whenHeld: whenHeld)
      }
    } catch {
      replacement.discard()
      throw error
    }
    return product
  }

  private mutating func carryOut(
    _ step: Plan.Step, of work: PlannedWork, _ replacement: Replacement,
    _ product: inout PlannedWork.Product, whenHeld: (inout Run) throws(RescueError) -> Void
  ) throws(RescueError) {
    let newFile = replacement.newFile
    switch step {
    case .verifyBackup:
      try prove(work.required(work.backup))
    case .exportUnsynced:
      break  // With the step that replaces, once nobody can add any.
    case .buildFromBackup:
      let backup = try work.required(work.backup)
      try self.step(step) { run throws(RescueError) in
        try run.world.reader(of: backup.path, for: .restoring).restore(to: newFile)
        try backup.giveAccess(to: newFile, run.world.storage)
      }
    case .buildFromQuarantine:
      let displaced = try work.required(work.displaced)
      try self.step(step) { _ throws(RescueError) in
        try replacement.build(displacedBy: displaced)
      }
    case .buildBySalvage:
      product.salvage = try buildBySalvage(work, at: newFile)
    case .buildWithNewIndexes:
      product.salvage = try rebuildIndexes(work, at: newFile)
    case .buildEmpty:
      try self.step(step) { _ throws(RescueError) in try work.buildEmpty(at: newFile) }
    case .verifyNew:
      try self.step(step) { run throws(RescueError) in
        try Verification.requireSound(newFile, in: run.world)
      }
    case .replaceContent, .replaceFiles:
      product.exported = try self.step(step) { run throws(RescueError) in
        try run.install(replacement, of: work, whenHeld: whenHeld)
      }
      product.salvage?.output = work.folder.database
      notes.note(work.folder.replaced(work.code))
      world.forgetMigration(of: work.folder, goneBackTo: work.backup)
    case .verifyInstalled:
      product.verdict = try self.step(step) { _ throws(RescueError) in
        try work.verifyInstalled()
      }
    }
  }

  /// Reads a backup in full and compares it with its own digests.
  ///
  /// - Throws: ``RescueError`` when it does not hold.
  mutating func prove(_ backup: Backup) throws(RescueError) {
    try step(.verifyBackup(backup.path.name.description)) { run throws(RescueError) in
      let verification = try run.world.reader(of: backup.path, for: .readingBackup).verify()
      try run.world.requireGoingOn()
      if verification.isUnread {
        throw RescueError(
          .inputOutput, "the backup '\(backup.path.name)' cannot be read in full",
          meaning: "the disk does not hand out some bytes; the database is untouched",
          advice: "try again, or choose another one: dbrescue vault list "
            + backup.path.folder.shellQuoted)
      }
      guard verification.passed else {
        throw RescueError(
          .invalidInput, "the backup '\(backup.path.name)' does not hold",
          meaning: "it cannot be restored as it is; the database is untouched",
          advice: "choose another one: dbrescue vault list \(backup.path.folder.shellQuoted)")
      }
      run.notes.backupUsed = PlainName(backup.path.name)
      run.notes.hasVerifiedBackup = true
    }
  }

  /// Builds the new database of every row that can be read.
  private mutating func buildBySalvage(
    _ work: PlannedWork, at path: FilePath
  ) throws(RescueError) -> SalvageReport {
    let report = try salvage(
      work.required(work.backed?.examination ?? work.examination), to: work.salvageOutput(path),
      into: work.contract, backups: work.backed.map { [$0.backup] } ?? [])
    if let imbalance = report.imbalance { throw imbalance }
    return report
  }

  /// Copies every row into a fresh file of the same schema, where the indexes are new.
  ///
  /// SQLite's REINDEX walks an old index to free its pages, which a damaged one does not allow.
  private mutating func rebuildIndexes(
    _ work: PlannedWork, at path: FilePath
  ) throws(RescueError) -> SalvageReport {
    let report = try salvage(
      work.required(work.examination), to: work.salvageOutput(path), into: nil,
      believingTables: true)
    guard report.isComplete else {
      throw RescueError(
        .invalidInput, "more than the indexes is wrong", meaning: "nothing was replaced",
        advice: "salvage instead")
    }
    return report
  }

  /// Puts the new file in place.
  ///
  /// - Returns: The files with unsynced rows.
  private mutating func install(
    _ replacement: Replacement, of work: PlannedWork,
    whenHeld: (inout Run) throws(RescueError) -> Void
  ) throws(RescueError) -> [PlannedWork.Exported] {
    var exported: [PlannedWork.Exported] = []
    try replacement.install(
      over: work.state, asWAL: work.isWAL, wait: work.wait
    ) { old throws(RescueError) in
      try whenHeld(&self)
      exported = try export(work, from: old)
    }
    return exported
  }

  /// Exports unsynced rows, when the plan says so.
  private mutating func export(
    _ work: PlannedWork, from old: FilePath?
  ) throws(RescueError) -> [PlannedWork.Exported] {
    for case .exportUnsynced(let tables) in work.steps {
      return try step(.exportUnsynced(tables: tables)) { _ throws(RescueError) in
        try work.export(from: old)
      }
    }
    return []
  }

  /// Carries out a step of a plan and notes how it ended and how long it took.
  mutating func step<Value>(
    _ step: Plan.Step, _ body: (inout Run) throws(RescueError) -> Value
  ) throws(RescueError) -> Value {
    try self.step(PlainName(step.name), at: step.stage, body)
  }
}

extension Plan.Step {
  /// How far a run has come with this step.
  fileprivate var stage: SupportCode.Stage {
    switch self {
    case .verifyBackup, .verifyNew, .verifyInstalled: .verify
    case .buildFromBackup, .buildFromQuarantine, .buildBySalvage, .buildWithNewIndexes,
      .buildEmpty:
      .act
    case .exportUnsynced: .export
    case .replaceContent, .replaceFiles: .install
    }
  }
}
