// SPDX-License-Identifier: Apache-2.0
// Older copies, versions and migrations, by somebody who has not read how causes are judged.

import DatabaseRescue
import Diagnosis
import RescueTestSupport
import SQLiteFormat

extension Stage {
  /// Takes the contract of what the database is after statements, which it does not see itself.
  fileprivate func expect(after statements: String...) throws {
    let next = wings.appending("next.db")
    try database.copyFileSet(to: next)
    for statement in statements { try write(statement, at: next) }
    contract = try capture(next)
  }
}

extension Scene {
  static let blindInTime: [Scene] = [
    Scene(
      "the provider puts the disk of Monday back", to: .tracker, is: .putBack, .healthy,
      lost: .nothing, right: .restore, half: .blind
    ) { stage in
      try stage.write(
        "INSERT INTO issues (subject) VALUES ('Monday')", "PRAGMA wal_checkpoint(TRUNCATE)")
      try stage.backUp()
      let monday = try stage.database.contents()
      for day in ["Tuesday", "Wednesday", "Thursday"] {
        try stage.write(
          "INSERT INTO issues (subject) SELECT '\(day) ' || id FROM issues WHERE id < 60",
          "UPDATE comments SET body = body || ' \(day)' WHERE id % 9 = 0",
          "PRAGMA wal_checkpoint(TRUNCATE)")
        try stage.backUp()
      }
      try stage.remember()
      try stage.database.replaceContents(with: monday)
      try stage.set(stage.database, daysAgo: 4)
    },
    Scene(
      "a phone is set up from the cloud, and the app's file is one of last month", to: .outbox,
      is: .putBack, .healthy, lost: .nothing, right: .restore, half: .blind,
      untold: "an app that begins anew and gets its rows from a server has such a file, too"
    ) { stage in
      let old = try stage.database.contents()
      for round in 1...5 {
        try stage.write(
          "UPDATE outbox SET sent = 1 WHERE rowid % 5 = \(round % 5)",
          "INSERT INTO visit SELECT id || '-\(round)', report || ' \(round)', minutes FROM visit LIMIT 40"
        )
      }
      try stage.backUp()
      try stage.remember()
      try stage.database.replaceContents(with: old)
    },
    Scene(
      "the old phone's file comes over the new one, and is of the last version but one",
      to: .fitness, is: .putBack, also: [.olderApp], .outdated, lost: .nothing, right: .restore,
      half: .blind
    ) { stage in
      let old = try stage.database.contents()
      try stage.write(
        "ALTER TABLE goal ADD COLUMN reached INTEGER",
        "UPDATE room_master_table SET identity_hash = '0fe1d2c3b4a5968778695a4b3c2d1e0f'",
        "PRAGMA user_version = 23")
      try stage.write(
        "INSERT INTO goal (title, reached) SELECT title || ' again', 1 FROM goal",
        "PRAGMA wal_checkpoint(TRUNCATE)")
      stage.contract = try stage.capture()
      try stage.backUp()
      try stage.remember()
      try stage.database.replaceContents(with: old)
    },
    Scene(
      "a beta was installed and taken back", to: .fitness, is: .newerApp, .newer, lost: .nothing,
      right: .nothing, half: .blind
    ) { stage in
      stage.contract = try stage.capture()
      try stage.write(
        "CREATE TABLE `route` (`id` INTEGER PRIMARY KEY NOT NULL, `points` TEXT NOT NULL)",
        "INSERT INTO route VALUES (1, '48.1,11.5')",
        "UPDATE room_master_table SET identity_hash = 'ffffd2c3b4a5968778695a4b3c2d1e0f'",
        "PRAGMA user_version = 24")
      try stage.remember()
    },
    Scene(
      "a container of the last release starts on the data of the next", to: .goService,
      is: .newerApp, .newer, lost: .nothing, right: .nothing, half: .blind
    ) { stage in
      stage.contract = try stage.capture()
      try stage.write(
        "ALTER TABLE tokens ADD COLUMN expires INTEGER", "UPDATE schema_migrations SET version = 6")
      try stage.remember()
    },
    Scene(
      "the app is new, and has not been opened since", to: .fitness, is: .olderApp, .outdated,
      lost: .nothing, right: .migrate, half: .blind
    ) { stage in
      try stage.expect(
        after: "CREATE TABLE `route` (`id` INTEGER PRIMARY KEY NOT NULL, `points` TEXT NOT NULL)",
        "UPDATE room_master_table SET identity_hash = 'ffffd2c3b4a5968778695a4b3c2d1e0f'",
        "PRAGMA user_version = 24")
    },
    Scene(
      "a file of the year before last is opened in a field app", to: .outbox, is: .olderApp,
      .outdated, lost: .nothing, right: .migrate, half: .blind
    ) { stage in
      try stage.write("PRAGMA user_version = 3")
      try stage.expect(
        after: "ALTER TABLE outbox ADD COLUMN tries INTEGER NOT NULL DEFAULT 0",
        "CREATE INDEX outbox_kind ON outbox (kind)", "PRAGMA user_version = 12")
      try stage.set(stage.database, daysAgo: 600)
    },
  ]

