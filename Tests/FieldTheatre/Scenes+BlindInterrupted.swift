// SPDX-License-Identifier: Apache-2.0
// Kills, power losses and full disks, by somebody who has not read how causes are judged.

import DatabaseRescue
import Diagnosis
import RescueTestSupport
import SQLiteFormat

extension Stage {
  /// Kills the program in a transaction that has reached the file: a hot journal is left.
  fileprivate func killInTransaction(_ change: String) throws {
    // What the transaction would have made: some of it may be in the file.
    let done = try aside("done.db")
    try write(change, at: done)
    try remember(done)
    try remember()
    let before = try database.contents()
    let app = try start("PRAGMA cache_size = 2", "BEGIN IMMEDIATE", change)
    try kill(app)
    guard try journal.exists, try database.contents() != before else {
      throw UnfitFixture("the transaction has not reached the file")
    }
  }
}

extension Scene {
  static let blindInterrupted: [Scene] = [
    Scene(
      "the shop's mains switch goes off while the till tidies up", to: .till, is: .interrupted,
      .healthy, lost: .nothing, right: .nothing, half: .blind
    ) { stage in
      try stage.killInTransaction("DELETE FROM line WHERE id % 3 = 0 OR article LIKE '%7%'")
    },
    Scene(
      "the battery falls out: the last commit of the log is torn", to: .fitness,
      is: .interrupted, .healthy, lost: .nothing, right: .nothing, half: .blind
    ) { stage in
      try Leftover.tornWAL(
        committed: ["INSERT INTO goal (title) VALUES ('run further')"],
        torn: ["UPDATE sample SET data = data || ' checked' WHERE id > 400"]
      ).leave(at: stage.database)
      try stage.remember()
    },
    Scene(
      "power goes with synchronous=OFF: some sectors of the pages arrive", to: .outbox,
      is: .interrupted, .damagedLossy, lost: .some, right: .salvage, half: .blind
    ) { stage in
      // Where a page is half of one moment, its rows are pieced together from two.
      stage.alteredMax = .max
      try stage.losePower(
        seed: 7, after: "UPDATE visit SET report = report || ' signed', minutes = minutes + 3",
        "DELETE FROM outbox WHERE sent = 1",
        "INSERT INTO outbox SELECT 'n' || id, kind, payload || payload, 0 FROM outbox")
    },
    Scene(
      "a weather logger on solar power, journal off, stops at dusk", to: .sensors,
      is: .interrupted, .damagedLossy, lost: .some, right: .salvage, half: .blind
    ) { stage in
      stage.alteredMax = .max
      try stage.losePower(
        seed: 21, after: "PRAGMA journal_mode = OFF",
        "INSERT INTO reading SELECT station, at + 9999999, celsius, remark || ' late' FROM reading",
        "DELETE FROM reading WHERE at % 7 = 0 AND remark NOT LIKE '% late'")
    },
    Scene(
      "the machine restarts in the middle of a VACUUM", to: .till, is: .interrupted, .healthy,
      lost: .nothing, right: .nothing, half: .blind
    ) { stage in
      try stage.write("DELETE FROM line WHERE id % 2 = 0")
      try stage.remember()
      try stage.kill(at: 0.6, of: "VACUUM")
      guard try stage.journal.exists else { throw UnfitFixture("no journal is left") }
    },
    Scene(
      "a cleaner takes app.db-journal for rubbish after a crash", to: .ebooks, is: .journalLost,
      .damagedLossy, lost: .some, right: .salvage, half: .blind,
      untold: .severalMoments
    ) { stage in
      try stage.killInTransaction(
        "UPDATE books SET title = 'New ' || title, blurb = blurb || title WHERE id % 2")
      try SystemStorage().remove(stage.journal)
    },
    Scene(
      "support gets only the .db of a till that was switched off while it imported", to: .till,
      is: .journalLost, .damagedLossy, lost: .some, right: .salvage, half: .blind,
      untold: .severalMoments
    ) { stage in
      try stage.killInTransaction(
        "UPDATE line SET article = 'imported ' || article || ' from the head office'")
      try SystemStorage().remove(stage.journal)
    },
    Scene(
      "the file is renamed after a crash, and its journal keeps the old name", to: .bookmarks,
      is: .journalLost, .damagedLossy, lost: .some, right: nil, half: .blind
    ) { stage in
      try stage.killInTransaction("UPDATE bookmark SET url = url || '/new', note = note || url")
      try SystemStorage().rename(stage.journal, to: stage.folder.appending("bookmarks.db-journal"))
    },
    Scene(
      "the log grows until the disk is full, and the server is killed", to: .tracker,
      is: .diskFull, also: [.interrupted], .healthy, lost: .nothing, right: .nothing, half: .blind
    ) { stage in
      try Leftover.tornWAL(
        committed: ["UPDATE issues SET description = description || '.' WHERE id < 40"],
        torn: ["UPDATE comments SET body = body || body"]
      ).leave(at: stage.database)
      try stage.remember()
      stage.storage = StagedDisk(free: 0)
    },
    Scene(
      "a migration fills the disk in its transaction, and the container is restarted",
      to: .efShop, is: .diskFull, also: [.interrupted], .healthy, lost: .nothing, right: .nothing,
      half: .blind
    ) { stage in
      try stage.killInTransaction("UPDATE Orders SET Notes = Notes || Notes || Number")
      stage.storage = StagedDisk(free: 4096)
    },
  ]
}
