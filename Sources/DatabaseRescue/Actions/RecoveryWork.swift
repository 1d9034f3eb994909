// SPDX-License-Identifier: Apache-2.0
// The steps of a plan, carried out one by one. The only code that replaces a live database.

import Diagnosis
import SQLiteFormat

/// One recovery, with everything that its steps need.
struct RecoveryWork {
  let rescue: Rescue
  let input: InputFiles
  let examination: Examination
  let contract: Contract?
  let folder: RescueFolder
  let code: SupportCode
  let plan: Plan
  let wait: Duration
  let backup: Backup?

  private var storage: any Storage { rescue.world.storage }

  /// Carries out the plan.
  ///
  /// - Throws: ``RescueError``; before the step that replaces, the database is as it was.
  func carryOut(_ notes: inout RunNotes) throws(RescueError) -> RecoveryReport {
    let replacement = Replacement(of: folder, code: code, world: rescue.world)
    try replacement.prepare()
    var salvage: SalvageReport?
    var exported: [(path: FilePath, rows: Int)] = []
    var verdict = examination.verdict
    do throws(RescueError) {
      for step in plan.steps {
        switch step {
        case .verifyBackup:
          try rescue.prove(requireBackup(), &notes)
        case .exportUnsynced:
          exported = try notes.step(PlainName(step.name), at: .export) { _ throws(RescueError) in
            try export()
          }
        case .buildFromBackup:
          let backup = try requireBackup()
          try notes.step(PlainName(step.name), at: .act) { _ throws(RescueError) in
            try BackupReader(backup.path, in: storage).restore(to: replacement.newFile)
          }
        case .buildBySalvage:
          salvage = try rescue.salvage(
            examination, to: replacement.newFile,
            quarantine: folder.quarantine(code).appending("doubtful-rows.db"),
            into: contract, replacing: true, &notes)
          if let imbalance = salvage?.imbalance { throw imbalance }
        case .buildWithNewIndexes:
          salvage = try rebuildIndexes(at: replacement.newFile, &notes)
        case .buildEmpty:
          try notes.step(PlainName(step.name), at: .act) { _ throws(RescueError) in
            try buildEmpty(at: replacement.newFile)
          }
        case .verifyNew:
          try rescue.verifyNew(replacement.newFile, &notes)
        case .replaceContent, .replaceFiles:
          try notes.step(PlainName(step.name), at: .install) { _ throws(RescueError) in
            try replacement.install(step == .replaceContent ? .transaction : .move, wait: wait)
          }
          salvage?.output = folder.database
        case .verifyInstalled:
          verdict = try notes.step(PlainName(step.name), at: .verify) { _ throws(RescueError) in
            var scratch = RunNotes(.check, unattended: true, world: rescue.world)
            return try rescue.examineInUse(
              folder.database, contract, wait: wait, &scratch
            ).verdict
          }
        }
      }
    } catch {
      replacement.discardNewFile()
      throw error
    }
    return RecoveryReport(
      plan: plan, salvage: salvage, exported: exported, verdict: verdict,
      quarantine: folder.quarantine(code))
  }

  private func requireBackup() throws(RescueError) -> Backup {
    guard let backup else {
      throw RescueError(.missing, "there is no backup to restore", meaning: "nothing was changed")
    }
    return backup
  }

  /// Exports unsynced rows from a private copy, or from what can be salvaged of a damaged file.
  private func export() throws(RescueError) -> [(path: FilePath, rows: Int)] {
    let places = rescue.unsyncedPlaces(examination, contract)
    guard let image = examination.survey.image else { return [] }
    let scratch = try PrivateFolder(world: rescue.world)
    let copy = scratch.file("copy.db")
    if examination.verdict == .damagedIntact || examination.verdict == .damagedLossy {
      _ = try Salvage(examination.survey, world: rescue.world).run(
        to: copy, code: code.description)
    } else {
      try image.write(to: copy, storage: storage)
    }
    do { try storage.createFolder(folder.quarantine(code)) } catch { throw RescueError(error) }
    return try UnsyncedExport.write(
      places, of: copy, to: folder.quarantine(code), storage: storage)
  }

  /// Copies every row into a fresh file of the same schema, where the indexes are new.
  ///
  /// SQLite's REINDEX walks an old index to free its pages, which a damaged one does not allow.
  private func rebuildIndexes(
    at path: FilePath, _ notes: inout RunNotes
  ) throws(RescueError) -> SalvageReport {
    let report = try rescue.salvage(
      examination, to: path, quarantine: folder.quarantine(code).appending("doubtful-rows.db"),
      into: nil, believingTables: true, replacing: true, &notes)
    guard report.isComplete else {
      throw RescueError(
        .invalidInput, "more than the indexes is wrong", meaning: "nothing was replaced",
        advice: "salvage instead")
    }
    return report
  }

  private func buildEmpty(at path: FilePath) throws(RescueError) {
    guard let contract else {
      throw RescueError(.usage, "a reset needs a schema", advice: "add --schema CONTRACT")
    }
    var schema = try FreshSchema(contract: contract)
    // In WAL mode the content of another page size does not go in.
    schema.pageSize = examination.survey.geometry?.geometry.pageSize ?? schema.pageSize
    do {
      var fresh = try FreshDatabase(at: path, schema: schema)
      try fresh.finish()
      guard fresh.unrestored.isEmpty else {
        throw RescueError(
          .invalidInput,
          "the schema does not build: \(fresh.unrestored[0].name): \(fresh.unrestored[0].reason)",
          meaning: "nothing was replaced", advice: "mend the contract or script")
      }
    } catch {
      throw RescueError(error, doing: "build the empty database", meaning: "nothing was replaced")
    }
  }
}
