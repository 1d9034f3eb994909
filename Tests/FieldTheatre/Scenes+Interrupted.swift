// SPDX-License-Identifier: Apache-2.0
// Power cuts and kills: what a program leaves that had no time to end.

import DatabaseRescue
import Diagnosis
import RescueTestSupport

extension Scene {
  static let interrupted: [Scene] = [
    Scene(
      "the battery dies in the middle of a transaction", to: .flashcards, is: .interrupted,
      .healthy, lost: .nothing, right: .nothing
    ) { stage in
      let app = try stage.start(
        "PRAGMA cache_size = 1", "BEGIN IMMEDIATE", "UPDATE notes SET flds = flds || ' more'")
      try stage.kill(app)
    },
    // Whether its files show it depends on the moment: between two commits they are those of a
    // program at work.
    Scene(
      "it is killed while it writes one message after the other", to: .messenger, is: nil,
      also: [.interrupted], .healthy, lost: .nothing, right: .nothing
    ) { stage in
      let app = try stage.start(
        "INSERT INTO messages (conversation, body) VALUES ('name 1', hex(randomblob(300)))",
        loop: "INSERT INTO messages (conversation, body) VALUES ('name 2', hex(randomblob(900)))")
      try stage.kill(app)
      try stage.remember()
    },
    Scene(
      "power goes while the log is written: its last transaction is half there", to: .vault,
      is: .interrupted, .healthy, lost: .nothing, right: .nothing
    ) { stage in
      try Leftover.tornWAL(
        committed: ["UPDATE ciphers SET data = data || ' new' WHERE uuid < 20"],
        torn: ["UPDATE ciphers SET data = data || ' newer' WHERE uuid < 60"]
      ).leave(at: stage.database)
      try stage.remember()
    },
    Scene(
      "power goes on a disk that tells of writes before they are done: half a page is new",
      to: .packages, is: .interrupted, .damagedLossy, lost: .some, right: .salvage
    ) { stage in
      let old = try stage.database.contents()
      try stage.write(
        "DELETE FROM ValidPaths WHERE id BETWEEN 290 AND 314",
        "INSERT INTO ValidPaths SELECT value, '/store/new' || value, hex(zeroblob(70)) FROM json_each('[300,301,302,303,304,305,306]')"
      )
      try stage.remember()
      let new = try stage.database.contents()
      let torn = try stage.pages(of: "ValidPaths").map { ((($0 - 1) * 4096) + 1024)..<($0 * 4096) }
        .first { $0.upperBound <= old.count && new[$0] != old[$0] }
      guard let torn else { throw UnfitFixture("no page has changed") }
      // The first sectors are of the new page, the last ones of the old.
      try stage.overwrite(at: torn.lowerBound, with: old[torn])
    },
    Scene(
      "power goes, and what was written last was never on the disk", to: .automation,
      is: .interrupted, .damagedLossy, lost: .some, right: .salvage, untold: .zerosAtEnd
    ) { stage in
      let before = try stage.database.contents().count
      try stage.write(
        "INSERT INTO states (entity_id, attributes) SELECT entity_id, attributes || 'x' FROM states WHERE state_id < 400"
      )
      try stage.remember()
      try stage.change { file in
        for index in before..<file.count { file[index] = 0 }
      }
    },
    Scene(
      "the journal of a transaction that was cut off is deleted by a cleaner", to: .flashcards,
      is: .journalLost, .damagedLossy, lost: .some, right: .salvage, untold: .severalMoments
    ) { stage in
      stage.alteredMax = .max
      let app = try stage.start(
        "PRAGMA cache_size = 3", "BEGIN IMMEDIATE",
        "DELETE FROM notes WHERE id % 3 = 0",
        "INSERT INTO notes (guid, flds) SELECT guid || 'b', flds || flds FROM notes")
      try stage.kill(app)
      try SystemStorage().remove(stage.journal)
    },
    Scene(
      "killed while the log is copied into the file", to: .workflows, is: .interrupted,
      .healthy, lost: .nothing, right: .nothing
    ) { stage in
      // A checkpoint that was cut off: some pages have arrived, and the log still has all.
      try stage.crash(after: "UPDATE execution_entity SET data = data || ' done' WHERE id % 2 = 0")
      try stage.remember()
      let whole = stage.wings.appending("whole.db")
      try stage.database.copyFileSet(to: whole)
      try stage.write("PRAGMA wal_checkpoint(TRUNCATE)", at: whole)
      let done = try whole.contents()
      try stage.overwrite(at: 4096, with: done[4096..<(8 * 4096)])
    },
  ]
}
