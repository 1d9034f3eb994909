// SPDX-License-Identifier: Apache-2.0
// Files that are sound: put back, migrated half-way, of another version, with indexes that do not
// fit.

import DatabaseRescue
import Diagnosis
import RescueTestSupport
import SQLiteFormat

extension Stage {
  /// Backs the database up into its own vault.
  func backUp() throws {
    _ = try Rescue(world: World(environment: [:])).backUp(database)
  }
}

extension Scene {
  static let inTime: [Scene] = [
    Scene(
      "an older copy is put in place of the file", to: .workflows, is: .putBack, .healthy,
      lost: .nothing, right: .restore
    ) { stage in
      let old = try stage.database.contents()
      for round in 1...3 {
        try stage.write(
          "INSERT INTO execution_entity (mode, data) VALUES ('r\(round)', 'new')",
          "PRAGMA wal_checkpoint(TRUNCATE)")
      }
      try stage.backUp()
      try stage.remember()
      // The file stays the same one: its content goes back.
      try SystemStorage().open(stage.database, .readWrite).write(old, at: 0)
      try SystemStorage().open(stage.database, .readWrite).truncate(to: old.count)
    },
    Scene(
      "a restored volume has the file of last week", to: .mediaManager, is: .putBack, .healthy,
      lost: .nothing, right: .restore
    ) { stage in
      try stage.backUp()
      let old = try stage.database.contents()
      try stage.write(
        "INSERT INTO Episodes (Title, Overview) SELECT Title || 'b', Overview FROM Episodes WHERE Id < 90"
      )
      try stage.backUp()
      try stage.remember()
      try stage.database.replaceContents(with: old)
    },
  ]

  static let migrations: [Scene] = [
    Scene(
      "a rebuild of a table stops before the old one is dropped", to: .django,
      is: .migrationCutOff, .healthy, lost: .nothing, right: .nothing
    ) { stage in
      try stage.write(
        "CREATE TABLE \"new__shop_order\" (id integer NOT NULL PRIMARY KEY AUTOINCREMENT, number varchar(80) NOT NULL)",
        "INSERT INTO \"new__shop_order\" SELECT id, number FROM shop_order WHERE id < 100")
    },
    Scene(
      "a migration is marked as begun and has no end", to: .prisma, is: .migrationCutOff,
      .drifted, lost: .nothing, right: .nothing
    ) { stage in
      try stage.write(
        "INSERT INTO _prisma_migrations (id, checksum, migration_name, started_at) VALUES ('2', 'b', '2_add', 1700000000)"
      )
      try stage.remember()
    },
    Scene(
      "the framework's own book says that a migration has failed", to: .flyway,
      is: .migrationCutOff, .drifted, lost: .nothing, right: .nothing
    ) { stage in
      try stage.write(
        "INSERT INTO flyway_schema_history VALUES (2, '2', 'add', 'SQL', 'V2.sql', 2, 'app', '2024-01-02', 5, 0)"
      )
      try stage.remember()
    },
    Scene(
      "the disk is full in the middle of a batch", to: .alembic, is: .migrationCutOff, .healthy,
      lost: .nothing, right: .nothing
    ) { stage in
      try stage.write(
        "CREATE TABLE _alembic_tmp_items (id INTEGER PRIMARY KEY, name TEXT, extra TEXT)")
      let size = try stage.database.contents().count / 4096
      try? stage.write(
        "PRAGMA max_page_count = \(size + 4)",
        "INSERT INTO _alembic_tmp_items SELECT id, name, body FROM items")
    },
    Scene(
      "an update rebuilds a table and forgets a column", to: .room, is: .migrationLeftWrong,
      .drifted, lost: .nothing, right: .restore
    ) { stage in
      try stage.write("PRAGMA user_version = 8")
      stage.contract = try stage.capture()
      try stage.backUp()
      try stage.write(
        "CREATE TABLE notes_2 (id INTEGER PRIMARY KEY AUTOINCREMENT NOT NULL, title TEXT NOT NULL)",
        "INSERT INTO notes_2 SELECT id, title FROM notes", "DROP TABLE notes",
        "ALTER TABLE notes_2 RENAME TO notes")
    },
  ]

  static let versions: [Scene] = [
    Scene(
      "a newer app has been installed and taken back", to: .room, is: .newerApp, .newer,
      lost: .nothing, right: .nothing
    ) { stage in
      stage.contract = try stage.capture()
      try stage.write("ALTER TABLE notes ADD COLUMN pinned INTEGER", "PRAGMA user_version = 8")
      try stage.remember()
    },
    Scene(
      "the update has not run yet", to: .room, is: .olderApp, .outdated, lost: .nothing,
      right: .migrate
    ) { stage in
      let newer = stage.wings.appending("newer.db")
      try newer.replaceContents(with: stage.database.contents())
      try stage.write(
        "ALTER TABLE notes ADD COLUMN pinned INTEGER", "PRAGMA user_version = 8", at: newer)
      stage.contract = try stage.capture(newer)
    },
    Scene(
      "another program has made it its own format", to: .flashcards, is: .newerApp,
      .damagedIntact, lost: .nothing, right: .salvage
    ) { stage in
      try stage.change { file in
        file[18] = 3
        file[19] = 3
      }
    },
  ]

