// SPDX-License-Identifier: Apache-2.0
// Recipes about transactions that were not over when the file was taken.

import SQLiteFormat

extension Recipe {
  static let journals = [
    Recipe("wal-closed", ledger(journal: .wal)),
    Recipe("wal-committed", ledger(journal: .wal, leftover: .wal(changes))),
    Recipe(
      "wal-torn",
      ledger(
        journal: .wal,
        leftover: .tornWAL(committed: changes, torn: ["UPDATE t SET a = 'torn ' || id"]))),
    Recipe(
      "wal-only",
      // The file has one empty page: all tables and rows are in the log.
      DatabaseBuilder(
        pageSize: 1024, journal: .wal, [], leftover: .wal(creation + changes))),
    Recipe(
      "wal-shrinks",
      ledger(journal: .wal, leftover: .wal(["DELETE FROM t WHERE id > 20", "VACUUM"]))),
    Recipe(
      "hot-journal",
      ledger(leftover: .hotJournal(["UPDATE t SET a = 'hot ' || a", "DELETE FROM t WHERE id % 3"]))),
    Recipe(
      "hot-journal-grown",
      ledger(leftover: .hotJournal([Rows.fill("t (a)", "'new ' || \(Rows.text(90))", count: 500)]))),
    Recipe("journal-persisted", ledger(journal: .persist)),
    Recipe("journal-truncated", ledger(journal: .truncate)),
  ]

  private static let creation: [DatabaseBuilder.Step] = [
    "CREATE TABLE t (id INTEGER PRIMARY KEY, a TEXT)", "CREATE INDEX t_a ON t (a)",
    Rows.fill("t (a)", Rows.text(90), count: 300),
  ]

  private static let changes: [DatabaseBuilder.Step] = [
    "INSERT INTO t (a) VALUES ('in the log only')", "UPDATE t SET a = 'changed' WHERE id % 10 = 0",
    "DELETE FROM t WHERE id BETWEEN 30 AND 40", "CREATE TABLE young (x)",
    "INSERT INTO young VALUES (1), (2)",
  ]

  private static func ledger(
    journal: DatabaseBuilder.JournalMode = .delete, leftover: Leftover = .nothing
  ) -> DatabaseBuilder {
    DatabaseBuilder(pageSize: 1024, journal: journal, creation, leftover: leftover)
  }
}
