// SPDX-License-Identifier: Apache-2.0
// What a step of a playbook can do: the table that validation, checklist and dry run come from.

/// What a step of a playbook can do.
package enum PlaybookAction: String, Hashable, Sendable, Codable, CaseIterable {
  /// A fast verdict.
  case check
  /// A full diagnosis.
  case diagnose
  /// A proven backup in the vault.
  case backup
  /// The newest proven backup from before this run takes the place of the database.
  case restore
  /// Every readable row goes into a fresh database.
  case salvage
  /// An empty database of the contract's schema takes the place of the database.
  case reset
  /// Indexes and full-text indexes are made anew from their rows.
  case rebuild
  /// A program of the app, such as a migration, runs between a proven backup and a verification.
  case guardCommand = "guard"
  /// The database is compared with the contract.
  case contractVerify = "contract.verify"
  /// Somebody decides.
  case ask
  /// Something to know.
  case note
  /// The playbook ends.
  case stop

  /// What it does, in a sentence without a full stop.
  var meaning: String {
    switch self {
    case .check: "looks at the file and gives a verdict"
    case .diagnose:
      "reads every page and lists what is wrong; has full-text tables asked, and looks at what is "
        + "around the files, such as backups and free space"
    case .backup: "puts a proven backup in the vault; with `raw`, of the files as they are"
    case .restore:
      "puts the newest proven backup from before this run in the place of the database, unless a "
        + "newer app wrote that"
    case .salvage:
      "writes every readable row to a new file beside the database; with `inPlace`, into its place, and "
        + "with `withBackup`, what is lost from the newest proven backup besides"
    case .reset: "puts an empty database of the contract's schema in the place of the database"
    case .rebuild:
      "makes indexes and full-text indexes anew from the rows of a database that has lost none"
    case .guardCommand:
      "runs `command`, such as a migration, as `dbrescue guard` does: after a proven backup, and "
        + "refused where the result does not verify; with `putBack`, the backup takes its place then"
    case .contractVerify: "compares version, schema and invariants with the contract"
    case .ask: "waits for yes or no, or, with `choices`, for one of the steps named there"
    case .note: "says its text, and the run goes on"
    case .stop: "says its text, and the run ends"
    }
  }

  /// The parameters that a step of this action may have.
  var parameters: Set<String> {
    switch self {
    case .backup: ["raw"]
    case .salvage: ["inPlace", "withBackup"]
    case .ask: ["choices"]
    case .guardCommand: ["command", "putBack"]
    default: []
    }
  }
}

extension Playbook.Step {
  /// What the step does, as an imperative sentence.
  package var effect: String {
    switch (action, isDestructive) {
    case (.check, _): "look at the file and give a verdict"
    case (.diagnose, _): "read every page and list what is wrong"
    case (.backup, _) where raw == true:
      "store the files as they are, byte for byte, in the vault, and read them back"
    case (.backup, _): "store a backup in the vault, read it back and restore it on trial"
    case (.restore, _):
      "put the newest verified backup from before this run in the place of the database"
    case (.salvage, false): "write every readable row to a new file beside the database"
    case (.salvage, true):
      "put a database of every readable row in the place of the damaged one"
        + (withBackup == true ? ", with what is lost from the newest verified backup" : "")
    case (.reset, _): "put an empty database of the contract's schema in the place of this one"
    case (.rebuild, _):
      "make every index anew from the rows, on a copy that takes the place of the database"
    case (.guardCommand, _):
      "run \(commandLine) after a proven backup, and verify the result"
        + (putBack == true ? "; put the backup back where that is refused" : "")
    case (.contractVerify, _): "compare version, schema and invariants with the contract"
    case (.ask, _): "wait for an answer"
    case (.note, _): "say this and go on"
    case (.stop, _): "end the playbook here"
    }
  }

  /// What a step keeps that needs consent; nil for the others.
  package var keeps: String? {
    if action == .guardCommand { return "a proven backup of what was before, in the vault" }
    return isDestructive ? "the present files, together in quarantine: dbrescue undo CODE" : nil
  }

  /// What a destructive step takes out of the live database; nil for the others.
  package var loses: String? {
    guard isDestructive else { return nil }
    switch action {
    case .restore: return "changes made after that backup are no longer in the live database"
    case .salvage: return "rows that cannot be read, and doubtful rows, which go to quarantine"
    case .rebuild: return nil
    default: return "every row is gone from the live database"
    }
  }
}
