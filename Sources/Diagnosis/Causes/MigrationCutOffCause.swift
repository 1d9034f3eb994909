// SPDX-License-Identifier: Apache-2.0
// Migrations that were begun and have no end.

import SQLiteFormat

enum MigrationCutOffCause: Cause {
  static let kind = CauseKind.migrationCutOff
  static let words = CauseWords(
    title: "a migration did not finish",
    now:
      "Do not run it again on this file before somebody has looked: half of it may be done. Go back "
      + "to the backup from before it, or finish it by hand.",
    differently: "Run migrations in one transaction, after a verified backup: dbrescue guard and "
      + "dbrescue migrate do both.")

  static func judgement(of traces: Traces) -> CauseJudgement {
    // Of what was undone by itself, nothing is left.
    let undone = traces.examination.use.undoneMigrationFinding
    let unfinished = traces.findings(.migrationUnfinished).filter { $0 != undone }
    if let first = unfinished.first {
      let confidence: Confidence = first.severity > .notice ? .certain : .likely
      return .fits(confidence, first.message, unfinished.dropFirst().map(\.message))
    }
    guard traces.examination.verdict.isStructureSound else { return .silent }
    return Rebuild(in: traces.survey).map(judgement)
      ?? CopiedTable(in: traces.survey).map(judgement)
      ?? CopiedTable(besideMovedIn: traces.survey).map(judgementBesideMoved)
      ?? halfDone(traces) ?? .silent
  }

  /// A rebuild by hand, half-way.
  private static func judgement(of rebuild: Rebuild) -> CauseJudgement {
    let rows = "'\(rebuild.left)' holds \(counted(rebuild.rows, "row"))"
    return .fits(
      rebuild.confidence, "'\(rebuild.table)' was being rebuilt, and that has not come to its end",
      [
        rebuild.user.map { user in
          "\(rows), there is no '\(rebuild.table)', and '\(user)' leads to "
            + "'\(rebuild.isLeftNamed ? rebuild.left : rebuild.table)'"
        } ?? "\(rows), '\(rebuild.table)' none, and they have the same columns"
      ],
      against: rebuild.confidence == .possible
        ? ["somebody may have emptied '\(rebuild.table)' and kept its rows"] : [],
      now: "Do not run it again on this file before somebody has looked: the rows are in "
        + "'\(rebuild.left)'. Copy them into '\(rebuild.table)' in a copy of the file, or go back to "
        + "the backup from before it.")
  }

  /// A rebuild by hand whose new table has rows, and has not taken the place of the old one.
  private static func judgement(of copy: CopiedTable) -> CauseJudgement {
    guard let copied = copy.rowsOfOriginal else {
      return .fits(
        .possible, "'\(copy.original)' may have been rebuilt, and that has not come to its end",
        [
          "'\(copy.name)' holds \(counted(copy.rows, "row")), and there is no '\(copy.original)', "
            + "whose place a table of such a name takes"
        ],
        now: "Do not run it again on this file before somebody has looked: the rows of "
          + "'\(copy.original)' may be in '\(copy.name)' alone. In a copy of the file, give it that "
          + "name, or go back to the backup from before it.")
    }
    guard copy.rows > 0 else {
      return .fits(
        .likely, "'\(copy.original)' was to be rebuilt, and that has not come to its end",
        [
          "'\(copy.name)' has the columns of '\(copy.original)', no row, and the name of a table that "
            + "is to take its place; nothing else uses it"
        ],
        now: nothingLost(in: copy.original, left: copy.name))
    }
    return .fits(
      copy.rows == copied ? .likely : .possible,
      "'\(copy.original)' was being rebuilt, and that has not come to its end",
      [
        "'\(copy.name)' holds \(copy.rows == copied ? "the" : "the first \(grouped(copy.rows)) of") "
          + "\(counted(copied, "row")) of '\(copy.original)', number by number, and nothing else uses it"
      ], against: ["somebody may have made a copy on purpose"],
      now: nothingLost(in: copy.original, left: copy.name))
  }

  /// What to do about a table that holds nothing but what another one has.
  private static func nothingLost(in whole: Name, left: Name) -> String {
    "Nothing is lost by it: the rows are in '\(whole)'. Before the migration is run again, see whether "
      + "it begins by dropping '\(left)'; if not, drop that in a copy of the file first."
  }

  /// A rebuild by hand whose old table was moved out of the way, and is still there.
  private static func judgementBesideMoved(_ copy: CopiedTable) -> CauseJudgement {
    let all = copy.rowsOfOriginal ?? copy.rows
    let isWhole = copy.rows == all
    return .fits(
      isWhole ? .possible : .likely,
      "'\(copy.name)' was being rebuilt, and that has not come to its end",
      [
        "'\(copy.name)' holds \(isWhole ? "the" : "the first \(grouped(copy.rows)) of") "
          + "\(counted(all, "row")) of '\(copy.original)', number by number, and was made after it"
      ],
      against: [
        isWhole
          ? "somebody may have kept '\(copy.original)' on purpose"
          : "somebody may have deleted the other rows since, and kept '\(copy.original)' on purpose"
      ],
      now: isWhole
        ? "Before the migration is run again, see whether it begins by moving '\(copy.name)' out of the "
          + "way: that fails while '\(copy.original)' is there. Drop it in a copy of the file, once "
          + "'\(copy.name)' has every row and column that is still needed."
        : "Do not run it again on this file before somebody has looked: the other rows are in "
          + "'\(copy.original)' alone. Copy them into '\(copy.name)' in a copy of the file, or go back "
          + "to the backup from before it.")
  }

  /// A schema that is neither that of the backup with this version nor that of the next one: some of
  /// what a migration does is there, and some is not.
  private static func halfDone(_ traces: Traces) -> CauseJudgement? {
    let examination = traces.examination
    guard examination.relation == .older, let before = traces.around.before,
      !before.schema.isEmpty, before.userVersion == examination.foundVersion,
      let drifts = examination.verification?.drifts
    else { return nil }
    let missing = drifts.first {
      $0.kind == .missing && [.table, .column].contains($0.subject)
    }
    let entries = traces.survey.schema?.entries ?? []
    let done = entries.filter { entry in
      entry.kind == .table && !entry.name.isReserved
        && entry.sql.map { !before.schema.contains($0) } == true
        && !drifts.contains { $0.object.hasPrefix(entry.name.text) }
    }
    guard let missing, let first = done.first else { return nil }
    return .fits(
      .likely, "a migration was begun: some tables are those of the next version, and some are not",
      [
        "'\(first.name)' is as the new version has it, and as backup \(before.backup) of version "
          + "\(before.userVersion) has it not",
        "by the contract: \(missing.summary)",
      ])
  }
}
