// SPDX-License-Identifier: Apache-2.0
// Indexes that do not fit their tables, where nothing else is wrong.

import SQLiteFormat

enum IndexesOnlyCause: Cause {
  static let kind = CauseKind.indexesOnly
  static let words = CauseWords(
    title: "only indexes are damaged",
    now: "No row is lost. Until the indexes are built anew, queries may miss rows that are there.",
    differently:
      "Have every program that writes to the file use the same collations and functions, in "
      + "the same version.")

  private static let indexes: Set<FindingCode> = [.indexDamaged, .indexMismatch]

  /// Whether faults of indexes are all that is wrong.
  static func isAll(of wrong: Set<FindingCode>) -> Bool {
    !wrong.isDisjoint(with: indexes) && wrong.isSubset(of: indexes.union([.fullTextDamaged]))
  }

  static func judgement(of traces: Traces) -> CauseJudgement {
    guard !traces.wrong.isDisjoint(with: indexes) else { return .silent }
    guard let doubt = traces.indexDoubt else { return .ruledOut("more than indexes is wrong") }
    let mismatched = traces.findings(.indexMismatch).compactMap(\.place.object)
    let names = Set(traces.findings(.indexDamaged).compactMap(\.place.object) + mismatched)
    let happened =
      "\(counted(names.count, "index does", "indexes do")) not fit, and every row can be read"
    let evidence =
      traces.findings(.indexDamaged).prefix(1).map(\.message)
      + traces.findings(.indexMismatch).prefix(1).map(\.message)
    // Of an index and a table that are whole and differ, either may be of an older moment.
    switch doubt {
    case .certain: return .fits(.certain, happened, evidence)
    case .likely:
      return .fits(
        .likely, happened,
        evidence + [
          "what differs lies on few pages of the index, and its rows on many pages of the table"
        ])
    case .possible:
      return .fits(
        .possible, happened, evidence,
        against: ["if a write to the table was lost, and not one to the index, the table is older"])
    }
  }

  /// How sure it is that the indexes are wrong, and not their tables.
  static func doubt(_ findings: [Finding], _ survey: Survey) -> Confidence {
    func objects(_ code: FindingCode) -> [String] {
      findings.filter { $0.code == code }.compactMap(\.place.object)
    }
    let mismatched = objects(.indexMismatch)
    let names = Set(objects(.indexDamaged) + mismatched)
    let open = mismatched.filter { !isContradicted($0, names, survey) }
    if open.isEmpty { return .certain }
    let areLocal = open.allSatisfy { name in
      survey.tree(named: Name(name)).flatMap { IndexDisagreement(of: $0, in: survey) }?.isOfIndex
        == true
    }
    return areLocal ? .likely : .possible
  }

  /// Whether another index over the same table, which is sound, agrees with the table.
  private static func isContradicted(
    _ index: String, _ wrong: Set<String>, _ survey: Survey
  ) -> Bool {
    guard let table = survey.tree(named: Name(index))?.entry.table,
      let expected = survey.tree(named: table)?.expectedKeys
    else { return false }
    let others = survey.trees.filter { other in
      other.entry.kind == .index && other.entry.table == table && other.isSound
    }
    return others.contains { other in
      !wrong.contains(other.entry.name.text) && expected[other.entry.name] == other.keys
    }
  }
}
