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
    let (broken, differing) = (traces.findings(.indexDamaged), traces.findings(.indexMismatch))
    let names = Set((broken + differing).compactMap(\.place.object))
    if let fit = sameKeys(in: names, of: traces) { return fit }
    let subject = counted(names.count, "index does", "indexes do")
    if let loss = differing.first(where: { $0.severity == .loss }) {
      return .fits(
        .possible, "\(subject) not fit, and rows are named that no table has", [loss.message],
        against: ["if writes to a table were lost, and not those to an index, rows are lost"],
        now:
          "Every row that a table has is there. Nothing tells whether those that only an index names "
          + "were deleted or are lost: look for them in a backup.")
    }
    let happened = "\(subject) not fit, and every row can be read"
    let evidence = (broken.prefix(1) + differing.prefix(1)).map(\.message)
    // No collation writes over a page: what did has left its own marks.
    let overwritten = traces.overwrittenPages
    if !overwritten.isEmpty {
      return .fits(
        .possible, happened, evidence,
        against: ["something else was written over \(pageList(overwritten))"])
    }
    // A page of an index that is no page of one was not written by other rules of order.
    let differently =
      !traces.wounds.isEmpty
      ? "What damaged an index page can damage a table next: test the disk and the memory, and make "
        + "sure that the app is not killed while a disk cache holds its writes." : nil
    // Of an index and a table that are whole and differ, either may be of an older moment.
    switch doubt {
    case .certain: return .fits(.certain, happened, evidence, differently: differently)
    case .likely:
      return .fits(
        .likely, happened,
        evidence + [
          "what differs lies on few pages of the index, and its rows on many pages of the table"
        ], differently: differently)
    case .possible:
      return .fits(
        .possible, happened, evidence,
        against: [
          traces.isTableOlder
            ? "what differs lies on few pages of the table, and its entries on many pages of the "
              + "index: the table is older, and new indexes would lose what it lacks"
            : "if a write to the table was lost, and not one to the index, the table is older"
        ], differently: differently)
    }
  }

  /// Unique indexes whose entries lie in their places, over rows that have the same keys; nil where
  /// anything else is wrong with one.
  private static func sameKeys(in names: Set<String>, of traces: Traces) -> CauseJudgement? {
    let indexes = names.compactMap { traces.survey.tree(named: Name($0)) }
    guard !indexes.isEmpty, indexes.count == names.count,
      indexes.allSatisfy(traces.survey.hasNothingButSameKeys)
    else { return nil }
    let findings = traces.findings(.indexDamaged)
    return .fits(
      .certain,
      "rows have the same key by \(counted(indexes.count, "UNIQUE index", "UNIQUE indexes")), and "
        + "every row can be read", findings.prefix(1).map(\.message),
      now:
        "No row is lost. A query by such a key may give one of the rows that have it, and the index "
        + "cannot be built anew before each has a key of its own: decide which of them is right, and "
        + "delete or change the others.",
      differently:
        "Make an index UNIQUE with CREATE UNIQUE INDEX, which refuses rows of the same key, "
        + "and never by writing to the schema; have every program that writes to the file use the "
        + "same collations and functions.")
  }
}
