// SPDX-License-Identifier: Apache-2.0
// What a merge answers: the balance of every table by input, and how conflicts were decided.

import Diagnosis
import SQLiteFormat

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// What a merge answers.
package struct MergeAnswer: CommandAnswer {
  let report: MergeReport
  let code: SupportCode
  let started: Date
  let inputs: [ReportedFile]

  /// Makes the answer of a run.
  package init(_ result: RunResult<MergeReport>) {
    report = result.value
    code = result.code
    started = result.started
    inputs = result.inputs.map { ReportedFile($0) }
  }

  /// The name of the merged database.
  var output: String { PlainName(report.output).description.shownFile }
  /// The name of the database of rows that were set aside.
  var quarantine: String? {
    report.quarantine.map { PlainName($0).description.shownFile }
  }
  /// The command to run next.
  var next: ReportedCommand {
    ReportedCommand(
      report.integrityProblems.isEmpty ? "check" : "diagnose", report.output.nameInCommands)
  }

  // MARK: For programs

  package var exitStatus: Int32 { report.imbalance?.exitStatus ?? report.outcome.exitStatus }

  package var document: JSON {
    get throws(RescueError) {
      let limit = DiagnosisReport.listLimit
      return .document(
        "merge", exit: exitStatus,
        [
          "code": .string(code.description), "output": .string(output),
          "quarantine": quarantine.map { .string($0) },
          "complete": .bool(report.isComplete),
          "sources": .array(report.inputs.map { .string($0.shownFile) }),
          "inputs": try .list(inputs),
          "prefer": .string(report.policy.preference.rawValue),
          "tables": .array(try worstFirst.prefix(limit).map(json)),
          "tablesOmitted": .integer(max(0, report.tables.count - limit)),
          "unrestored": .array(
            report.unrestored.prefix(limit).map {
              ["name": .string($0.name.text), "reason": .string($0.reason.shownMessage)]
            }),
          "unrestoredOmitted": .integer(max(0, report.unrestored.count - limit)),
          "reservations": .array(Self.bounded(report.reservations, limit)),
          "notes": .array(Self.bounded(report.notes, limit)),
          "unchecked": try .list(ReportedUnchecked.list(report.unchecked)),
          "uncheckedOmitted": .integer(max(0, report.unchecked.count - limit)),
          "integrityProblems": .array(Self.bounded(report.integrityProblems, limit)),
          "danglingReferences": .array(
            report.danglingReferences.prefix(limit).map {
              ["table": .string($0.table.text), "rows": .integer($0.count)]
            }),
          "danglingReferencesOmitted": .integer(max(0, report.danglingReferences.count - limit)),
          "next": .string(next.text()),
        ])
    }
  }

  /// The tables; where not all can be shown, those with something to tell come first.
  var worstFirst: [MergeReport.Table] {
    report.tables.count > DiagnosisReport.listLimit
      ? report.tables.filter { !$0.isComplete } + report.tables.filter(\.isComplete)
      : report.tables
  }

  private func json(_ table: MergeReport.Table) throws(RescueError) -> JSON {
    .members([
      "table": table.name.map { .string($0.text) },
      "key": .array(table.key.map { .string($0.text) }),
      "newerBy": table.newerBy.map { .string($0.text) },
      "rows": table.counted.map { .integer($0) }, "balanced": .bool(table.holds),
      "inputs": .array(
        try zip(report.inputs, table.cells).map { source, cell throws(RescueError) in
          try Self.json(cell, of: source)
        }),
    ])
  }

  private static func json(
    _ cell: MergeLedger.Cell, of source: String
  ) throws(RescueError) -> JSON {
    [
      "source": .string(source.shownFile), "seen": .integer(cell.seen),
      "taken": .integer(cell.taken),
      "identical": .integer(cell.identical), "quarantined": .integer(cell.quarantined),
      "conflicts": .integer(cell.conflicts), "refused": .integer(cell.refused),
      "parted": .integer(cell.parted), "stuck": .integer(cell.stuck),
      "displaced": .integer(cell.displaced), "doubtful": .integer(cell.doubtful),
      "uncommitted": .integer(cell.uncommitted),
      "won": .integer(cell.won), "byColumn": .integer(cell.byColumn),
      "renumbered": .integer(cell.renumbered), "followed": .integer(cell.followed),
      "leftOut": .integer(cell.leftOut), "changed": .integer(cell.changed),
      "lost": try JSON(encoding: RowLoss(cell.lost)),
    ]
  }

  private static func bounded(_ messages: [String], _ limit: Int) -> [JSON] {
    let rest = messages.count - limit
    return messages.prefix(limit).map { .string($0.shownMessage) }
      + (rest > 0 ? [.string("… and \(rest.grouped) more")] : [])
  }
}
