// SPDX-License-Identifier: Apache-2.0
// An option as an ordered list of steps. The dry run is this, printed.

package import SQLiteFormat

/// What a command is going to do, step by step, before it does anything.
public struct Plan: Hashable, Sendable {
  /// One step.
  package enum Step: Hashable, Sendable {
    /// Read a backup in full and compare it with its own digests.
    case verifyBackup(String)
    /// Write the rows that were not sent anywhere yet to files of their own.
    case exportUnsynced(tables: [Name])
    /// Build the new database from a backup.
    case buildFromBackup(String)
    /// Build the new database from the files that an earlier run displaced.
    case buildFromQuarantine(String)
    /// Build the new database from every readable row; what is lost comes from a backup, if any.
    case buildBySalvage(backup: String?)
    /// Build the new database with its indexes made anew.
    case buildWithNewIndexes
    /// Build an empty database.
    case buildEmpty
    /// Have SQLite check the new database.
    case verifyNew
    /// Put the new database in place through SQLite, as one transaction; keep a copy of the old.
    case replaceContent
    /// Move the old files aside together and put the new file in their place.
    case replaceFiles
    /// Read the database in its place once more.
    case verifyInstalled

    /// The step as an instruction, without a full stop.
    package var text: String {
      switch self {
      case .verifyBackup(let name): "read the backup \(name) in full and compare it"
      case .exportUnsynced(let tables):
        "export the unsynced rows of \(tables.joined(separator: ", ")) as JSON Lines"
      case .buildFromBackup(let name): "build the new database beside the old one from \(name)"
      case .buildFromQuarantine(let code):
        "build the new database beside the old one from what the run \(code) displaced"
      case .buildBySalvage(nil): "build the new database beside the old one from every readable row"
      case .buildBySalvage(let name?):
        "build the new database beside the old one from every readable row, and from \(name) what "
          + "is lost"
      case .buildWithNewIndexes:
        "build the new database beside the old one: the same rows, new indexes"
      case .buildEmpty: "build an empty database beside the old one"
      case .verifyNew: "check the new database with SQLite"
      case .replaceContent:
        "keep a copy of the old database, then replace its content in one transaction"
      case .replaceFiles: "move the old files aside together, then put the new one in their place"
      case .verifyInstalled: "check the database in its place"
      }
    }

    /// What the log calls the step.
    package var name: String {
      switch self {
      case .verifyBackup: "verify-backup"
      case .exportUnsynced: "export-unsynced"
      case .buildFromBackup: "build-from-backup"
      case .buildFromQuarantine: "build-from-quarantine"
      case .buildBySalvage: "build-by-salvage"
      case .buildWithNewIndexes: "build-with-new-indexes"
      case .buildEmpty: "build-empty"
      case .verifyNew: "verify-new"
      case .replaceContent: "replace-content"
      case .replaceFiles: "replace-files"
      case .verifyInstalled: "verify-installed"
      }
    }
  }

  /// What is carried out.
  public let option: RecoveryOption
  /// The steps, in order.
  package let steps: [Step]
  /// The steps as instructions, in order.
  public var instructions: [String] { steps.map(\.text) }
  /// What is known of unsynced rows in the database that is replaced.
  public let unsynced: UnsyncedRows
  /// Where the old files will be.
  public let quarantine: String
  /// The command that brings them back.
  public let undo: String

  /// Makes a plan for a database that was examined to the end.
  ///
  /// - Throws: `CutShort` when the reading was stopped since.
  package init(
    for examination: Examination, option: RecoveryOption, steps: [Step], quarantine: String,
    undo: String
  ) throws(CutShort) {
    try examination.survey.failures.requireUncut()
    self.option = option
    self.steps = steps
    unsynced = examination.unsynced
    self.quarantine = quarantine
    self.undo = undo
  }
}
