// SPDX-License-Identifier: Apache-2.0
// Copies of a database at work, by somebody who has not read how causes are judged.

import DatabaseRescue
import Diagnosis
import RescueTestSupport
import SQLiteFormat

extension Stage {
  /// Makes the database one of two moments: the first part of `early`, and the rest of `late`.
  fileprivate func mix(_ early: Bytes, _ late: Bytes, at share: Double) throws {
    let size = program.pageSize
    let seam = Int(Double(min(early.count, late.count)) * share) / size * size
    try database.replaceContents(with: Bytes(early[..<seam] + late[seam...]))
  }
}

extension Scene {
  /// Why a copy of two moments does not tell of itself.
  private static let twoMoments =
    "pages of two moments lie in one file, and nothing says whether a copy or a disk mixed them"

  static let blindCopied: [Scene] = [
    Scene(
      "the nightly cp of a till meets the end of the day", to: .till, is: .copiedWhileWritten,
      .damagedLossy, lost: .some, right: .salvage, half: .blind
    ) { stage in
      // Receipts and lines have as many columns, and a page of the one can come to the other.
      stage.alteredMax = .max
      let early = try stage.database.contents()
      try stage.write(
        "DELETE FROM line WHERE receipt % 4 = 1",
        "INSERT INTO receipt (closed, cashier, total) SELECT '2026-04-01', cashier || '!', total FROM receipt",
        "INSERT INTO line (receipt, article, cents) SELECT receipt + 300, article || ' (April)', cents FROM line"
      )
      try stage.remember()
      try stage.mix(early, stage.database.contents(), at: 0.45)
    },
    Scene(
      "a slow upload reads scans while they are replaced", to: .scanArchive,
      is: .copiedWhileWritten,
      .damagedLossy, lost: .some, right: .salvage, half: .blind, untold: twoMoments
    ) { stage in
      let early = try stage.database.contents()
      try stage.write(
        "DELETE FROM scan WHERE id % 3 = 0",
        "UPDATE word SET text = text || text WHERE id % 2 = 0", "VACUUM")
      try stage.remember()
      // A long row can get the pages of another one.
      stage.alteredMax = .max
      try stage.mix(early, stage.database.contents(), at: 0.5)
    },
    Scene(
      "a volume snapshot has the main file of before a checkpoint, and the log of after it",
      to: .tracker, is: .copiedWhileWritten, also: [.oldLog, .copiedWithoutLog], .damagedIntact,
      lost: .some, right: .salvage, half: .blind,
      untold: "a file that is restored beside a newer log is the same bytes"
    ) { stage in
      let main = try stage.database.contents()
      var log = Bytes()
      do {
        let app = try Connection(stage.database, mode: .app)
        try app.execute("PRAGMA wal_autocheckpoint = 0")
        try app.execute("DELETE FROM comments WHERE id % 3 = 0")
        try app.execute(
          "INSERT INTO issues (subject, description) SELECT subject || ' again', description || description FROM issues"
        )
        try app.execute("PRAGMA wal_checkpoint(PASSIVE)")
        try stage.remember()
        try app.execute("UPDATE issues SET subject = 'R: ' || subject WHERE id BETWEEN 290 AND 330")
        let frames = LogFrames(try stage.wal.contents())
        // Only what was written since the log began anew, as if it had been cut to nothing before.
        let salt = frames.log[16..<24]
        let live = (0..<frames.count).prefix {
          frames.log[(frames.start(of: $0) + 8)...].starts(with: salt)
        }
        log = Bytes(frames.log.prefix(frames.start(of: live.count)))
        try stage.remember()
      }
      try stage.database.replaceContents(with: main)
      try stage.wal.replaceContents(with: log)
    },
    Scene(
      "tar reads the file during a checkpoint, and the log when it has begun anew", to: .fitness,
      is: .copiedWhileWritten, .damagedLossy, lost: .some, right: .salvage, half: .blind
    ) { stage in
      let early = try stage.database.contents()
      var (late, log) = (Bytes(), Bytes())
      do {
        let app = try Connection(stage.database, mode: .app)
        try app.execute("PRAGMA wal_autocheckpoint = 0")
        try app.execute("UPDATE sample SET data = 'v2 ' || data || ' ' || data WHERE id % 3 > 0")
        try app.execute("DELETE FROM workout WHERE id % 4 = 0")
        try stage.remember()
        try app.execute("PRAGMA wal_checkpoint(PASSIVE)")
        try app.execute("UPDATE sample SET data = upper(data) WHERE id BETWEEN 700 AND 800")
        try stage.remember()
        (late, log) = (try stage.database.contents(), try stage.wal.contents())
      }
      try stage.database.removeFileSet()
      try stage.mix(early, late, at: 0.4)
      try stage.wal.replaceContents(with: log)
    },
    Scene(
      "zip packs app.db-wal before app.db, and a checkpoint comes between", to: .chat,
      is: .oldLog, also: [.copiedWhileWritten], .damagedIntact, lost: .nothing, right: .salvage,
      half: .blind
    ) { stage in
      try stage.crash(
        after: "UPDATE message SET sent = sent + 7 WHERE id % 2 = 0",
        "DELETE FROM contact WHERE id > 35")
      let log = try stage.wal.contents()
      try stage.write("PRAGMA wal_checkpoint(TRUNCATE)")
      try stage.write(
        "DELETE FROM message WHERE id % 5 = 1",
        "INSERT INTO message (contact, sent, text) SELECT contact, sent + 9, text || ' (f)' FROM message WHERE id < 300",
        "PRAGMA wal_checkpoint(TRUNCATE)")
      try stage.remember()
      try stage.wal.replaceContents(with: log)
    },
    Scene(
      "a storage cleaner deletes app.db-wal after the phone died in a checkpoint", to: .fitness,
      is: .copiedWithoutLog, .damagedLossy, lost: .some, right: .salvage, half: .blind
    ) { stage in
      try stage.crash(
        after:
          "INSERT INTO sample (workout, at, data) SELECT workout, at + 5000, data || '+' FROM sample",
        "DELETE FROM sample WHERE id % 4 = 0", "UPDATE workout SET note = note || note")
      try stage.remember()
      try stage.kill(at: 0.5, of: "PRAGMA wal_checkpoint(TRUNCATE)")
      try SystemStorage().remove(stage.wal)
    },
    Scene(
      "a cloud drive keeps app.db-wal as an empty placeholder, with the -shm beside it",
      to: .browser, is: .copiedWithoutLog, .healthy, lost: .some, right: .nothing, half: .blind
    ) { stage in
      let app = try stage.start(
        "PRAGMA wal_autocheckpoint = 0",
        "INSERT INTO moz_historyvisits (place_id, visit_date) SELECT place_id, visit_date + 1 FROM moz_historyvisits"
      )
      try stage.remember()
      try stage.kill(app)
      try stage.wal.replaceContents(with: [])
    },
    Scene(
      "app.db of a planner is copied alone, and all tasks are in its log", to: .newPlanner,
      is: .copiedWithoutLog, .healthy, lost: .some, right: .nothing, half: .blind,
      untold: "the file is whole, and a new one looks the same"
    ) { stage in
      try stage.crash(
        after: "INSERT INTO task (title, due) VALUES ('sow', '2026-04-01'), ('mow', '2026-05-01')",
        "INSERT INTO tag (name) VALUES ('spring'), ('lawn')")
      try stage.remember()
      try SystemStorage().remove(stage.wal)
    },
  ]
}
