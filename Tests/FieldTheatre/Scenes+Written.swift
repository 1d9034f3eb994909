// SPDX-License-Identifier: Apache-2.0
// What others write into a database, and what disks do to it.

import DatabaseRescue
import Diagnosis
import RescueTestSupport
import SQLiteFormat

extension Scene {
  static let textWritten: [Scene] = [
    Scene(
      "a log message goes to the file whose number standard error had", to: .mediaManager,
      is: .textWritten, .damagedIntact, lost: .nothing, right: .salvage
    ) { stage in
      try stage.overwrite(
        at: 0, with: "2024-03-01 10:22:41 ERROR worker: connection reset by peer\n".utf8)
    },
    Scene(
      "a stack trace lies over the first page", to: .workflows, is: .textWritten, .damagedLossy,
      lost: .some, right: nil
    ) { stage in
      let line = "    at Object.<anonymous> (/app/node_modules/sqlite3/lib/trace.js:28:13)\n"
      try stage.overwrite(at: 0, with: String(repeating: line, count: 12).utf8)
    },
    Scene(
      "a program appends its log to the wrong file", to: .flashcards, is: .textWritten,
      .damagedIntact, lost: .nothing, right: .salvage
    ) { stage in
      let line = "INFO started sync with server, 20 cards\n"
      try stage.change { $0 += Bytes(String(repeating: line, count: 40).utf8) }
    },
    Scene(
      "text lies over a page in the middle", to: .automation, is: .textWritten, .damagedLossy,
      lost: .some, right: .salvage
    ) { stage in
      let page = try stage.pages(of: "states")[9]
      let line = "Mar  1 10:22:41 host kernel: usb 1-1: reset high-speed device\n"
      try stage.overwrite(at: (page - 1) * 4096, with: String(repeating: line, count: 14).utf8)
    },
  ]

  static let medium: [Scene] = [
    Scene(
      "ddrescue put zeros where sectors of the card could not be read", to: .automation,
      is: .badMedium, .damagedLossy, lost: .some, right: .salvage
    ) { stage in
      // A sector inside one long text takes nothing with it that tells.
      stage.alteredMax = 3
      let pages = try stage.pages(of: "states")
      for (page, sector) in [(pages[4], 3), (pages[11], 0), (pages[17], 5)] {
        try stage.overwrite(
          at: (page - 1) * 4096 + sector * 512, with: Bytes(repeating: 0, count: 512))
      }
    },
    Scene(
      "a worn flash cell gives 0xFF for a sector", to: .packages, is: .badMedium, .damagedLossy,
      lost: .some, right: .salvage
    ) { stage in
      let page = try stage.pages(of: "ValidPaths")[5]
      try stage.overwrite(at: (page - 1) * 4096 + 1024, with: Bytes(repeating: 0xFF, count: 512))
    },
    Scene(
      "the disk reports an error in the middle of the file", to: .mediaManager, is: .badMedium,
      .damagedLossy, lost: .some, right: .salvage
    ) { stage in stage.storage = try StagedDisk.without(60000..<60512, of: stage.database) },
    Scene(
      "one bit of the header has turned", to: .flashcards, is: .badMedium, .damagedIntact,
      lost: .nothing, right: .salvage
    ) { stage in try stage.damage(.flipBit(offset: 5, bit: 3)) },
    Scene(
      "a whole block of zeros in the middle of the file", to: .room, is: .badMedium,
      .damagedLossy, lost: .some, right: .salvage, untold: .zeros
    ) { stage in
      let page = try stage.pages(of: "notes")[6]
      try stage.overwrite(at: (page - 1) * 4096, with: Bytes(repeating: 0, count: 8192))
    },
  ]

  static let writers: [Scene] = [
    Scene(
      "two containers write through a share that does not lock", to: .mediaManager,
      is: .severalWriters, .damagedLossy, lost: .some, right: .salvage, untold: .severalMoments
    ) { stage in
      try stage.merge(
        mine:
          "INSERT INTO Episodes (Title, Overview) SELECT Title || 'b', Overview FROM Episodes WHERE Id < 300",
        theirs: "INSERT INTO Episodes (Title, Overview) SELECT Title || 'c', Title FROM Episodes")
    },
    Scene(
      "a synchronised folder puts back pages of another device", to: .noteKeeper,
      is: .severalWriters, .damagedLossy, lost: .some, right: .salvage
    ) { stage in
      try stage.merge(
        mine: "INSERT INTO notes (title, body) SELECT title || 'b', body FROM notes",
        theirs: "DELETE FROM notes WHERE id % 2 = 0")
      try stage.folder.appending("app (conflicted copy 2024-03-01).db")
        .replaceContents(with: stage.database.contents())
    },
    Scene(
      "the same file on two machines through NFS", to: .packages, is: .severalWriters,
      .damagedLossy, lost: .some, right: .salvage, untold: .severalMoments
    ) { stage in
      try stage.merge(
        mine: "INSERT INTO ValidPaths (path, hash) SELECT path || 'b', hash FROM ValidPaths",
        theirs: "DELETE FROM ValidPaths WHERE id > 350")
      stage.storage = StagedDisk(kind: .shared("a network share (NFS)"))
    },
    Scene(
      "two programs with one file, one of them without locks", to: .library, is: .severalWriters,
      .damagedLossy, lost: .some, right: .salvage, untold: .severalMoments
    ) { stage in
      try stage.merge(
        mine: "INSERT INTO books (title, path) SELECT title || 'b', path FROM books",
        theirs: "INSERT INTO data (format, name) SELECT format || 'c', name FROM data")
    },
  ]
}

extension Stage {
  /// What two writers leave that do not see each other: of each page, the last one wins, and of the
  /// pages that both have changed, those of either.
  func merge(mine: String, theirs: String) throws {
    let (first, second) = (wings.appending("first.db"), wings.appending("second.db"))
    let base = try database.contents()
    for (path, statement) in [(first, mine), (second, theirs)] {
      try path.replaceContents(with: base)
      try write(statement, at: path)
      try remember(path)
    }
    let (one, two) = (try first.contents(), try second.contents())
    var merged = one.count > two.count ? one : two
    let size = program.pageSize
    for page in 0..<(min(one.count, two.count) / size) {
      let range = (page * size)..<((page + 1) * size)
      let isChanged =
        page * size >= base.count
        || two[range] != base[min(range.lowerBound, base.count)..<min(range.upperBound, base.count)]
      merged.replaceSubrange(range, with: (isChanged && page % 2 == 1 ? two : one)[range])
    }
    try database.replaceContents(with: merged)
  }
}

extension Program {
  /// A library of books.
  static let library = Program(
    title: "a library of books", table: "books",
    steps: [
      "CREATE TABLE books (id INTEGER PRIMARY KEY AUTOINCREMENT, title TEXT NOT NULL, path TEXT NOT NULL)",
      "CREATE TABLE data (id INTEGER PRIMARY KEY, format TEXT NOT NULL, name TEXT NOT NULL)",
      "CREATE INDEX books_title ON books (title)",
      rows("books", "id, title, path", count: 300),
      rows("data", "id, format, name", count: 300),
    ])
}
