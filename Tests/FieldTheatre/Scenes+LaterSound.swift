// SPDX-License-Identifier: Apache-2.0
// More scenes of the later half, with files that are sound: put back, migrated, of other versions;
// and indexes that do not fit.

import DatabaseRescue
import Diagnosis
import RescueTestSupport
import SQLiteFormat

extension Scene {
  static let laterSound: [Scene] =
    backInTime + migrated + notMigrated + ofOtherVersions + searched

  private static let backInTime: [Scene] = [
    Scene(
      "a container starts without its volume, with the database of its image", to: .scans,
      is: .putBack, .healthy, lost: .nothing, right: nil, half: .after
    ) { stage in
      // An app that begins anew with the database of its installation leaves the very same.
      let image = try stage.database.contents()
      for round in 1...4 {
        try stage.write("INSERT INTO sheet (title, words) VALUES ('new \(round)', 'words')")
      }
      try stage.backUp()
      try stage.remember()
      try stage.database.replaceContents(with: image)
    },
    Scene(
      "a synchronised folder puts back the file of last month", to: .podcasts, is: .putBack,
      .healthy, lost: .nothing, right: nil, half: .after, untold: .sameCounter
    ) { stage in
      let old = try stage.database.contents()
      for round in 1...3 {
        try stage.write(
          "UPDATE episode SET notes = notes || '\(round)' WHERE id % 3 = \(round - 1)",
          "CREATE TABLE played_\(round) (id INTEGER PRIMARY KEY)")
      }
      try stage.backUp()
      try stage.remember()
      try stage.database.replaceContents(with: old)
      try stage.folder.appending("app.sync-conflict-20240301-101500-ABCDEFG.db")
        .replaceContents(with: old)
    },
  ]

  private static let migrated: [Scene] = [
    Scene(
      "a rebuild with foreign keys on deletes the rows that point to it", to: .orders,
      is: .migrationLeftWrong, .healthy, lost: .some, right: nil, half: .after
    ) { stage in
      try stage.backUp()
      try stage.write(
        "PRAGMA foreign_keys = ON", "CREATE TABLE customer_2 (id INTEGER PRIMARY KEY, name TEXT)",
        "INSERT INTO customer_2 SELECT id, name FROM customer", "DROP TABLE customer",
        "ALTER TABLE customer_2 RENAME TO customer", "PRAGMA user_version = 4")
    },
    Scene(
      "an update sets the version, and its new table is not there", to: .podcasts,
      is: .migrationLeftWrong, .drifted, lost: .nothing, right: .restore, half: .after
    ) { stage in
      try stage.write("PRAGMA user_version = 3")
      let wanted = stage.wings.appending("wanted.db")
      try stage.make(stage.program, at: wanted)
      try stage.write(
        "CREATE TABLE queue (id INTEGER PRIMARY KEY, episode INTEGER)", "PRAGMA user_version = 3",
        at: wanted)
      stage.contract = try stage.capture(wanted)
      try stage.backUp()
    },
    Scene(
      "an update adds a column to one table, and forgets the other one", to: .ledger,
      is: .migrationLeftWrong, .drifted, lost: .nothing, right: .restore, half: .after
    ) { stage in
      try stage.backUp()
      let wanted = stage.wings.appending("wanted.db")
      try stage.make(stage.program, at: wanted)
      try stage.write(
        "ALTER TABLE account ADD COLUMN currency TEXT",
        "ALTER TABLE booking ADD COLUMN currency TEXT", "PRAGMA user_version = 12", at: wanted)
      stage.contract = try stage.capture(wanted)
      try stage.write("ALTER TABLE account ADD COLUMN currency TEXT", "PRAGMA user_version = 12")
    },
  ]

  /// What looks like a migration, and is none.
  private static let notMigrated: [Scene] = [
    Scene(
      "an administrator deletes all orders, after an update that adds a table", to: .orders,
      is: nil, .healthy, lost: .nothing, right: .nothing, half: .after
    ) { stage in
      try stage.backUp()
      try stage.write(
        "CREATE TABLE invoice (id INTEGER PRIMARY KEY, total INTEGER)", "PRAGMA user_version = 4",
        "DELETE FROM purchase")
      try stage.remember()
    }
  ]

  private static let ofOtherVersions: [Scene] = [
    Scene(
      "the app of the laptop is newer than that of the phone", to: .podcasts, is: .newerApp,
      .newer, lost: .nothing, right: .nothing, half: .after
    ) { stage in
      try stage.write("PRAGMA user_version = 21")
      stage.contract = try stage.capture()
      try stage.write(
        "CREATE TABLE chapter (id INTEGER PRIMARY KEY, title TEXT)", "PRAGMA user_version = 24")
      try stage.remember()
    },
    Scene(
      "a beta has run two migrations that this release does not know", to: .grdb, is: .newerApp,
      .newer, lost: .nothing, right: .nothing, half: .after
    ) { stage in
      stage.contract = try stage.capture()
      try stage.write(
        "ALTER TABLE entry ADD COLUMN mood TEXT", "INSERT INTO grdb_migrations VALUES ('v3')",
        "CREATE TABLE tag (id INTEGER PRIMARY KEY, name TEXT)",
        "INSERT INTO grdb_migrations VALUES ('v4')")
      try stage.remember()
    },
    Scene(
      "an old phone's data meets the app of today", to: .messenger, is: .olderApp, .outdated,
      lost: .nothing, right: .migrate, half: .after
    ) { stage in
      try stage.write("PRAGMA user_version = 3")
      let newer = stage.wings.appending("newer.db")
      try newer.replaceContents(with: stage.database.contents())
      try stage.write(
        "CREATE TABLE reaction (id INTEGER PRIMARY KEY, emoji TEXT)",
        "ALTER TABLE messages ADD COLUMN edited INTEGER", "PRAGMA user_version = 60", at: newer)
      stage.contract = try stage.capture(newer)
    },
    Scene(
      "a backup of before the update is looked at with the contract of after it", to: .scans,
      is: .olderApp, .outdated, lost: .nothing, right: .migrate, half: .after
    ) { stage in
      try stage.write("PRAGMA user_version = 1")
      let newer = stage.wings.appending("newer.db")
      try newer.replaceContents(with: stage.database.contents())
      try stage.write(
        "ALTER TABLE sheet ADD COLUMN colour TEXT", "PRAGMA user_version = 2", at: newer)
      stage.contract = try stage.capture(newer)
    },
    Scene(
      "the server was updated, and its migrations wait for an administrator", to: .orders,
      is: .olderApp, .outdated, lost: .nothing, right: .migrate, half: .after
    ) { stage in
      let newer = stage.wings.appending("newer.db")
      try newer.replaceContents(with: stage.database.contents())
      try stage.write(
        "CREATE TABLE invoice (id INTEGER PRIMARY KEY, total INTEGER)", "PRAGMA user_version = 5",
        at: newer)
      stage.contract = try stage.capture(newer)
      try stage.crash(after: "INSERT INTO customer (name) VALUES ('newest')")
      try stage.remember()
    },
  ]

