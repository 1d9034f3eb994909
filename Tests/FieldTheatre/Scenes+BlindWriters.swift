// SPDX-License-Identifier: Apache-2.0
// Several writers that do not see each other, and files that need a key, by somebody who has not
// read how causes are judged.

import DatabaseRescue
import Diagnosis
import RescueTestSupport
import SQLiteFormat

extension Stage {
  /// Encrypts as ciphers with a random salt do: nothing of the content can be told.
  fileprivate func encrypt(keeping plain: Range<Int> = 0..<0, seed: UInt64) throws {
    try change { file in
      var random = SeededRandom(seed: seed)
      let cipher = random.bytes(file.count)
      for index in file.indices where !plain.contains(index) { file[index] = cipher[index] }
    }
  }
}

extension Scene {
  static let blindWriters: [Scene] = [
    Scene(
      "two machines write to it on a share that does not lock", to: .outbox, is: .severalWriters,
      .damagedLossy, lost: .some, right: .salvage, half: .blind,
      untold: "pages of two moments look the same, whoever wrote them"
    ) { stage in
      let base = try stage.database.contents()
      let other = try stage.aside("other.db")
      try stage.write(
        "DELETE FROM visit WHERE minutes % 3 = 0",
        "UPDATE outbox SET sent = 1, payload = payload || ' (sent)' WHERE sent = 0")
      try stage.write(
        "UPDATE visit SET report = report || ' (office)' || report WHERE minutes % 2 = 0",
        "INSERT INTO outbox SELECT 'o' || id, kind, payload, 0 FROM outbox", at: other)
      try stage.remember()
      try stage.remember(other)
      let (first, second) = (try stage.database.contents(), try other.contents())
      var file = Bytes(second)
      for start in stride(from: 0, to: min(base.count, first.count), by: 8192) {
        let range = start..<(start + 8192)
        // Who wrote last stays; each wrote only the pages that it had changed.
        if base[range] == second[range] || start % 3 == 0 {
          file.replaceSubrange(range, with: first[range])
        }
      }
      stage.alteredMax = .max
      try stage.database.replaceContents(with: file)
    },
    Scene(
      "a sync program brings blocks of another machine's file into the open one", to: .till,
      is: .severalWriters, also: [.copiedWhileWritten], .damagedLossy, lost: .some,
      right: .salvage, half: .blind
    ) { stage in
      // Receipts and lines have as many columns, and a page of the one can come to the other.
      stage.alteredMax = .max
      let other = try stage.aside("other.db")
      try stage.write(
        "DELETE FROM line WHERE receipt % 3 = 0",
        "UPDATE line SET article = article || ' / counter' WHERE receipt % 2 = 0", at: other)
      try stage.write(
        "INSERT INTO receipt (closed, total) SELECT closed || ' b', total FROM receipt",
        "INSERT INTO line (receipt, article, cents) SELECT receipt + 300, 'b ' || article, cents FROM line"
      )
      try stage.remember(other)
      try stage.remember()
      let (here, there) = (try stage.database.contents(), try other.contents())
      try stage.folder.appending("app.sync-conflict-20260307-181402-ABCDEF7.db")
        .replaceContents(with: there)
      try stage.overwrite(at: 32768, with: there[32768..<98304])
      try stage.folder.appending(".syncthing.app.db.tmp").replaceContents(
        with: Bytes(here[..<65536]))
    },
    Scene(
      "two tills write to one file on a network share", to: .till, is: .severalWriters,
      .damagedLossy, lost: .some, right: .salvage, half: .blind, untold: .severalMoments
    ) { stage in
      stage.alteredMax = .max
      let base = try stage.database.contents()
      let other = try stage.aside("other.db")
      try stage.write(
        "INSERT INTO line (receipt, article, cents) SELECT no, 'till 1: ' || no, 100 FROM receipt",
        "DELETE FROM line WHERE cents % 5 = 0 AND receipt < 100")
      try stage.write(
        "INSERT INTO receipt (closed, total) SELECT 'till 2', total FROM receipt WHERE no < 200",
        "UPDATE line SET article = article || ' (till 2)' WHERE id % 4 = 0", at: other)
      try stage.remember(other)
      try stage.remember()
      let (first, second) = (try stage.database.contents(), try other.contents())
      // The second writes the pages that it has changed over those of the first.
      var file = first + second.dropFirst(first.count)
      for start in stride(from: 0, to: second.count, by: 1024)
      where start >= base.count || base[start..<(start + 1024)] != second[start..<(start + 1024)] {
        file.replaceSubrange(start..<(start + 1024), with: second[start..<(start + 1024)])
      }
      try stage.database.replaceContents(with: file)
      // What the share's client made of a journal that was removed while it was open.
      try stage.folder.appending(".nfs0000000003c2a4f100000012")
        .replaceContents(with: Bytes(repeating: 0, count: 512))
    },
    Scene(
      "a drive keeps what a second laptop wrote as a conflicted copy", to: .wiki,
      is: .severalWriters, .healthy, lost: .some, right: .nothing, half: .blind
    ) { stage in
      let copy = stage.folder.appending("app (Anna's conflicted copy 2026-03-01).db")
      try copy.replaceContents(with: stage.database.contents())
      try stage.write("UPDATE page SET body = body || ' from home' WHERE id < 30")
      try stage.remember()
      try stage.write("INSERT INTO page (title, body) VALUES ('Holiday', 'at work')", at: copy)
      try stage.remember(copy)
    },
    Scene(
      "two containers have one volume, and each its own -shm", to: .tracker, is: .severalWriters,
      .damagedLossy, lost: .some, right: .salvage, half: .blind,
      untold: "a page of the log of which bytes were changed breaks it at the same place"
    ) { stage in
      // The commits of the second stand behind a break of the log, where SQLite reads none.
      // Both go on from the same frames, and the second writes over the end of the first's.
      try stage.crash(after: "UPDATE issues SET subject = 'x' || subject WHERE id < 20")
      let other = stage.wings.appending("other.db")
      try stage.database.copyFileSet(to: other)
      let main = try stage.database.contents()
      var logs: [Bytes] = []
      for (path, change) in [
        (stage.database, "INSERT INTO comments (issue_id, body) VALUES (1, 'by the first')"),
        (other, "UPDATE comments SET body = body || ' by the second'"),
      ] {
        let connection = try Connection(path, mode: .app)
        try connection.execute("PRAGMA wal_autocheckpoint = 0")
        try connection.execute(change)
        try stage.remember(path)
        logs.append(try path.adding(suffix: "-wal").contents())
      }
      guard logs[1].count > logs[0].count else { throw UnfitFixture("the second wrote less") }
      try stage.database.removeFileSet()
      try stage.database.replaceContents(with: main)
      try stage.wal.replaceContents(with: logs[0] + logs[1].dropFirst(logs[0].count))
    },
  ]

