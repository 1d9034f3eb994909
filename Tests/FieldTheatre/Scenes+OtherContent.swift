// SPDX-License-Identifier: Apache-2.0
// Files that are something else than their names say, or cannot be read without a key.

import DatabaseRescue
import Diagnosis
import RescueTestSupport
import SQLiteFormat

extension Scene {
  /// A file with other content altogether.
  private static func content(
    _ name: String, _ program: Program, _ cause: CauseKind = .otherContent,
    _ make: @escaping @Sendable (Stage) throws -> Bytes
  ) -> Scene {
    Scene(name, to: program, is: cause, .unreadable, lost: .everything, right: nil) { stage in
      try stage.database.replaceContents(with: make(stage))
    }
  }

  static let otherContent: [Scene] = [
    content("a login page was downloaded instead", .mediaManager) { _ in
      Bytes("<!DOCTYPE html>\n<html><head><title>Sign in</title></head><body></body></html>\n".utf8)
    },
    content("git checked out a pointer, and the file is in LFS", .django) { _ in
      Bytes(
        "version https://git-lfs.github.com/spec/v1\noid sha256:4d7a2146\nsize 12345\n".utf8)
    },
    content("the answer of a server that refused", .workflows) { _ in
      Bytes("{\"error\":{\"code\":403,\"message\":\"access denied\"}}\n".utf8)
    },
    content("a zip was renamed to app.db", .room) { _ in
      var random = SeededRandom(seed: 4)
      return Bytes("PK\u{3}\u{4}".utf8) + [20, 0, 0, 0, 8, 0] + random.bytes(9000)
    },
    content("a Realm database of the former app", .grdb) { _ in
      Bytes(repeating: 0, count: 16) + Bytes("T-DB".utf8) + [9, 9, 0, 1]
        + Bytes(repeating: 7, count: 8168)
    },
    content("one of our own backups is sent in its place", .flashcards, .ownBackup) { stage in
      let backup = try Rescue(world: World(environment: [:])).backUp(
        stage.database, vault: stage.wings.appending("vault"))
      return try backup.value.path.contents()
    },
    content("only the -wal was sent", .messenger, .partOfASet) { stage in
      try stage.crash(after: "UPDATE messages SET body = body || 'x'")
      let log = try stage.wal.contents()
      try SystemStorage().remove(stage.wal)
      return log
    },
    content("only the -journal was sent", .flashcards, .partOfASet) { stage in
      try Leftover.hotJournal(["UPDATE notes SET flds = flds || ' more'"]).leave(at: stage.database)
      let journal = try stage.journal.contents()
      try SystemStorage().remove(stage.journal)
      return journal
    },
    content("the app made the file anew, and was killed", .automation, .emptied) { _ in [] },
    content("space was reserved for a download that never began", .packages, .emptied) { _ in
      Bytes(repeating: 0, count: 65536)
    },
    content("an encrypted database is opened without its key", .messenger, .encrypted) { _ in
      var random = SeededRandom(seed: 11)
      return random.bytes(60 * 4096)
    },
    content("a key was changed, and the old one is tried", .vault, .encrypted) { _ in
      var random = SeededRandom(seed: 12)
      return random.bytes(33 * 1024)
    },
    Scene(
      "an encrypted database keeps its header readable", to: .messenger, is: .encrypted,
      .unreadable, lost: .everything, right: nil
    ) { stage in
      try stage.change { file in
        var random = SeededRandom(seed: 13)
        var secret = random.bytes(file.count)
        secret.replaceSubrange(0..<32, with: file[0..<32])
        secret[20] = 80
        file = secret
      }
    },
    Scene(
      "one page of an encrypted database is cut off", to: .grdb, is: .encrypted, .unreadable,
      lost: .everything, right: nil
    ) { stage in
      var random = SeededRandom(seed: 14)
      try stage.database.replaceContents(with: random.bytes(40 * 4096 - 1024))
    },
  ]
}
