// SPDX-License-Identifier: Apache-2.0
// Scenes that were written last, of other programs and other moments, to see whether what is said of
// the scenes before holds for more than those.

import DatabaseRescue
import Diagnosis
import RescueTestSupport
import SQLiteFormat

extension Scene {
  static let last: [Scene] = copiedAgain + sentAgain + wornAndKilled + backAgain

  private static let copiedAgain: [Scene] = [
    Scene(
      "a nightly cp reads it while the day is closed", to: .hotel, is: .copiedWhileWritten,
      .damagedLossy, lost: .some, right: .salvage, half: .last
    ) { stage in
      try stage.copy(
        upTo: 0.45,
        before: "INSERT INTO stay (guest, note) SELECT guest || ' again', note FROM stay")
    },
    Scene(
      "a stick is filled while names are put right", to: .herbarium, is: .copiedWhileWritten,
      .damagedLossy, lost: .some, right: .salvage, half: .last
    ) { stage in
      try stage.copy(
        upTo: 0.6,
        before: "UPDATE plant SET name = name || ' L.', place = place || place WHERE id % 2 = 0")
    },
    Scene(
      "a folder that is synchronised has the pages of two laptops", to: .hotel,
      is: .severalWriters, .damagedLossy, lost: .some, right: .salvage, half: .last
    ) { stage in
      try stage.merge(
        mine: "INSERT INTO stay (guest, note) SELECT guest || 'b', note FROM stay WHERE id < 900",
        theirs: "UPDATE stay SET guest = 'c' || guest WHERE id % 3 = 0")
      try stage.folder.appending("app (conflicted copy).db")
        .replaceContents(with: stage.database.contents())
    },
  ]

  private static let sentAgain: [Scene] = [
    Scene(
      "a chat program stops in the middle of an attachment", to: .herbarium, is: .cutOff,
      .damagedLossy, lost: .some, right: .salvage, half: .last
    ) { try $0.damage(.truncate(bytes: 131_849)) },
    Scene(
      "it was packed with gzip, and the name says nothing of it", to: .hotel, is: .otherContent,
      .unreadable, lost: .everything, right: nil, half: .last
    ) { stage in
      var random = SeededRandom(seed: 31)
      try stage.database.replaceContents(
        with: [0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 3] + random.bytes(40_000))
    },
    Scene(
      "a dump in SQL has the name of the database", to: .hotel, is: .otherContent, .unreadable,
      lost: .everything, right: nil, half: .last
    ) { stage in
      let line = "INSERT INTO stay VALUES(1,'name','note');\n"
      try stage.database.replaceContents(
        with: Bytes(
          ("PRAGMA foreign_keys=OFF;\nBEGIN TRANSACTION;\n" + String(repeating: line, count: 300))
            .utf8))
    },
    Scene(
      "a gateway has put a line of its own in front", to: .herbarium, is: .bytesInFront,
      .damagedIntact, lost: .nothing, right: .salvage, half: .last
    ) { stage in try stage.change { $0 = Bytes("X-Checked: clean\r\n\r\n".utf8) + $0 } },
  ]

  private static let wornAndKilled: [Scene] = [
    Scene(
      "it is killed while an old season is deleted", to: .hotel, is: .interrupted, .healthy,
      lost: .nothing, right: .nothing, half: .last
    ) { stage in
      let app = try stage.start(
        "PRAGMA cache_size = 4", "BEGIN IMMEDIATE", "DELETE FROM stay WHERE id < 1200",
        "UPDATE stay SET note = note || note")
      try stage.kill(app)
    },
    Scene(
      "the plug is pulled, and the log has half of the last transaction", to: .observatory,
      is: .interrupted, .healthy, lost: .nothing, right: .nothing, half: .last
    ) { stage in
      try Leftover.tornWAL(
        committed: ["DELETE FROM reading WHERE id % 9 = 0"],
        torn: ["UPDATE reading SET value = value || ' corrected' WHERE id % 2 = 0"]
      ).leave(at: stage.database)
      try stage.remember()
    },
    Scene(
      "two sectors of an old card read as 0xFF", to: .observatory, is: .badMedium,
      .damagedLossy, lost: .some, right: .salvage, half: .last
    ) { stage in
      stage.alteredMax = 2
      let page = try stage.pages(of: "reading")[9]
      try stage.overwrite(
        at: (page - 1) * stage.program.pageSize + 512, with: Bytes(repeating: 0xFF, count: 1024))
    },
    Scene(
      "two threads of a collector copy the log at once, and file and -wal are sent",
      to: .observatory, is: .walReset, .healthy, lost: .nothing, right: .nothing, half: .last
    ) { stage in
      try stage.reset(
        after: "UPDATE reading SET value = value || ' m' WHERE id % 50 = 0",
        losing:
          "INSERT INTO reading (station, value) SELECT station || 'b', value FROM reading WHERE id <= 300",
        before: "UPDATE reading SET value = value || 'x' WHERE id BETWEEN 700 AND 760",
        "INSERT INTO reading (station, value) SELECT station || 'c', value FROM reading WHERE id < 200",
        closing: false)
      try SystemStorage().remove(stage.database.adding(suffix: "-shm"))
    },
  ]

