// SPDX-License-Identifier: Apache-2.0
// Copying out of databases that others write to, and into databases that others read.

import DatabaseRescue
import Dispatch
import RescueTestSupport
import SQLiteFormat
import Synchronization
import Testing

@Suite(.timeLimit(.minutes(30))) struct OnlineBackupTests {
  /// The sum of what a database holds, for comparing.
  static func content(_ path: FilePath) throws -> [[Value]] {
    let connection = try Connection(path, mode: .readWrite, schemaBy: .us)
    #expect(try connection.value("PRAGMA integrity_check") == .text("ok"))
    return try connection.rows("SELECT count(*), total(length(body)), max(body) FROM note")
  }

  @Test(arguments: [512, 1024, 2048, 4096, 8192, 16384, 32768, 65536])
  func `the copy has the page size and content of its source`(pageSize: Int) throws {
    let scratch = try ScratchFolder()
    let source = try scratch.database(pageSize: pageSize)
    let copy = scratch["copy.db"]
    try OnlineBackup.image(of: source, into: copy)
    let bytes = try copy.contents()
    #expect(try bytes.count == source.contents().count)
    #expect(bytes.count % pageSize == 0)
    #expect(try Self.content(copy) == Self.content(source))
    #expect(
      try Connection(copy, mode: .readOnly, schemaBy: .us).value("PRAGMA user_version")
        == .integer(7))
  }

  @Test func `what is only in the WAL is copied, and all files stay as they are`() throws {
    let scratch = try ScratchFolder()
    let live = try scratch.database("live.db", journalMode: "wal")
    let writer = try Connection(live, mode: .readWrite, schemaBy: .us)
    try writer.execute("PRAGMA wal_autocheckpoint = 0; INSERT INTO note(body) VALUES ('last')")
    // A copy of main file and WAL without their users, as after a crash.
    let source = scratch["crashed.db"]
    try source.replaceContents(with: live.contents())
    try source.adding(suffix: "-wal").replaceContents(with: live.adding(suffix: "-wal").contents())
    let before = try (source.contents(), source.adding(suffix: "-wal").contents())
    #expect(!before.1.isEmpty)

    let copy = scratch["copy.db"]
    try OnlineBackup.image(of: source, into: copy)
    #expect(!scratch.names().contains("copy.db-wal"))
    #expect(try Self.content(copy) == [[.integer(65), .real(64004), .text("last")]])
    let after = try (source.contents(), source.adding(suffix: "-wal").contents())
    #expect(after == before)
  }

  @Test func `a WAL database that was closed cleanly gets no files beside it`() throws {
    let scratch = try ScratchFolder()
    let source = try scratch.database(journalMode: "wal")
    let before = try source.contents()
    try OnlineBackup.image(of: source, into: scratch["copy.db"])
    #expect(scratch.names() == ["app.db", "copy.db"])
    #expect(try source.contents() == before)
  }

  @Test(arguments: ["wal", "delete"]) func `a copy beside a busy writer finishes and is sound`(
    journalMode: String
  ) throws {
    let scratch = try ScratchFolder()
    let source = try scratch.database(journalMode: journalMode, kibibytes: 2000)
    let commits = Mutex(0)
    let isDone = Mutex(false)
    let group = DispatchGroup()
    DispatchQueue.global().async(group: group) {
      guard let writer = try? Connection(source, mode: .readWrite, schemaBy: .us) else { return }
      writer.wait(milliseconds: 20)
      try? writer.execute("PRAGMA synchronous = OFF")
      while !isDone.withLock({ $0 }) {
        // Both rows or none: a copy that mixes two moments breaks the pairs.
        let pair = """
          BEGIN IMMEDIATE; INSERT INTO note(body) VALUES ('pair');
          INSERT INTO note(body) VALUES ('pair'); COMMIT
          """
        do {
          try writer.execute(pair)
          commits.withLock { $0 += 1 }
        } catch {
          try? writer.execute("ROLLBACK")
        }
      }
    }
    while commits.withLock({ $0 }) < 3 {}
    for round in 0..<5 {
      let copy = scratch[FilePath("copy\(round).db")]
      try OnlineBackup.image(of: source, into: copy, wait: .seconds(20))
      let connection = try Connection(copy, mode: .readWrite, schemaBy: .us)
      #expect(try connection.value("PRAGMA integrity_check") == .text("ok"))
      let pairs = try connection.value("SELECT count(*) FROM note WHERE body = 'pair'")
      #expect((pairs?.integerValue ?? 1) % 2 == 0)
    }
    isDone.withLock { $0 = true }
    group.wait()
    #expect(commits.withLock { $0 } >= 3)
  }

  @Test func `a lock that is held gives busy after the wait, and not before`() throws {
    let scratch = try ScratchFolder()
    let source = try scratch.database()
    let holder = try Connection(source, mode: .readWrite, schemaBy: .us)
    try holder.execute("BEGIN EXCLUSIVE")
    let clock = ContinuousClock()
    let start = clock.now
    let error = #expect(throws: RescueError.self) {
      try OnlineBackup.image(
        of: source, into: scratch["copy.db"], wait: .milliseconds(300))
    }
    #expect(error?.kind == .busy)
    let waited = clock.now - start
    #expect(waited >= .milliseconds(250) && waited < .seconds(20))
    try holder.execute("ROLLBACK")
  }

  @Test func `what SQLite cannot read is told from what is not there`() throws {
    let scratch = try ScratchFolder()
    let copy = scratch["copy.db"]
    try scratch["noise.db"].replaceContents(with: Bytes(repeating: 0x5A, count: 8192))
    let noise = #expect(throws: RescueError.self) {
      try OnlineBackup.image(of: scratch["noise.db"], into: copy)
    }
    #expect(noise?.kind == .invalidInput)
    let missing = #expect(throws: RescueError.self) {
      try OnlineBackup.image(of: scratch["missing.db"], into: copy)
    }
    #expect(missing?.kind == .missing)
    #expect(!scratch.names().contains("missing.db"))
  }

  @Test(arguments: ["wal", "delete"]) func `peers of a live database see what was copied into it`(
    journalMode: String
  ) throws {
    let scratch = try ScratchFolder()
    let good = try scratch.database("good.db", kibibytes: 10)
    let live = try scratch.database("live.db", journalMode: journalMode, kibibytes: 50)
    let peer = try Connection(live, mode: .readWrite, schemaBy: .us)
    #expect(try peer.value("SELECT count(*) FROM note") == .integer(50))
    let before = try good.contents()
    try OnlineBackup.copy(from: good, into: live)
    #expect(try peer.value("SELECT count(*) FROM note") == .integer(10))
    #expect(try peer.value("PRAGMA integrity_check") == .text("ok"))
    #expect(try peer.value("PRAGMA journal_mode") == .text(journalMode))
    #expect(try good.contents() == before)
  }

  @Test func `a writer is seen, and a reader is not taken for one`() throws {
    let scratch = try ScratchFolder()
    let database = try scratch.database()
    #expect(try !OnlineBackup.hasWriter(database))
    let peer = try Connection(database, mode: .readWrite, schemaBy: .us)
    try peer.execute("BEGIN; SELECT 1 FROM note")
    #expect(try !OnlineBackup.hasWriter(database))
    try peer.execute("INSERT INTO note(body) VALUES ('x')")
    #expect(try OnlineBackup.hasWriter(database))
    try peer.execute("ROLLBACK")
    #expect(try !OnlineBackup.hasWriter(database))
  }

  @Test func `copying into a database that is in use waits, then says busy`() throws {
    let scratch = try ScratchFolder()
    let good = try scratch.database("good.db", kibibytes: 10)
    let live = try scratch.database("live.db", kibibytes: 50)
    let peer = try Connection(live, mode: .readWrite, schemaBy: .us)
    try peer.execute("BEGIN IMMEDIATE; INSERT INTO note(body) VALUES ('x')")
    let error = #expect(throws: RescueError.self) {
      try OnlineBackup.copy(from: good, into: live, wait: .milliseconds(100))
    }
    #expect(error?.kind == .busy)
    try peer.execute("COMMIT")
    #expect(try peer.value("SELECT count(*) FROM note") == .integer(51))
  }

  @Test func `another page size cannot go into a live WAL database, and changes nothing`() throws {
    let scratch = try ScratchFolder()
    let good = try scratch.database("good.db", pageSize: 1024, kibibytes: 10)
    let live = try scratch.database("live.db", journalMode: "wal", kibibytes: 50)
    let error = #expect(throws: RescueError.self) {
      try OnlineBackup.copy(from: good, into: live)
    }
    #expect(error?.kind == .cannotWrite)
    #expect(try Self.content(live).first?.first == .integer(50))
  }
}
