// SPDX-License-Identifier: Apache-2.0
// What is wrong with a database after a migration: the command's own word, the structure, the
// contract, and every row.

import Diagnosis
import SQLiteFormat

extension GuardReport {
  /// Judges the result: the command's own word, the structure, the contract, and every row.
  init(
    judging after: GuardedState, before: GuardedState, _ backup: Backup, _ program: PlainName,
    _ end: ProcessEnd, _ contract: Contract?, detour: String?
  ) {
    let review = MigrationReview(of: after.state, since: before.state, contract)
    let examination = after.examination
    var problems = detour.map { [$0] } ?? []
    if !end.succeeded { problems.append("the command \(end.description)") }
    let drifts = examination.comparison?.drifts.count ?? 0
    if drifts > 0, examination.relation == .equal {
      problems.append(
        "the schema differs from the contract in \(drifts) place\(drifts == 1 ? "" : "s")")
    }
    problems += examination.findings
      .filter { $0.severity >= .warning && $0.code != .schemaDrift }.map(\.message)
    let codes = (before.examination.findings.map(\.code), examination.findings.map(\.code))
    if codes.1.contains(.hotJournal), !codes.0.contains(.hotJournal) {
      problems.append("the command ended within a transaction, which is undone")
    }
    problems += review.problems
    self.init(
      backup: backup, program: program, end: end, examination: examination,
      rowCounts: review.rowCounts.map { RowCount($0) }, problems: problems,
      losesData: review.losesData || !examination.verdict.isStructureSound,
      isUnchanged: detour == nil && after.isAlike(before))
  }
}

extension Contract {
  /// The tables that may have fewer rows than before.
  var freeTables: Set<Name> {
    Set(rowCounts.filter { $0.value == .any }.keys)
  }
}
