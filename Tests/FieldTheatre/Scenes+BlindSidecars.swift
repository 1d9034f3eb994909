// SPDX-License-Identifier: Apache-2.0
// Logs and journals that are not the file's, or that somebody has still open, by somebody who has
// not read how causes are judged.

import DatabaseRescue
import Diagnosis
import RescueTestSupport
import SQLiteFormat

extension Scene {
  static let blindSidecars: [Scene] = [
    Scene(
      "the main file alone is restored from a backup of last week", to: .chat, is: .oldLog,
      also: [.putBack], .damagedIntact, lost: .nothing, right: .salvage, half: .blind
    ) { stage in
      try stage.remember()
      let old = try stage.database.contents()
      try stage.write(
        "DELETE FROM message WHERE id BETWEEN 100 AND 300",
        "INSERT INTO message (contact, sent, text) SELECT id, 1800000000 + id, 'hello ' || nick FROM contact",
        "PRAGMA wal_checkpoint(TRUNCATE)")
      try stage.crash(
        after: "UPDATE message SET text = text || ' (seen)' WHERE id % 2",
        "INSERT INTO contact (phone, nick) VALUES ('+1555', 'newest')")
      try stage.database.replaceContents(with: old)
      try stage.set(stage.database, daysAgo: 7)
    },
    Scene(
      "a sync program brings the -wal of a past crash back, long after WAL mode was left",
      to: .goService, is: .oldLog, .damagedIntact, lost: .nothing, right: .salvage, half: .blind
    ) { stage in
      try stage.crash(after: "UPDATE tokens SET scope = scope || ' read' WHERE id % 2 = 0")
      let log = try stage.wal.contents()
      try stage.write(
        "PRAGMA journal_mode = DELETE", "DELETE FROM tokens WHERE id % 5 < 2",
        "INSERT INTO tokens (owner, scope) SELECT owner || ' jr.', scope || scope FROM tokens",
        "VACUUM")
      try stage.remember()
      try stage.wal.replaceContents(with: log)
      try stage.set(stage.wal, daysAgo: 90)
    },
    Scene(
      "two apps share one path: the one's -wal is left where the other's file comes", to: .fitness,
      is: .foreignLog, .damagedIntact, lost: .nothing, right: .salvage, half: .blind
    ) { stage in
      let other = stage.wings.appending("other.db")
      try stage.make(.chat, at: other)
      try Leftover.wal(["UPDATE message SET text = text || '!'", "DELETE FROM contact"])
        .leave(at: other)
      try stage.wal.replaceContents(with: other.adding(suffix: "-wal").contents())
    },
    Scene(
      "the journal of another shop's till lies beside it under its name", to: .till,
      is: .foreignLog, .damagedIntact, lost: .nothing, right: .salvage, half: .blind
    ) { stage in
      let other = stage.wings.appending("other.db")
      try DatabaseBuilder(
        pageSize: 1024,
        [
          "CREATE TABLE employee (id INTEGER PRIMARY KEY, name TEXT, wage INTEGER)",
          "CREATE TABLE shift (id INTEGER PRIMARY KEY, employee INTEGER, day TEXT, note TEXT)",
          "CREATE INDEX shift_day ON shift (day)",
          Program.fill("employee", "i, 'employee ' || i, i * 100", count: 60),
          Program.fill("shift", "i, i % 60, '2026-01-' || (i % 31), \(Program.prose)", count: 400),
        ], leftover: .hotJournal(["UPDATE shift SET note = note || day, day = 'x' || day"])
      ).build(at: other)
      try stage.journal.replaceContents(with: other.adding(suffix: "-journal").contents())
    },
    Scene(
      "the -wal of another profile of the same browser", to: .browser, is: .foreignLog,
      .damagedIntact, lost: .nothing, right: .salvage, half: .blind,
      untold: "the log of a file with the same tables looks like one of an earlier state"
    ) { stage in
      let other = stage.wings.appending("other.db")
      try stage.make(.browser, at: other)
      // Each profile makes its own GUIDs.
      try stage.write(
        "DELETE FROM moz_places WHERE id % 3 = 0",
        "UPDATE moz_places SET url = url || '/x', title = 'mine ' || id, guid = hex(randomblob(6))",
        "PRAGMA wal_checkpoint(TRUNCATE)", at: other)
      try Leftover.wal([
        "INSERT INTO moz_places SELECT id + 5000, url || '?', title, 1, guid || 'z' FROM moz_places"
      ]).leave(at: other)
      try stage.wal.replaceContents(with: other.adding(suffix: "-wal").contents())
    },
    Scene(
      "logrotate moves the files away, the server goes on with it, and a new one is made",
      to: .goService, is: .heldApart, .damagedLossy, lost: .some, right: nil, half: .blind
    ) { stage in
      stage.peer = try stage.start(
        "INSERT INTO tokens (owner, scope) VALUES ('before', 'all')",
        "PRAGMA wal_checkpoint(TRUNCATE)")
      try stage.remember()
      try SystemStorage().rename(stage.database, to: stage.folder.appending("app.db.1"))
      for suffix in ["-wal", "-shm"] {
        let path = stage.database.adding(suffix: suffix)
        if try path.exists { try SystemStorage().remove(path) }
      }
      try stage.write(
        "PRAGMA journal_mode = wal",
        "CREATE TABLE schema_migrations (version uint64, dirty bool)",
        "CREATE TABLE tokens (id INTEGER PRIMARY KEY, owner TEXT NOT NULL, scope TEXT)",
        "INSERT INTO tokens (owner, scope) VALUES ('after', 'all')")
    },
    Scene(
      "somebody removes app.db-journal to get rid of 'database is locked'", to: .ebooks,
      is: .heldApart, .damagedLossy, lost: .some, right: nil, half: .blind
    ) { stage in
      stage.peer = try stage.start(
        "PRAGMA cache_size = 2", "BEGIN IMMEDIATE",
        "UPDATE books SET title = 'Vol. ' || title, blurb = blurb || title")
      try SystemStorage().remove(stage.journal)
    },
    Scene(
      "the log is deleted under a server, and a second process begins another", to: .tracker,
      is: .heldApart, also: [.severalWriters], .damagedLossy, lost: .some, right: nil, half: .blind
    ) { stage in
      stage.peer = try stage.start(
        "PRAGMA wal_autocheckpoint = 0",
        "INSERT INTO issues (subject) SELECT subject || ' (first)' FROM issues")
      try stage.remember()
      try SystemStorage().remove(stage.wal)
      try SystemStorage().remove(stage.database.adding(suffix: "-shm"))
      let second = try stage.start(
        "PRAGMA wal_autocheckpoint = 0",
        "INSERT INTO issues (subject) SELECT subject || ' (second)' FROM issues WHERE id < 50")
      try stage.kill(second)
    },
    Scene(
      "a checkpoint leaves the first pages of a log out that had just begun anew", to: .fitness,
      is: .walReset, .damagedLossy, lost: .some, right: .salvage, half: .blind
    ) { try $0.resetLog(keepingLog: true) },
    Scene(
      "pages of a log were left out by a checkpoint, weeks ago", to: .tracker, is: .walReset,
      .damagedLossy, lost: .some, right: .salvage, half: .blind,
      untold: "without the log, nothing says why pages were not written"
    ) { try $0.resetLog(keepingLog: false) },
  ]
}

