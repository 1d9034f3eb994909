// SPDX-License-Identifier: Apache-2.0
// What the steps of a plan build beside a live database, and what is exported of it.

import Diagnosis
import SQLiteFormat

extension PlannedWork {
  /// The new file of a salvage; what is doubtful goes to where the old files will be.
  func salvageOutput(_ newFile: FilePath) throws(RescueError) -> SalvageOutput {
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

  /// Exports unsynced rows: from the old database where SQLite can read it, else from what can be
  /// salvaged of it.
  func export(from old: FilePath?) throws(RescueError) -> [Exported] {
    let examination = try required(examination)
    if let old { return try export(of: old) }
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
    return try export(of: copy)
  }

  private func export(of database: FilePath) throws(RescueError) -> [Exported] {
    do { try storage.createFolder(folder.quarantine(code)) } catch { throw RescueError(error) }
    return try UnsyncedExport.write(
      UnsyncedExport.places(in: required(examination), contract), of: database,
      to: folder.quarantine(code), storage: storage)
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
