// SPDX-License-Identifier: Apache-2.0
// What a migration with numbered SQL files did, or would do.

import Diagnosis
import SQLiteFormat

/// What a migration with numbered SQL files did.
package struct MigrationAnswer: CommandAnswer {
  private let report: MigrationReport
  private let code: SupportCode
  private let file: FilePath
  private let guarded: GuardAnswer?

  /// Makes the answer of a run.
  package init(
    _ result: RunResult<MigrationReport>, of file: FilePath, in vault: FilePath?,
    by rescue: Rescue
  ) {
    let report = result.value
    self.report = report
    code = result.code
    self.file = file
    guarded = report.guarded.map {
      GuardAnswer(
        $0, result.code, of: file, in: vault,
        kept: "\(file.name): migrated from version \(report.start) to \(report.end), and "
          + "\("verified", .good)", by: rescue)
    }
  }

  package var exitStatus: Int32 { report.exitStatus }

  package var document: JSON {
    get throws(RescueError) {
      let own = head(
        report.start, report.end, code, report.guarded?.judgement, report.found)
      guard let guarded else { return .document("migrate", exit: exitStatus, own) }
      return .document("migrate", exit: exitStatus, own.merging(try guarded.members) { $1 })
    }
  }

  package var lines: [AnswerLine] { guarded?.lines ?? nothingToDo(file, report.found) }

  package var warnings: [StyledText] {
    (report.ledgerFailure.map { ["\($0.message): \($0.meaning)"] } ?? [])
      + (guarded?.warnings ?? [])
  }
}

/// What a migration with numbered SQL files would do.
package struct MigrationForecastAnswer: CommandAnswer {
  private let forecast: MigrationForecast
  private let code: SupportCode
  private let file: FilePath

  /// Makes the answer of a dry run.
  package init(_ result: RunResult<MigrationForecast>, of file: FilePath) {
    forecast = result.value
    code = result.code
    self.file = file
  }

  package var exitStatus: Int32 { forecast.exitStatus }

  package var document: JSON {
    get throws(RescueError) {
      var own = head(
        forecast.start, forecast.end, code, forecast.judgement, forecast.found)
      guard let judgement = forecast.judgement else {
        return .document("migrate-plan", exit: exitStatus, own)
      }
      own["result"] = .string(judgement.isGood ? "kept" : "refused")
      return .document("migrate-plan", exit: exitStatus, own.merging(try judgement.members) { $1 })
    }
  }

  package var lines: [AnswerLine] {
    guard let judgement = forecast.judgement else { return nothingToDo(file, forecast.found) }
    let versions = "from version \(forecast.start) to version \(forecast.end)"
    var lines: [AnswerLine] =
      judgement.isGood
      ? [.result("\(file.name): would be migrated \(versions), and would \("verify", .good)")]
      : [.result("\(file.name): would \("not", .bad) be migrated \(versions):")]
        + (judgement.problems + judgement.examination.diff).map { .result("  \($0)") }
    lines += judgement.allowance.map { [.note("\($0)")] } ?? []
    lines += judgement.schemaChanges.map { .result("  \($0)") }
    lines += judgement.noticeText.map { .result($0) }
    if !judgement.rowCounts.isEmpty { lines.append(.table(table(judgement.rowCounts))) }
    lines += ExaminationText.lines(for: judgement.examination.unchecked).map { .note($0) }
    return lines + [.note("this was tried on a private copy; nothing was changed")]
  }

  /// Rows before and after.
  private func table(_ counts: [RowCount]) -> TextTable {
    func cell(_ count: Int?) -> StyledText {
      StyledText(verbatim: count.map { Quantity.grouped($0) } ?? "none")
    }
    var table = TextTable([.text("table"), .number("before"), .number("after")])
    for count in counts {
      let name: StyledText =
        count.oldName.map { "\(count.table.text) (was \($0.text))" } ?? "\(count.table.text)"
      table.add([name, cell(count.before), cell(count.after)])
    }
    return table
  }
}

/// What documents of migrations begin with.
private func head(
  _ start: Int, _ end: Int, _ code: SupportCode, _ judgement: MigrationJudgement?,
  _ found: Examination
) -> [String: JSON?] {
  [
    "code": .string(code.description), "from": .integer(start), "to": .integer(end),
    "result": "nothing-to-do", "verdict": .string(found.verdict.word),
    "losesRows": .bool(false),
    "steps": .array((judgement?.steps ?? []).map(\.json)),
  ]
}

/// What is said of a database that has the version already.
private func nothingToDo(_ file: FilePath, _ found: Examination) -> [AnswerLine] {
  let version = found.foundVersion ?? 0
  guard found.verdict == .healthy else {
    return [.result("\(file.name): has version \(version) already, and is \(found.verdict.word)")]
      + found.findings.filter { $0.severity >= .warning }.map { .result("  \($0.message)") }
  }
  return [.result("\(file.name): has version \(version) already; there is nothing to do")]
}
