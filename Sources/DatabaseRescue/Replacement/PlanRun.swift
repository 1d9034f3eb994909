// SPDX-License-Identifier: Apache-2.0
// The one interpreter of plans: it carries out one step after the other, and notes each. No other
// code replaces a live database.

import Diagnosis
import SQLiteFormat

/// A plan that is carried out, with everything that its steps need and what they have given so far.
struct PlanRun {
  /// What the database in its place must be in the end.
  enum Aim {
    /// Whatever it is, its verdict is told.
    case verdict
    /// What the backup holds, row for row.
    case equality
  }

  let world: World
  let folder: RescueFolder
  let code: SupportCode
  let steps: [Plan.Step]
  let wait: Duration
  /// The database as it was examined; nil where nothing is built from it.
  var examination: Examination?
  /// What the app expects.
  var contract: Contract?
  /// The backup that is restored, or that lost rows come from.
  var backup: Backup?
  /// What a salvage with a backup works on.
  var backed: BackedSalvage?
  /// The files of an earlier run that are brought back.
  var displaced: FilePath?
  /// The files of the database that the plan is for; nil where it is for whatever is there.
  var state: DatabaseState?
  /// What is proven in the end.
  var aim = Aim.verdict
  /// Whether the database is to be in WAL mode; nil where its mode stays.
  var isWAL: Bool?
  /// Whether the migration that is noted beside the database is this run's own.
  var isOfGuard = false

  /// What a salvage did with every row, where that was a step.
  private(set) var salvage: SalvageReport?
  /// The files with unsynced rows, and how many each has.
  private(set) var exported: [(path: FilePath, rows: Int)] = []
  /// The verdict on the database in its place afterwards.
  private(set) var verdict: Verdict?

  var storage: any Storage { world.storage }

  init(
    _ steps: [Plan.Step], in world: World, on folder: RescueFolder, code: SupportCode,
    wait: Duration
  ) {
    self.steps = steps
    self.world = world
    self.folder = folder
    self.code = code
    self.wait = wait
  }

  /// Carries out the steps.
  ///
  /// `whenHeld` is called when nobody can write to the database any more, and nothing has been
  /// changed yet; it ends the run by throwing.
  ///
  /// - Throws: ``RescueError``; before the step that replaces, the database is as it was. Where it
  ///   ``RescueError/isOverdue``, the database is not any more what the plan was made for.
  mutating func carryOut(
    _ notes: inout RunNotes,
    whenHeld: (inout RunNotes) throws(RescueError) -> Void = { _ in }
  ) throws(RescueError) {
    if !isOfGuard { try world.requireNobodyMigrates(folder) }
    let replacement = try Replacement(
      of: folder, code: code, by: steps.contains(.replaceFiles) ? .move : .transaction,
      newByteCount: newByteCount(), world: world)
    do throws(RescueError) {
      for step in steps { try carryOut(step, replacement, &notes, whenHeld: whenHeld) }
    } catch {
      replacement.discard()
      throw error
    }
  }

  private mutating func carryOut(
    _ step: Plan.Step, _ replacement: Replacement, _ notes: inout RunNotes,
    whenHeld: (inout RunNotes) throws(RescueError) -> Void
  ) throws(RescueError) {
    let newFile = replacement.newFile
    switch step {
    case .verifyBackup:
      try notes.prove(required(backup), in: world)
    case .exportUnsynced:
      break  // With the step that replaces, once nobody can add any.
    case .buildFromBackup:
      let backup = try required(backup)
      try notes.step(step) { _ throws(RescueError) in
        try world.reader(of: backup.path, for: .restoring).restore(to: newFile)
        try backup.giveAccess(to: newFile, storage)
      }
    case .buildFromQuarantine:
      let displaced = try required(displaced)
      try notes.step(step) { _ throws(RescueError) in
        try replacement.build(displacedBy: displaced)
      }
    case .buildBySalvage:
      salvage = try buildBySalvage(at: newFile, &notes)
    case .buildWithNewIndexes:
      salvage = try rebuildIndexes(at: newFile, &notes)
    case .buildEmpty:
      try notes.step(step) { _ throws(RescueError) in try buildEmpty(at: newFile) }
    case .verifyNew:
      try notes.step(step) { _ throws(RescueError) in
        try Verification.requireSound(newFile, in: world)
      }
    case .replaceContent, .replaceFiles:
      exported = try notes.step(step) { notes throws(RescueError) in
        try install(replacement, &notes, whenHeld: whenHeld)
      }
      let place = folder.database
      salvage?.output = place
      notes.note(folder.replaced(code))
      // What a migration left that was cut off is not there any more.
      try? folder.removeGuardRecord(storage)
    case .verifyInstalled:
      verdict = try notes.step(step) { _ throws(RescueError) in try verifyInstalled() }
    }
  }

  /// Puts the new file in place.
  ///
  /// - Returns: The files with unsynced rows.
  private func install(
    _ replacement: Replacement, _ notes: inout RunNotes,
    whenHeld: (inout RunNotes) throws(RescueError) -> Void
  ) throws(RescueError) -> [(path: FilePath, rows: Int)] {
    var exported: [(path: FilePath, rows: Int)] = []
    try replacement.install(over: state, asWAL: isWAL, wait: wait) { old throws(RescueError) in
      try whenHeld(&notes)
      exported = try export(from: old, &notes)
    }
    return exported
  }

  /// What a step cannot do without.
  func required<Value>(_ value: Value?) throws(RescueError) -> Value {
    guard let value else {
      throw RescueError(
        .missing, "there is nothing to build the new database from", meaning: "nothing was changed")
    }
    return value
  }

  /// Reads the database in its place once more.
  private func verifyInstalled() throws(RescueError) -> Verdict? {
    switch aim {
    case .verdict:
      return try world.unstoppable.examineInUse(folder.database, contract, wait: wait)
        .examination.verdict
    case .equality:
      try requireRows(of: required(backup))
      return nil
    }
  }

  /// Requires that the database holds what a backup does, row for row.
  private func requireRows(of backup: Backup) throws(RescueError) {
    // Its rows are read once more, and others may have it open.
    let scratch = try PrivateFolder(world: world)
    let copy = scratch.file("moment.db")
    try OnlineBackup.image(of: folder.database, into: copy, wait: wait)
    let reconstruction = try world.reconstruct(
      InputFiles(copy, storage: storage).open(in: world))
    let content = try BackupContent(reconstruction, supportCode: code)
    let hashes = Dictionary(
      content.tables.map { ($0.name, $0.contentHash) }, uniquingKeysWith: { first, _ in first })
    let expected = backup.manifest?.content.tables ?? []
    guard expected.allSatisfy({ hashes[$0.name] == $0.contentHash }) else {
      throw RescueError(
        .busy, "the backup was put back, and the database is not equal to it any more",
        meaning: "another process has written to it since; what it was before the restore is in "
          + "'\(folder.quarantine(code))'",
        advice: "dbrescue diagnose \(folder.database.shellQuoted)")
    }
  }
}