  static let blindKeys: [Scene] = [
    Scene(
      "the key of a messenger is lost with its keychain", to: .chat, is: .encrypted, .unreadable,
      lost: .nothing, right: nil, half: .blind
    ) { try $0.encrypt(seed: 31) },
    Scene(
      "an app shared with its extension leaves 32 bytes of the header plain", to: .fitness,
      is: .encrypted, .unreadable, lost: .nothing, right: nil, half: .blind
    ) { stage in
      try stage.encrypt(keeping: 0..<32, seed: 32)
      // What such ciphers keep at the end of each page is told by the header.
      try stage.change { $0[20] = 80 }
    },
    Scene(
      "another cipher leaves bytes 16 to 23 plain", to: .outbox, is: .encrypted, .unreadable,
      lost: .nothing, right: nil, half: .blind
    ) { stage in
      try stage.encrypt(keeping: 16..<24, seed: 33)
      try stage.change { $0[20] = 32 }
    },
    Scene(
      "an encrypted file of a phone whose app was killed, with its log", to: .tracker,
      is: .encrypted, .unreadable, lost: .nothing, right: nil, half: .blind
    ) { stage in
      try stage.crash(after: "UPDATE issues SET subject = 'x' || subject WHERE id < 90")
      try stage.encrypt(seed: 34)
      try stage.change(stage.wal) { log in
        var random = SeededRandom(seed: 35)
        let frames = LogFrames(log)
        for frame in 0..<frames.count {
          let start = frames.start(of: frame) + 24
          log.replaceSubrange(
            start..<(start + frames.pageSize), with: random.bytes(frames.pageSize))
        }
        log = JournalBytes.withSalts((0x1234_5678, 0x9ABC_DEF0), wal: log)
      }
    },
  ]
}
