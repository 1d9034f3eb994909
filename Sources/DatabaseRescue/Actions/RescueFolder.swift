// SPDX-License-Identifier: Apache-2.0
// The folder beside a database that holds what this library keeps of it.
//
// app.db.rescue/backups/             backups
// app.db.rescue/quarantine/CODE/     displaced files, by the code of the run that displaced them
// app.db.rescue/plan.json            a replacement that has begun and is not finished
// app.db.rescue/.CODE.…              the new file of a run, and what it is built from
//
// A run that is going to replace the database holds the lock of the folder.

public import Diagnosis
import SQLiteFormat

/// The folder beside a database that holds its backups and its displaced files.
public struct RescueFolder: Hashable, Sendable {
  /// How the name of a file ends that is not complete yet.
  static let partialSuffix = ".partial"
  /// How the names of files begin that belong to one run and are not its result.
  private static let temporaryPrefix = ".DBR-"

  /// The database, with links followed.
  public let database: FilePath

  /// The folder of a database, which may be missing.
  ///
  /// - Throws: ``RescueError`` when the path's links cannot be followed.
  public init(of database: FilePath, storage: any Storage) throws(RescueError) {
    do {
      self.database = try storage.place(of: database)
    } catch  where error.cause == .missing {
      self.database = database
    } catch {
      throw RescueError(error)
    }
  }

  /// The folder itself.
  public var path: FilePath { database.adding(suffix: ".rescue") }
  /// Where backups go unless told otherwise.
  public var backups: FilePath { Vault.defaultFolder(of: database) }
  /// The plan of an unfinished replacement.
  var plan: FilePath { path.appending("plan.json") }
  /// Where displaced files are kept.
  var quarantines: FilePath { path.appending("quarantine") }

  /// Where a run's displaced files are kept.
  public func quarantine(_ code: SupportCode) -> FilePath {
    quarantines.appending(FilePath(code.description))
  }

  /// Where a run builds its new file.
  func newFile(_ code: String) -> FilePath { path.appending(FilePath(".\(code).new")) }

  /// The error of a run that finds another one at work.
  var isBusy: RescueError {
    RescueError(
      .busy, "another run of dbrescue is changing '\(database)'", meaning: "nothing was changed",
      advice: "wait until it is done, then try again")
  }

  /// What it means when a run fails after it has replaced the database.
  func consequence(_ code: SupportCode) -> String {
    "the database was replaced; what it was is in '\(quarantine(code))'"
  }

  /// Keeps the connections of others from the database.
  ///
  /// - Throws: ``RescueError`` of the kind `.busy` when somebody is using it.
  func lockDatabase(_ storage: any Storage) throws -> HeldLock {
    if let lock = try storage.lockDatabase(database) { return lock }
    throw RescueError(
      .busy, "another process has '\(database)' open",
      meaning: "nothing was changed", advice: "close the app that uses it, then try again")
  }

  /// Ends a replacement: the plan goes first, as without its new file it would undo everything.
  func clear(_ code: String, _ storage: any Storage) throws(StorageError) {
    try storage.remove(plan)
    try storage.synchronizeFolder(path)
    try storage.remove(newFile(code))
  }

  /// Removes what runs have left that ended before they replaced anything.
  ///
  /// Only who holds the lock and finds no plan may do so. What cannot be removed is litter, and
  /// hides no result.
  func sweep(_ storage: any Storage) {
    PrivateFolder.sweep(path, storage)
    for name in (try? storage.names(in: path)) ?? [] where isTemporary(name) {
      try? storage.remove(path.appending(name))
    }
    for code in (try? storage.names(in: quarantines)) ?? [] {
      removeQuarantineUnlessUsed(code.description, storage)
    }
  }

  private func isTemporary(_ name: FilePath) -> Bool {
    name.bytes.starts(with: Self.temporaryPrefix.utf8)
      || name == plan.name.adding(suffix: Self.partialSuffix)
  }

  /// Removes a quarantine folder that holds no displaced file, and with it what was only written
  /// in case there would be one.
  func removeQuarantineUnlessUsed(_ code: String, _ storage: any Storage) {
    let names = (try? storage.names(in: quarantines.appending(FilePath(code)))) ?? [database.name]
    let isUsed = names.contains { name in
      name.bytes.starts(with: database.name.bytes) && !name.hasSuffix(Self.partialSuffix)
    }
    if !isUsed { removeQuarantine(code, storage) }
  }

  /// Removes a quarantine folder with copies of what is still in its place.
  func removeQuarantine(_ code: String, _ storage: any Storage) {
    let quarantine = quarantines.appending(FilePath(code))
    for name in (try? storage.names(in: quarantine)) ?? [] {
      try? storage.remove(quarantine.appending(name))
    }
    try? storage.removeFolder(quarantine)
  }
}
