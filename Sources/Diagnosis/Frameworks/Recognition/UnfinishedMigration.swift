// SPDX-License-Identifier: Apache-2.0
// Migrations that were begun and have no good end, as frameworks write it down: failed, locked.

import SQLiteFormat

/// A migration that was begun and is not noted as finished.
struct UnfinishedMigration: Hashable, Sendable {
  /// What the book says, in words.
  let message: String
  /// How sure it is that the migration has no end.
  let confidence: Confidence

  /// What the books in a database say that has no good end, and what rebuilds have left.
  static func all(
    in survey: Survey, of makers: [FrameworkMatch] = []
  ) -> [UnfinishedMigration] {
    noted(in: survey) + rebuilds(in: survey, of: Set(makers.map(\.framework)))
  }

  private static func noted(in survey: Survey) -> [UnfinishedMigration] {
    Framework.allCases.flatMap { framework in
      framework.sheet.unfinished.compactMap { mark in
        let columns = mark.conditions.flatMap(\.columns)
        // What a migration is called stands in the same row, where the book is this table.
        let book = framework.sheet.book.flatMap { $0.table == mark.table ? $0 : nil }
        guard
          let rows = FrameworkTable(mark.table, columns + (book?.names ?? []), in: survey)
            ?? FrameworkTable(mark.table, columns, in: survey)
        else { return nil }
        var name: String?
        let isFound = rows.any { row in
          guard mark.conditions.allSatisfy({ $0.holds(row) }) else { return false }
          name = book.flatMap { $0.shown($0.name(in: row)) }
          return true
        }
        guard isFound else { return nil }
        let subject = name.map { "migration \($0)" } ?? "a migration"
        return UnfinishedMigration(
          message: "\(subject) \(mark.says), by the book that \(framework.title) keeps in "
            + "'\(rows.name)'", confidence: mark.confidence)
      }
    }
  }

  /// The finding: of a lock, or a mark that a migration under way has too, only a notice.
  var finding: Finding {
    Finding(.migrationUnfinished, message, severity: confidence == .certain ? nil : .notice)
  }
}
