// SPDX-License-Identifier: Apache-2.0
// Programs of the scenes by somebody who has not read how causes are judged. A table.

import DatabaseRescue
import Diagnosis
import RescueTestSupport
import SQLiteFormat

extension Program {
  /// Rows from 1 to `count`; the terms are SQL over `i`.
  static func fill(_ table: String, _ terms: String, count: Int) -> DatabaseBuilder.Step {
    """
    WITH RECURSIVE n(i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n WHERE i < \(String(count)))
    INSERT INTO \(table) SELECT \(terms) FROM n
    """
  }

  /// An SQL term for words of differing length that belong to a row.
  static let prose =
    "'No. ' || i || ': ' || replace(printf('%*s', i % 17 + 4, ''), ' ', 'item ' || (i * 37 % 1009) || ', ')"

  /// An SQL term for a key that looks random.
  static let uuid =
    "lower(printf('%08x-%04x-4%03x-a%03x-%012x', i * 2654435761 % 4294967296, i * 40503 % 65536, i % 4096, i * 7 % 4096, i * 65599))"

  /// An app of a field service: what waits to be sent has keys that look random.
  static let outbox = Program(
    title: "a field-service app with an outbox", pageSize: 8192, table: "visit",
    steps: [
      "CREATE TABLE outbox (id TEXT NOT NULL PRIMARY KEY, kind TEXT NOT NULL, payload TEXT NOT NULL, sent INTEGER NOT NULL DEFAULT 0)",
      "CREATE TABLE visit (id TEXT NOT NULL PRIMARY KEY, report TEXT NOT NULL, minutes INTEGER) WITHOUT ROWID",
      fill("outbox", "\(uuid), 'visit.' || (i % 5), \(prose), i % 4 = 0", count: 300),
      fill("visit", "\(uuid), \(prose), i * 7 % 180", count: 500), "PRAGMA user_version = 12",
    ])

  /// A till: receipts with their lines.
  static let till = Program(
    title: "a till in a shop", pageSize: 1024, table: "line",
    steps: [
      "CREATE TABLE receipt (no INTEGER PRIMARY KEY AUTOINCREMENT, closed TEXT NOT NULL, cashier TEXT, total INTEGER NOT NULL)",
      "CREATE TABLE line (id INTEGER PRIMARY KEY, receipt INTEGER NOT NULL REFERENCES receipt (no) ON DELETE CASCADE, article TEXT NOT NULL, cents INTEGER NOT NULL)",
      "CREATE INDEX line_receipt ON line (receipt)", "CREATE INDEX line_article ON line (article)",
      fill(
        "receipt", "i, '2026-03-' || (i % 28 + 1), 'cashier ' || (i % 6), i * 131 % 9973",
        count: 300),
      fill(
        "line", "i, i % 300 + 1, 'article ' || (i * 7919 % 887) || ' of the spring', i * 17 % 4999",
        count: 1500),
    ])

  /// A chat app whose search follows its messages by triggers.
  static let chat = Program(
    title: "a chat app with a search", journal: .wal, table: "message",
    steps: [
      "CREATE TABLE contact (id INTEGER PRIMARY KEY, phone TEXT UNIQUE NOT NULL, nick TEXT)",
      "CREATE TABLE message (id INTEGER PRIMARY KEY, contact INTEGER, sent INTEGER NOT NULL, text TEXT)",
      "CREATE INDEX message_sent ON message (contact, sent)",
      "CREATE VIRTUAL TABLE message_fts USING fts5(text, content='message', content_rowid='id')",
      "CREATE TRIGGER message_added AFTER INSERT ON message BEGIN INSERT INTO message_fts (rowid, text) VALUES (new.id, new.text); END",
      "CREATE TRIGGER message_gone AFTER DELETE ON message BEGIN INSERT INTO message_fts (message_fts, rowid, text) VALUES ('delete', old.id, old.text); END",
      fill("contact", "i, '+49151' || (i * 7919), 'nick ' || i", count: 40),
      fill("message", "i, i % 40 + 1, 1700000000 + i * 61, \(prose)", count: 700),
    ])

