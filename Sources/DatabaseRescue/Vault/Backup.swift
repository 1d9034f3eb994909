// SPDX-License-Identifier: Apache-2.0
// One backup in a vault: its name, what it says about itself, and what it is worth.

internal import Diagnosis

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// One backup in a vault.
public struct Backup: Sendable {
  /// The file.
  public let path: FilePath
  /// What the name of the file says.
  public let name: BackupName
  /// The size of the file.
  public let byteCount: Int
  /// What the file is worth, as far as opening it tells.
  package let state: BackupReader.State
  /// What the backup says about itself; nil when that is lost.
  package let manifest: BackupManifest?
  /// What is wrong with the file, as far as opening it tells.
  public let flaws: [String]
  /// The last time that it was read in full after it was made; nil when it never was.
  package internal(set) var proof: BackupProof?

  /// Whether it can stand in for the database: complete, not raw, no damage found, no failed check, and
  /// nothing was wrong when it was last read in full.
  public var isGood: Bool { wasGood && proof?.passed != false }

  /// The status of a run that has made it: that of a drift where nothing speaks against it but a
  /// contract, and that of damage where anything else does.
  package var exitStatus: Int32 {
    if isGood { return Verdict.healthy.exitStatus }
    let isSound =
      state == .complete && proof?.passed != false && manifest?.isGood(despiteDrift: true) == true
    return (isSound ? Verdict.drifted : .damagedLossy).exitStatus
  }

  /// When it was made: as it says itself, and else as its name does, which anybody may change.
  public var created: Date { manifest?.created ?? name.created }

  /// What was not checked of the database, in sentences without a full stop.
  public var unchecked: [String] {
    (manifest?.content.findings ?? []).filter { $0.code == FindingCode.notChecked.name }
      .map(\.message)
      + (manifest?.checks ?? []).filter { $0.name == ImageChecks.notChecked }.map(\.detail)
  }

  private let wasGood: Bool
  /// Why the disk did not hand out the file, which says nothing of what it holds; nil where it did.
  let readError: RescueError?

  /// How many backups of the same second there were before it.
  var ordinal: Int { manifest?.ordinal ?? 0 }

  /// Seconds since 1970 at which the file was finished.
  let modified: Double

  /// Opens a backup.
  init(at path: FilePath, named name: BackupName, in storage: any Storage) throws(RescueError) {
    let reader = try BackupReader(path, in: storage)
    self.path = path
    self.name = name
    byteCount = reader.byteCount
    state = reader.state
    manifest = reader.manifest
    flaws = reader.flaws
    wasGood = reader.isGood
    readError = nil
    do { modified = try storage.status(of: path)?.modified ?? 0 } catch {
      throw RescueError(error)
    }
  }

  /// A backup that cannot be opened.
  init(
    unreadable path: FilePath, named name: BackupName, because error: RescueError,
    in storage: any Storage
  ) {
    self.path = path
    self.name = name
    byteCount = ((try? storage.status(of: path)) ?? nil)?.byteCount ?? 0
    state = .damaged
    manifest = nil
    flaws = [error.message]
    wasGood = false
    readError = [.invalidInput, .missing].contains(error.kind) ? nil : error
    modified = 0
  }
}

extension Backup {
  /// The command that puts this backup in the place of its database; where something stands there
  /// that must not be written through, another command makes way first.
  package func restoreCommand(
    for database: FilePath, in vault: FilePath?, clearedBy clearing: String? = nil
  ) -> String {
    (clearing.map { "\($0) && " } ?? "") + name.restoreCommand(for: database, in: vault)
  }

  /// Lets those use a new file who might use the database when it was backed up.
  ///
  /// - Throws: ``RescueError``.
  func giveAccess(to file: FilePath, _ storage: any Storage) throws(RescueError) {
    guard let access = manifest?.access else { return }
    do { try storage.setAccess(of: file, to: access) } catch {
      throw RescueError(error, doing: "set the mode of '\(file)'", meaning: "nothing was changed")
    }
  }
}
