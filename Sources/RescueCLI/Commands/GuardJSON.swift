// SPDX-License-Identifier: Apache-2.0
// What a guarded migration did, as JSON: stable names, documented here.
//
// code      support code
// kept      whether the migration is kept
// command   how the command ended
// verdict   on the database after the command
// exit      exit status of the run
// problems  why the result is refused
// diff      differences from the contract, line by line
// unchecked what was not checked: subject, object, reason, message
// tables    name, rows before and after; null where there was no such table
// backup    the backup that was made first
// remedy    restore or stop; null when the migration is kept
// message   what the app shows instead of opening the database; null when it is kept

import DatabaseRescue
import Diagnosis
import SQLiteFormat

/// What a guarded migration did, as JSON.
enum GuardJSON {
  static func document(_ report: GuardReport, _ code: SupportCode) -> JSON {
    let remedy: JSON =
      switch report.remedy {
      case .restore: "restore"
      case .stop: "stop"
      case nil: nil
      }
    let message = BlockingMessage(report, code: code)
    return .document(
      "guard",
      [
        "code": .string(code.description), "kept": .bool(report.isKept),
        "command": .string(report.end.description),
        "verdict": .string(report.examination.verdict.word),
        "exit": .integer(report.isKept ? 0 : Int(report.refusal.exitStatus)),
        "problems": .array(report.problems.map { .string($0) }),
        "diff": .array(report.examination.diff.map { .string($0) }),
        "unchecked": ExaminationJSON.unchecked(report.examination.unchecked),
        "tables": .array(report.rowCounts.map(table)),
        "backup": .string(report.backup.path.description), "remedy": remedy,
        "message": report.isKept ? nil : .array(message.lines.map { .string($0) }),
      ])
  }

  private static func table(_ count: GuardReport.RowCount) -> JSON {
    [
      "name": .string(count.table.text), "before": .optional(count.before.map { .integer($0) }),
      "after": .optional(count.after.map { .integer($0) }),
    ]
  }
}
