// SPDX-License-Identifier: Apache-2.0
// What a recovery did, as JSON: stable names, documented here.
//
// code        support code
// changed     whether the database was replaced
// verdict     on the database in its place afterwards
// exit        exit status of the run
// option      what was carried out; null when nothing was
// backup      the backup that was restored, by file name; null when none was
// exported    files with unsynced rows: path, rows
// quarantine  where the old files are; null when nothing was changed
// undo        the command that brings them back; null when nothing was changed
// salvage     complete, quarantine, tables (name, seen, written, duplicates, quarantined,
//             uncommitted, lost), unchecked (subject, object, reason, message);
//             null when there was none

import DatabaseRescue
import Diagnosis
import SQLiteFormat

/// What a recovery did, as JSON.
enum RecoveryJSON {
  static func document(
    _ operation: SupportCode.Operation, _ report: RecoveryReport, _ code: SupportCode
  ) -> JSON {
    .document(
      operation.name,
      [
        "code": .string(code.description), "changed": .bool(report.plan != nil),
        "verdict": .string(report.verdict.word),
        "exit": .integer(Int(report.outcome.exitStatus)),
        "option": .optional(report.plan.map { .string($0.option.name) }),
        "backup": .optional(report.plan?.option.backup.map { .string($0) }),
        "exported": .array(
          report.exported.map {
            ["path": .string($0.path.description), "rows": .integer($0.rows)]
          }),
        "quarantine": .optional(report.quarantine.map { .string($0.description) }),
        "undo": .optional(report.plan.map { .string($0.undo) }),
        "salvage": .optional(report.salvage.map(salvage)),
      ])
  }

  private static func salvage(_ report: SalvageReport) -> JSON {
    [
      "complete": .bool(report.isComplete),
      "unchecked": ExaminationJSON.unchecked(report.unchecked),
      "quarantine": .optional(report.quarantine.map { .string($0.description) }),
      "tables": .array(
        report.balances.map { balance in
          [
            "name": .optional(balance.table.map { .string($0.text) }),
            "seen": .integer(balance.seen),
            "written": .integer(balance.written), "duplicates": .integer(balance.duplicates),
            "quarantined": .integer(balance.quarantined),
            "uncommitted": .integer(balance.uncommitted),
            "lost": .string(balance.lost.description),
          ]
        }),
    ]
  }
}