  private static let backAgain: [Scene] = [
    Scene(
      "rsync brings the file of yesterday back, with its time", to: .hotel, is: .putBack,
      .healthy, lost: .nothing, right: .restore, half: .last
    ) { stage in
      try stage.backUp()
      let old = try stage.database.contents()
      for id in 1...3 { try stage.write("UPDATE stay SET note = 'paid' WHERE id = \(id)") }
      try stage.backUp()
      try stage.remember()
      try stage.database.replaceContents(with: old)
      try stage.set(stage.database, daysAgo: 1)
    },
    Scene(
      "a laptop comes back from repair with the file of before", to: .herbarium, is: .putBack,
      .healthy, lost: .nothing, right: nil, half: .last
    ) { stage in
      let old = try stage.database.contents()
      try stage.write(
        "INSERT INTO plant (name, place) SELECT name || ' var.', place FROM plant WHERE id < 40")
      try stage.backUp()
      try stage.remember()
      try stage.database.replaceContents(with: old)
    },
    Scene(
      "the app makes its database anew, and fills it from the server", to: .hotel, is: nil,
      .healthy, lost: .nothing, right: .nothing, half: .last
    ) { stage in
      for id in 1...30 { try stage.write("UPDATE stay SET note = 'seen' WHERE id = \(id)") }
      try stage.backUp()
      try stage.database.removeFileSet()
      try stage.make(stage.program, at: stage.database)
      try stage.write("DELETE FROM stay WHERE id > 1700")
      try stage.remember()
    },
  ]
}

extension Program {
  /// The bookings of a hotel.
  static let hotel = Program(
    title: "the bookings of a hotel", pageSize: 1024, table: "stay",
    steps: [
      "CREATE TABLE room (id INTEGER PRIMARY KEY, label TEXT, note TEXT)",
      "CREATE TABLE stay (id INTEGER PRIMARY KEY AUTOINCREMENT, guest TEXT, note TEXT)",
      "CREATE INDEX stay_guest ON stay (guest)",
      rows("room", "id, label, note", count: 60), rows("stay", "id, guest, note", count: 1800),
    ])

  /// A collection of plants.
  static let herbarium = Program(
    title: "a collection of plants", pageSize: 2048, table: "plant",
    steps: [
      "CREATE TABLE plant (id INTEGER PRIMARY KEY, name TEXT, place TEXT)",
      "CREATE INDEX plant_name ON plant (name)", "CREATE INDEX plant_place ON plant (place)",
      rows("plant", "id, name, place", count: 1500, text: 80),
    ])

  /// What an observatory measures, in WAL mode.
  static let observatory = Program(
    title: "the readings of an observatory", pageSize: 2048, journal: .wal, table: "reading",
    steps: [
      "CREATE TABLE station (id INTEGER PRIMARY KEY, name TEXT, place TEXT)",
      "CREATE TABLE reading (id INTEGER PRIMARY KEY, station TEXT, value TEXT)",
      "CREATE INDEX reading_station ON reading (station)",
      rows("station", "id, name, place", count: 30),
      rows("reading", "id, station, value", count: 900, text: 60),
    ])
}
