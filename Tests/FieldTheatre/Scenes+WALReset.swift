// SPDX-License-Identifier: Apache-2.0
// SQLite's fault in beginning a log anew: what the race leaves in the index of the log is put there
// by hand, and SQLite itself does the rest.
//
// A checkpoint that does not see that another connection began the log anew notes as copied as many
// frames as the log before had. The next checkpoint begins behind them, and they never arrive.

import DatabaseRescue
import Diagnosis
import RescueTestSupport
import SQLiteFormat

extension Stage {
  /// Has the program write three times, and SQLite lose of the second what as many frames hold as the
  /// first one had.
  ///
  /// It is closed, or taken with all its files while it has them open.
  func reset(
    after first: String, losing second: String, before third: String..., closing: Bool
  ) throws {
    let index = database.adding(suffix: "-shm")
    let copy = wings.appending("reset.db")
    do {
      let connection = try Connection(database, mode: .app)
      try connection.execute("PRAGMA wal_autocheckpoint = 0")
      try connection.execute(first)
      try remember()
      try connection.execute("PRAGMA wal_checkpoint(PASSIVE)")
      // File format, section 4.6: where the index counts the frames that were copied.
      let count = Bytes(try index.contents()[96..<100])
      try connection.execute(second)
      guard try Bytes(index.contents()[96..<100]) != count else {
        throw UnfitFixture("the log did not begin anew")
      }
      try remember()
      try SystemStorage().open(index, .readWrite).write(count, at: 96)
      for statement in third { try connection.execute(statement) }
      try remember()
      try connection.execute("PRAGMA wal_checkpoint(PASSIVE)")
      guard !closing else { return }
      try database.copyFileSet(to: copy)
      try copy.adding(suffix: "-shm").replaceContents(with: index.contents())
    }
    try database.removeFileSet()
    try copy.copyFileSet(to: database)
    try index.replaceContents(with: copy.adding(suffix: "-shm").contents())
    try copy.removeFileSet()
  }

  /// The same for the messages of the messenger.
  fileprivate func resetMessages(
    readEvery step: Int, copied: Int, changedTo last: Int, closing: Bool
  ) throws {
    try reset(
      after: "UPDATE messages SET body = body || ' read' WHERE id % \(step) = 0",
      losing: """
        INSERT INTO messages (conversation, body)
        SELECT conversation || 'b', body FROM messages WHERE id <= \(copied)
        """,
      before: "UPDATE messages SET body = body || 'x' WHERE id BETWEEN 500 AND \(last)",
      """
      INSERT INTO messages (conversation, body)
      SELECT conversation || 'c', body FROM messages WHERE id < 150
      """, closing: closing)
  }
}

extension Scene {
  static let walReset: [Scene] = [
    Scene(
      "two connections checkpoint at once, and it is killed soon after", to: .messenger,
      is: .walReset, .healthy, lost: .nothing, right: .nothing, half: .after
    ) { stage in
      try stage.resetMessages(readEvery: 40, copied: 200, changedTo: 560, closing: false)
    },
    Scene(
      "a pool of connections, and all three files are mailed while it runs", to: .workflows,
      is: .walReset, .healthy, lost: .nothing, right: .nothing, half: .after
    ) { stage in
      try stage.reset(
        after: "UPDATE execution_entity SET mode = mode || ' b' WHERE id % 30 = 0",
        losing: "UPDATE execution_entity SET data = data || data WHERE id % 3 = 0",
        before:
          "INSERT INTO execution_entity (mode, data) SELECT mode || 'c', data FROM execution_entity WHERE id < 150",
        closing: false)
    },
    Scene(
      "the file and its -wal are mailed, and the -shm is not", to: .messenger,
      is: .walReset, .healthy, lost: .nothing, right: .nothing, half: .after, untold: .together
    ) { stage in
      try stage.resetMessages(readEvery: 30, copied: 150, changedTo: 580, closing: false)
      try SystemStorage().remove(stage.database.adding(suffix: "-shm"))
    },
    Scene(
      "pages that were new never arrive, and the app is closed", to: .messenger,
      is: .walReset, .damagedLossy, lost: .some, right: .salvage, half: .after, untold: .zeros
    ) { stage in
      try stage.resetMessages(readEvery: 40, copied: 200, changedTo: 560, closing: true)
    },
    Scene(
      "a reader holds a checkpoint up", to: .messenger, is: nil, .healthy, lost: .nothing,
      right: .nothing, half: .after
    ) { stage in
      let reader = try Connection(stage.database, mode: .app)
      try stage.write("UPDATE messages SET body = body || ' read' WHERE id < 200")
      try reader.execute("BEGIN")
      _ = try reader.value("SELECT count(*) FROM messages")
      let copy = stage.wings.appending("held.db")
      do {
        let connection = try Connection(stage.database, mode: .app)
        try connection.execute("PRAGMA wal_autocheckpoint = 0")
        try connection.execute("UPDATE messages SET body = body || ' new' WHERE id % 5 = 0")
        try connection.execute("PRAGMA wal_checkpoint(PASSIVE)")
        try stage.remember()
        try stage.database.copyFileSet(to: copy)
      }
      try reader.execute("COMMIT")
      try stage.database.removeFileSet()
      try copy.copyFileSet(to: stage.database)
      try copy.removeFileSet()
    },
  ]
}
