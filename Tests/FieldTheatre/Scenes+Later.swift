// SPDX-License-Identifier: Apache-2.0
// Scenes that were written knowing how causes are judged: states that look like one cause and are
// another.

import DatabaseRescue
import Diagnosis
import RescueTestSupport
import SQLiteFormat

extension Scene {
  static let later: [Scene] =
    lookAlikes + nothingHappened + laterFiles + laterWritten + laterSound + walReset

  private static let lookAlikes: [Scene] = [
    Scene(
      "cut off, with so many line ends that some should stand side by side", to: .lineEnds,
      is: .cutOff, .damagedLossy, lost: .some, right: .salvage, half: .after
    ) { try $0.damage(.truncate(bytes: 70_003)) },
    Scene(
      "a page is torn, and its rows hold blanks", to: .blobs, is: .interrupted, .damagedLossy,
      lost: .some, right: .salvage, half: .after
    ) { stage in
      stage.alteredMax = 40
      let old = try stage.database.contents()
      try stage.write("UPDATE files SET name = name || ' renamed', data = zeroblob(700)")
      try stage.remember()
      let new = try stage.database.contents()
      let torn = try stage.pages(of: "files").map { (($0 - 1) * 4096 + 2048)..<($0 * 4096) }
        .filter { $0.upperBound <= old.count && new[$0] != old[$0] }
      guard torn.count > 6 else { throw UnfitFixture("no page has changed") }
      try stage.overwrite(at: torn[5].lowerBound, with: old[torn[5]])
    },
    Scene(
      "new pages at the end have their first sectors only", to: .automation, is: .interrupted,
      .damagedLossy, lost: .some, right: .salvage, half: .after
    ) { stage in
      stage.alteredMax = 3
      let before = try stage.database.contents().count
      try stage.write(
        "INSERT INTO states (entity_id, attributes) SELECT entity_id, attributes || 'x' FROM states WHERE state_id < 40"
      )
      try stage.remember()
      try stage.change { file in
        for start in stride(from: before, to: file.count, by: 4096) {
          for index in (start + 1024)..<(start + 4096) { file[index] = 0 }
        }
      }
    },
    Scene(
      "power fails, and one page in the middle was never written", to: .packages,
      is: .interrupted, .damagedLossy, lost: .some, right: .salvage, half: .after, untold: .zeros
    ) { stage in try stage.damage(.zeroPage(stage.pages(of: "ValidPaths")[8])) },
    Scene(
      "a bit has turned in the number of pages", to: .flashcards, is: .badMedium,
      .damagedIntact, lost: .nothing, right: .salvage, half: .after
    ) { stage in try stage.damage(.flipBit(offset: 30, bit: 1)) },
    Scene(
      "the -wal of another user of the same app, with no page that tells", to: .random,
      is: .foreignLog, .damagedIntact, lost: .nothing, right: .salvage, half: .after
    ) { stage in
      let other = stage.wings.appending("other.db")
      try stage.make(stage.program, at: other)
      for id in 1...5 { try stage.write("UPDATE items SET name = 'x' WHERE id = \(id)", at: other) }
      try Leftover.wal(["UPDATE items SET body = hex(randomblob(60)) WHERE id % 2 = 0"])
        .leave(at: other)
      try stage.wal.replaceContents(with: other.adding(suffix: "-wal").contents())
    },
    Scene(
      "the -wal of before a restore, with no page that tells", to: .random,
      is: .oldLog, .healthy, lost: .some, right: .nothing, half: .after, untold: .fittingLog
    ) { stage in
      stage.alteredMax = .max
      let snapshot = try stage.database.contents()
      for id in 1...5 { try stage.write("UPDATE items SET name = name || 'a' WHERE id = \(id)") }
      try stage.crash(after: "UPDATE items SET name = name || 'b' WHERE id BETWEEN 40 AND 90")
      let log = try stage.wal.contents()
      try SystemStorage().remove(stage.wal)
      try stage.database.replaceContents(with: snapshot)
      try stage.write("UPDATE items SET body = body || 'z' WHERE id > 300")
      try stage.remember()
      try stage.wal.replaceContents(with: log)
    },
    Scene(
      "a script copies database and journal in the middle of a transaction", to: .mediaManager,
      is: .interrupted, .healthy, lost: .nothing, right: .nothing, half: .after
    ) { stage in
      try Leftover.hotJournal(["UPDATE Episodes SET Overview = Overview || 'x'"])
        .leave(at: stage.database)
    },
    Scene(
      "a journal is left beside a restored file, and fits by chance", to: .diary,
      is: .oldLog, .healthy, lost: .some, right: .nothing, half: .after, untold: .fittingJournal
    ) { stage in
      stage.alteredMax = .max
      try Leftover.hotJournal(["UPDATE items SET body = body || 'x' WHERE id < 100"])
        .leave(at: stage.database)
      let journal = try stage.journal.contents()
      try stage.database.removeFileSet()
      try stage.make(stage.program, at: stage.database)
      for id in 1...9 { try stage.write("UPDATE items SET name = 'new' || id WHERE id = \(id)") }
      try stage.remember()
      try stage.journal.replaceContents(with: journal)
    },
    Scene(
      "a write to the table was lost, and the one to its index was not", to: .library,
      is: .interrupted, .damagedIntact, lost: .some, right: .rebuildIndexes, half: .after,
      untold: .oneRow
    ) { stage in
      let leaf = try stage.pages(of: "books")[2]
      let range = ((leaf - 1) * 4096)..<(leaf * 4096)
      let old = try stage.database.contents()
      let id =
        try Connection(stage.database, mode: .app).value(
          "SELECT id FROM books ORDER BY id LIMIT 1 OFFSET 60")?.integerValue ?? 60
      try stage.write("UPDATE books SET title = 'zzz' || title WHERE id = \(id)")
      try stage.remember()
      try stage.overwrite(at: range.lowerBound, with: old[range])
    },
    Scene(
      "power fails while large pages are appended", to: .packages.withPages(of: 65536),
      is: .interrupted, .damagedLossy, lost: .some, right: .salvage, half: .after, untold: .atBlock
    ) { stage in
      stage.alteredMax = 2
      try stage.damage(.truncate(bytes: stage.database.contents().count - 8192))
    },
    Scene(
      "a block of a log file stands where a page was", to: .automation, is: .badMedium,
      .damagedLossy, lost: .some, right: .salvage, half: .after
    ) { stage in
      let page = try stage.pages(of: "states")[9]
      let line = "Mar  1 10:22:41 host kernel: usb 1-1: reset high-speed device\n"
      let block = Bytes(String(repeating: line, count: 80).utf8).prefix(4096)
      try stage.overwrite(at: (page - 1) * 4096, with: block)
    },
    Scene(
      "a copy in base64", to: .room, is: .otherContent, .unreadable, lost: .everything, right: nil,
      half: .after
    ) { stage in
      try stage.database.replaceContents(
        with: Bytes(
          ("U1FMaXRlIGZvcm1hdCAzABAAAQEAQCAgAAAA" + String(repeating: "AAAA", count: 900)).utf8))
    },
    Scene(
      "an archive without a name for it", to: .room, is: .otherContent, .unreadable,
      lost: .everything, right: nil, half: .after
    ) { stage in
      var random = SeededRandom(seed: 21)
      try stage.database.replaceContents(
        with: [0x37, 0x7A, 0xBC, 0xAF, 0x27, 0x1C] + random.bytes(65530))
    },
    Scene(
      "a cut file has a conflicted copy beside it", to: .noteKeeper, is: .cutOff, .damagedLossy,
      lost: .some, right: .salvage, half: .after
    ) { stage in
      try stage.folder.appending("app (conflicted copy 2023-01-01).db")
        .replaceContents(with: stage.database.contents())
      try stage.damage(.truncate(bytes: 50_001))
    },
  ]