  private static let searched: [Scene] = [
    Scene(
      "an update compares names by another collation than the index was built with",
      to: .contacts, is: .indexesOnly, .damagedIntact, lost: .nothing, right: .rebuildIndexes,
      half: .after
    ) { stage in
      try stage.write(
        "PRAGMA writable_schema = 1",
        "UPDATE sqlite_schema SET sql = replace(sql, ' COLLATE NOCASE', '') WHERE name = 'person_name'",
        "PRAGMA writable_schema = 0")
    },
    Scene(
      "an import switches an index off, and on again without building it", to: .contacts,
      is: .indexesOnly, .damagedIntact, lost: .nothing, right: .rebuildIndexes, half: .after
    ) { stage in
      try stage.write(
        "CREATE TABLE kept AS SELECT type, name, tbl_name, rootpage, sql FROM sqlite_schema WHERE name = 'person_mail'",
        "PRAGMA writable_schema = 1", "DELETE FROM sqlite_schema WHERE name = 'person_mail'")
      try stage.write(
        "INSERT INTO person (name, mail) SELECT name || 'n', mail || 'm' FROM person WHERE id < 80")
      try stage.write(
        "PRAGMA writable_schema = 1", "INSERT INTO sqlite_schema SELECT * FROM kept",
        "PRAGMA writable_schema = 0")
      try stage.write("DROP TABLE kept")
      try stage.remember()
    },
    Scene(
      "notes were written without the triggers that tell the search of them", to: .noteKeeper,
      is: .fullTextOnly, .healthy, lost: .nothing, right: .nothing, half: .after
    ) { stage in
      // That an app keeps an index of its own tables up to date is its own affair: a warning.
      try stage.write(
        "INSERT INTO notes (title, body) SELECT title || 'w', body || ' word' FROM notes WHERE id < 50"
      )
      try stage.remember()
    },
    Scene(
      "a cleaner empties the tables of a full-text index of the fourth version", to: .mails,
      is: .fullTextOnly, .damagedIntact, lost: .nothing, right: .rebuildIndexes, half: .after
    ) { stage in
      try stage.write("DELETE FROM mail_fts_segdir", "DELETE FROM mail_fts_segments")
    },
  ]
}

extension Program {
  /// A web shop whose orders are deleted with their customers.
  static let orders = Program(
    title: "a web shop", pageSize: 2048, journal: .wal, table: "purchase",
    steps: [
      "CREATE TABLE customer (id INTEGER PRIMARY KEY, name TEXT)",
      "CREATE TABLE purchase (id INTEGER PRIMARY KEY, customer INTEGER REFERENCES customer (id) ON DELETE CASCADE, text TEXT)",
      "CREATE INDEX purchase_customer ON purchase (customer)",
      """
      WITH RECURSIVE n(i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n WHERE i < 40)
      INSERT INTO customer SELECT i, 'customer ' || i FROM n
      """,
      """
      WITH RECURSIVE n(i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n WHERE i < 300)
      INSERT INTO purchase SELECT i, i % 40 + 1, 'bought ' || hex(zeroblob(30)) FROM n
      """,
      "PRAGMA user_version = 3",
    ])

  /// An address book whose names are compared without their case.
  static let contacts = Program(
    title: "an address book", pageSize: 2048, table: "person",
    steps: [
      "CREATE TABLE person (id INTEGER PRIMARY KEY, name TEXT, mail TEXT)",
      "CREATE INDEX person_name ON person (name COLLATE NOCASE)",
      "CREATE INDEX person_mail ON person (mail)",
      """
      WITH RECURSIVE n(i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n WHERE i < 400)
      INSERT INTO person SELECT i,
        CASE i % 2 WHEN 0 THEN 'anna ' ELSE 'ANNA ' END || (i * 7919 % 10007),
        'a' || (i * 104729 % 10007) || '@example.org' FROM n
      """,
    ])

  /// A mail program with a full-text index of the fourth version.
  static let mails = Program(
    title: "a mail program", journal: .wal, table: "mail",
    steps: [
      "CREATE TABLE mail (id INTEGER PRIMARY KEY, subject TEXT, body TEXT)",
      rows("mail", "id, subject, body", count: 300),
      "CREATE VIRTUAL TABLE mail_fts USING fts4(content='mail', subject, body)",
      "INSERT INTO mail_fts (mail_fts) VALUES ('rebuild')",
    ])
}