  static let blindSchema: [Scene] = [
    Scene(
      "the pod is evicted during a migration, which leaves the version dirty", to: .goService,
      is: .migrationCutOff, .drifted, lost: .nothing, right: .nothing, half: .blind
    ) { stage in
      try stage.write(
        "UPDATE schema_migrations SET version = 5, dirty = 1",
        "CREATE TABLE audit (id INTEGER PRIMARY KEY, at INTEGER)")
      try stage.remember()
    },
    Scene(
      "a table is dropped, and its successor not yet renamed", to: .efShop,
      is: .migrationCutOff, .healthy, lost: .nothing, right: .nothing, half: .blind
    ) { stage in
      try stage.write(
        "CREATE TABLE \"ef_temp_Orders\" (\"Id\" INTEGER NOT NULL CONSTRAINT \"PK_Orders\" PRIMARY KEY AUTOINCREMENT, \"Notes\" TEXT NULL, \"Number\" TEXT NULL)",
        "INSERT INTO \"ef_temp_Orders\" (\"Id\", \"Notes\", \"Number\") SELECT \"Id\", \"Notes\", \"Number\" FROM \"Orders\"",
        "DROP TABLE \"Orders\"")
      try stage.remember()
    },
    Scene(
      "a serverless function times out while it copies users", to: .drizzle,
      is: .migrationCutOff, .healthy, lost: .nothing, right: .nothing, half: .blind
    ) { stage in
      try stage.write(
        "PRAGMA foreign_keys = OFF",
        "CREATE TABLE `__new_users` (`id` integer PRIMARY KEY NOT NULL, `email` text NOT NULL, `bio` text DEFAULT '' NOT NULL)",
        "INSERT INTO `__new_users` (id, email, bio) SELECT id, email, bio FROM users WHERE id < 200"
      )
      try stage.remember()
    },
    Scene(
      "two of three tables have their new column, and the version is the old one", to: .fitness,
      is: .migrationCutOff, also: [.olderApp], .outdated, lost: .nothing, right: .restore,
      half: .blind
    ) { stage in
      let steps = ["workout", "goal", "device"].map {
        "ALTER TABLE `\($0)` ADD COLUMN `synced` INTEGER NOT NULL DEFAULT 0"
      }
      try stage.expect(after: steps[0], steps[1], steps[2], "PRAGMA user_version = 23")
      try stage.backUp()
      try stage.write(steps[0], steps[1])
    },
    Scene(
      "a table is made anew with foreign keys on: its children go with it", to: .tracker,
      is: .migrationLeftWrong, .healthy, lost: .nothing, right: .restore, half: .blind
    ) { stage in
      try stage.backUp()
      try stage.write(
        "PRAGMA foreign_keys = ON",
        "CREATE TABLE aissues (id integer PRIMARY KEY AUTOINCREMENT NOT NULL, subject varchar NOT NULL, description text, state varchar)",
        "INSERT INTO aissues (id, subject, description) SELECT id, subject, description FROM issues",
        "DROP TABLE issues", "ALTER TABLE aissues RENAME TO issues",
        "CREATE INDEX index_issues_on_subject ON issues (subject)",
        "INSERT INTO schema_migrations VALUES ('20260301090000')")
    },
    Scene(
      "INSERT OR IGNORE into a table with a new UNIQUE leaves out what differs in case only",
      to: .ebooks, is: .migrationLeftWrong, .healthy, lost: .nothing, right: .restore, half: .blind,
      untold: "rows that a user has deleted since the migration are gone in the same way"
    ) { stage in
      try stage.write(
        "UPDATE books SET title = (SELECT upper(b.title) FROM books b WHERE b.id = books.id - 1) WHERE id % 9 = 0"
      )
      try stage.remember()
      try stage.backUp()
      try stage.write(
        "CREATE TABLE books_new (id INTEGER PRIMARY KEY AUTOINCREMENT, title TEXT NOT NULL UNIQUE COLLATE NOCASE, author INTEGER, blurb TEXT)",
        "INSERT OR IGNORE INTO books_new SELECT * FROM books", "DROP TABLE books",
        "ALTER TABLE books_new RENAME TO books", "PRAGMA user_version = 2")
    },
    Scene(
      "the migration ran on the wrong table, and says that it is done", to: .fitness,
      is: .migrationLeftWrong, .drifted, lost: .nothing, right: .restore, half: .blind
    ) { stage in
      try stage.expect(
        after: "ALTER TABLE `sample` ADD COLUMN `heart` INTEGER",
        "CREATE INDEX `index_sample_at` ON `sample` (`at`)", "PRAGMA user_version = 23")
      try stage.backUp()
      try stage.write(
        "ALTER TABLE `workout` ADD COLUMN `heart` INTEGER", "PRAGMA user_version = 23")
    },
  ]
}
