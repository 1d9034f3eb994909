// SPDX-License-Identifier: Apache-2.0
// Indexes that do not fit their tables, where nothing else is wrong.

enum IndexesOnlyCause: Cause {
  static let kind = CauseKind.indexesOnly
  static let words = CauseWords(
    title: "only indexes are damaged",
    now: "No row is lost. Until the indexes are built anew, queries may miss rows that are there.",
    differently:
      "Have every program that writes to the file use the same collations and functions, in "
      + "the same version.")

  static func judgement(of traces: Traces) -> CauseJudgement {
    let indexes: Set<FindingCode> = [.indexDamaged, .indexMismatch]
    guard !traces.wrong.isDisjoint(with: indexes) else { return .silent }
    guard traces.wrong.isSubset(of: indexes.union([.fullTextDamaged])) else {
      return .ruledOut("more than indexes is wrong")
    }
    let names = Set(
      (traces.findings(.indexDamaged) + traces.findings(.indexMismatch)).compactMap(\.place.object))
    return .fits(
      .certain,
      "\(counted(names.count, "index does", "indexes do")) not fit, and every table is whole",
      traces.findings(.indexDamaged).prefix(1).map(\.message)
        + traces.findings(.indexMismatch).prefix(1).map(\.message))
  }
}
