// SPDX-License-Identifier: Apache-2.0
// The kinds of program to which it happened: how they keep their databases. A table.

import DatabaseRescue
import Diagnosis
import RescueTestSupport

/// A program with its database: the tables that it is known by, and some rows.
struct Program: Sendable {
  /// What the database belongs to, in a few words.
  let title: String
  /// The size of its pages.
  var pageSize = 4096
  /// How it keeps transactions safe.
  var journal = DatabaseBuilder.JournalMode.delete
  /// The table with most of its rows.
  let table: String
  /// What makes its tables and rows.
  let steps: [DatabaseBuilder.Step]

  /// Rows with a number, a name that an index has, and a text, from 1 to `count`.
  static func rows(
    _ table: String, _ columns: String, count: Int, text: Int = 120
  ) -> DatabaseBuilder.Step {
    """
    WITH RECURSIVE n(i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n WHERE i < \(String(count)))
    INSERT INTO \(table) (\(columns))
    SELECT i, 'name ' || (i * 7919 % 10007), hex(zeroblob(\(String(text / 2)))) || i FROM n
    """
  }
}

extension Program {
  /// A desktop messenger in WAL mode.
  static let messenger = Program(
    title: "a desktop messenger", journal: .wal, table: "messages",
    steps: [
      "CREATE TABLE conversations (id INTEGER PRIMARY KEY, name TEXT, profile TEXT)",
      "CREATE TABLE messages (id INTEGER PRIMARY KEY, conversation TEXT, body TEXT)",
      "CREATE INDEX messages_conversation ON messages (conversation)",
      rows("conversations", "id, name, profile", count: 30),
      rows("messages", "id, conversation, body", count: 600),
    ])

  /// A trainer with cards, in a rollback mode.
  static let flashcards = Program(
    title: "a flash-card trainer", table: "notes",
    steps: [
      "CREATE TABLE col (id integer primary key, crt integer, mod integer, scm integer, ver integer)",
      "INSERT INTO col VALUES (1, 1, 1, 1, 11)",
      "CREATE TABLE notes (id integer primary key, guid text, flds text)",
      "CREATE TABLE revlog (id integer primary key, cid text, lastIvl text)",
      "CREATE INDEX ix_notes_guid ON notes (guid)",
      rows("notes", "id, guid, flds", count: 500),
      rows("revlog", "id, cid, lastIvl", count: 300, text: 20),
    ])

  /// A media manager on a home server.
  static let mediaManager = Program(
    title: "a media manager on a home server", table: "Episodes",
    steps: [
      "CREATE TABLE VersionInfo (Version INTEGER NOT NULL, AppliedOn DATETIME, Description TEXT)",
      "INSERT INTO VersionInfo VALUES (217, '2024-01-01', 'initial')",
      "CREATE TABLE Series (Id INTEGER PRIMARY KEY AUTOINCREMENT, Title TEXT, Path TEXT)",
      "CREATE TABLE Episodes (Id INTEGER PRIMARY KEY AUTOINCREMENT, Title TEXT, Overview TEXT)",
      "CREATE INDEX IX_Episodes_Title ON Episodes (Title)",
      rows("Series", "Id, Title, Path", count: 40),
      rows("Episodes", "Id, Title, Overview", count: 700),
    ])

  /// The same in WAL mode.
  static let mediaManagerWAL = mediaManager.inWALMode

  /// A password vault in WAL mode.
  static let vault = Program(
    title: "a password vault", journal: .wal, table: "ciphers",
    steps: [
      "CREATE TABLE __diesel_schema_migrations (version VARCHAR(50) PRIMARY KEY NOT NULL, run_on TIMESTAMP NOT NULL)",
      "INSERT INTO __diesel_schema_migrations VALUES ('20240101000000', '2024-01-01')",
      "CREATE TABLE users (uuid INTEGER NOT NULL PRIMARY KEY, email TEXT NOT NULL, akey TEXT)",
      "CREATE TABLE ciphers (uuid INTEGER NOT NULL PRIMARY KEY, name TEXT NOT NULL, data TEXT NOT NULL)",
      "CREATE INDEX ciphers_name ON ciphers (name)",
      rows("users", "uuid, email, akey", count: 12),
      rows("ciphers", "uuid, name, data", count: 400),
    ])

  /// A home automation with a log that grows.
  static let automation = Program(
    title: "a home automation on an SD card", table: "states",
    steps: [
      "CREATE TABLE events (event_id INTEGER NOT NULL PRIMARY KEY, event_type TEXT, data TEXT)",
      "CREATE TABLE states (state_id INTEGER NOT NULL PRIMARY KEY, entity_id TEXT, attributes TEXT)",
      "CREATE INDEX ix_states_entity_id ON states (entity_id)",
      rows("events", "event_id, event_type, data", count: 100),
      rows("states", "state_id, entity_id, attributes", count: 900),
    ])

  /// A package manager that knows what is installed.
  static let packages = Program(
    title: "a package manager", table: "ValidPaths",
    steps: [
      "CREATE TABLE ValidPaths (id INTEGER PRIMARY KEY AUTOINCREMENT NOT NULL, path TEXT UNIQUE NOT NULL, hash TEXT NOT NULL)",
      """
      WITH RECURSIVE n(i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n WHERE i < 700)
      INSERT INTO ValidPaths SELECT i, '/store/' || (i * 7919 % 10007) || '-' || i, hex(zeroblob(40)) || i FROM n
      """,
    ])

