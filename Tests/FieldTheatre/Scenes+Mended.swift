// SPDX-License-Identifier: Apache-2.0
// Scenes of files of which too little or too much was said once: what is beside an empty or strange
// file, what a damaged index still knows, and what was joined, replaced or blanked.

import DatabaseRescue
import Diagnosis
import RescueTestSupport
import SQLiteFormat
import Testing

extension Scene {
  static let mended: [Scene] =
    besideNothing + ofTwoMoments + joinedAndReplaced + parted + misplaced + goingOn

  private static let besideNothing: [Scene] = [
    Scene(
      "a cleaner emptied the file, and the log beside it has every page", to: .podcasts,
      is: .emptied, .damagedIntact, lost: .nothing, right: .salvage, half: .after
    ) { stage in
      try stage.crash(after: "VACUUM")
      try stage.database.replaceContents(with: [])
    },
    Scene(
      "a copy left the file empty, and the journal beside it has most of its pages", to: .hotel,
      is: .emptied, .damagedLossy, lost: .some, right: .salvage, half: .after
    ) { stage in
      try stage.leaveJournalOfMostPages()
      try stage.database.replaceContents(with: [])
    },
    Scene(
      "a server sent its error page, and the log beside it has every page", to: .podcasts,
      is: .otherContent, .damagedIntact, lost: .nothing, right: .salvage, half: .after
    ) { stage in
      try stage.crash(after: "VACUUM")
      let line = "<p>503 Service Unavailable</p>\n"
      try stage.database.replaceContents(
        with: Bytes(
          ("<!DOCTYPE html><html><body>\n" + String(repeating: line, count: 60) + "</body></html>")
            .utf8))
    },
    Scene(
      "the journal of a later state, with most of its pages, lies beside it", to: .hotel,
      is: .oldLog, .damagedIntact, lost: .nothing, right: .salvage,
      half: .after
    ) { stage in
      let own = try stage.database.contents()
      try stage.write("DELETE FROM stay WHERE id % 3 = 0", "UPDATE stay SET guest = guest || id")
      try stage.leaveJournalOfMostPages()
      try stage.database.replaceContents(with: own)
    },
  ]

  private static let ofTwoMoments: [Scene] = [
    Scene(
      "a copy begins with the first page of before a table was added", to: .herbarium,
      is: .copiedWhileWritten, .damagedLossy, lost: .some, right: .salvage, half: .after,
      untold: .severalMoments
    ) { stage in
      let old = try stage.database.contents()
      try stage.write(
        "CREATE TABLE sheet (id INTEGER PRIMARY KEY, text TEXT)",
        "INSERT INTO sheet SELECT id, place FROM plant WHERE id < 300")
      try stage.remember()
      try stage.overwrite(at: 0, with: old.prefix(stage.program.pageSize))
    },
    Scene(
      "a leaf of yesterday lies under an index of which a page is blank", to: .herbarium,
      is: .badMedium, .damagedLossy, lost: .some, right: .salvage, half: .after,
      untold: .zeros
    ) { stage in
      let size = stage.program.pageSize
      let old = try stage.database.contents()
      let last = try #require(stage.pages(of: "plant").last)
      try stage.write(
        "INSERT INTO plant (name, place) SELECT name || ' var.', place FROM plant WHERE id < 8")
      try stage.remember()
      try stage.overwrite(at: (last - 1) * size, with: old[((last - 1) * size)..<(last * size)])
      try stage.damage(.zeroPage(stage.pages(of: "plant_place")[3]))
    },
    Scene(
      "an index is gone from the schema, and its pages are there", to: .herbarium, is: nil,
      .damagedIntact, lost: .nothing, right: .salvage, half: .after
    ) { stage in
      try stage.write(
        "PRAGMA writable_schema = 1", "DELETE FROM sqlite_schema WHERE name = 'plant_place'",
        "PRAGMA writable_schema = 0")
    },
  ]

