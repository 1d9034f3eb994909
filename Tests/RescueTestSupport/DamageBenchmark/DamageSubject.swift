// SPDX-License-Identifier: Apache-2.0
// The databases of the damage benchmark: a table of what apps have, each at two moments.

import SQLiteFormat

/// A database that is damaged: how it is made, and what happens to it before the damage.
package struct DamageSubject: Sendable {
  /// A short name, usable as a file name.
  package let name: String
  /// The database at an older time.
  let builder: DatabaseBuilder
  /// What happened since: rows that come, change and go.
  let later: [DatabaseBuilder.Step]
  /// Whether that is in a write-ahead log beside the file.
  let keepsLog: Bool

  private init(
    _ name: String, _ builder: DatabaseBuilder, later: [DatabaseBuilder.Step],
    keepsLog: Bool = false
  ) {
    self.name = name
    self.builder = builder
    self.later = later
    self.keepsLog = keepsLog
  }

  /// All of them.
  package static let all = plain + encodings + keys + shapes + files

  /// SQL for a text of 12 to 12 + `spread` characters, another one in every row.
  static func text(_ spread: Int) -> String {
    let digits = "printf('%x.', n * 2654435761 % 4294967291)"
    return "substr(replace(hex(zeroblob(\(spread / 8 + 3))), '00', \(digits)), 1, "
      + "12 + n * 37 % \(spread))"
  }

  /// A table of notes with an index.
  private static func notes(_ count: Int) -> [DatabaseBuilder.Step] {
    [
      "CREATE TABLE note (id INTEGER PRIMARY KEY, title TEXT, stars INT, at REAL)",
      Rows.fill("note (title, stars, at)", "\(text(90)), n * 31 % 97, n / 8.0", count: count),
      "CREATE INDEX note_stars ON note (stars, title)",
    ]
  }

  private static let noteChanges: [DatabaseBuilder.Step] = [
    "DELETE FROM note WHERE id % 9 = 4", "DELETE FROM note WHERE id BETWEEN 100 AND 140",
    "UPDATE note SET title = 'now ' || title WHERE id % 20 = 1",
    Rows.fill("note (title, stars)", "'late ' || \(text(60)), -n", count: 40),
  ]

  private static let plain = [
    DamageSubject(
      "plain-512", DatabaseBuilder(pageSize: 512, notes(900)), later: noteChanges),
    DamageSubject(
      "app-4096",
      DatabaseBuilder(
        [
          "CREATE TABLE owner (id INTEGER PRIMARY KEY, name TEXT NOT NULL, photo BLOB)",
          """
          CREATE TABLE run (id INTEGER PRIMARY KEY, owner INT REFERENCES owner (id), started TEXT,
            metres REAL, note TEXT)
          """,
          "CREATE INDEX run_owner ON run (owner, started)",
          Rows.fill("owner", "n, \(text(30)), CAST(\(text(50)) AS BLOB)", count: 120),
          Rows.fill(
            "run (owner, started, metres, note)",
            "n % 120 + 1, date('2020-01-01', n || ' days'), n * 10.25, \(text(80))", count: 1500),
        ]),
      later: [
        "DELETE FROM run WHERE owner % 10 = 3",
        "UPDATE owner SET name = name || ' II' WHERE id < 9",
        Rows.fill("run (owner, note)", "n, 'late ' || \(text(70))", count: 60),
      ]),
  ]

  private static let encodings = [
    DamageSubject(
      "utf-16le-1024", DatabaseBuilder(pageSize: 1024, encoding: .utf16le, notes(500)),
      later: noteChanges),
    DamageSubject(
      "utf-16be-2048", DatabaseBuilder(pageSize: 2048, encoding: .utf16be, notes(500)),
      later: noteChanges),
  ]

  private static let keys = [
    DamageSubject(
      "without-rowid-1024",
      DatabaseBuilder(
        pageSize: 1024,
        [
          "CREATE TABLE word (lang TEXT, term TEXT, uses INT, PRIMARY KEY (term, lang)) WITHOUT ROWID",
          Rows.fill("word", "'l' || (n % 3), \(text(40)) || n, n * 7", count: 900),
          "CREATE TABLE setting (name TEXT PRIMARY KEY, value) WITHOUT ROWID",
          Rows.fill("setting", "'name ' || n, \(text(60))", count: 200),
          "CREATE INDEX word_uses ON word (uses)",
        ]),
      later: [
        "DELETE FROM word WHERE uses % 11 = 2", "UPDATE setting SET value = 7 WHERE name LIKE '%5'",
        Rows.fill("word", "'new', 'late ' || n, n", count: 40),
      ]),
    DamageSubject(
      "autoincrement-2048",
      DatabaseBuilder(
        pageSize: 2048,
        [
          "CREATE TABLE event (id INTEGER PRIMARY KEY AUTOINCREMENT, kind TEXT, body TEXT)",
          "CREATE TABLE tag (id INTEGER PRIMARY KEY AUTOINCREMENT, label TEXT UNIQUE)",
          Rows.fill("event (kind, body)", "'kind ' || (n % 5), \(text(120))", count: 700),
          Rows.fill("tag (label)", "\(text(20)) || n", count: 150),
        ]),
      later: [
        "DELETE FROM event WHERE id > 650", "DELETE FROM event WHERE id % 8 = 0",
        Rows.fill("event (kind, body)", "'late', \(text(90))", count: 40),
      ]),
    DamageSubject(
      "unique-1024",
      DatabaseBuilder(
        pageSize: 1024,
        [
          "CREATE TABLE person (mail TEXT UNIQUE NOT NULL, name TEXT COLLATE NOCASE, born INT)",
          Rows.fill("person", "n || '@' || \(text(20)), \(text(40)), 1900 + n % 100", count: 700),
          "CREATE UNIQUE INDEX person_name ON person (name, born, mail)",
          "CREATE INDEX person_old ON person (born) WHERE born < 1930",
          "CREATE INDEX person_short ON person (substr(name, 1, 4), born DESC)",
        ]),
      later: [
        "DELETE FROM person WHERE born % 7 = 1", "UPDATE person SET born = 2000 WHERE born = 1950",
        Rows.fill("person", "'late' || n, \(text(30)), n", count: 40),
      ]),
  ]

  private static let shapes = [
    DamageSubject(
      "overflow-1024",
      DatabaseBuilder(
        pageSize: 1024,
        [
          "CREATE TABLE page (id INTEGER PRIMARY KEY, title TEXT, body TEXT)",
          Rows.fill(
            "page (title, body)", "\(text(30)), \(text(4000))", count: 90),
          "CREATE TABLE file (name TEXT, size INT, data BLOB)",
          Rows.fill("file", "\(text(20)), n, CAST(\(text(900)) AS BLOB)", count: 120),
        ]),
      later: [
        "DELETE FROM page WHERE id % 9 = 4", "UPDATE file SET data = x'00' WHERE size % 11 = 5",
        Rows.fill("page (title, body)", "'late', \(text(3000))", count: 8),
      ]),
    DamageSubject("many-tables-1024", DatabaseBuilder(pageSize: 1024, many), later: manyChanges),
    DamageSubject(
      "lookalikes-1024", DatabaseBuilder(pageSize: 1024, lookalikes), later: lookalikeChanges),
    DamageSubject(
      "full-text-1024",
      DatabaseBuilder(
        pageSize: 1024,
        [
          "CREATE VIRTUAL TABLE memo USING fts5(title, body)",
          Rows.fill("memo", "'title ' || n, 'some words ' || \(text(90))", count: 300),
          "CREATE TABLE plain (id INTEGER PRIMARY KEY, a TEXT)",
          Rows.fill("plain (a)", text(60), count: 200),
        ]),
      later: [
        "DELETE FROM memo WHERE rowid % 10 = 3", "DELETE FROM plain WHERE id % 10 = 3",
        Rows.fill("memo", "'late ' || n, \(text(50))", count: 20),
      ]),
    DamageSubject(
      "generated-1024",
      DatabaseBuilder(
        pageSize: 1024,
        [
          """
          CREATE TABLE item (id INTEGER PRIMARY KEY, price INT, twice INT AS (price * 2) VIRTUAL,
            name TEXT, upper TEXT AS (upper(name)) STORED, CHECK (price >= 0))
          """,
          Rows.fill("item (price, name)", "n * 3, \(text(60))", count: 600),
          "CREATE INDEX item_twice ON item (twice, upper)",
        ]),
      later: [
        "DELETE FROM item WHERE id % 9 = 4", "UPDATE item SET price = 1 WHERE id % 25 = 7",
        Rows.fill("item (price, name)", "n, 'late ' || n", count: 30),
      ]),
    DamageSubject(
      "added-columns-1024",
      DatabaseBuilder(
        pageSize: 1024,
        notes(400) + [
          "ALTER TABLE note ADD COLUMN colour TEXT NOT NULL DEFAULT 'none'",
          Rows.fill("note (title, colour)", "'bright ' || \(text(50)), 'red'", count: 80),
          "ALTER TABLE note ADD COLUMN pinned INT DEFAULT 0",
        ]), later: noteChanges),
  ]

  private static let files = [
    DamageSubject(
      "deleted-1024",
      DatabaseBuilder(
        pageSize: 1024,
        notes(700) + [
          "CREATE TABLE draft (id INTEGER PRIMARY KEY, title TEXT, stars INT)",
          Rows.fill("draft (title, stars)", "\(text(90)), n", count: 300),
        ]),
      later: [
        "DROP TABLE draft", "DELETE FROM note WHERE id BETWEEN 200 AND 380 OR id % 4 = 1",
        Rows.fill("note (title, stars)", "'late ' || \(text(60)), -n", count: 30),
      ]),
    DamageSubject(
      "auto-vacuum-512",
      DatabaseBuilder(
        pageSize: 512, autoVacuum: .full,
        notes(600) + [
          "CREATE TABLE long (b BLOB)", Rows.fill("long", "zeroblob(n * 97)", count: 30),
        ]
      ), later: noteChanges),
    DamageSubject(
      "log-1024", DatabaseBuilder(pageSize: 1024, journal: .wal, notes(600)), later: noteChanges,
      keepsLog: true),
    DamageSubject(
      "reserved-1024", DatabaseBuilder(pageSize: 1024, reservedBytes: 32, notes(500)),
      later: noteChanges),
    DamageSubject("large-16384", DatabaseBuilder(pageSize: 16384, notes(3000)), later: noteChanges),
  ]
}
