// SPDX-License-Identifier: Apache-2.0
// What a recovery did, as JSON.

import DatabaseRescue
import Diagnosis

/// What a recovery did, as JSON.
enum RecoveryJSON {
  static func document(
    _ operation: SupportCode.Operation, _ result: RunResult<RecoveryReport>, of name: FilePath
  ) throws(RescueError) -> JSON {
    let report = result.value
    let account = report.salvage.map {
      SalvageAccount(of: $0, file: PlainName(name), code: result.code, created: result.started)
    }
    return .document(
      operation.name,
      [
        "code": .string(result.code.description), "changed": .bool(report.plan != nil),
        "verdict": .string(report.verdict.word), "losesRows": .bool(report.verdict.losesRows),
        "exit": .integer(Int(report.outcome.exitStatus)),
        "option": report.plan.map { .string($0.option.name) },
        "backup": report.plan?.option.backup.map { .string($0) },
        "exported": .array(
          report.exported.map {
            ["path": .string($0.path.description), "rows": .integer($0.rows)]
          }),
        "quarantine": report.quarantine.map { .string($0.description) },
        "undo": report.plan.map { .string($0.undo) },
        "salvage": try account.map { account throws(RescueError) in try account.document },
      ])
  }
}
