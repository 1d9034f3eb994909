// SPDX-License-Identifier: Apache-2.0
// What a migration with numbered SQL files did, or would do, as JSON.

import DatabaseRescue
import Diagnosis
import SQLiteFormat

/// What a migration with numbered SQL files did, or would do, as JSON.
enum MigrateJSON {
  static func document(
    _ report: MigrationReport, _ code: SupportCode
  ) throws(RescueError) -> JSON {
    let own = head(
      report.start, report.end, report.exitStatus, code, report.guarded?.judgement, report.found)
    guard let guarded = report.guarded else { return .document("migrate", own) }
    return .document(
      "migrate", own.merging(try GuardJSON.members(of: guarded, code)) { $1 })
  }

  static func document(
    _ forecast: MigrationForecast, _ code: SupportCode
  ) throws(RescueError) -> JSON {
    var own = head(
      forecast.start, forecast.end, forecast.exitStatus, code, forecast.judgement, forecast.found)
    guard let judgement = forecast.judgement else { return .document("migrate-plan", own) }
    own["result"] = .string(judgement.isGood ? "kept" : "refused")
    return .document(
      "migrate-plan", own.merging(try GuardJSON.members(of: judgement)) { $1 })
  }

  private static func head(
    _ start: Int, _ end: Int, _ exit: Int32, _ code: SupportCode,
    _ judgement: MigrationJudgement?, _ found: Examination
  ) -> [String: JSON?] {
    [
      "code": .string(code.description), "from": .integer(start), "to": .integer(end),
      "exit": .integer(Int(exit)), "result": "nothing-to-do",
      "verdict": .string(found.verdict.word),
      "losesRows": .bool(false),
      "steps": .array((judgement?.steps ?? []).map(\.json)),
    ]
  }
}
