// SPDX-License-Identifier: Apache-2.0
// What a guarded migration did, as JSON.

import DatabaseRescue
import Diagnosis
import SQLiteFormat

/// What a guarded migration did, as JSON.
enum GuardJSON {
  static func document(_ report: GuardReport, _ code: SupportCode) throws(RescueError) -> JSON {
    .document("guard", try members(of: report, code))
  }

  /// What is said of every migration under guard.
  static func members(
    of report: GuardReport, _ code: SupportCode
  ) throws(RescueError) -> [String: JSON?] {
    let message = BlockingMessage(report, code: code)
    let own: [String: JSON?] = [
      "code": .string(code.description), "kept": .bool(report.isKept),
      "result": .string(report.result.rawValue), "exit": .integer(Int(report.exitStatus)),
      "backups": [report.backup.stored], "remedy": remedy(report.remedy),
      "remainders": .array(report.remainders.map { .string($0) }),
      "blockingMessage": report.isKept ? nil : .array(message.lines.map { .string($0) }),
    ]
    return own.merging(try members(of: report.judgement)) { $1 }
  }

  /// What is judged of every migration.
  static func members(of judgement: MigrationJudgement) throws(RescueError) -> [String: JSON?] {
    [
      "program": .string(judgement.program.description),
      "command": .string(judgement.end.description), "end": end(judgement.end),
      "verdict": .string(judgement.examination.verdict.word),
      "losesRows": .bool(judgement.losesRows), "losesData": .bool(judgement.losesData),
      "reasons": .array(judgement.problems.map { .string($0) }),
      "differences": try .list(
        (judgement.examination.comparison?.differences ?? []).map { ReportedDifference($0) }),
      "schemaChanges": .array(judgement.schemaChanges.map { .string($0) }),
      "unchecked": try .list(ReportedUnchecked.list(judgement.examination.unchecked)),
      "tables": .array(judgement.rowCounts.map(\.json)),
    ]
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
}
