// SPDX-License-Identifier: Apache-2.0
// A line of the run log as people read it.

import DatabaseRescue

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// A record of the run log in lines of text.
struct RunRecordText {
  let lines: [StyledText]

  init(_ record: RunRecord) {
    var lines: [StyledText] = [
      "\(record.code, .heading)",
      "  started    \(record.started.formatted(.iso8601)), \(record.seconds) seconds",
      "  operation  \(record.operation), \(record.outcome), exit status \(record.exitCode)",
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
    self.lines = lines
  }
}
