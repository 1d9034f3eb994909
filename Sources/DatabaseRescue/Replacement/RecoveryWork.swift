// SPDX-License-Identifier: Apache-2.0
// The steps of a plan, carried out one by one. The only code that replaces a live database.

import Diagnosis
import SQLiteFormat

/// One recovery, with everything that its steps need.
struct RecoveryWork {
  let rescue: Rescue
  let examination: Examination
  let contract: Contract?
  let folder: RescueFolder
  let code: SupportCode
  let plan: Plan
  let wait: Duration
  let backup: Backup?
  /// The files of the database that the plan is for.
  let state: DatabaseState?

  private var storage: any Storage { rescue.world.storage }

  /// Carries out the plan; where it is `renewing`, for whatever the database is under the lock, and
  /// else for the state that was planned for.
  ///
  /// `renew` makes the plan anew, and has it approved.
  ///
  /// - Returns: What was done; nil when the database is not any more what the plan was made for.
  /// - Throws: ``RescueError``; before the step that replaces, the database is as it was.
  func carryOut(
    _ notes: inout RunNotes, renewing: Bool,
    _ renew: (Examination) throws(RescueError) -> Plan
  ) throws(RescueError) -> RecoveryReport? {
    let replacement = try Replacement(
      of: folder, code: code, by: plan.steps.contains(.replaceFiles) ? .move : .transaction,
      newByteCount: newByteCount, world: rescue.world)
    var salvage: SalvageReport?
    var exported: [(path: FilePath, rows: Int)] = []
    var verdict = examination.verdict
    var renewed: Plan?
    do throws(RescueError) {
      for step in plan.steps {
        switch step {
        case .verifyBackup:
          try rescue.prove(requireBackup(), &notes)
        case .exportUnsynced:
          break  // With the next step, once nobody can add any.
        case .buildFromBackup:
          let backup = try requireBackup()
          try notes.step(PlainName(step.name), at: .act) { _ throws(RescueError) in
            try BackupReader(backup.path, in: rescue.world.stoppableStorage)
              .restore(to: replacement.newFile)
          }
        case .buildBySalvage:
          salvage = try rescue.salvage(
            examination, to: salvageOutput(replacement.newFile), into: contract, &notes)
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
          try notes.step(PlainName(step.name), at: .install) { notes throws(RescueError) in
            try replacement.install(over: renewing ? nil : state, wait: wait) {
              old throws(RescueError) in
              if renewing { renewed = try renew(examineKept(&notes)) }
              exported = try export(from: old, &notes)
            }
          }
          salvage?.output = folder.database
          notes.note(folder.replaced(code))
        case .verifyInstalled:
          verdict = try notes.step(PlainName(step.name), at: .verify) { _ throws(RescueError) in
            var scratch = RunNotes(.check, unattended: true, world: rescue.world)
            return try rescue.unstoppable.examineInUse(
              folder.database, contract, wait: wait, &scratch
            ).verdict
          }
        }
      }
    } catch {
      replacement.discard()
      if replacement.isOverdue(error) { return nil }
      throw error
    }
    return RecoveryReport(
      plan: renewed ?? plan, salvage: salvage, exported: exported, verdict: verdict,
      quarantine: folder.quarantine(code))
  }

  /// Examines the copy that was kept of the database, to which nobody can write any more.
  private func examineKept(_ notes: inout RunNotes) throws(RescueError) -> Examination {
    let kept = folder.quarantine(code).appending(folder.database.name)
    return try rescue.examine(InputFiles(kept, storage: storage), contract, &notes)
  }

  private func requireBackup() throws(RescueError) -> Backup {
    guard let backup else {
      throw RescueError(.missing, "there is no backup to restore", meaning: "nothing was changed")
    }
    return backup
  }

  /// The new file of a salvage; what is doubtful goes to where the old files will be.
  private func salvageOutput(_ newFile: FilePath) throws(RescueError) -> SalvageOutput {
    var files = RunFiles()
    files.read([folder.database], storage: storage)
    return try SalvageOutput(
      newFile, quarantine: folder.quarantine(code).appending("doubtful-rows.db"), replacing: true,
      in: &files, storage: storage)
  }

  /// How large the new file may become.
  private var newByteCount: Int {
    if let image = backup?.manifest?.image { return image.byteCount }
    guard !plan.steps.contains(.buildEmpty), let image = examination.survey.image else { return 0 }
    let content = image.pageCount * image.geometry.pageSize
    return content + content / 4
  }

  /// Exports unsynced rows, when the plan says so: from the old database where SQLite can read it,
  /// else from what can be salvaged of it.
  private func export(
    from old: FilePath?, _ notes: inout RunNotes
  ) throws(RescueError) -> [(path: FilePath, rows: Int)] {
    for case .exportUnsynced in plan.steps {
      return try notes.step("export-unsynced", at: .export) { _ throws(RescueError) in
        if let old { return try export(from: old) }
        guard let image = examination.survey.image else { return [] }
        let scratch = try PrivateFolder(world: rescue.world)
        let copy = scratch.file("copy.db")
        if [.damagedIntact, .damagedLossy].contains(examination.verdict) {
          var files = RunFiles()
          _ = try Salvage(examination.survey, world: rescue.world).run(
            to: SalvageOutput(copy, replacing: false, in: &files, storage: storage),
            code: code.description)
        } else {
          try image.write(to: copy, storage: storage)
        }
        return try export(from: copy)
      }
    }
    return []
  }

  private func export(
    from database: FilePath
  ) throws(RescueError) -> [(path: FilePath, rows: Int)] {
    do { try storage.createFolder(folder.quarantine(code)) } catch { throw RescueError(error) }
    return try UnsyncedExport.write(
      rescue.unsyncedPlaces(examination, contract), of: database, to: folder.quarantine(code),
      storage: storage)
  }

  /// Copies every row into a fresh file of the same schema, where the indexes are new.
  ///
  /// SQLite's REINDEX walks an old index to free its pages, which a damaged one does not allow.
  private func rebuildIndexes(
    at path: FilePath, _ notes: inout RunNotes
  ) throws(RescueError) -> SalvageReport {
    let report = try rescue.salvage(
      examination, to: salvageOutput(path), into: nil, believingTables: true, &notes)
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
      let unrestored = try FreshDatabase(at: path, schema: schema).finish()
      if let object = unrestored.first {
        throw RescueError(
          .invalidInput, "the schema does not build: \(object.name): \(object.reason)",
          meaning: "nothing was replaced", advice: "mend the contract or script")
      }
    } catch {
      throw RescueError(error, doing: "build the empty database", meaning: "nothing was replaced")
    }
  }
}