  static let indexes: [Scene] = [
    Scene(
      "an index has lost entries", to: .library, is: .indexesOnly, .damagedIntact, lost: .nothing,
      right: .rebuildIndexes
    ) { stage in
      // The table is written without its index, as by a program whose collation differs.
      let old = try stage.database.contents()
      let leaf = try stage.pages(of: "books_title")[1]
      try stage.write("UPDATE books SET title = title || 'x' WHERE id % 3 = 0")
      try stage.remember()
      let range = ((leaf - 1) * 4096)..<(leaf * 4096)
      try stage.overwrite(at: range.lowerBound, with: old[range])
    },
    Scene(
      "the leaf of an index is zeros", to: .mediaManager, is: .indexesOnly, .damagedIntact,
      lost: .nothing, right: .rebuildIndexes
    ) { stage in try stage.damage(.zeroPage(stage.pages(of: "IX_Episodes_Title")[2])) },
    Scene(
      "the search finds nothing: the full-text index has lost its segments", to: .noteKeeper,
      is: .fullTextOnly, .damagedIntact, lost: .nothing, right: .rebuildIndexes
    ) { stage in try stage.write("DELETE FROM notes_fts_data WHERE id > 10") },
    Scene(
      "a table of the full-text index is gone", to: .noteKeeper, is: .fullTextOnly,
      .damagedIntact, lost: .nothing, right: .rebuildIndexes
    ) { stage in
      try stage.write(
        "PRAGMA writable_schema = 1",
        "DELETE FROM sqlite_schema WHERE name = 'notes_fts_idx'", "PRAGMA writable_schema = 0",
        "VACUUM")
    },
  ]

  static let fullDisk: [Scene] = [
    Scene(
      "the disk is full, and the program dies in its transaction", to: .mediaManager,
      is: .diskFull, also: [.interrupted], .healthy, lost: .nothing, right: .nothing
    ) { stage in
      let app = try stage.start(
        "PRAGMA cache_size = 1", "BEGIN IMMEDIATE", "UPDATE Episodes SET Overview = Overview || 'x'"
      )
      try stage.kill(app)
      stage.storage = StagedDisk(free: 0)
    }
  ]
}

extension Program {
  private static func books(_ title: String, _ steps: DatabaseBuilder.Step...) -> Program {
    Program(
      title: title, table: "items",
      steps: steps + [
        "CREATE TABLE items (id INTEGER PRIMARY KEY, name TEXT, body TEXT)",
        rows("items", "id, name, body", count: 300),
      ])
  }

  /// A web application with Prisma.
  static let prisma = books(
    "a web application with Prisma",
    "CREATE TABLE _prisma_migrations (id TEXT PRIMARY KEY NOT NULL, checksum TEXT NOT NULL, finished_at DATETIME, migration_name TEXT NOT NULL, logs TEXT, rolled_back_at DATETIME, started_at DATETIME NOT NULL DEFAULT current_timestamp, applied_steps_count INTEGER NOT NULL DEFAULT 0)",
    "INSERT INTO _prisma_migrations (id, checksum, finished_at, migration_name, started_at, applied_steps_count) VALUES ('1', 'a', 1700000000, '1_init', 1700000000, 1)"
  )

  /// A web application with Flyway.
  static let flyway = books(
    "a server with Flyway",
    "CREATE TABLE flyway_schema_history (installed_rank INT NOT NULL PRIMARY KEY, version VARCHAR(50), description VARCHAR(200) NOT NULL, type VARCHAR(20) NOT NULL, script VARCHAR(1000) NOT NULL, checksum INT, installed_by VARCHAR(100) NOT NULL, installed_on TEXT NOT NULL, execution_time INT NOT NULL, success BOOLEAN NOT NULL)",
    "INSERT INTO flyway_schema_history VALUES (1, '1', 'init', 'SQL', 'V1.sql', 1, 'app', '2024-01-01', 5, 1)"
  )

  /// A web application with Alembic.
  static let alembic = books(
    "a web application with Alembic",
    "CREATE TABLE alembic_version (version_num VARCHAR(32) NOT NULL PRIMARY KEY)",
    "INSERT INTO alembic_version VALUES ('ae1027a6acf')")
}
