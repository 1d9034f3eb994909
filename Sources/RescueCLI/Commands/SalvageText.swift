// SPDX-License-Identifier: Apache-2.0
// The account of a salvage: for every table what was seen, written, set aside and lost.

import DatabaseRescue
import Diagnosis

/// The account of a salvage, as text and as JSON.
struct SalvageText {
  private let report: SalvageReport

  init(_ report: SalvageReport) {
    self.report = report
  }

  /// The account in lines of text.
  var lines: [StyledText] {
    var table = TextTable([
      .text("table"), .number("seen"), .number("written"), .number("identical"), .number("aside"),
      .prose("lost"),
    ])
    for balance in report.balances {
      table.add([
        "\(balance.table ?? "(no table)")", "\(Quantity.grouped(balance.seen))",
        "\(Quantity.grouped(balance.written))", "\(Quantity.grouped(balance.duplicates))",
        balance.quarantined == 0 ? "0" : "\(Quantity.grouped(balance.quarantined), .warning)",
        balance.lost == .none ? "nothing" : "\(balance.lost.description, .bad)",
      ])
    }
    var lines = table.lines(width: nil)
    for object in report.unrestored {
      lines.append("not restored: '\(object.name)': \(object.reason)")
    }
    for note in report.notes { lines.append("note: \(note)") }
    for table in report.danglingReferences {
      lines.append(
        "\(Quantity.count(table.count, "row")) of '\(table.table)' refer to rows that are not there"
      )
    }
    for problem in report.integrityProblems {
      lines.append("\("integrity check", .bad): \(problem)")
    }
    if let quarantine = report.quarantine { lines.append("doubtful rows: \(quarantine)") }
    lines.append("\(report.output): \(sum)")
    return lines
  }

  private var sum: StyledText {
    if report.isComplete { return "\("complete", .good), and SQLite's integrity check passes" }
    return report.integrityProblems.isEmpty
      ? "\("not complete", .warning); SQLite's integrity check passes"
      : "\("not sound", .bad)"
  }

  /// The account as a JSON document.
  func document(code: SupportCode) -> JSON {
    .document("salvage", members.merging(["code": .string(code.description)]) { $1 })
  }

  /// The account as members of a JSON document.
  var members: [String: JSON] {
    [
      "output": .string(report.output.description),
      "quarantine": .optional(report.quarantine.map { .string($0.description) }),
      "complete": .bool(report.isComplete),
      "tables": .array(report.balances.map(Self.table)),
      "unrestored": .array(
        report.unrestored.map { ["name": .string($0.name), "reason": .string($0.reason)] }),
      "notes": .array(report.notes.map { .string($0) }),
      "integrityProblems": .array(report.integrityProblems.map { .string($0) }),
    ]
  }

  private static func table(_ balance: Balance) -> JSON {
    [
      "name": .optional(balance.table.map { .string($0) }), "seen": .integer(balance.seen),
      "written": .integer(balance.written), "duplicates": .integer(balance.duplicates),
      "quarantined": .integer(balance.quarantined), "lost": .string(balance.lost.description),
    ]
  }
}