extension Stage {
  /// What SQLite before 3.51.3 does when a log is begun anew while another connection ends its
  /// checkpoint: it takes the first frames of the new log for written back, and they are not.
  fileprivate func resetLog(keepingLog: Bool) throws {
    let table = program.table
    let column = table == "sample" ? "data" : "description"
    let before = try database.contents()
    var (main, log, wrong) = (Bytes(), Bytes(), Bytes())
    do {
      let app = try Connection(database, mode: .app)
      try app.execute("PRAGMA wal_autocheckpoint = 0")
      try app.execute(
        "UPDATE \(table) SET \(column) = \(column) || ' one two three' WHERE id % 500 < 120")
      try app.execute("DELETE FROM \(table) WHERE id % 500 > 200 AND id % 3 = 0")
      try remember()
      let frames = LogFrames(try wal.contents())
      try app.execute("PRAGMA wal_checkpoint(PASSIVE)")
      if keepingLog {
        try app.execute("UPDATE workout SET note = upper(note) WHERE id <= 40")
        try remember()
      }
      (main, log) = (try database.contents(), try wal.contents())
      wrong = main
      let size = program.pageSize
      for (page, newest) in frames.newest where newest < frames.count * 2 / 5 {
        let range = ((page - 1) * size)..<(page * size)
        guard range.upperBound <= wrong.count else { continue }
        wrong.replaceSubrange(
          range,
          with: range.upperBound <= before.count
            ? Bytes(before[range]) : Bytes(repeating: 0, count: size))
      }
    }
    guard wrong != main else { throw UnfitFixture("no page was left out") }
    try database.removeFileSet()
    try database.replaceContents(with: wrong)
    if keepingLog { try wal.replaceContents(with: log) }
  }
}
