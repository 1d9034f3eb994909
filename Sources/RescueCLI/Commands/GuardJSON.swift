// SPDX-License-Identifier: Apache-2.0
// What a guarded migration did, as JSON.

import DatabaseRescue
import Diagnosis
import SQLiteFormat

/// What a guarded migration did, as JSON.
enum GuardJSON {
  static func document(_ report: GuardReport, _ code: SupportCode) throws(RescueError) -> JSON {
    let message = BlockingMessage(report, code: code)
    return .document(
      "guard",
      [
        "code": .string(code.description), "kept": .bool(report.isKept),
        "result": .string(report.result.rawValue),
        "program": .string(report.program.description),
        "command": .string(report.end.description), "end": end(report.end),
        "verdict": .string(report.examination.verdict.word),
        "losesRows": .bool(report.losesRows), "losesData": .bool(report.losesData),
        "exit": .integer(Int(report.exitStatus)),
        "reasons": .array(report.problems.map { .string($0) }),
        "differences": try .list(
          (report.examination.comparison?.differences ?? []).map { ReportedDifference($0) }),
        "unchecked": try .list(ReportedUnchecked.list(report.examination.unchecked)),
        "tables": .array(report.rowCounts.map(table)),
        "backups": [report.backup.stored], "remedy": remedy(report.remedy),
        "remainders": .array(report.remainders.map { .string($0) }),
        "blockingMessage": report.isKept ? nil : .array(message.lines.map { .string($0) }),
      ])
  }

  private static func remedy(_ remedy: GuardReport.Remedy?) -> JSON? {
    switch remedy {
    case .restore: "restore"
    case .stop: "stop"
    case nil: nil
    }
  }

  private static func end(_ end: ProcessEnd) -> JSON {
    .members([
      "kind": .string(end.word), "status": end.status.map { .integer(Int($0)) },
      "signal": end.signal.map { .integer(Int($0)) },
    ])
  }

  private static func table(_ count: GuardReport.RowCount) -> JSON {
    .members([
      "table": .string(count.table.text), "oldName": count.oldName.map { .string($0.text) },
      "before": count.before.map { .integer($0) },
      "after": count.after.map { .integer($0) },
    ])
  }
}
