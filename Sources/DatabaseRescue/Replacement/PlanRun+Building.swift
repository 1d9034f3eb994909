// SPDX-License-Identifier: Apache-2.0
// What the steps of a plan build beside a live database, and what is exported of it.

import Diagnosis
import SQLiteFormat

extension PlanRun {
  /// Builds the new database of every row that can be read.
  func buildBySalvage(
    at path: FilePath, _ notes: inout RunNotes
  ) throws(RescueError) -> SalvageReport {
    let report = try notes.salvage(
      required(backed?.examination ?? examination), to: salvageOutput(path), into: contract,
      backups: backed.map { [$0.backup] } ?? [], in: world)
    if let imbalance = report.imbalance { throw imbalance }
    return report
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
  func newByteCount() throws(RescueError) -> Int {
    if let displaced { return try byteCount(of: displaced) }
    let fromBackup = backup?.manifest?.image.byteCount ?? 0
    if fromBackup > 0, backed == nil { return fromBackup }
    guard !steps.contains(.buildEmpty), let image = examination?.survey.image else { return 0 }
    let content = image.pageCount * image.geometry.pageSize + fromBackup
    return content + content / 4
  }

  /// How large the files are together that an earlier run displaced.
  private func byteCount(of displaced: FilePath) throws(RescueError) -> Int {
    do {
      let kept = displaced.appending(folder.database.name)
      return try InputFiles(kept, storage: storage).all
        .reduce(0) { try $0 + (storage.status(of: $1)?.byteCount ?? 0) }
    } catch {
      throw RescueError(error, doing: "look at '\(displaced)'")
    }
  }

  /// Exports unsynced rows, when the plan says so: from the old database where SQLite can read it,
  /// else from what can be salvaged of it.
  func export(
    from old: FilePath?, _ notes: inout RunNotes
  ) throws(RescueError) -> [(path: FilePath, rows: Int)] {
    for case .exportUnsynced(let tables) in steps {
      return try notes.step(.exportUnsynced(tables: tables)) { _ throws(RescueError) in
        let examination = try required(examination)
        if let old { return try export(from: old) }
        guard let image = examination.survey.image else { return [] }
        let scratch = try PrivateFolder(world: world)
        let copy = scratch.file("copy.db")
        if [.damagedIntact, .damagedLossy].contains(examination.verdict) {
          var files = RunFiles()
          _ = try Salvage(examination.reconstruction, world: world).run(
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
      UnsyncedExport.places(in: required(examination), contract), of: database,
      to: folder.quarantine(code), storage: storage)
  }

  /// Copies every row into a fresh file of the same schema, where the indexes are new.
  ///
  /// SQLite's REINDEX walks an old index to free its pages, which a damaged one does not allow.
  func rebuildIndexes(
    at path: FilePath, _ notes: inout RunNotes
  ) throws(RescueError) -> SalvageReport {
    let report = try notes.salvage(
      required(examination), to: salvageOutput(path), into: nil, believingTables: true, in: world)
    guard report.isComplete else {
      throw RescueError(
        .invalidInput, "more than the indexes is wrong", meaning: "nothing was replaced",
        advice: "salvage instead")
    }
    return report
  }

  /// Builds an empty database of the contract's schema.
  func buildEmpty(at path: FilePath) throws(RescueError) {
    guard let contract else {
      throw RescueError(.usage, "a reset needs a schema", advice: "add --schema CONTRACT")
    }
    var schema = try FreshSchema(contract: contract)
    // In WAL mode the content of another page size does not go in.
    schema.pageSize = examination?.survey.geometry?.geometry.pageSize ?? schema.pageSize
    do {
      let fresh = try FreshDatabase(at: path, schema: schema)
      if let hash = contract.books[.room]?.identityHash {
        try fresh.connection.execute(ContractDifference.noting(identity: hash))
      }
      let unrestored = try fresh.finish()
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
