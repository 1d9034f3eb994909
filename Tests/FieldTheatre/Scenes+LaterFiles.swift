// SPDX-License-Identifier: Apache-2.0
// More scenes of the later half: files that came on the wrong way, in part, or as something else.

import DatabaseRescue
import Diagnosis
import RescueTestSupport
import SQLiteFormat

extension Scene {
  static let laterFiles: [Scene] = sentInItsPlace + holdingNothing + mangled

  private static let sentInItsPlace: [Scene] = [
    Scene(
      "yesterday's backup was taken out of the vault and renamed to app.db", to: .messenger,
      is: .ownBackup, .unreadable, lost: .everything, right: nil, half: .after
    ) { stage in
      try stage.write("UPDATE messages SET body = body || 'x' WHERE id % 7 = 0")
      try stage.replaceWithBackup()
    },
    Scene(
      "a backup whose upload stopped half-way is sent", to: .automation, is: .ownBackup,
      .unreadable, lost: .everything, right: nil, half: .after
    ) { stage in
      try stage.replaceWithBackup()
      try stage.change { $0 = Bytes($0.prefix($0.count * 6 / 10)) }
    },
    Scene(
      "the backup of a damaged file is sent", to: .ledger, is: .ownBackup, .unreadable,
      lost: .everything, right: nil, half: .after
    ) { stage in
      try stage.damage(.zeroPage(stage.pages(of: "booking")[3]))
      try stage.replaceWithBackup()
    },
    Scene(
      "somebody renames the -wal to app.db, to help", to: .podcasts, is: .partOfASet, .unreadable,
      lost: .everything, right: nil, half: .after
    ) { stage in
      try stage.crash(after: "UPDATE episode SET notes = notes || 'heard' WHERE id < 200")
      let log = try stage.wal.contents()
      try SystemStorage().remove(stage.wal)
      try stage.database.replaceContents(with: log)
    },
    Scene(
      "only the -shm was sent", to: .grdb, is: .partOfASet, .unreadable, lost: .everything,
      right: nil, half: .after
    ) { stage in
      let app = try stage.start("UPDATE entry SET body = body || 'x' WHERE id < 9")
      let index = stage.database.adding(suffix: "-shm")
      let bytes = try index.contents()
      try stage.kill(app)
      try stage.database.removeFileSet()
      try stage.database.replaceContents(with: bytes)
    },
  ]

  private static let holdingNothing: [Scene] = [
    Scene(
      "the phone was still locked, and the app put an empty file in its place", to: .room,
      is: .emptied, .unreadable, lost: .everything, right: nil, half: .after
    ) { stage in
      try SystemStorage().rename(
        stage.database, to: stage.folder.appending("app.db.corrupt-1700000000"))
      try stage.database.replaceContents(with: [])
    },
    Scene(
      "after a power cut the file has its length, and nothing but zeros", to: .podcasts,
      is: .emptied, .unreadable, lost: .everything, right: nil, half: .after
    ) { stage in try stage.change { $0 = Bytes(repeating: 0, count: $0.count) } },
  ]

  private static let mangled: [Scene] = [
    Scene(
      "a mail program takes it for Latin-1 and sends it as UTF-8", to: .ledger,
      is: .transferredAsText, .damagedIntact, lost: .nothing, right: .salvage, half: .after
    ) { stage in
      try stage.change { file in
        file = Bytes(
          file.flatMap { $0 < 128 ? [$0] : [0xC0 | ($0 >> 6), 0x80 | ($0 & 0x3F)] })
      }
    }
  ]
}

extension Stage {
  /// Puts the program's newest backup in the place of its database.
  func replaceWithBackup() throws {
    let backup = try Rescue(world: World(environment: [:])).backUp(
      database, vault: wings.appending("vault"))
    try database.removeFileSet()
    try database.replaceContents(with: backup.value.path.contents())
  }
}

extension Program {
  /// A ledger with large pages.
  static let ledger = Program(
    title: "a household ledger", pageSize: 8192, table: "booking",
    steps: [
      "CREATE TABLE account (id INTEGER PRIMARY KEY, name TEXT, note TEXT)",
      "CREATE TABLE booking (id INTEGER PRIMARY KEY, payee TEXT NOT NULL, memo TEXT)",
      "CREATE INDEX booking_payee ON booking (payee)",
      rows("account", "id, name, note", count: 25),
      rows("booking", "id, payee, memo", count: 800),
    ])

  /// A player of podcasts with small pages and a log.
  static let podcasts = Program(
    title: "a podcast player", pageSize: 1024, journal: .wal, table: "episode",
    steps: [
      "CREATE TABLE feed (id INTEGER PRIMARY KEY, url TEXT, title TEXT)",
      "CREATE TABLE episode (id INTEGER PRIMARY KEY, guid TEXT, notes TEXT)",
      "CREATE INDEX episode_guid ON episode (guid)",
      rows("feed", "id, url, title", count: 20),
      rows("episode", "id, guid, notes", count: 400),
    ])
}
