// SPDX-License-Identifier: Apache-2.0
// Indexes that do not fit, and files with which nothing is wrong, by somebody who has not read how
// causes are judged.

import DatabaseRescue
import Diagnosis
import RescueTestSupport
import SQLiteFormat

extension Scene {
  static let blindIndexes: [Scene] = [
    Scene(
      "an index was sorted by a collation that this build does not have the same", to: .ebooks,
      is: .indexesOnly, .damagedIntact, lost: .nothing, right: .rebuildIndexes, half: .blind
    ) { stage in
      try stage.write(
        "PRAGMA writable_schema = 1",
        "UPDATE sqlite_schema SET sql = 'CREATE INDEX books_title ON books (title)' WHERE name = 'books_title'",
        "PRAGMA writable_schema = 0")
    },
    Scene(
      "a bulk import ran with an index switched off, which was put back and not built", to: .till,
      is: .indexesOnly, .damagedIntact, lost: .nothing, right: .rebuildIndexes, half: .blind
    ) { stage in
      // The tree of the index is the one of before the rows came.
      try stage.write("CREATE INDEX line_upper ON line (upper(article))")
      let definition = "CREATE INDEX line_upper ON line (upper(article))"
      try stage.write(
        "PRAGMA writable_schema = 1",
        "UPDATE sqlite_schema SET sql = 'CREATE INDEX line_upper ON line (upper(article)) WHERE 0' WHERE name = 'line_upper'"
      )
      try stage.write(
        "INSERT INTO line (receipt, article, cents) SELECT no, 'late ' || no, 5 FROM receipt")
      try stage.write(
        "PRAGMA writable_schema = 1",
        "UPDATE sqlite_schema SET sql = '\(definition)' WHERE name = 'line_upper'")
      try stage.remember()
    },
    Scene(
      "two leaves of the index of a weather logger have changed places", to: .sensors,
      is: .indexesOnly, .damagedIntact, lost: .nothing, right: .rebuildIndexes, half: .blind
    ) { stage in
      let leaves = try stage.pages(of: "reading_at")
      try stage.damage(.swapPages(leaves[3], leaves[11]))
    },
    Scene(
      "an import past the triggers leaves the search with old words", to: .chat,
      is: .fullTextOnly, .damagedIntact, lost: .nothing, right: .rebuildIndexes, half: .blind
    ) { stage in
      // Rows that are not in the index are no damage: some apps bring it up to date later. To a
      // search for words of rows that are gone, SQLite answers that the database is malformed.
      try stage.write(
        "DROP TRIGGER message_added", "DROP TRIGGER message_gone",
        "INSERT INTO message (contact, sent, text) SELECT contact, sent, 'imported ' || text FROM message",
        "DELETE FROM message WHERE id < 200",
        "CREATE TRIGGER message_added AFTER INSERT ON message BEGIN INSERT INTO message_fts (rowid, text) VALUES (new.id, new.text); END",
        "CREATE TRIGGER message_gone AFTER DELETE ON message BEGIN INSERT INTO message_fts (message_fts, rowid, text) VALUES ('delete', old.id, old.text); END"
      )
      try stage.remember()
    },
    Scene(
      "the segments of an old full-text index are overwritten", to: .bookmarks,
      is: .fullTextOnly, .damagedIntact, lost: .nothing, right: .rebuildIndexes, half: .blind
    ) { stage in
      try stage.write("UPDATE bookmark_fts_segments SET block = zeroblob(length(block))")
    },
    Scene(
      "a block of a chat's full-text index was written by a tool that knew it not", to: .chat,
      is: .fullTextOnly, .damagedIntact, lost: .nothing, right: .rebuildIndexes, half: .blind
    ) { stage in
      try stage.write(
        "UPDATE message_fts_data SET block = CAST(substr(block, 1, 60) || zeroblob(length(block) - 60) AS BLOB) WHERE id > 100"
      )
    },
  ]

  private static func sound(
    _ name: String, _ program: Program, _ play: @escaping @Sendable (Stage) throws -> Void
  ) -> Scene {
    Scene(
      name, to: program, is: nil, .healthy, lost: .nothing, right: .nothing, half: .blind
    ) { stage in
      try play(stage)
      try stage.remember()
    }
  }

