// SPDX-License-Identifier: Apache-2.0
// The facts that conditions can ask for: one table, from which documentation and validation come.

import Diagnosis

/// A fact that the condition of a step can ask for: a column of the one-row table.
package enum PlaybookFact: String, Hashable, Sendable, CaseIterable {
  // What was found
  case verdict
  case damage
  case fileKind = "file_kind"
  case rowsLost = "rows_lost"
  case rowsDoubtful = "rows_doubtful"
  case findingsCount = "findings_count"
  case leadingFinding = "leading_finding"
  case cause
  case causeConfidence = "cause_confidence"
  case framework
  case pageSize = "page_size"
  case databaseBytes = "database_bytes"
  case walPresent = "wal_present"
  case hotJournal = "hot_journal"
  case unsyncedRows = "unsynced_rows"
  case unsyncedState = "unsynced_state"

  // Against the contract
  case contractGiven = "contract_given"
  case versionFound = "version_found"
  case versionExpected = "version_expected"
  case versionRelation = "version_relation"
  case schemaDifferences = "schema_differences"
  case invariantsBroken = "invariants_broken"

  // The vault, as it was before this run
  case backupExists = "backup_exists"
  case backupVerified = "backup_verified"
  case backupSound = "backup_sound"
  case backupAgeHours = "backup_age_hours"
  case backupVersion = "backup_version"
  case rowsLostByRestore = "rows_lost_by_restore"

  // The surroundings
  case freeBytes = "free_bytes"
  case interactive

  // This run
  case backupInThisRun = "backup_in_this_run"
  case quarantineInThisRun = "quarantine_in_this_run"
  case replacedInThisRun = "replaced_in_this_run"
  case migration
  case lastStepOutcome = "last_step_outcome"
  case lastAnswer = "last_answer"

  /// The type of a fact.
  package enum Kind: Hashable, Sendable {
    /// 1 for yes, 0 for no.
    case flag
    /// A whole number.
    case integer
    /// A number.
    case real
    /// One of some words.
    case words([String])
    /// Any text.
    case text

    /// The type as SQL declares it.
    package var sql: String {
      switch self {
      case .flag, .integer: "INTEGER"
      case .real: "REAL"
      case .words, .text: "TEXT"
      }
    }
  }

  /// Who can say it, which decides when a dry run can know it.
  package enum Source: Hashable, Sendable {
    /// Looking at the database.
    case database
    /// The vault as it was when the run began: these facts stay as they were then.
    case vault
    /// The surroundings of the run.
    case surroundings
    /// The run itself: the engine sets it, nobody else.
    case run
  }

  /// The name, as conditions spell it.
  package var name: String { rawValue }

  /// The type.
  package var kind: Kind { entry.kind }

  /// What it says, in one sentence.
  package var meaning: String { entry.meaning }

  /// The facts that looking at the database tells.
  static let ofDatabase = allCases.filter { $0.source == .database }

  /// Who can say it.
  package var source: Source {
    switch self {
    case .backupExists, .backupVerified, .backupSound, .backupAgeHours, .backupVersion: .vault
    case .contractGiven, .versionExpected, .freeBytes, .interactive: .surroundings
    case .backupInThisRun, .quarantineInThisRun, .replacedInThisRun, .migration,
      .lastStepOutcome, .lastAnswer:
      .run
    default: .database
    }
  }

  private var entry: (kind: Kind, meaning: String) {
    switch self {
    case .verdict:
      (
        .words(Self.unique(Verdict.allCases.map(\.word))),
        "the sum of the findings; NULL until the file was looked at"
      )
    case .damage:
      (
        .words(["none", "intact", "lossy"]),
        "'intact' when every row can be read all the same, 'lossy' when rows are lost or doubtful"
      )
    case .fileKind:
      (
        .words([
          "database", "empty", "zeros", "encrypted", "journal", "other", "undetermined",
        ]),
        "what the file is; 'journal' is a -wal or -journal without its database, 'other' something "
          + "known that is not SQLite"
      )
    case .rowsLost:
      (.integer, "rows that cannot be read any more; NULL when nobody can say how many")
    case .rowsDoubtful: (.integer, "rows that can be read but contradict other evidence")
    case .findingsCount: (.integer, "the number of findings")
    case .leadingFinding:
      (
        .words(FindingCode.allCases.map(\.name)),
        "the code of the weightiest finding; NULL when there is none"
      )
    case .cause:
      (
        .words(CauseKind.allCases.map(\.rawValue)),
        "what happened to the file; NULL when nothing is at least likely"
      )
    case .causeConfidence:
      (
        .words([Confidence.likely, .certain].map(\.rawValue)),
        "how sure the cause is; NULL when it is not known"
      )
    case .framework:
      (.text, "the framework that made the schema, such as 'room'; NULL when unknown")
    case .pageSize: (.integer, "the page size in bytes")
    case .databaseBytes: (.integer, "the size of the database file in bytes, without its -wal")
    case .walPresent: (.flag, "whether a -wal file with committed changes lies beside the database")
    case .hotJournal: (.flag, "whether a rollback journal of a transaction cut off lies beside it")
    case .unsyncedRows:
      (.integer, "rows that wait to be sent and exist nowhere else; NULL when nobody can tell")
    case .unsyncedState:
      (
        .words(["none", "some", "cannot-tell"]),
        "whether rows wait to be sent; 'cannot-tell' is not none"
      )
    case .contractGiven: (.flag, "whether this run has a contract to compare with")
    case .versionFound: (.integer, "the schema version of the database")
    case .versionExpected: (.integer, "the schema version of the contract; NULL without one")
    case .versionRelation:
      (
        .words(VersionRelation.allCases.map(\.rawValue)),
        "the version found against the one expected"
      )
    case .schemaDifferences:
      (.integer, "differences from the contract's schema; NULL when it was not compared")
    case .invariantsBroken:
      (.integer, "invariants of the contract that fail; NULL when they were not tried")
    case .backupExists: (.flag, "whether the vault held any backup before this run")
    case .backupVerified:
      (.flag, "whether one of them is proven: complete, read back and compared")
    case .backupSound:
      (
        .flag,
        "whether the newest proven one holds a database without damage, drift or broken invariants, "
          + "by the checks at its making"
      )
    case .backupAgeHours: (.real, "the age of the newest proven one, in hours")
    case .backupVersion: (.integer, "the schema version in the newest proven one")
    case .rowsLostByRestore:
      (
        .integer,
        "readable rows of the present file that the newest proven one lacks; NULL when not compared"
      )
    case .freeBytes: (.integer, "free space on the disk of the database, in bytes")
    case .interactive: (.flag, "whether somebody is there to answer")
    case .backupInThisRun: (.flag, "whether this run has made a backup and proven it")
    case .quarantineInThisRun: (.flag, "whether this run has moved the files to quarantine")
    case .replacedInThisRun: (.flag, "whether this run has replaced the database")
    case .migration:
      (
        .words(GuardReport.Result.allCases.map(\.rawValue)),
        "what became of the migration of the last 'guard' step; NULL before the first"
      )
    case .lastStepOutcome:
      (
        .words(["done", "failed", "declined"]),
        "how the last step that was not skipped ended; NULL before the first"
      )
    case .lastAnswer:
      (.text, "the last answer: 'yes', 'no' or the step that was chosen; NULL before the first")
    }
  }

  private static func unique(_ words: [String]) -> [String] {
    words.reduce(into: []) { list, word in if !list.contains(word) { list.append(word) } }
  }
}
