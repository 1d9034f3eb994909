// SPDX-License-Identifier: Apache-2.0
// What is wrong with a database after a migration: the migration's own word, the structure, the
// contract, and every row.

public import Diagnosis
import SQLiteFormat

/// What a migration did to a database, and what is wrong with the result.
public struct MigrationJudgement: Sendable {
  /// What was run: a program, or the versions that SQL files lead to.
  package let program: PlainName
  /// How the migration ended.
  public let end: ProcessEnd
  /// The steps of it that were carried out for good, where it says so.
  public let steps: [MigrationStep]
  /// The database after it.
  public let examination: Examination
  /// Every table's rows before and after.
  public let rowCounts: [RowCount]
  /// What is another one in the schema than before, one line each.
  public let schemaChanges: [String]
  /// Why the result is refused, one fact a line; empty when it is kept.
  public let problems: [String]
  /// What is another than before, and may well be meant, one fact a line.
  public let notices: [String]
  /// Whether rows or values are gone that should be there.
  public let losesData: Bool
  /// Whether the database holds, page for page, what it held before, and nothing lies beside it that
  /// would make it another one when it is opened.
  public let isUnchanged: Bool
  /// How to say of what is refused that it is meant; nil where the migration failed, or what is wrong
  /// with the result is wrong whatever was before.
  package let allowance: String?

  /// Whether nothing is wrong with the result.
  public var isGood: Bool { problems.isEmpty }

  /// Whether a table has fewer rows than before, or is gone.
  public var losesRows: Bool { rowCounts.contains { ($0.after ?? 0) < ($0.before ?? 0) } }
}

extension MigrationJudgement {
  /// Judges what an undertaking has left.
  init(
    of undertaking: Undertaking, _ outcome: Undertaking.Outcome, on after: GuardedState,
    before: GuardedState, _ contract: Contract?, besides others: [Name: OtherWrites] = [:],
    detour: String? = nil, otherAccess: String? = nil
  ) {
    let review = MigrationReview(
      of: after.state, since: before.state, contract, besides: others)
    let examination = after.examination
    program = undertaking.name
    end = outcome.end
    steps = outcome.steps
    self.examination = examination
    rowCounts = review.rowCounts
    schemaChanges = ContractDifference.changes(from: before.state.schema, to: after.state.schema)
    notices = review.notices + [otherAccess].compactMap(\.self)
    losesData = review.losesData || !examination.verdict.isStructureSound
    isUnchanged = detour == nil && after.isAlike(before) && !examination.isMisled

    var problems = detour.map { [$0] } ?? []
    if !end.succeeded { problems.append("\(undertaking.noun) \(end.description)") }
    let drifts = examination.comparison?.drifts.count ?? 0
    if drifts > 0, !examination.relation.isOrdered {
      problems.append(
        "the schema differs from the contract in \(drifts) place\(drifts == 1 ? "" : "s")")
    }
    problems += examination.findings.filter { finding in
      // An index that did not have its words before is no work of the migration.
      finding.severity >= .warning && finding.code != .schemaDrift
        && !(finding.code == .fullTextStale && before.examination.findings.contains(finding))
    }.map(\.message)
    if after.state.hasOpenTransaction, !before.state.hasOpenTransaction {
      problems.append("\(undertaking.noun) ended within a transaction, which is undone")
    }
    self.problems = problems + review.problems
    allowance =
      problems.isEmpty && !review.problems.isEmpty
      ? Self.allowance(of: review, hasContract: contract != nil) : nil
  }

  /// How to say that what is refused of a change is meant.
  private static func allowance(of review: MigrationReview, hasContract: Bool) -> String {
    guard !review.goesBack else {
      return "if it is meant: no contract lets a version go back, and --on-failure stop leaves the "
        + "result in its place"
    }
    return hasContract
      ? "if it is meant: \"rowCounts\" in the contract lets rows go and come"
      : "if it is meant: a contract of the schema that is to be says so (--contract), and "
        + "\"rowCounts\" in it of which tables rows may come and go"
  }
}

extension ContractDifference {
  /// What one schema has that another one had not, and the other way round, one line each.
  fileprivate static func changes(
    from before: SchemaDescription, to after: SchemaDescription
  ) -> [String] {
    compare(expected: before, found: after).map { change in
      let what = "\(change.subject.rawValue) \(change.object)"
      return switch change.kind {
      case .missing: "- \(what)" + (change.expected.map { " (\($0))" } ?? "")
      case .extra: "+ \(what)" + (change.found.map { " (\($0))" } ?? "")
      case .changed, .broken: "~ \(what): \(change.expected ?? "?") is now \(change.found ?? "?")"
      }
    }
  }
}