  private static let nothingHappened: [Scene] = [
    Scene(
      "its tables have names that a rebuild gives", to: .prismaNames, is: nil, .healthy,
      lost: .nothing, right: .nothing, half: .after
    ) { _ in },
    Scene(
      "the contract of another app of the same version is given", to: .room, is: nil, .drifted,
      lost: .nothing, right: nil, half: .after
    ) { stage in
      let other = stage.wings.appending("other.db")
      try stage.make(.library, at: other)
      try stage.write("PRAGMA user_version = 7", at: other)
      stage.contract = try stage.capture(other)
    },
    Scene(
      "it keeps a log, and was closed", to: .messenger, is: nil, .healthy, lost: .nothing,
      right: .nothing, half: .after
    ) { _ in },
    Scene(
      "the -shm of a reader is left beside it", to: .grdb, is: nil, .healthy, lost: .nothing,
      right: .nothing, half: .after
    ) { stage in
      let app = try stage.start("PRAGMA wal_checkpoint(TRUNCATE)", "SELECT count(*) FROM entry")
      let index = stage.database.adding(suffix: "-shm")
      let bytes = try index.contents()
      try stage.kill(app)
      try SystemStorage().remove(stage.wal)
      try index.replaceContents(with: bytes)
    },
    Scene(
      "a journal that stays after each commit", to: .persistent, is: nil, .healthy,
      lost: .nothing, right: .nothing, half: .after
    ) { stage in
      try stage.write(
        "PRAGMA journal_mode = persist", "UPDATE books SET path = path || 'x' WHERE id < 40")
      try stage.remember()
    },
    Scene(
      "its user has deleted most of it since the backup", to: .workflows, is: nil, .healthy,
      lost: .nothing, right: .nothing, half: .after
    ) { stage in
      try stage.backUp()
      try stage.write("DELETE FROM execution_entity WHERE id > 20", "VACUUM")
      try stage.remember()
    },
    Scene(
      "a lock of migrations that is free", to: .knex, is: nil, .healthy, lost: .nothing,
      right: .nothing, half: .after
    ) { _ in },
    Scene(
      "texts with control characters and a table of log lines", to: .lineEnds, is: nil, .healthy,
      lost: .nothing, right: .nothing, half: .after
    ) { _ in },
  ]
}

