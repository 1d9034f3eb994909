// SPDX-License-Identifier: Apache-2.0
// What a way of a rehearsal comes to: the judgements of its migrations, joined.

import Diagnosis
import SQLiteFormat

extension RehearsalCase {
  /// Adds what came of the next migration on the way.
  mutating func add(_ judgement: MigrationJudgement, seconds: Double) {
    self.seconds += seconds
    steps += judgement.steps
    rowCounts = RowCount.joined(rowCounts, judgement.rowCounts)
    notices += judgement.notices.filter { !notices.contains($0) }
    problems = judgement.isGood ? [] : judgement.problems + judgement.drifts
    if !judgement.isGood { outcome = judgement.end.succeeded ? .refused : .failed }
  }
}

extension MigrationJudgement {
  /// How the schema differs from the contract, one line each; none under another version.
  fileprivate var drifts: [String] {
    guard !examination.relation.isOrdered else { return [] }
    return (examination.comparison?.drifts ?? []).map(\.summary)
  }
}

extension RowCount {
  /// The rows before one migration and after the next one.
  fileprivate static func joined(_ first: [Self], _ second: [Self]) -> [Self] {
    guard !first.isEmpty else { return second }
    let before = Dictionary(first.map { ($0.table, $0) }, uniquingKeysWith: { old, _ in old })
    return second.map { count in
      let old = before[count.oldName ?? count.table]
      return Self(
        table: count.table, oldName: old?.oldName ?? count.oldName, before: old?.before,
        after: count.after)
    }
  }
}