  /// A phone app with Room and many entities.
  static let fitness = Program(
    title: "a fitness app with many Room entities", journal: .wal, table: "sample",
    steps: [
      "CREATE TABLE room_master_table (id INTEGER PRIMARY KEY,identity_hash TEXT)",
      "INSERT INTO room_master_table VALUES (42, '5a1d0f3c77e2b94486f0d1c2a3b4e5f6')",
      "CREATE TABLE `workout` (`id` INTEGER PRIMARY KEY AUTOINCREMENT NOT NULL, `kind` TEXT NOT NULL, `note` TEXT)",
      "CREATE TABLE `sample` (`id` INTEGER PRIMARY KEY AUTOINCREMENT NOT NULL, `workout` INTEGER NOT NULL, `at` INTEGER NOT NULL, `data` TEXT NOT NULL)",
      "CREATE INDEX `index_sample_workout` ON `sample` (`workout`)",
      "CREATE TABLE `goal` (`id` INTEGER PRIMARY KEY AUTOINCREMENT NOT NULL, `title` TEXT NOT NULL)",
      "CREATE TABLE `badge` (`code` TEXT NOT NULL, `won` INTEGER, PRIMARY KEY(`code`))",
      "CREATE TABLE `device` (`mac` TEXT NOT NULL, `name` TEXT, PRIMARY KEY(`mac`))",
      "CREATE TABLE `sync_state` (`key` TEXT NOT NULL, `value` TEXT, PRIMARY KEY(`key`))",
      fill("workout", "i, 'run ' || (i % 7), \(prose)", count: 150),
      fill("sample", "i, i % 150 + 1, 1700000000 + i, \(prose)", count: 900),
      fill("goal", "i, 'goal ' || i", count: 12), fill("badge", "'B' || i, i", count: 30),
      "PRAGMA user_version = 22",
    ])

  /// A logger of weather stations, in the smallest pages.
  static let sensors = Program(
    title: "a weather logger", pageSize: 512, table: "reading",
    steps: [
      "CREATE TABLE station (code TEXT PRIMARY KEY, place TEXT)",
      "CREATE TABLE reading (station TEXT NOT NULL, at INTEGER NOT NULL, celsius REAL, remark TEXT, PRIMARY KEY (station, at)) WITHOUT ROWID",
      "CREATE INDEX reading_at ON reading (at)",
      fill("station", "'S' || i, 'place ' || i", count: 12),
      fill(
        "reading",
        "'S' || (i % 12 + 1), 1700000000 + i * 600, (i * 37 % 400) / 10.0, 'remark ' || i",
        count: 1200),
    ])

  /// A desktop wiki with texts in UTF-16.
  static let wiki = Program(
    title: "a desktop wiki in UTF-16", pageSize: 2048, table: "page",
    steps: [
      "PRAGMA encoding = 'UTF-16le'",
      "CREATE TABLE page (id INTEGER PRIMARY KEY, title TEXT NOT NULL, body TEXT)",
      "CREATE TABLE link (source INTEGER, target INTEGER, PRIMARY KEY (source, target))",
      "CREATE INDEX page_title ON page (title)",
      fill("page", "i, 'Überblick ' || (i * 7919 % 10007), \(prose)", count: 350),
      fill("link", "i, i * 31 % 350 + 1", count: 350),
    ])

  /// An archive of scans, in the largest pages, with rows of several pages.
  static let scanArchive = Program(
    title: "an archive of scans", pageSize: 65536, table: "scan",
    steps: [
      "CREATE TABLE scan (id INTEGER PRIMARY KEY, name TEXT, image BLOB)",
      "CREATE TABLE word (id INTEGER PRIMARY KEY, scan INTEGER, text TEXT)",
      fill(
        "scan",
        "i, 'scan ' || i, CAST(replace(printf('%*s', 200 * (i % 90), ''), ' ', printf('%04x', i * 977)) AS BLOB)",
        count: 120), fill("word", "i, i % 120 + 1, \(prose)", count: 1500),
    ])

  /// A library of e-books that sorts titles without regard to case.
  static let ebooks = Program(
    title: "a library of e-books", pageSize: 16384, table: "books",
    steps: [
      "CREATE TABLE authors (id INTEGER PRIMARY KEY, name TEXT NOT NULL COLLATE NOCASE, UNIQUE (name))",
      "CREATE TABLE books (id INTEGER PRIMARY KEY AUTOINCREMENT, title TEXT NOT NULL, author INTEGER, blurb TEXT)",
      "CREATE INDEX books_title ON books (title COLLATE NOCASE)",
      fill("authors", "i, 'Author ' || (i * 7919 % 10007)", count: 200),
      fill(
        "books",
        "i, iif(i % 2, 'the ', 'The ') || char(65 + i % 26, 97 + i * 7 % 26) || ' ' || i, i % 200 + 1, \(prose)",
        count: 900),
    ])

  /// A browser's history.
  static let browser = Program(
    title: "a browser's history", pageSize: 32768, journal: .wal, table: "moz_places",
    steps: [
      "CREATE TABLE moz_places (id INTEGER PRIMARY KEY, url LONGVARCHAR, title LONGVARCHAR, visit_count INTEGER DEFAULT 0, guid TEXT)",
      "CREATE TABLE moz_historyvisits (id INTEGER PRIMARY KEY, place_id INTEGER, visit_date INTEGER)",
      "CREATE UNIQUE INDEX moz_places_guid_uniqueindex ON moz_places (guid)",
      "CREATE INDEX moz_places_url ON moz_places (url)",
      fill(
        "moz_places",
        "i, 'https://example.org/' || (i * 7919 % 10007) || '/page', \(prose), i % 9, 'guid' || (i * 48271 % 65537)",
        count: 1400), fill("moz_historyvisits", "i, i % 1400 + 1, 1700000000000 + i", count: 3000),
      "PRAGMA user_version = 75",
    ])
}
