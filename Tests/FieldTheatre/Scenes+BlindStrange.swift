// SPDX-License-Identifier: Apache-2.0
// Files that are something else, or hold nothing, by somebody who has not read how causes are
// judged.

import DatabaseRescue
import Diagnosis
import RescueTestSupport
import SQLiteFormat

extension Stage {
  /// The largest file that a backup has put beside the database.
  fileprivate func vaultFile() throws -> FilePath {
    let others = try FolderContents(of: folder).names.filter { !$0.hasPrefix("app.db-") }
      .filter { $0 != "app.db" }.map { folder.appending(FilePath($0)) }
    let sizes = try others.map { ($0, try $0.contents().count) }
    guard let largest = sizes.max(by: { $0.1 < $1.1 }) else {
      throw UnfitFixture("no vault: \(try FolderContents(of: folder).names)")
    }
    return largest.0
  }
}

extension Scene {
  static let blindStrange: [Scene] = [
    Scene(
      "a virus scanner has put a note in its place", to: .outbox, is: .otherContent, .unreadable,
      lost: .everything, right: nil, half: .blind
    ) { stage in
      try stage.change { file in
        file = Bytes(
          """
          SecureShield Endpoint\r\n\r\nThe file "app.db" was infected with HEUR.Trojan.Generic \
          and has been moved to quarantine.\r\nPlease ask your administrator.\r\n
          """.utf8)
      }
    },
    Scene(
      "somebody sends a .dump under the name of the database", to: .tracker, is: .otherContent,
      .unreadable, lost: .everything, right: nil, half: .blind
    ) { stage in
      let lines = try stage.rows(of: stage.database)["issues", default: []].sorted().map {
        "INSERT INTO issues VALUES(\($0));\n"
      }
      try stage.change { file in
        file = Bytes(
          ("PRAGMA foreign_keys=OFF;\nBEGIN TRANSACTION;\nCREATE TABLE issues (id integer, subject varchar, description text);\n"
            + lines.joined() + "COMMIT;\n").utf8)
      }
    },
    Scene(
      "the server's answer that a quota is exceeded was stored as the file", to: .chat,
      is: .otherContent, .unreadable, lost: .everything, right: nil, half: .blind
    ) { stage in
      try stage.change { file in
        file = Bytes(
          #"{"error":{"code":403,"status":"storageQuotaExceeded","message":"The user's quota has been exceeded."}}"#
            .utf8)
      }
    },
    Scene(
      "a phone's camera has its picture under the name", to: .fitness, is: .otherContent,
      .unreadable, lost: .everything, right: nil, half: .blind
    ) { stage in
      try stage.change { file in
        var random = SeededRandom(seed: 11)
        file =
          [0xFF, 0xD8, 0xFF, 0xE1, 0x1C, 0x45] + Bytes("Exif\0\0MM\0*".utf8) + random.bytes(48_211)
          + [0xFF, 0xD9]
      }
    },
    Scene(
      "an old desktop database of another maker", to: .efShop, is: .otherContent, .unreadable,
      lost: .everything, right: nil, half: .blind
    ) { stage in
      try stage.change { file in
        var random = SeededRandom(seed: 12)
        file = [0, 1, 0, 0] + Bytes("Standard Jet DB\0".utf8) + random.bytes(4096 * 9 - 20)
      }
    },
    Scene(
      "a thin volume comes back without its blocks: zeros of the whole length", to: .outbox,
      is: .emptied, .unreadable, lost: .everything, right: nil, half: .blind
    ) { stage in try stage.change { $0 = Bytes(repeating: 0, count: $0.count) } },
    Scene(
      "the rebuild of a list on a full partition leaves nothing of the file", to: .packages,
      is: .emptied, also: [.diskFull], .unreadable, lost: .everything, right: nil, half: .blind
    ) { stage in
      try stage.change { $0 = [] }
      stage.storage = StagedDisk(free: 0)
    },
    Scene(
      "a program opened it for writing and died, and there is a backup of this morning",
      to: .ebooks, is: .emptied, .unreadable, lost: .nothing, right: .restore, half: .blind
    ) { stage in
      try stage.backUp()
      try stage.change { $0 = [] }
    },
    Scene(
      "the backup tool's own file is sent instead of the database", to: .ebooks, is: .ownBackup,
      .unreadable, lost: .nothing, right: nil, half: .blind
    ) { stage in
      try stage.backUp()
      let backup = try stage.vaultFile().contents()
      try stage.database.replaceContents(with: backup)
      try SystemStorage().rename(
        stage.folder.appending("app.db.rescue"), to: stage.wings.appending("app.db.rescue"))
    },
    Scene(
      "somebody opens a file of the vault where it lies", to: .tracker, is: .ownBackup,
      .unreadable, lost: .nothing, right: nil, half: .blind
    ) { stage in
      try stage.backUp()
      stage.subject = try stage.vaultFile()
    },
    Scene(
      "only the -wal is sent, under the name of the database", to: .tracker, is: .partOfASet,
      .unreadable, lost: .some, right: nil, half: .blind
    ) { stage in
      try stage.crash(after: "UPDATE issues SET description = description || '!' WHERE id < 50")
      let log = try stage.wal.contents()
      try stage.database.removeFileSet()
      try stage.database.replaceContents(with: log)
    },
    Scene(
      "only the journal of a crash is left", to: .till, is: .partOfASet, .unreadable, lost: .some,
      right: nil, half: .blind
    ) { stage in
      try Leftover.hotJournal(["UPDATE line SET article = 'sold ' || article"])
        .leave(at: stage.database)
      try SystemStorage().remove(stage.database)
      stage.subject = stage.journal
    },
    Scene(
      "support is sent a folder with nothing but app.db-wal", to: .fitness, is: .partOfASet,
      .unreadable, lost: .some, right: nil, half: .blind
    ) { stage in
      try stage.crash(after: "INSERT INTO goal (title) SELECT title || ' more' FROM goal")
      try SystemStorage().remove(stage.database)
      stage.subject = stage.wal
    },
  ]
}
