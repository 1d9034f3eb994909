// SPDX-License-Identifier: Apache-2.0
// A migration that was begun under guard and whose guard did not live to its end.

import Diagnosis
import SQLiteFormat

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// A migration that was begun under guard and whose guard did not live to its end.
package struct CutOffMigration: Sendable {
  /// The backup from before it; nil where the record does not tell.
  package let backup: BackupName?
  /// The folder of the backup; nil where that is the one beside the database.
  package let vault: FilePath?
  /// The name of the database under which it was begun; nil where that is the one that was asked for.
  fileprivate var otherName: FilePath?
  /// When its command was to be stopped; nil where it had all the time it wanted.
  private let deadline: Date?
  /// What its command has started and is still at work.
  package let processes: [Int32]
  /// What happened, in words without a full stop.
  package let message: String
  /// What that means for the database.
  let meaning: String
  /// The digest of the pages before it.
  private let digest: Digest?

  fileprivate init(_ record: GuardRecord?) {
    digest = record?.digest
    deadline = record?.deadline
    backup = record.flatMap { BackupName(FilePath($0.backup)) }
    vault = record?.vault.map { FilePath($0) }
    processes =
      record.map {
        ProcessFamily(group: nil, mark: "\(Undertaking.mark)=\($0.mark)").members
      } ?? []
    meaning =
      record?.end == nil
      ? "it may have changed something, and nobody knows how it ended"
      : "the database is as it left it"
    guard let record else {
      message = "a migration was begun here under guard and was cut off"
      return
    }
    let work = processes.first.map { ", and process \($0) of it is still at work" } ?? ""
    let limit =
      record.deadline.map { ", was to be stopped at \($0.formatted(.iso8601)) at the latest," }
      ?? ""
    message =
      "a migration, '\(record.program)', was begun here under guard at "
      + "\(record.began.formatted(.iso8601))\(limit) and "
      + (record.end ?? "was cut off") + work
  }

  /// Whether the database is, page for page, what it was before, and nothing beside it changes that.
  func hasChangedNothing(of survey: Survey) -> Bool {
    processes.isEmpty && digest != nil && survey.image?.pageDigest == digest
      && !survey.isMisledByJournals
  }

  /// What is to be said of one that has changed nothing.
  package var undoneMessage: String {
    "\(message); it has changed nothing for good: the database holds, page for page, what it held "
      + "before"
  }

  /// The command that goes back to before it.
  package func wayBack(of database: FilePath) -> String {
    wayBack(of: otherName ?? database, in: vault)
  }

  private func wayBack(of database: FilePath, in vault: FilePath?) -> String {
    backup?.restoreCommand(for: database, in: vault)
      ?? "dbrescue restore \(database.shellQuoted)"
  }

  /// The command that keeps what is there.
  package func wayOn(of database: FilePath) -> String { Self.wayOn(of: otherName ?? database) }

  private static func wayOn(of database: FilePath) -> String {
    "dbrescue backup \(database.shellQuoted) --accept"
  }

  /// What a report says of it, which holds no folders.
  func reported(of database: FilePath) -> LiveUse.CutOffMigration {
    let name = FilePath((otherName ?? database).nameInCommands)
    return LiveUse.CutOffMigration(
      message: message, backup: backup?.path.description.shownFile,
      deadline: deadline?.formatted(.iso8601),
      wayBack: wayBack(of: name, in: vault.map { _ in "VAULT" }), wayOn: Self.wayOn(of: name))
  }
}

/// What the record of a guard tells of a database.
enum GuardedMigration {
  /// No migration was begun that has no end.
  case none
  /// One is under way, and its guard is at work.
  case running
  /// One was cut off.
  case cutOff(CutOffMigration)

  /// The one that was cut off.
  var cutOff: CutOffMigration? {
    if case .cutOff(let migration) = self { migration } else { nil }
  }
}

extension World {
  /// The longest record that is read.
  private static let recordByteCountMax = 1 << 16

  /// The migration on a database that has no end yet, also where it was begun under another name that
  /// its file has in the same folder.
  func guardedMigration(of folder: RescueFolder) throws(StorageError) -> GuardedMigration {
    let own = try recordedMigration(of: folder)
    guard case .none = own else { return own }
    for name in try otherNames(of: folder.database) {
      switch try recordedMigration(of: RescueFolder(ofPlace: name)) {
      case .none: continue
      case .running: return .running
      case .cutOff(var migration):
        migration.otherName = name
        return .cutOff(migration)
      }
    }
    return .none
  }

  /// The other names in its folder of a file with several.
  private func otherNames(of file: FilePath) throws(StorageError) -> [FilePath] {
    guard let own = try storage.status(of: file), own.linkCount > 1 else { return [] }
    return try storage.names(in: file.folder).filter { $0 != file.name }
      .map { file.folder.appending($0) }
      .filter { ((try? storage.status(of: $0)) ?? nil)?.identity == own.identity }
  }

  private func recordedMigration(
    of folder: RescueFolder
  ) throws(StorageError) -> GuardedMigration {
    guard try storage.status(of: folder.guardRecord)?.kind == .file else { return .none }
    let file: any StoredFile
    do {
      file = try storage.open(folder.guardRecord, .read)
      guard try file.lock() else { return .running }
    } catch  where error.cause == .missing || error.cause == .noLocks {
      // Without locks nobody can tell whether its guard is at work.
      return .none
    }
    let bytes = try? file.read(at: 0, count: min(file.byteCount, Self.recordByteCountMax))
    return .cutOff(CutOffMigration(bytes.flatMap { GuardRecord($0) }))
  }

  /// Refuses to change a database on which a migration is at work.
  ///
  /// - Throws: ``RescueError`` of the kind `.busy`.
  func requireNobodyMigrates(_ folder: RescueFolder) throws(RescueError) {
    let migration: GuardedMigration
    do { migration = try guardedMigration(of: folder) } catch { throw RescueError(error) }
    switch migration {
    case .none: return
    case .running:
      throw .anotherMigrates(folder.database)
    case .cutOff(let migration):
      guard let process = migration.processes.first else { return }
      throw RescueError(
        .busy, migration.message, meaning: Change.nothing.meaning,
        advice: "wait until that has ended, or end it: kill \(process)")
    }
  }
}

extension RescueError {
  /// The error of a run that finds another one migrating.
  static func anotherMigrates(_ database: FilePath) -> RescueError {
    RescueError(
      .busy, "another run of dbrescue guards a migration of '\(database)'",
      meaning: Change.nothing.meaning, advice: "wait until it is done, then try again")
  }
}
