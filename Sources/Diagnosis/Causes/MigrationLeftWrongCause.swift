// SPDX-License-Identifier: Apache-2.0
// Migrations that came to their end and did not do what they should.

import SQLiteFormat

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
    if let fit = emptied(in: traces) ?? fewer(in: traces) ?? misled(in: traces) { return fit }
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

  /// A table whose rows went with those that they point to, while these were put into a new table.
  ///
  /// SQLite's way to change a table is to make a new one, to drop the old one and to rename the new
  /// one. With foreign keys on, dropping it deletes its rows first, and what points to them.
  private static func emptied(in traces: Traces) -> CauseJudgement? {
    guard traces.examination.verdict.isStructureSound, let before = traces.around.before,
      traces.isMigrated(since: before), let schema = traces.survey.schema
    else { return nil }
    let order = Dictionary(
      schema.entries.enumerated().filter { $0.element.kind == .table }
        .map { ($0.element.name, $0.offset) }
    ) { first, _ in first }
    for table in schema.parsed.description.tables {
      guard let rows = before.rows[table.name], rows > 0,
        traces.survey.tree(named: table.name)?.records == 0
      else { continue }
      for key in table.foreignKeys where Name(key.onDelete) == "CASCADE" {
        // A table that was there first stands before those that point to it.
        guard let place = order[table.name], let parent = order[key.table], parent > place,
          let kept = before.rows[key.table], kept > 0,
          traces.survey.tree(named: key.table)?.records ?? 0 >= kept
        else { continue }
        return .fits(
          .likely,
          "'\(table.name)' lost all of its \(counted(rows, "row")) when '\(key.table)' was rebuilt",
          [
            "backup \(before.backup) has them, with version \(before.userVersion)",
            "they are deleted with the rows of '\(key.table)' that they point to; those are there, in "
              + "a table that was made after '\(table.name)'",
          ], against: ["somebody may have deleted them since the update"])
      }
    }
    return nil
  }

  /// What names a table as it was called on the way: SQLite writes the new name of a table that is
  /// renamed into all that names it, and there it stays when the table is dropped.
  private static func misled(in traces: Traces) -> CauseJudgement? {
    guard traces.examination.verdict.isStructureSound,
      let schema = traces.survey.schema?.parsed.description
    else { return nil }
    let present = Set(schema.tables.map(\.name) + schema.views.map(\.name))
    let absent = schema.tablesUsed.subtracting(present)
    for table in absent.isEmpty ? [] : traces.survey.userTables.keys.sorted() {
      for passing in (RebuildName.usual + RebuildName.copies).map({ $0.name(of: table) })
      where absent.contains(passing) {
        guard let user = schema.users(of: passing).first else { continue }
        return .fits(
          .likely, "'\(user)' names '\(passing)', which is not there",
          [
            "'\(table)' is there: it was renamed and made anew, and SQLite renames a table in all that "
              + "names it"
          ],
          now: "Nothing is lost by it. Until '\(user)' names '\(table)', what needs it fails: mend "
            + "it by a migration, in a copy first.")
      }
    }
    // Views and triggers of what is not there work for nobody; what a database is that no migration
    // has made, nothing tells.
    guard traces.header?.userVersion ?? 0 > 0 || !traces.examination.frameworks.isEmpty,
      let (user, table) = schema.namesWithoutTable(besides: present)
    else { return nil }
    return .fits(
      .likely, "'\(user)' names '\(table)', which is not there",
      [
        "what uses '\(user)' fails, and nobody makes it so: '\(table)' was dropped or renamed later"
      ],
      now:
        "Nothing tells whether rows went with '\(table)': compare with the backup from before the "
        + "migration. Make '\(user)' anew by a migration, in a copy first.")
  }

  /// From which share of its rows on a table has lost many: one in so many.
  private static let share = 10

  /// A table that was made anew or altered, and has many rows fewer than before.
  private static func fewer(in traces: Traces) -> CauseJudgement? {
    guard traces.examination.verdict.isStructureSound, let before = traces.around.before,
      !before.schema.isEmpty, traces.isMigrated(since: before), let schema = traces.survey.schema
    else { return nil }
    let altered = schema.entries.filter { entry in
      entry.kind == .table && entry.sql.map { !before.schema.contains($0) } == true
    }
    for table in altered.map(\.name) {
      guard let rows = before.rows[table], let left = traces.survey.tree(named: table)?.records,
        (rows - left) * share >= rows, rows > left
      else { continue }
      return .fits(
        .possible, "'\(table)' may have lost \(counted(rows - left, "row")) when it was changed",
        [
          "backup \(before.backup) has \(grouped(rows)) rows of it, and another definition of the "
            + "table"
        ], against: ["somebody may have deleted them since"])
    }
    return nil
  }
}

extension Traces {
  /// The statements of the schema.
  var statements: Set<String> {
    Set((survey.schema?.entries ?? []).filter { !$0.name.isReserved }.compactMap(\.sql))
  }

  /// Whether a migration has run since a backup: the version is higher, or the schema another one.
  func isMigrated(since before: Circumstances.Before) -> Bool {
    guard let header else { return false }
    return before.userVersion < Int(header.userVersion)
      || !before.schema.isEmpty && !statements.isSubset(of: before.schema)
  }
}
