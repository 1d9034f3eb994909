// SPDX-License-Identifier: Apache-2.0
// Text that others wrote, and bad media, by somebody who has not read how causes are judged.

import DatabaseRescue
import Diagnosis
import RescueTestSupport
import SQLiteFormat

extension Scene {
  static let blindWritten: [Scene] = [
    Scene(
      "a warning of the connection pool goes through a file descriptor that was reused",
      to: .tracker, is: .textWritten, .damagedIntact, lost: .nothing, right: .salvage, half: .blind
    ) { stage in
      try stage.overwrite(
        at: 0, with: "2026-03-04T09:12:55Z WARN pool: 12 of 12 connections in use\n".utf8)
    },
    Scene(
      "a crash handler writes its stack into the file", to: .fitness, is: .textWritten,
      .damagedLossy, lost: .some, right: .salvage, half: .blind
    ) { stage in
      // The row in which it begins keeps its start, and one in which it ends the rest.
      stage.alteredMax = 3
      let lines = (0..<30).map {
        "#\(String($0)) 0x00007f3a\(String(0x1000 + $0 * 321, radix: 16)) in app::sync::flush (src/sync.c:\(String(100 + $0)))\n"
      }
      let leaf = try stage.pages(of: "sample")[6]
      try stage.overwrite(at: stage.start(ofPage: leaf) + 1500, with: lines.joined().utf8)
    },
    Scene(
      "printf output of a C program lands over the first rows of a till", to: .till,
      is: .textWritten, .damagedLossy, lost: .some, right: .salvage, half: .blind
    ) { stage in
      stage.alteredMax = 3
      let leaf = try stage.pages(of: "line")[3]
      let text = (0..<60).map { "item \(String($0)) scanned, price ok\n" }.joined()
      try stage.overwrite(at: stage.start(ofPage: leaf), with: text.utf8)
    },
    Scene(
      "a memory card loses an erase block: 16 KiB of 0xFF", to: .outbox, is: .badMedium,
      .damagedLossy, lost: .some, right: .salvage, half: .blind
    ) { stage in
      let block = 16384
      let leaf = try stage.pages(of: "visit")[4]
      try stage.overwrite(
        at: stage.start(ofPage: leaf) / block * block,
        with: Bytes(repeating: 0xFF, count: block))
    },
    Scene(
      "an SSD answers with the blocks of a film", to: .till, is: .badMedium, .damagedLossy,
      lost: .some, right: .salvage, half: .blind
    ) { stage in
      var random = SeededRandom(seed: 3)
      for index in [5, 30] {
        let leaf = try stage.pages(of: "line")[index]
        try stage.overwrite(
          at: stage.start(ofPage: leaf) / 4096 * 4096, with: random.bytes(4096))
      }
    },
    Scene(
      "ddrescue has left three runs of sectors as zeros", to: .scanArchive, is: .badMedium,
      .damagedLossy, lost: .some, right: .salvage, half: .blind
    ) { stage in
      // What is inside a long text and became zeros, nothing protects.
      stage.alteredMax = 8
      let leaves = try stage.pages(of: "word")
      for (leaf, sectors) in zip(leaves, [8, 16, 40]) {
        try stage.overwrite(
          at: stage.start(ofPage: leaf) + 16384, with: Bytes(repeating: 0, count: sectors * 512))
      }
    },
    Scene(
      "a sector of a failing disk cannot be read", to: .ebooks, is: .badMedium, .damagedLossy,
      lost: .some, right: .salvage, half: .blind
    ) { stage in
      let start = stage.start(ofPage: try stage.pages(of: "books")[2])
      stage.storage = try StagedDisk.without(
        (start + 4096)..<(start + 8192), of: stage.database)
    },
    Scene(
      "damage of long ago is found at an upgrade, and every copy that is left has it",
      to: .ebooks, is: .badMedium, .damagedLossy, lost: .some, right: .salvage, half: .blind
    ) { stage in
      let sound = try stage.aside("sound.db")
      let leaf = try stage.pages(of: "books")[3]
      try stage.overwrite(
        at: stage.start(ofPage: leaf) + 4096, with: Bytes(repeating: 0, count: 12288))
      for days in [1, 8, 40] {
        let copy = stage.folder.appending(FilePath("app.db.\(days)-days-ago"))
        try copy.replaceContents(with: stage.database.contents())
        try stage.set(copy, daysAgo: days)
      }
      let change = "UPDATE authors SET name = name || ' (1820)' WHERE id = 7"
      for path in [stage.database, sound] { try stage.write(change, at: path) }
      try stage.remember(sound)
    },
    Scene(
      "one bit of a page has turned in a worn flash cell", to: .sensors, is: .badMedium,
      .damagedIntact, lost: .nothing, right: .salvage, half: .blind
    ) { stage in
      let leaf = try stage.pages(of: "station")[0]
      try stage.damage(.flipBit(offset: stage.start(ofPage: leaf), bit: 1))
    },
  ]
}