  static let blindSound: [Scene] = [
    Scene(
      "an app takes its locked file for damaged, moves it away and begins anew", to: .outbox,
      is: nil, .healthy, lost: .some, right: .nothing, half: .blind
    ) { stage in
      try stage.remember()
      let old = stage.folder.appending("app.db.corrupt-20260214")
      try SystemStorage().rename(stage.database, to: old)
      try stage.write(
        "CREATE TABLE outbox (id TEXT NOT NULL PRIMARY KEY, kind TEXT NOT NULL, payload TEXT NOT NULL, sent INTEGER NOT NULL DEFAULT 0)",
        "CREATE TABLE visit (id TEXT NOT NULL PRIMARY KEY, report TEXT NOT NULL, minutes INTEGER) WITHOUT ROWID",
        "PRAGMA user_version = 12")
    },
    sound("an auditor deletes most of a year, and nothing is compacted", .till) { stage in
      try stage.write("DELETE FROM line WHERE id > 90", "DELETE FROM receipt WHERE no > 20")
    },
    sound("the smallest pages become the largest by VACUUM", .sensors) { stage in
      try stage.write("PRAGMA page_size = 65536", "VACUUM")
      try stage.write("DELETE FROM reading WHERE celsius > 30")
    },
    sound("auto_vacuum is turned on late, and much is deleted", .ebooks) { stage in
      try stage.write(
        "PRAGMA auto_vacuum = FULL", "VACUUM", "DELETE FROM books WHERE id % 3",
        "PRAGMA user_version = 4")
    },
    sound("auto_vacuum is incremental, and half of it was done", .scanArchive) { stage in
      try stage.write(
        "PRAGMA auto_vacuum = INCREMENTAL", "VACUUM", "DELETE FROM scan WHERE id % 2",
        "PRAGMA incremental_vacuum(7)")
    },
    sound("the app is killed: its log is whole", .fitness) { stage in
      let app = try stage.start(
        "PRAGMA wal_autocheckpoint = 0",
        "UPDATE sample SET data = data || ' ok' WHERE id % 3 = 0",
        "DELETE FROM workout WHERE id > 140")
      try stage.kill(app)
    },
    Scene(
      "a volume snapshot in the middle of a checkpoint has file and log", to: .tracker, is: nil,
      also: [.interrupted], .healthy, lost: .nothing, right: .nothing, half: .blind
    ) { stage in
      // Files that are taken in that moment are those of a program that was killed in it.
      try stage.crash(
        after: "INSERT INTO comments (issue_id, body) SELECT issue_id, body || '+' FROM comments",
        "DELETE FROM issues WHERE id % 5 = 0")
      try stage.remember()
      try stage.kill(at: 0.5, of: "PRAGMA wal_checkpoint(PASSIVE)")
    },
    sound("a new installation", .newPlanner) { $0.contract = try $0.capture() },
    sound("the app is killed when its log has just begun anew over the old one", .chat) { stage in
      let app = try stage.start(
        "PRAGMA wal_autocheckpoint = 0", "UPDATE message SET sent = sent + 1",
        "DELETE FROM message WHERE id % 6 = 0", "PRAGMA wal_checkpoint(PASSIVE)",
        "UPDATE contact SET nick = upper(nick)")
      try stage.kill(app)
    },
    sound("a journal of no length is left by another mode", .bookmarks) { stage in
      try stage.write(
        "PRAGMA journal_mode = TRUNCATE", "DELETE FROM bookmark WHERE id % 9 = 1",
        "INSERT INTO bookmark_fts (bookmark_fts) VALUES ('rebuild')")
      guard try stage.journal.exists else { throw UnfitFixture("no journal is left") }
    },
    sound("all is deleted on the user's wish, with zeros over it", .bookmarks) { stage in
      try stage.write(
        "PRAGMA secure_delete = ON", "DELETE FROM bookmark WHERE id > 5",
        "INSERT INTO bookmark_fts (bookmark_fts) VALUES ('rebuild')")
    },
    sound("a wiki in UTF-16 keeps web pages and logs as texts", .wiki) { stage in
      try stage.write(
        "INSERT INTO page (title, body) SELECT '<!DOCTYPE html>', '2026-01-01 12:00:00 ERROR x' || char(13, 10) || body FROM page",
        "DELETE FROM page WHERE id % 4 = 0")
    },
    sound("a transaction over two attached files", .outbox) { stage in
      let other = try stage.aside("other.db")
      try stage.write(
        "ATTACH '\(other)' AS o; BEGIN; UPDATE outbox SET sent = 1; DELETE FROM o.visit; COMMIT")
    },
    sound("strict tables, checks, a column that is computed", .strictBooks) { stage in
      try stage.write("UPDATE booking SET cents = cents + 1 WHERE id % 2 = 0", "ANALYZE")
    },
    sound("the file is made longer ahead of its content", .browser) { stage in
      try stage.change { $0 += Bytes(repeating: 0, count: (1 << 22) - $0.count % (1 << 22)) }
    },
    sound("SQLite of 2009 wrote it: the header does not tell its size", .efShop) { stage in
      try stage.change { file in
        for index in Array(28..<32) + Array(92..<100) { file[index] = 0 }
      }
    },
    sound("a journal that is kept, and its header zeroed", .till) { stage in
      try stage.write(
        "PRAGMA journal_mode = PERSIST", "UPDATE line SET cents = cents + 1 WHERE id % 2 = 0")
    },
    sound("its own backup was put back after a bad page", .ebooks) { stage in
      try stage.remember()
      try stage.backUp()
      try stage.damage(.randomPage(stage.pages(of: "books")[1]))
      _ = try Rescue(world: World(environment: [:])).recover(
        .recover, stage.database, contract: nil,
        choose: { _, options in options.first { $0.kind == .restore } ?? options[0] },
        approve: { _ in })
    },
    sound("search of a chat goes on after many deletions and a merge", .chat) { stage in
      try stage.write(
        "DELETE FROM message WHERE id % 3 = 0",
        "INSERT INTO message_fts (message_fts) VALUES ('optimize')",
        "INSERT INTO message (contact, sent, text) VALUES (1, 2, 'after')")
    },
  ]
}
