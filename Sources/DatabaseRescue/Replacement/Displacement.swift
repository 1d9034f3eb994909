// SPDX-License-Identifier: Apache-2.0
// The moves of a replacement by files, and how they go on after a kill at any of them.
//
// 1. Every old file gets a second name in quarantine. Nothing has changed for anybody.
// 2. The old names go, the database first. Until the end there is no database: whoever looks for
//    one cannot take half of one for it, and whoever makes one cannot harm what is in quarantine.
// 3. The new file gets the name.
//
// Each stage is durable before the next begins. What comes back after a crash is told from the
// names alone: as long as the old database has its name, nothing was displaced, and the names in
// quarantine go again; after that, the rest is done.

import SQLiteFormat

/// The old files of a database on their way to quarantine, and a new one on its way to their place.
struct Displacement {
  /// What may stand beside a database and belongs to it, in the order in which it moves.
  ///
  /// SQLite writes the names in lower case; files that were sent around have come in others.
  static let suffixes =
    [""] + FilePath.sidecarSuffixes + FilePath.sidecarSuffixes.map { $0.uppercased() }

  private let folder: RescueFolder
  private let storage: any Storage
  private let quarantine: FilePath
  private let new: FilePath

  init(_ folder: RescueFolder, _ code: String, _ storage: any Storage) {
    self.folder = folder
    self.storage = storage
    quarantine = folder.quarantines.appending(FilePath(code))
    new = folder.newFile(code)
    self.code = code
  }

  private let code: String

  private func old(_ suffix: String) -> FilePath { folder.database.adding(suffix: suffix) }
  private func kept(_ suffix: String) -> FilePath { quarantine.appending(old(suffix).name) }

  /// Carries out all stages, from the first.
  ///
  /// Where a call fails, what was begun is finished or undone at once, and where that fails, too, by
  /// the next command. Nobody is left without a database because a disk failed for a moment.
  func carryOut() throws(StorageError) {
    do throws(StorageError) { try linkToQuarantine() } catch {
      try? undo()
      throw error
    }
    let built = try? status(new)?.identity
    do throws(StorageError) { try displaceAndInstall() } catch {
      let isResumed = (try? resume()) != nil
      guard isResumed, let built, (try? status(old("")))?.identity == built else { throw error }
    }
  }

  /// The first stage.
  private func linkToQuarantine() throws(StorageError) {
    try storage.createFolder(quarantine)
    if try status(old("")) != nil {
      for suffix in Self.suffixes where try status(old(suffix)) != nil {
        if try status(kept(suffix)) == nil {
          // Where files have one name only, they move in the next stage.
          guard try storage.link(old(suffix), to: kept(suffix)) else { break }
        }
      }
      try storage.synchronizeFolder(quarantine)
    }
  }

  /// Goes on after a kill: finishes what has displaced something, and undoes what has not.
  func resume() throws(StorageError) {
    let isBuilt = try status(new) != nil
    guard let database = try status(old("")) else {
      return try isBuilt ? displaceAndInstall() : bringBack()
    }
    if try database.isSameFile(as: status(new)) {
      // The last move was made.
      try storage.synchronizeFolder(folder.database.folder)
      try folder.clear(code, storage)
    } else if let displaced = try status(kept("")), !database.isSameFile(as: displaced) {
      // Somebody made another one while there was none; or, where files have one name only, this
      // is the new one.
      try isBuilt ? displaceAndInstall() : folder.clear(code, storage)
    } else {
      try undo()
    }
  }

  /// The second and the third stage.
  private func displaceAndInstall() throws(StorageError) {
    var newer: FilePath?
    if let database = try status(old("")), let displaced = try status(kept("")),
      !database.isSameFile(as: displaced)
    {
      newer = try freeName(for: kept("").adding(suffix: ".newer"))
    }
    for (index, suffix) in Self.suffixes.enumerated() {
      try displace(suffix, asNewer: newer?.adding(suffix: suffix))
      // No journal goes before it is certain that its database has gone.
      if index == 0 { try synchronize() }
    }
    try synchronize()
    if try !storage.link(new, to: old("")) { try storage.rename(new, to: old("")) }
    try storage.synchronizeFolder(folder.database.folder)
    try folder.clear(code, storage)
  }

  /// Takes its name from a file, which has another one in quarantine by then.
  ///
  /// A file of a database that somebody made while there was none gets the name of a newer one.
  private func displace(_ suffix: String, asNewer newer: FilePath?) throws(StorageError) {
    guard let present = try status(old(suffix)) else { return }
    if let displaced = try status(kept(suffix)), present.isSameFile(as: displaced) {
      return try storage.remove(old(suffix))
    }
    try move(old(suffix), to: newer ?? kept(suffix))
  }

  private func move(_ path: FilePath, to newPath: FilePath) throws(StorageError) {
    guard try storage.link(path, to: newPath) else {
      return try storage.renameWithoutReplacing(path, to: newPath)
    }
    try storage.synchronizeFolder(newPath.folder)
    try storage.remove(path)
  }

  /// Takes the names in quarantine away from files that still have their own.
  private func undo() throws(StorageError) {
    for suffix in Self.suffixes {
      if let second = try status(kept(suffix)), try second.isSameFile(as: status(old(suffix))) {
        try storage.remove(kept(suffix))
      }
    }
    folder.removeQuarantineUnlessUsed(code, storage)
    try folder.clear(code, storage)
  }

  /// Gives the old files their names again: there is no database, and the new one is gone.
  private func bringBack() throws(StorageError) {
    // The database last: until then nobody can take half of it for the whole.
    for suffix in Self.suffixes.reversed() where try status(kept(suffix)) != nil {
      if try status(old(suffix)) == nil { try move(kept(suffix), to: old(suffix)) }
    }
    try synchronize()
    try folder.clear(code, storage)
  }

  private func synchronize() throws(StorageError) {
    try storage.synchronizeFolder(quarantine)
    try storage.synchronizeFolder(folder.database.folder)
  }

  /// What has a name, and not what a link of that name leads to.
  private func status(_ path: FilePath) throws(StorageError) -> FileStatus? {
    do throws(StorageError) {
      return try storage.openFolder(path.folder).status(of: path.name)
    } catch  where error.cause == .missing {
      return nil
    }
  }

  private func freeName(for path: FilePath) throws(StorageError) -> FilePath {
    var name = path
    var number = 1
    while try status(name) != nil {
      number += 1
      name = path.adding(suffix: "-\(number)")
    }
    return name
  }
}

extension FileStatus {
  /// Whether two names lead to one file.
  fileprivate func isSameFile(as other: FileStatus?) -> Bool { identity == other?.identity }
}
