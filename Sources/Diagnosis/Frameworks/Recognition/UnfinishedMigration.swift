// SPDX-License-Identifier: Apache-2.0
// Migrations that were begun and have no good end, as frameworks write it down: failed, locked.

import SQLiteFormat

/// A migration that was begun and is not noted as finished.
struct UnfinishedMigration: Hashable, Sendable {
  /// What the book says, in words.
  let message: String
  /// How sure it is that the migration has no end.
  let confidence: Confidence

  /// What the books in a database say that has no good end.
  static func all(in survey: Survey) -> [UnfinishedMigration] {
    Framework.allCases.flatMap { framework in
      framework.sheet.unfinished.compactMap { mark in
        guard let rows = FrameworkTable(mark.table, mark.conditions.flatMap(\.columns), in: survey),
          rows.any(where: { row in mark.conditions.allSatisfy { $0.holds(row) } })
        else { return nil }
        return UnfinishedMigration(
          message: "a migration \(mark.says), by the book that \(framework.title) keeps in "
            + "'\(rows.name)'", confidence: mark.confidence)
      }
    }
  }

  /// The finding: of a lock, or a mark that a migration under way has too, only a notice.
  var finding: Finding {
    Finding(.migrationUnfinished, message, severity: confidence == .certain ? nil : .notice)
  }
}