  private static let joinedAndReplaced: [Scene] = [
    Scene(
      "who sends it joins the file and its -wal to one file", to: .podcasts, is: .bytesInFront,
      .damagedIntact, lost: .nothing, right: .salvage, half: .after
    ) { stage in
      try stage.crash(after: "UPDATE episode SET notes = notes || 'heard' WHERE id % 3 = 0")
      try stage.remember()
      let log = try stage.wal.contents()
      try SystemStorage().remove(stage.wal)
      try stage.change { $0 += log }
    },
    Scene(
      "a program reads it as lines, and writes each end of one as a line feed", to: .ledger,
      is: .transferredAsText, .damagedLossy, lost: .some, right: .salvage, half: .after
    ) { stage in
      stage.alteredMax = .max
      try stage.write("UPDATE booking SET memo = memo || char(13, 10) || 'paid' WHERE id % 9 = 0")
      try stage.remember()
      try stage.change { file in
        let bytes = file
        file = Bytes(
          bytes.indices.compactMap { place in
            guard bytes[place] == 0x0D else { return bytes[place] }
            return place + 1 < bytes.count && bytes[place + 1] == 0x0A ? nil : 0x0A
          })
      }
    },
    Scene(
      "a card gives a blank sector in the midst of a long note", to: .ledger, is: .badMedium,
      .damagedLossy, lost: .some, right: .salvage, half: .after, untold: .zeros
    ) { stage in
      try stage.write(
        "UPDATE booking SET memo = replace(hex(zeroblob(600)), '0', 'paid ') WHERE id = 7")
      try stage.remember()
      let bytes = try stage.database.contents()
      let text = Bytes("paid paid".utf8)
      let start = try #require(bytes.indices.first { bytes.matches(text, at: $0) })
      let sector = (start / 512 + 2) * 512
      try stage.overwrite(at: sector, with: Bytes(repeating: 0, count: 512))
    },
    Scene(
      "the download of a gzip archive stopped", to: .herbarium, is: .otherContent, .unreadable,
      lost: .everything, right: nil, half: .after
    ) { stage in
      let packed = try Command(
        "/bin/sh", ["-c", "gzip -c < \"$0\"", stage.database.description]
      ).run().output
      try stage.database.replaceContents(with: Bytes(packed.prefix(packed.count * 6 / 10)))
    },
  ]
}

extension Scene {
  private static let parted: [Scene] = [
    Scene(
      "a mail program breaks it into lines of 998 bytes", to: .hotel, is: .transferredAsText,
      .damagedIntact, lost: .nothing, right: .salvage, half: .after
    ) { try $0.part(after: 998, by: [0x0D, 0x0A]) },
    Scene(
      "a program breaks it into lines of 76 bytes", to: .herbarium, is: .transferredAsText,
      .damagedIntact, lost: .nothing, right: .salvage, half: .after
    ) { try $0.part(after: 76, by: [0x0A]) },
    Scene(
      "the image of a disk has sectors of 520 bytes", to: .hotel, is: .bytesInFront,
      .damagedIntact, lost: .nothing, right: .salvage, half: .after
    ) { try $0.part(after: 512, by: [0xA5, 0x3C, 0, 1, 0, 0, 0x7E, 0x11]) },
  ]

