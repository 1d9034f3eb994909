// SPDX-License-Identifier: Apache-2.0
// Where a salvage writes: the fresh database, and what is doubtful beside it. Both or neither.

/// The files that a salvage writes.
package struct SalvageOutput: Sendable {
  /// The fresh database.
  let database: RunFiles.Output
  /// The database of doubtful rows.
  let quarantine: RunFiles.Output

  /// Takes the files; doubtful rows go to `quarantine`, beside the database unless given.
  ///
  /// - Throws: ``RescueError`` as ``RunFiles/write(_:replacing:storage:)``.
  package init(
    _ database: FilePath, quarantine: FilePath? = nil, replacing: Bool, in files: inout RunFiles,
    storage: any Storage
  ) throws(RescueError) {
    self.database = try files.write(database, replacing: replacing, storage: storage)
    self.quarantine = try files.write(
      quarantine ?? database.adding(suffix: ".quarantine.db"), replacing: replacing,
      storage: storage)
  }

  /// Gives both files their names, or neither; without doubtful rows, an old quarantine file goes
  /// with the old database.
  func publish(
    _ partial: FilePath, partialQuarantine: FilePath?, in folder: borrowing PrivateFolder,
    _ storage: any Storage
  ) throws {
    if partialQuarantine != nil { try storage.createFolder(quarantine.path.folder) }
    let aside = FileExchange.Change(path: quarantine.path, new: partialQuarantine)
    try FileExchange.carryOut(
      (partialQuarantine != nil || quarantine.isReplacing ? [aside] : [])
        + [FileExchange.Change(path: database.path, new: partial)],
      replacing: database.isReplacing, in: folder, storage)
  }
}
