// SPDX-License-Identifier: Apache-2.0
// What a rehearsal answers: the matrix of ways, and why some of them do not pass.

import Diagnosis
import SQLiteFormat

/// What a rehearsal answers.
package struct RehearsalAnswer: CommandAnswer {
  private let report: RehearsalReport
  private let code: SupportCode

  /// Makes the answer of a run.
  package init(_ result: RunResult<RehearsalReport>) {
    report = result.value
    code = result.code
  }

  private var passed: Int { report.cases.count { $0.outcome == .passed } }

  // MARK: For people

  package var lines: [AnswerLine] {
    var lines: [AnswerLine] = [.table(matrix)]
    for way in report.cases where way.outcome != .passed {
      lines.append(.result("\(way.start), \(way.title): \(way.outcome.rawValue, .bad)"))
      lines += way.problems.map { .result("  \($0)") }
    }
    for way in report.cases where way.outcome == .passed && !way.notices.isEmpty {
      lines.append(.result("\(way.start), \(way.title):"))
      lines += MigrationJudgement.text(ofNotices: way.notices).map { .result("  \($0)") }
    }
    lines += report.starts.flatMap { start -> [AnswerLine] in
      (start.seeding?.failures ?? []).map {
        .warning("\(start.name): no rows could be made up for '\($0.table.text)': \($0.reason)")
      }
    }
    let all = Quantity.count(report.cases.count, "way")
    lines.append(
      passed == report.cases.count
        ? .result("\(all), and all \("pass", .good)")
        : .result("\(all), and \("\(report.cases.count - passed)", .bad) do not pass"))
    if report.starts.contains(where: { $0.seeding != nil }) {
      lines.append(.note("rows were made up with --seed \("\(report.seed)")"))
    }
    return lines
  }

  private var matrix: TextTable {
    var table = TextTable([
      .text("start"), .number("from"), .number("to"), .text("way"), .text("outcome"),
      .number("time"), .number("rows before"), .number("after"),
    ])
    for way in report.cases {
      let outcome: StyledText =
        way.outcome == .passed
        ? "\(way.outcome.rawValue, .good)" : "\(way.outcome.rawValue, .bad)"
      let isDone = way.outcome != .impossible
      table.add([
        "\(way.start)", Self.cell(way.from), Self.cell(way.to), "\(way.way.rawValue)", outcome,
        "\(isDone ? Quantity.shortTime(seconds: way.seconds) : "")",
        Self.cell(isDone ? way.rowsBefore : nil), Self.cell(isDone ? way.rowsAfter : nil),
      ])
    }
    return table
  }

  private static func cell(_ number: Int?) -> StyledText {
    StyledText(verbatim: number.map { Quantity.grouped($0) } ?? "")
  }

  // MARK: For programs

  package var exitStatus: Int32 { report.exitStatus }

  package var document: JSON {
    .document(
      "rehearsal", exit: exitStatus,
      [
        "code": .string(code.description),
        "seed": .integer(Int(clamping: report.seed)), "passed": .integer(passed),
        "starts": .array(report.starts.map(Self.json)),
        "cases": .array(report.cases.map(Self.json)),
      ])
  }

  private static func json(_ start: RehearsalStart) -> JSON {
    .members([
      "name": .string(start.name), "kind": .string(start.kind.rawValue),
      "userVersion": start.version.map { .integer($0) },
      "seededRows": start.seeding.map { .integer($0.rows) },
      "unseeded": start.seeding.map { seeding in
        .array(
          seeding.failures.map {
            ["table": .string($0.table.text), "reason": .string($0.reason)]
          })
      },
    ])
  }

  private static func json(_ way: RehearsalCase) -> JSON {
    .members([
      "start": .string(way.start), "way": .string(way.way.rawValue),
      "from": way.from.map { .integer($0) }, "to": way.to.map { .integer($0) },
      "outcome": .string(way.outcome.rawValue),
      "reasons": .array(way.problems.map { .string($0) }),
      "notices": .array(way.notices.map { .string($0) }),
      "seconds": .number(Double(Int(way.seconds * 1000)) / 1000),
      "rowsBefore": .integer(way.rowsBefore), "rowsAfter": .integer(way.rowsAfter),
      "tables": .array(way.rowCounts.map(\.json)), "steps": .array(way.steps.map(\.json)),
    ])
  }
}

extension RehearsalCase {
  /// The way in words, such as `version 1 to 4, step by step`.
  package var title: String {
    let versions = from.map { "version \($0)" + (to.map { " to \($0)" } ?? "") } ?? "no version"
    return versions + (way == .steps ? ", step by step" : "")
  }
}

extension RowCount {
  /// The rows of a table before and after, as JSON.
  package var json: JSON {
    .members([
      "table": .string(table.text), "oldName": oldName.map { .string($0.text) },
      "before": before.map { .integer($0) }, "after": after.map { .integer($0) },
    ])
  }
}

extension MigrationStep {
  /// The step, as JSON.
  package var json: JSON {
    .members([
      "file": .string(file.description), "userVersion": .integer(version),
      "seconds": .number(Double(Int(seconds * 1000)) / 1000),
    ])
  }
}