  /// A phone app with Room.
  static let room = Program(
    title: "a phone app with Room", table: "notes",
    steps: [
      "CREATE TABLE room_master_table (id INTEGER PRIMARY KEY, identity_hash TEXT)",
      "INSERT INTO room_master_table VALUES (42, 'c8e2b7a3a09f0a6a1b4f2c0d9e8f7a6b')",
      "CREATE TABLE android_metadata (locale TEXT)",
      "INSERT INTO android_metadata VALUES ('en_US')",
      "CREATE TABLE `notes` (`id` INTEGER PRIMARY KEY AUTOINCREMENT NOT NULL, `title` TEXT NOT NULL, `body` TEXT)",
      "CREATE INDEX `index_notes_title` ON `notes` (`title`)",
      rows("notes", "id, title, body", count: 500),
      "PRAGMA user_version = 7",
    ])

  /// A tablet app with GRDB.
  static let grdb = Program(
    title: "a tablet app with GRDB", journal: .wal, table: "entry",
    steps: [
      "CREATE TABLE grdb_migrations (identifier TEXT NOT NULL PRIMARY KEY)",
      "INSERT INTO grdb_migrations VALUES ('v1'), ('v2')",
      "CREATE TABLE entry (id INTEGER PRIMARY KEY, title TEXT NOT NULL, body TEXT NOT NULL)",
      "CREATE INDEX entry_title ON entry (title)",
      rows("entry", "id, title, body", count: 500),
    ])

  /// A phone app with Core Data.
  static let coreData = Program(
    title: "a phone app with Core Data", journal: .wal, table: "ZNOTE",
    steps: [
      "CREATE TABLE Z_METADATA (Z_VERSION INTEGER PRIMARY KEY, Z_UUID VARCHAR(255), Z_PLIST BLOB)",
      "CREATE TABLE Z_PRIMARYKEY (Z_ENT INTEGER PRIMARY KEY, Z_NAME VARCHAR, Z_SUPER INTEGER, Z_MAX INTEGER)",
      "INSERT INTO Z_PRIMARYKEY VALUES (1, 'Note', 0, 500)",
      "CREATE TABLE ZNOTE (Z_PK INTEGER PRIMARY KEY, ZTITLE VARCHAR, ZBODY VARCHAR)",
      "CREATE INDEX ZNOTE_ZTITLE ON ZNOTE (ZTITLE)",
      rows("ZNOTE", "Z_PK, ZTITLE, ZBODY", count: 500),
    ])

  /// A web application with Django.
  static let django = Program(
    title: "a web application with Django", table: "shop_order",
    steps: [
      "CREATE TABLE django_migrations (id integer NOT NULL PRIMARY KEY AUTOINCREMENT, app varchar(255) NOT NULL, name varchar(255) NOT NULL, applied datetime NOT NULL)",
      "INSERT INTO django_migrations VALUES (1, 'shop', '0001_initial', '2024-01-01')",
      "CREATE TABLE shop_customer (id integer NOT NULL PRIMARY KEY AUTOINCREMENT, name varchar(80) NOT NULL, address text NOT NULL)",
      "CREATE TABLE shop_order (id integer NOT NULL PRIMARY KEY AUTOINCREMENT, number varchar(80) NOT NULL, items text NOT NULL)",
      "CREATE INDEX shop_order_number ON shop_order (number)",
      rows("shop_customer", "id, name, address", count: 60),
      rows("shop_order", "id, number, items", count: 400),
    ])

  /// A workflow server.
  static let workflows = Program(
    title: "a workflow server", journal: .wal, table: "execution_entity",
    steps: [
      "CREATE TABLE migrations (id integer PRIMARY KEY AUTOINCREMENT NOT NULL, timestamp bigint NOT NULL, name varchar NOT NULL)",
      "INSERT INTO migrations VALUES (1, 1588102412422, 'InitialMigration1588102412422')",
      "CREATE TABLE execution_entity (id integer PRIMARY KEY AUTOINCREMENT NOT NULL, mode varchar NOT NULL, data text NOT NULL)",
      "CREATE INDEX IDX_mode ON execution_entity (mode)",
      rows("execution_entity", "id, mode, data", count: 500),
    ])

  /// A note keeper with a full-text search of its own content.
  static let noteKeeper = Program(
    title: "a note keeper with full-text search", table: "notes",
    steps: [
      "CREATE TABLE notes (id INTEGER PRIMARY KEY, title TEXT, body TEXT)",
      "CREATE INDEX notes_title ON notes (title)",
      rows("notes", "id, title, body", count: 400),
      "CREATE VIRTUAL TABLE notes_fts USING fts5(title, body, content='notes', content_rowid='id')",
      "INSERT INTO notes_fts (notes_fts) VALUES ('rebuild')",
    ])

  /// The same program with a log.
  var inWALMode: Program {
    var program = self
    program.journal = .wal
    return program
  }

  /// The same program with pages of another size.
  func withPages(of size: Int) -> Program {
    var program = self
    program.pageSize = size
    return program
  }
}
