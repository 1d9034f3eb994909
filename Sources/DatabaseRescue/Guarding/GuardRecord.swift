// SPDX-License-Identifier: Apache-2.0
// What lies beside a database while a migration runs on it under guard: should the guard be killed,
// whoever comes next learns that there was one, and where the way back is.

import Diagnosis
import SQLiteFormat

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// What lies beside a database while a migration runs on it under guard.
struct GuardRecord: Codable {
  /// The version that is written and read.
  static let currentVersion = 1

  /// The version of this document.
  var version = Self.currentVersion
  /// The mark that a program carries, with all that it has started.
  let mark: String
  /// When it began.
  let began: Date
  /// When the command is stopped; nil where it may take as long as it likes.
  let deadline: Date?
  /// The program, or what else is undertaken.
  let program: PlainName
  /// The file of the backup before it; empty where that is lost.
  var backup: String
  /// The folder of that file; nil where that is the one beside the database.
  let vault: String?
  /// The digest of the pages before it; nil where they could not all be read.
  let digest: Digest?
  /// Why it was refused, and why what was before could not be put back; nil as long as neither is known.
  var end: String?

  /// What a record ends with that keeps a reserve: cutting it off gives the room back.
  fileprivate static let lastByte = UInt8(ascii: "\n")

  /// Reads a record; nil where it is none, or one of another version.
  init?(_ bytes: Bytes) {
    let decoder = JSONDecoder()
    decoder.dateDecodingStrategy = .iso8601
    guard let record = try? decoder.decode(Self.self, from: Data(bytes)),
      record.version == Self.currentVersion
    else { return nil }
    self = record
  }

  init(
    of undertaking: Undertaking, mark: String, from began: Date, _ backup: Backup,
    in vault: FilePath?, _ digest: Digest?
  ) {
    self.mark = mark
    self.began = began.wholeSeconds
    deadline = undertaking.timeout.map { began.addingTimeInterval($0 / .seconds(1)).wholeSeconds }
    program = undertaking.name
    self.backup = backup.path.name.description
    self.vault = vault?.description
    self.digest = digest
  }

  fileprivate func encoded() throws -> Bytes {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    encoder.dateEncodingStrategy = .iso8601
    return Bytes(try encoder.encode(self)) + [Self.lastByte]
  }
}

/// A record that this run has written; its lock says that the run is alive.
struct HeldGuardRecord {
  private let record: GuardRecord
  private let folder: RescueFolder
  private let file: any StoredFile
  private let madeFolder: Bool
  private let storage: any Storage

  /// Writes a record, durably, and keeps room on the disk that the migration cannot fill.
  ///
  /// - Throws: ``RescueError``; nothing is left then.
  init(
    _ record: GuardRecord, keeping reserve: Int, in folder: RescueFolder, _ storage: any Storage
  ) throws(RescueError) {
    (self.record, self.folder, self.storage) = (record, folder, storage)
    do {
      try folder.requireNoLinks(storage)
      madeFolder = try storage.status(of: folder.path) == nil
      try storage.createFolder(folder.path)
      let place = try storage.openFolder(folder.path)
      file = try place.create(RescueFolder.guardRecordName, holding: record.encoded())
      do {
        try file.reserve(reserve)
        try place.synchronize()
      } catch {
        try? place.remove(RescueFolder.guardRecordName)
        throw error
      }
    } catch let error as StorageError where error.cause == .exists {
      throw .anotherMigrates(folder.database)
    } catch {
      throw RescueError(
        error, doing: "note in '\(folder.path)' that a migration begins",
        meaning: "the migration was not started; the database is unchanged")
    }
  }

  /// Adds how the migration ended, for whoever comes next, and whether its backup is lost; without it,
  /// nothing of that is known.
  func note(end: String, hasBackup: Bool = true) {
    var record = record
    record.end = end
    if !hasBackup { record.backup = "" }
    try? file.write(record.encoded(), at: 0)
    try? file.synchronize()
  }

  /// Removes the record: what became of the migration is known and was told.
  func remove() throws(RescueError) {
    do throws(StorageError) {
      try withExtendedLifetime(file) { () throws(StorageError) in
        try folder.removeGuardRecord(storage)
      }
    } catch {
      throw RescueError(error)
    }
    if madeFolder { try? storage.removeFolder(folder.path) }
  }
}

extension RescueFolder {
  /// The name of the record of a migration that runs under guard.
  static let guardRecordName: FilePath = "guard.json"

  /// The record of a migration that runs under guard.
  var guardRecord: FilePath { path.appending(Self.guardRecordName) }

  /// Gives back the room that was kept while a migration ran.
  ///
  /// So what was before it can be put back also where it has filled the disk. Where that fails, there
  /// is as much room as there is.
  func giveReserveBack(_ storage: any Storage) {
    guard let record = try? storage.open(guardRecord, .readWrite) else { return }
    let last = record.byteCount - 1
    guard let end = try? record.read(at: last, count: 1), end == [GuardRecord.lastByte] else {
      return
    }
    try? record.truncate(to: last)
  }

  /// Removes the record of a migration, where there is one: what it left was replaced, or accepted.
  func removeGuardRecord(_ storage: any Storage) throws(StorageError) {
    guard try storage.status(of: guardRecord) != nil else { return }
    let folder = try storage.openFolder(path)
    try folder.remove(Self.guardRecordName)
    try folder.synchronize()
  }
}

extension World {
  /// Removes what is known of a migration that was cut off, or refused and left: what it left is not
  /// there any more.
  func forgetMigration(of folder: RescueFolder, goneBackTo backup: Backup?) {
    try? folder.removeGuardRecord(storage)
    if let backup { try? Vault(of: backup, in: storage).releaseWaysBack(since: backup) }
  }
}
