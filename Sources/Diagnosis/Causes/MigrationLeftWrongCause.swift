// SPDX-License-Identifier: Apache-2.0
// Migrations that came to their end and did not do what they should.

enum MigrationLeftWrongCause: Cause {
  static let kind = CauseKind.migrationLeftWrong
  static let words = CauseWords(
    title: "a migration set the version and did not do all of its work",
    now:
      "Compare it with the backup from before the migration: what that has and this lacks is gone "
      + "from here. Restore it, or mend the schema by the differences that are listed.",
    differently:
      "Verify a migration before it is kept: dbrescue guard compares the schema, the rows "
      + "and the contract, and goes back.")

  static func judgement(of traces: Traces) -> CauseJudgement {
    guard traces.examination.verdict == .drifted, traces.examination.relation == .equal,
      traces.codes.contains(.schemaDrift), let verification = traces.examination.verification
    else { return .silent }
    let missing = verification.drifts.filter {
      $0.kind == .missing && [.table, .column].contains($0.subject)
    }
    // A contract of another app says that everything is missing.
    let tables = missing.count { $0.subject == .table }
    let isOwn =
      (traces.examination.foundVersion ?? 0) > 0
      && tables * 2 <= traces.survey.userTables.count
    guard let first = missing.first, isOwn else {
      return .fits(
        .possible, "the schema is not the one of this version",
        [missing.isEmpty ? "no table and no column is missing" : nil],
        against: ["somebody may have changed the schema by hand, or the contract is another app's"])
    }
    return .fits(
      .likely, "the version is the one expected, and parts of its schema are missing",
      ["by the contract: \(first.summary)"],
      against: ["a contract of another build of the app says the same"])
  }
}