extension Program {
  /// Texts with all kinds of line ends, alone and together.
  static let lineEnds = Program(
    title: "a collector of logs", table: "line",
    steps: [
      "CREATE TABLE line (id INTEGER PRIMARY KEY, host TEXT, text TEXT)",
      """
      WITH RECURSIVE n(i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n WHERE i < 900)
      INSERT INTO line SELECT i, 'host' || i,
        replace(hex(zeroblob(30)), '00', CASE i % 2 WHEN 0 THEN char(10) || 'a' ELSE char(13) || 'b' END)
      FROM n
      """,
    ])

  /// Files with long blanks in them.
  static let blobs = Program(
    title: "an archive of scans", table: "files",
    steps: [
      "CREATE TABLE files (id INTEGER PRIMARY KEY, name TEXT, data BLOB)",
      """
      WITH RECURSIVE n(i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n WHERE i < 200)
      INSERT INTO files SELECT i, 'scan ' || i, zeroblob(680 + i % 40) FROM n
      """,
    ])

  /// Contents as people have them: no two alike.
  static let random = Program(
    title: "a diary", journal: .wal, table: "items",
    steps: [
      "CREATE TABLE items (id INTEGER PRIMARY KEY, name TEXT, body TEXT)",
      """
      WITH RECURSIVE n(i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n WHERE i < 400)
      INSERT INTO items SELECT i, hex(randomblob(6)), hex(randomblob(60)) FROM n
      """,
    ])

  /// A diary in a rollback mode.
  static let diary = Program(title: "a diary without a log", table: "items", steps: random.steps)

  /// Tables that are named as those of a rebuild, and are none.
  static let prismaNames = Program(
    title: "a shop", table: "items",
    steps: [
      "CREATE TABLE items (id INTEGER PRIMARY KEY, name TEXT, body TEXT)",
      "CREATE TABLE new_items (id INTEGER PRIMARY KEY, name TEXT, body TEXT)",
      "CREATE TABLE items_backup (id INTEGER PRIMARY KEY, name TEXT, body TEXT)",
      rows("items", "id, name, body", count: 100), rows("new_items", "id, name, body", count: 10),
    ])

  /// A library that keeps its journal.
  static let persistent = library

  /// A server with knex.
  static let knex = Program(
    title: "a server with knex", table: "items",
    steps: [
      "CREATE TABLE knex_migrations (id integer not null primary key autoincrement, name varchar(255), batch integer, migration_time datetime)",
      "CREATE TABLE knex_migrations_lock (\"index\" integer not null primary key autoincrement, is_locked integer)",
      "INSERT INTO knex_migrations_lock VALUES (1, 0)",
      "CREATE TABLE items (id INTEGER PRIMARY KEY, name TEXT, body TEXT)",
      rows("items", "id, name, body", count: 100),
    ])
}
