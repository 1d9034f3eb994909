// SPDX-License-Identifier: Apache-2.0
// What the steps of a plan work on, and what they give.

import Diagnosis
import SQLiteFormat

/// The steps of a plan, with everything that they need.
struct PlannedWork {
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

  /// A file with unsynced rows, and how many it has.
  typealias Exported = (path: FilePath, rows: Int)

  /// What the steps of a plan have given.
  struct Product {
    /// What a salvage did with every row, where that was a step.
    var salvage: SalvageReport?
    /// The files with unsynced rows.
    var exported: [Exported] = []
    /// The verdict on the database in its place afterwards.
    var verdict: Verdict?
  }

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

  /// What a step cannot do without.
  func required<Value>(_ value: Value?) throws(RescueError) -> Value {
    guard let value else {
      throw RescueError(
        .missing, "there is nothing to build the new database from", meaning: "nothing was changed")
    }
    return value
  }

  /// Reads the database in its place once more.
  func verifyInstalled() throws(RescueError) -> Verdict? {
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
