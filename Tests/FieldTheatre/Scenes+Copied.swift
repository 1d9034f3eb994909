// SPDX-License-Identifier: Apache-2.0
// Copies that scripts take of a database at work: of two moments, or without its log.

import DatabaseRescue
import Diagnosis
import RescueTestSupport
import SQLiteFormat

extension Stage {
  /// Copies the database as a script does: one part before the program writes, and the rest after.
  func copy(upTo share: Double, before statements: String...) throws {
    let early = try database.contents()
    for statement in statements { try write(statement) }
    try remember()
    let late = try database.contents()
    let seam = Int(Double(early.count) * share) / 4096 * 4096
    try database.replaceContents(with: Bytes(early[..<seam] + late[min(seam, late.count)...]))
  }
}

extension Scene {
  static let copied: [Scene] = [
    Scene(
      "a backup script copies app.db while an import goes on", to: .mediaManager,
      is: .copiedWhileWritten, .damagedLossy, lost: .some, right: .salvage, untold: .severalMoments
    ) { stage in
      try stage.copy(
        upTo: 0.4,
        before:
          "INSERT INTO Episodes (Title, Overview) SELECT Title || 'b', Overview || 'c' FROM Episodes",
        "DELETE FROM Episodes WHERE Id % 5 = 0")
    },
    Scene(
      "rsync takes a file that grows", to: .automation, is: .copiedWhileWritten, .damagedLossy,
      lost: .some, right: .salvage, untold: .severalMoments
    ) { stage in
      try stage.copy(
        upTo: 0.2,
        before:
          "INSERT INTO states (entity_id, attributes) SELECT entity_id || 'x', attributes FROM states"
      )
    },
    Scene(
      "a snapshot is taken in the middle of a VACUUM", to: .packages, is: .copiedWhileWritten,
      .damagedLossy, lost: .some, right: .salvage, untold: .severalMoments
    ) { stage in
      try stage.write("DELETE FROM ValidPaths WHERE id % 3 = 0")
      try stage.copy(upTo: 0.5, before: "VACUUM")
    },
    Scene(
      "only app.db is copied, and the log stays behind", to: .vault, is: .copiedWithoutLog,
      .healthy, lost: .some, right: .nothing, untold: .whole
    ) { stage in
      try stage.crash(after: "INSERT INTO ciphers (name, data) VALUES ('new', 'newest')")
      try stage.remember()
      try SystemStorage().remove(stage.wal)
    },
    Scene(
      "only app.db is copied, in the middle of a checkpoint", to: .mediaManagerWAL,
      is: .copiedWithoutLog, .damagedLossy, lost: .some, right: .salvage
    ) { stage in
      try stage.crash(
        after:
          "INSERT INTO Episodes (Title, Overview) SELECT Title || 'b', Overview FROM Episodes",
        "DELETE FROM Episodes WHERE Id % 3 = 1")
      try stage.remember()
      let whole = stage.wings.appending("whole.db")
      try stage.database.copyFileSet(to: whole)
      try stage.write("PRAGMA wal_checkpoint(TRUNCATE)", at: whole)
      // Pages are copied in the order of their numbers; the copy took those of the first third.
      let (early, done) = (try stage.database.contents(), try whole.contents())
      let seam = early.count / 3 / 4096 * 4096
      try stage.database.replaceContents(with: Bytes(done[..<seam] + early[seam...]))
      try SystemStorage().remove(stage.wal)
    },
    Scene(
      "somebody deletes the -wal because it is in the way", to: .uptime, is: .copiedWithoutLog,
      .damagedLossy, lost: .some, right: .salvage
    ) { stage in
      try stage.crash(
        after: "CREATE TABLE heartbeat_old AS SELECT * FROM heartbeat",
        "DELETE FROM heartbeat WHERE id % 2 = 0", "PRAGMA wal_checkpoint(PASSIVE)",
        "INSERT INTO heartbeat (monitor, msg) SELECT monitor || 'x', msg FROM heartbeat",
        checkpointing: true)
      try stage.remember()
      let whole = stage.wings.appending("whole.db")
      try stage.database.copyFileSet(to: whole)
      try stage.write("PRAGMA wal_checkpoint(TRUNCATE)", at: whole)
      let (early, done) = (try stage.database.contents(), try whole.contents())
      let seam = early.count / 4 / 4096 * 4096
      try stage.database.replaceContents(with: Bytes(done[..<seam] + early[seam...]))
      try SystemStorage().remove(stage.wal)
    },
    Scene(
      "a phone backup has the database and its -shm, and no -wal", to: .grdb,
      is: .copiedWithoutLog, .damagedLossy, lost: .some, right: .nothing
    ) { stage in
      let app = try stage.start(
        "PRAGMA wal_autocheckpoint = 0",
        "INSERT INTO entry (title, body) SELECT title || 'x', body FROM entry")
      try stage.remember()
      let copy = stage.wings.appending("copy.db")
      let index = stage.database.adding(suffix: "-shm")
      try copy.replaceContents(with: stage.database.contents())
      let shm = try index.contents()
      try stage.kill(app)
      try stage.database.removeFileSet()
      try stage.database.replaceContents(with: copy.contents())
      try index.replaceContents(with: shm)
    },
  ]
}

extension Program {
  /// A monitor of web sites.
  static let uptime = Program(
    title: "a monitor of web sites", journal: .wal, table: "heartbeat",
    steps: [
      "CREATE TABLE monitor (id INTEGER PRIMARY KEY, name TEXT, url TEXT)",
      "CREATE TABLE heartbeat (id INTEGER PRIMARY KEY, monitor TEXT, msg TEXT)",
      "CREATE INDEX heartbeat_monitor ON heartbeat (monitor)",
      rows("monitor", "id, name, url", count: 20),
      rows("heartbeat", "id, monitor, msg", count: 600),
    ])
}
