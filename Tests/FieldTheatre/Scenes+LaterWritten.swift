// SPDX-License-Identifier: Apache-2.0
// More scenes of the later half: journals that are gone, full disks, copies of a file at work, files
// that were taken away under a process.

import DatabaseRescue
import Diagnosis
import RescueTestSupport
import SQLiteFormat

extension Scene {
  static let laterWritten: [Scene] = journalsGone + fullDisks + takenAtWork

  private static let journalsGone: [Scene] = [
    Scene(
      "a nightly copy takes app.db in the middle of a transaction, and no -journal",
      to: .scans, is: .journalLost, .damagedLossy, lost: .some, right: .salvage, half: .after,
      untold: .severalMoments
    ) { stage in
      stage.alteredMax = .max
      let app = try stage.start(
        "PRAGMA cache_size = 5", "BEGIN IMMEDIATE", "DELETE FROM sheet WHERE id % 4 = 1",
        "UPDATE sheet SET words = words || words WHERE id % 3 = 0")
      let copy = try stage.database.contents()
      try stage.kill(app)
      try stage.database.removeFileSet()
      try stage.database.replaceContents(with: copy)
    },
    Scene(
      "a program that keeps its journal in memory is killed", to: .packages, is: .journalLost,
      .damagedLossy, lost: .some, right: .salvage, half: .after, untold: .severalMoments
    ) { stage in
      stage.alteredMax = .max
      let app = try stage.start(
        "PRAGMA journal_mode = memory", "PRAGMA cache_size = 3", "BEGIN IMMEDIATE",
        "DELETE FROM ValidPaths WHERE id % 3 = 0",
        "INSERT INTO ValidPaths (path, hash) SELECT path || 'b', hash || hash FROM ValidPaths")
      try stage.kill(app)
    },
    Scene(
      "a full disk made the -journal an empty file, and the program died", to: .ledger,
      is: .journalLost, .damagedLossy, lost: .some, right: .salvage, half: .after,
      untold: .severalMoments
    ) { stage in
      stage.alteredMax = .max
      let app = try stage.start(
        "PRAGMA cache_size = 3", "BEGIN IMMEDIATE", "DELETE FROM booking WHERE id % 5 < 2",
        "INSERT INTO booking (payee, memo) SELECT payee || 'c', memo || memo FROM booking")
      try stage.kill(app)
      try stage.journal.replaceContents(with: [])
    },
  ]

  private static let fullDisks: [Scene] = [
    Scene(
      "the volume is full, and the last transaction is half in the log", to: .messenger,
      is: .diskFull, also: [.interrupted], .healthy, lost: .nothing, right: .nothing, half: .after
    ) { stage in
      try Leftover.tornWAL(
        committed: ["UPDATE messages SET body = body || ' new' WHERE id < 20"],
        torn: ["UPDATE messages SET body = body || ' newer' WHERE id < 90"]
      ).leave(at: stage.database)
      try stage.remember()
      stage.storage = StagedDisk(free: 0)
    },
    Scene(
      "a repair copies it beside itself until the card is full", to: .scans, is: .diskFull,
      also: [.cutOff], .damagedLossy, lost: .some, right: nil, half: .after
    ) { stage in
      try stage.damage(.truncate(bytes: stage.database.contents().count * 6 / 10 / 4096 * 4096))
      stage.storage = StagedDisk(free: 512)
    },
    Scene(
      "a program rewrites its settings on a full disk, and all of them are gone",
      to: .mediaManager, is: .diskFull, also: [.emptied], .unreadable, lost: .everything,
      right: nil, half: .after
    ) { stage in
      try stage.database.replaceContents(with: [])
      stage.storage = StagedDisk(free: 0)
    },
  ]

  private static let takenAtWork: [Scene] = [
    Scene(
      "a copy is taken at work, beside a conflicted copy of last year", to: .ledger,
      is: .copiedWhileWritten, .damagedLossy, lost: .some, right: .salvage, half: .after,
      untold: .severalMoments
    ) { stage in
      let old = stage.folder.appending("app (conflicted copy 2023-01-01).db")
      try old.replaceContents(with: stage.database.contents())
      try stage.set(old, daysAgo: 400)
      try stage.copy(
        upTo: 0.5,
        before: "INSERT INTO booking (payee, memo) SELECT payee || 'd', memo FROM booking")
    },
    Scene(
      "a file server's backup reads it while rows are archived", to: .ledger,
      is: .copiedWhileWritten, .damagedLossy, lost: .some, right: .salvage, half: .after,
      untold: .severalMoments
    ) { stage in
      try stage.copy(
        upTo: 0.6,
        before: "CREATE TABLE archive (id INTEGER PRIMARY KEY, payee TEXT, memo TEXT)",
        "INSERT INTO archive SELECT id, payee, memo FROM booking WHERE id % 2 = 0",
        "INSERT INTO booking (payee, memo) SELECT payee || 'd', memo FROM booking")
    },
    Scene(
      "a restore deletes the files of a running service and puts new ones there", to: .podcasts,
      is: .heldApart, .damagedLossy, lost: .some, right: nil, half: .after
    ) { stage in
      let old = try stage.database.contents()
      stage.peer = try stage.start("INSERT INTO episode (guid, notes) VALUES ('g', 'h')")
      try stage.remember()
      try stage.database.removeFileSet()
      try stage.database.replaceContents(with: old)
    },
    Scene(
      "the -journal of another program's database lies beside it", to: .packages,
      is: .foreignLog, .damagedIntact, lost: .nothing, right: .salvage, half: .after
    ) { stage in
      let other = stage.wings.appending("other.db")
      try stage.make(.scans, at: other)
      try Leftover.hotJournal(["UPDATE sheet SET words = words || 'x' WHERE id < 90"])
        .leave(at: other)
      try stage.journal.replaceContents(with: other.adding(suffix: "-journal").contents())
    },
  ]
}

extension Program {
  /// An archive of scanned sheets, with small pages.
  static let scans = Program(
    title: "an archive of scanned sheets", pageSize: 1024, table: "sheet",
    steps: [
      "CREATE TABLE folder (id INTEGER PRIMARY KEY, label TEXT, place TEXT)",
      "CREATE TABLE sheet (id INTEGER PRIMARY KEY, title TEXT, words TEXT)",
      "CREATE INDEX sheet_title ON sheet (title)",
      rows("folder", "id, label, place", count: 30),
      rows("sheet", "id, title, words", count: 500),
    ])
}
