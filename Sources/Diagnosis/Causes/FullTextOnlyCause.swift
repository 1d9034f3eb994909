// SPDX-License-Identifier: Apache-2.0
// Full-text indexes that are damaged while their texts are there.

import SQLiteFormat

enum FullTextOnlyCause: Cause {
  static let kind = CauseKind.fullTextOnly
  static let words = CauseWords(
    title: "only a full-text index is damaged",
    now: "No text is lost. Until the index is built anew, searches fail or miss what is there.",
    differently: "Let nothing but the full-text module write to the tables in which it keeps its "
      + "index.")

  static func judgement(of traces: Traces) -> CauseJudgement {
    let findings = traces.findings(.fullTextDamaged) + traces.findings(.fullTextStale)
    guard let first = findings.first,
      traces.wrong.isSubset(of: [.fullTextDamaged, .virtualTableUnreadable])
    else { return .silent }
    let names = Set(findings.compactMap(\.place.object))
    if traces.survey.virtualTables.contains(where: {
      names.contains($0.name.text) && traces.survey.hasFewerTexts($0)
    }) {
      return .fits(
        .possible, "a full-text index does not have what its table has", [first.message],
        against: ["the index has more rows than its table: these were deleted, or are lost"],
        now:
          "Every text that its table has is there. Nothing tells whether those that only the index has "
          + "were deleted or are lost: look for them in a backup.")
    }
    if let loss = findings.first(where: { $0.severity == .loss }) {
      return .fits(
        .certain, "a full-text index that keeps no texts is damaged", [loss.message],
        now:
          "The database does not have the texts of that index, so it cannot be built anew from them: "
          + "have the app index them again, or go back to a backup.")
    }
    return .fits(
      .certain, "a full-text index does not have what its table has", [first.message])
  }
}
