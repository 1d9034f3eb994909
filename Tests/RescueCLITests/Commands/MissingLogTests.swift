// SPDX-License-Identifier: Apache-2.0
// A log that was taken away: the -shm is all that still tells of it.

import DatabaseRescue
import RescueTestSupport
import SQLiteFormat
import Testing

@testable import RescueCLI

@Suite struct MissingLogTests {
  let bench: Workbench
  let file: FilePath

  init() throws {
    bench = try Workbench()
    file = bench["app.db"]
  }

  /// A database and its -shm as a process left them that was killed, and no log.
  private func leave(checkpointed: Bool) throws {
    let app = try Connection(bench["open.db"], mode: .app)
    try app.execute(
      """
      PRAGMA journal_mode = wal; PRAGMA wal_autocheckpoint = 0; CREATE TABLE t (a);
      PRAGMA wal_checkpoint(TRUNCATE);
      WITH RECURSIVE n(i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n WHERE i < 300)
      INSERT INTO t SELECT i FROM n
      """)
    if checkpointed { try app.execute("PRAGMA wal_checkpoint(PASSIVE)") }
    for suffix in ["", "-shm"] {
      try file.adding(suffix: suffix).replaceContents(
        with: bench["open.db"].adding(suffix: suffix).contents())
    }
    withExtendedLifetime(app) {}
  }

  @Test func `nobody calls a database healthy whose log is missing`() throws {
    try leave(checkpointed: false)
    let index = try file.adding(suffix: "-shm").contents()
    let commands: [([any Word], Int32)] = [
      (["check", file], 14), (["diagnose", file], 14), (["backup", file], 14),
      (["salvage", file, "--output", bench["new.db"]], 14),
      (["guard", file, "--", "/bin/sh", "-c", "exit 0"], 14),
    ]
    for (words, status) in commands {
      let ending = try bench.run(words)
      #expect(ending.status == status, "\(words): \(ending.all)")
      #expect(try file.adding(suffix: "-shm").contents() == index, "\(words)")
      #expect(try !file.adding(suffix: "-wal").exists, "\(words)")
    }
    #expect(try bench.run("check", file).output.contains("the -wal is missing"))
  }

  @Test func `a file without a table beside a log of zeros is not all that there was`() throws {
    let app = try Connection(bench["open.db"], mode: .app)
    try app.execute(
      "PRAGMA journal_mode = wal; PRAGMA wal_autocheckpoint = 0; CREATE TABLE t (a); "
        + "INSERT INTO t VALUES (1)")
    try file.replaceContents(with: bench["open.db"].contents())
    let log = try bench["open.db"].adding(suffix: "-wal").contents()
    try file.adding(suffix: "-wal").replaceContents(with: Bytes(repeating: 0, count: log.count))
    withExtendedLifetime(app) {}
    #expect(try bench.run("check", file).status == 14)
    let ending = try bench.run("salvage", file, "--output", bench["new.db"])
    #expect(ending.status == 14, "\(ending.all)")
    #expect(ending.output.contains("rows may be missing"), "\(ending.all)")
    #expect(!ending.output.contains("complete"), "\(ending.all)")
  }

  @Test func `an index whose frames are all in the file is no reason for alarm`() throws {
    try leave(checkpointed: true)
    #expect(try bench.run("check", file).status == 0)
    #expect(try bench.run("salvage", file, "--output", bench["new.db"]).status == 0)
    #expect(try bench.run("backup", file).status == 0)
  }

  @Test func `a database in WAL mode without a table may have had all in the log that is missing`()
    throws
  {
    let app = try Connection(bench["open.db"], mode: .app)
    try app.execute("PRAGMA journal_mode = wal; CREATE TABLE t (a); INSERT INTO t VALUES (1)")
    try file.replaceContents(with: bench["open.db"].contents())
    withExtendedLifetime(app) {}
    let ending = try bench.run("diagnose", file)
    #expect(
      ending.all.contains("its log is missing, and all that was ever written"), "\(ending.all)")
    #expect(ending.all.contains("look for its -wal first"), "\(ending.all)")
    #expect(!ending.all.contains("nothing is wrong"), "\(ending.all)")
  }
}