  private static let misplaced: [Scene] = [
    Scene(
      "a card mistakes a page of plants for one that was free", to: .herbarium, is: .interrupted,
      .damagedIntact, lost: .nothing, right: .salvage, half: .after, untold: .severalMoments
    ) { stage in
      try stage.write(
        "CREATE TABLE sheet (id INTEGER PRIMARY KEY, text TEXT)",
        "INSERT INTO sheet SELECT id, place || place FROM plant", "DELETE FROM sheet WHERE id > 9")
      try stage.remember()
      let leaf = try stage.pages(of: "plant")[6]
      let file = try stage.database.contents()
      let trunk = Int(file.bigEndian(at: 32))
      // The first page that the trunk names: section 1.5 of the file format.
      let free = Int(file.bigEndian(at: (trunk - 1) * stage.program.pageSize + 8))
      try stage.damage(.swapPages(leaf, free))
    },
    Scene(
      "a card gives a blank sector of a page with short rows and zeros", to: .herbarium,
      is: .badMedium, .damagedLossy, lost: .some, right: .salvage, half: .after, untold: .zeros
    ) { stage in
      try stage.write(
        "CREATE TABLE spot (id INTEGER PRIMARY KEY, x INT, mark BLOB)",
        "INSERT INTO spot SELECT id, id % 3, zeroblob(12) FROM plant")
      try stage.remember()
      let leaf = try stage.pages(of: "spot")[1]
      try stage.overwrite(
        at: (leaf - 1) * stage.program.pageSize + stage.program.pageSize - 512,
        with: Bytes(repeating: 0, count: 512))
    },
    Scene(
      "a quota stops the file from growing, and the journal is cleared away", to: .hotel,
      is: .interrupted, .damagedLossy, lost: .some, right: .salvage, half: .after,
      untold: .atPage
    ) { stage in
      let length = try stage.database.contents().count
      try stage.write("INSERT INTO stay (guest, note) SELECT guest, note FROM stay WHERE id < 60")
      try stage.remember()
      try stage.damage(.truncate(bytes: length))
    },
  ]
}

extension Scene {
  private static let goingOn: [Scene] = [
    Scene(
      "the till is in the midst of a long transaction", to: .hotel, is: nil, .healthy,
      lost: .nothing, right: .nothing, half: .after
    ) { stage in
      try stage.remember()
      stage.peer = try stage.start(
        "PRAGMA cache_size = 3", "BEGIN IMMEDIATE",
        "UPDATE stay SET guest = guest || 'x', note = note || 'x'")
    },
    Scene(
      "the server is in the midst of a long transaction", to: .podcasts, is: nil, .healthy,
      lost: .nothing, right: .nothing, half: .after
    ) { stage in
      try stage.remember()
      stage.peer = try stage.start(
        "PRAGMA cache_size = 3", "BEGIN IMMEDIATE", "UPDATE episode SET notes = notes || 'heard'")
    },
    Scene(
      "the app takes its file for damaged, and begins anew with an empty one", to: .hotel,
      is: .emptied, .healthy, lost: .nothing, right: .restore, half: .after
    ) { stage in
      for id in 1...30 { try stage.write("UPDATE stay SET note = 'seen' WHERE id = \(id)") }
      try stage.backUp()
      try stage.remember()
      try stage.database.removeFileSet()
      try stage.write(
        "CREATE TABLE room (id INTEGER PRIMARY KEY, label TEXT, note TEXT)",
        "CREATE TABLE stay (id INTEGER PRIMARY KEY AUTOINCREMENT, guest TEXT, note TEXT)",
        "CREATE INDEX stay_guest ON stay (guest)")
    },
    Scene(
      "a condition is forgotten, and all rows of a table are deleted", to: .hotel, is: nil,
      .healthy, lost: .nothing, right: .restore, half: .after
    ) { stage in
      try stage.backUp()
      try stage.remember()
      try stage.write("DELETE FROM stay")
    },
  ]
}

extension Stage {
  /// Puts bytes in after each so many bytes of the file.
  fileprivate func part(after block: Int, by added: Bytes) throws {
    try change { file in
      let bytes = file
      file = Bytes(
        stride(from: 0, to: bytes.count, by: block).flatMap {
          bytes[$0..<min($0 + block, bytes.count)] + added
        })
    }
  }

  /// Leaves the journal of a transaction that was cut off and had changed most pages.
  fileprivate func leaveJournalOfMostPages() throws {
    try Leftover.hotJournal([
      "UPDATE room SET note = note || 'x'",
      "UPDATE stay SET guest = guest || 'x', note = note || 'x'",
      "CREATE TABLE more (a)",
    ]).leave(at: database)
  }
}
