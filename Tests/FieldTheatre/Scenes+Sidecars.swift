// SPDX-License-Identifier: Apache-2.0
// Logs and journals that meet a file which is not theirs, or lose the one that is.

import DatabaseRescue
import Diagnosis
import RescueTestSupport

extension Scene {
  static let sidecars: [Scene] = [
    Scene(
      "a backup is put back, and the -wal of before is left beside it", to: .vault, is: .oldLog,
      .damagedIntact, lost: .nothing, right: .salvage
    ) { stage in
      try stage.crash(after: "UPDATE ciphers SET data = 'old ' || data WHERE uuid % 2 = 0")
      let log = try stage.wal.contents()
      try stage.database.removeFileSet()
      try stage.make(stage.program, at: stage.database)
      try stage.write(
        "DELETE FROM ciphers WHERE uuid % 4 = 1", "VACUUM",
        "INSERT INTO ciphers (name, data) SELECT name || 'y', data FROM ciphers WHERE uuid < 100")
      try stage.remember()
      try stage.wal.replaceContents(with: log)
    },
    Scene(
      "the -wal of another document lies beside it", to: .grdb, is: .foreignLog, .damagedIntact,
      lost: .nothing, right: .salvage
    ) { stage in
      let other = stage.wings.appending("other.db")
      try DatabaseBuilder(
        journal: .wal,
        [
          "CREATE TABLE photo (id INTEGER PRIMARY KEY, title TEXT, data TEXT)",
          Program.rows("photo", "id, title, data", count: 300),
        ], leftover: .wal(["UPDATE photo SET data = data || 'x'"])
      ).build(at: other)
      try stage.wal.replaceContents(with: other.adding(suffix: "-wal").contents())
    },
    Scene(
      "the -wal of another installation has pages of another size", to: .messenger,
      is: .foreignLog, .damagedIntact, lost: .nothing, right: .salvage
    ) { stage in
      let other = stage.wings.appending("other.db")
      try DatabaseBuilder(
        pageSize: 1024, journal: .wal, stage.program.steps,
        leftover: .wal(["UPDATE messages SET body = body || 'x'"])
      ).build(at: other)
      try stage.wal.replaceContents(with: other.adding(suffix: "-wal").contents())
    },
    Scene(
      "the log is deleted while the server has it open", to: .uptime, is: .heldApart, .damagedLossy,
      lost: .some, right: nil
    ) { stage in
      stage.peer = try stage.start(
        "PRAGMA wal_autocheckpoint = 0",
        "INSERT INTO heartbeat (monitor, msg) VALUES ('name 1', 'before')")
      try stage.remember()
      try SystemStorage().remove(stage.wal)
      try SystemStorage().remove(stage.database.adding(suffix: "-shm"))
    },
    Scene(
      "the file is replaced under the server that has it open", to: .workflows, is: .heldApart,
      .damagedLossy, lost: .some, right: nil
    ) { stage in
      stage.peer = try stage.start("INSERT INTO execution_entity (mode, data) VALUES ('a', 'b')")
      try stage.remember()
      let copy = stage.wings.appending("old.db")
      try stage.make(stage.program, at: copy)
      try SystemStorage().rename(copy, to: stage.database)
    },
    Scene(
      "the log moved into another folder while a process goes on with it", to: .grdb,
      is: .heldApart, .damagedLossy, lost: .some, right: nil
    ) { stage in
      stage.peer = try stage.start(
        "PRAGMA wal_autocheckpoint = 0", "INSERT INTO entry (title, body) VALUES ('a', 'b')")
      try stage.remember()
      try SystemStorage().rename(stage.wal, to: stage.wings.appending("app.db-wal"))
    },
    Scene(
      "a newer app.db is put in place, and the journal of a crash is left", to: .flashcards,
      is: .oldLog, .damagedIntact, lost: .nothing, right: .salvage
    ) { stage in
      try Leftover.hotJournal(["UPDATE notes SET flds = flds || ' more'"]).leave(at: stage.database)
      // Pages of one table take the place of another's, which has the same columns.
      stage.alteredMax = .max
      let journal = try stage.journal.contents()
      try stage.database.removeFileSet()
      try stage.make(stage.program, at: stage.database)
      try stage.write(
        "DELETE FROM notes WHERE id % 4 = 0",
        "INSERT INTO notes (guid, flds) SELECT guid || 'z', flds || flds FROM notes", "VACUUM")
      try stage.remember()
      try stage.journal.replaceContents(with: journal)
    },
    Scene(
      "a restored snapshot meets the -wal that goes on from a later state", to: .mediaManagerWAL,
      is: .oldLog, .damagedIntact, lost: .nothing, right: .salvage
    ) { stage in
      let snapshot = try stage.database.contents()
      try stage.write(
        "INSERT INTO Episodes (Title, Overview) SELECT Title || 'b', Overview FROM Episodes WHERE Id < 200",
        "CREATE TABLE Blocklist (Id INTEGER PRIMARY KEY, Reason TEXT)")
      try stage.crash(
        after: "UPDATE Episodes SET Overview = Overview || 'new' WHERE Id % 3 = 0")
      try stage.database.replaceContents(with: snapshot)
    },
  ]
}
