// SPDX-License-Identifier: Apache-2.0
// What is wrong with a database after a migration: the command's own word, the structure, the
// contract, and every row.

import Diagnosis
import SQLiteFormat

extension GuardReport {
  /// Judges the result: the command's own word, the structure, the contract, and every row.
  init(
    judging after: Examination, before: Examination, _ backup: Backup, _ end: ProcessEnd,
    _ contract: Contract?, detour: String?
  ) {
    let counts = Self.rowCounts(before.survey, after.survey)
    var problems = detour.map { [$0] } ?? []
    if !end.succeeded { problems.append("the command \(end.description)") }
    let drifts = after.verification?.drifts.count ?? 0
    if drifts > 0, after.relation == .equal {
      problems.append(
        "the schema differs from the contract in \(drifts) place\(drifts == 1 ? "" : "s")")
    }
    problems += after.findings.filter { $0.severity >= .warning && $0.code != .schemaDrift }
      .map(\.message)
    problems += counts.compactMap { Self.problem(with: $0, contract) }
    for (table, sequence) in before.survey.sequences {
      if let now = after.survey.sequences[table], now < sequence {
        problems.append("ids of '\(table)' may be used again: its counter went back")
      }
    }
    self.init(
      backup: backup, end: end, examination: after, rowCounts: counts, problems: problems)
  }

  private static func problem(with count: GuardReport.RowCount, _ contract: Contract?) -> String? {
    guard let before = count.before, contract?.rowCountPolicy(of: count.table) != .any else {
      return nil
    }
    guard let after = count.after else {
      // A table that the contract does not know is meant to go.
      return contract?.expects(count.table) == false
        ? nil : "table '\(count.table)' with \(before) rows is gone"
    }
    return after < before ? "'\(count.table)' had \(before) rows and has \(after)" : nil
  }

  private static func rowCounts(_ before: Survey, _ after: Survey) -> [GuardReport.RowCount] {
    let names = Set(before.userTables.keys).union(after.userTables.keys).sorted()
    return names.map { name in
      GuardReport.RowCount(
        table: before.userTables[name]?.entry.name ?? after.userTables[name]?.entry.name ?? name,
        before: before.userTables[name]?.records, after: after.userTables[name]?.records)
    }
  }
}

extension Contract {
  /// The tables that may have fewer rows than before.
  var freeTables: Set<Name> {
    Set(objects.tables.map(\.name).filter { rowCountPolicy(of: $0) == .any })
  }

  /// Whether a database of this contract has a table.
  fileprivate func expects(_ table: Name) -> Bool {
    objects.tables.contains { $0.name == table }
  }
}
