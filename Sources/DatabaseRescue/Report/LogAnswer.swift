// SPDX-License-Identifier: Apache-2.0
// What the log of the runs tells, and what a support code says.

package import Diagnosis

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The last runs, newest last.
package struct LogAnswer: CommandAnswer {
  private let contents: RunLog.Contents
  private let path: FilePath

  /// Makes the answer of what was read of a log.
  package init(_ contents: RunLog.Contents, of log: RunLog) {
    self.contents = contents
    path = log.path
  }

  package var document: JSON {
    get throws(RescueError) {
      .document(
        "log-list",
        [
          "runs": try documents(contents.records),
          "unfinished": try documents(contents.unfinished),
        ])
    }
  }

  /// Lines of the log as they stand there.
  private func documents(_ lines: [some LogLine]) throws(RescueError) -> JSON {
    .array(try lines.map { line throws(RescueError) in try line.document })
  }

  package var lines: [AnswerLine] {
    var table = TextTable([
      .text("started"), .text("code"), .text("operation"), .text("verdict"), .text("outcome"),
      .prose("file"),
    ])
    for record in contents.records {
      table.add([
        "\(record.started.formatted(.iso8601))", "\(record.code)", "\(record.operation)",
        "\(record.verdict?.description ?? "")", "\(record.outcome)",
        "\(record.file?.description ?? "")",
      ])
    }
    let unfinished: [AnswerLine] = contents.unfinished.map { run in
      .note(
        "\(run.began) began to replace '\(run.file)' at \(run.at.formatted(.iso8601)) and has not ended: "
          + "it was killed, or is at work")
    }
    return [contents.records.isEmpty ? .note("no runs in '\(path)'") : .table(table)] + unfinished
  }

  package var warnings: [StyledText] {
    contents.unreadableCount > 0
      ? ["\(Quantity.count(contents.unreadableCount, "line")) cannot be read"] : []
  }
}

/// Everything that was recorded of a run.
package struct RunRecordAnswer: CommandAnswer {
  private let record: RunRecord

  /// Makes the answer of a line of the log.
  package init(_ record: RunRecord) { self.record = record }

  package var document: JSON { get throws(RescueError) { try record.document } }

  package var lines: [AnswerLine] {
    var lines: [StyledText] = [
      "\(record.code, .heading)",
      "  started    \(record.started.formatted(.iso8601)), \(record.seconds) seconds",
      "  operation  \(record.operation), \(record.outcome), exit status \(record.exitStatus)",
    ]
    if let file = record.file { lines.append("  file       \(file)") }
    if let verdict = record.verdict { lines.append("  verdict    \(verdict)") }
    if let found = record.versions.found {
      let expected = record.versions.expected.map { ", expected \($0)" } ?? ""
      lines.append("  version    \(found)\(expected)")
    }
    if let backup = record.backupMade { lines.append("  backup     made \(backup)") }
    if let backup = record.backupUsed { lines.append("  backup     used \(backup)") }
    lines += record.findings.map { "  finding    \($0.code) × \($0.count)" }
    lines += record.tables.map { table in
      "  table      \(table.table): \(table.seen) seen, \(table.written) written, "
        + "\(table.duplicates) identical, \(table.quarantined) set aside, lost \(table.lost.loss)"
    }
    if let migration = record.migration {
      let detail = (migration.status ?? migration.signal).map { " \($0)" } ?? ""
      lines.append("  command    \(migration.program): \(migration.end)\(detail)")
      lines.append("  database   \(migration.result)")
      lines += migration.problems.map { "  problem    \($0)" }
      lines += migration.rows.map { row in
        "  rows       \(row.table): \(row.before.map { "\($0)" } ?? "no table") before, "
          + "\(row.after.map { "\($0)" } ?? "no table") after"
      }
    }
    lines += record.steps.map { "  step       \($0.name): \($0.outcome), \($0.seconds) seconds" }
    lines += record.inputs.map { input in
      let isSame = input.before == input.after
      return
        "  input      \(input.name): \(isSame ? "unchanged" : "changed"), SHA-256 \(input.before?.description ?? "not taken")"
    }
    return lines.map { .result($0) }
  }
}

/// What a support code says of its run.
package struct ExplanationAnswer: CommandAnswer {
  private let explanation: [SupportCode.Line]

  /// Makes the answer of a code.
  package init(_ code: SupportCode) { explanation = code.explanation }

  package var document: JSON {
    .document(
      "explanation",
      [
        "lines": .array(
          explanation.map { ["label": .string($0.label), "text": .string($0.text)] })
      ])
  }

  package var lines: [AnswerLine] {
    .pairs(explanation.map { ("\($0.label, .dim)", "\($0.text)") })
  }
}
