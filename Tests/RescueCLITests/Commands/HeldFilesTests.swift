// SPDX-License-Identifier: Apache-2.0
// A log, or a database, that was deleted or moved away under a process which holds it.
#if os(Linux)
  import DatabaseRescue
  import Glibc
  import RescueTestSupport
  import SQLiteFormat
  import Testing

  @testable import RescueCLI

  @Suite struct HeldFilesTests {
    let bench: Workbench
    let file: FilePath
    let process = "\(getpid())"

    init() throws {
      bench = try Workbench()
      file = bench["app.db"]
    }

    /// A connection that has committed rows to a log, and stays open.
    private func holder() throws -> Connection {
      let connection = try Connection(file, mode: .app)
      try connection.execute(
        """
        PRAGMA journal_mode = wal; CREATE TABLE t (a);
        PRAGMA wal_checkpoint(TRUNCATE);
        WITH RECURSIVE n(i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n WHERE i < 300)
        INSERT INTO t SELECT i FROM n
        """)
      return connection
    }

    @Test func `a database at work with its own log is nothing to be alarmed about`() throws {
      let holder = try holder()
      #expect(try bench.run("check", file).status == 0)
      #expect(try bench.run("backup", file).status == 0)
      #expect(try holder.value("SELECT count(*) FROM t") == .integer(300))
    }

    @Test(arguments: ["deleted", "moved", "replaced"])
    func `nothing goes on with a database whose log is elsewhere`(_ fate: String) throws {
      let holder = try holder()
      let storage = SystemStorage()
      let log = file.adding(suffix: "-wal")
      if fate == "moved" {
        try storage.rename(log, to: bench["elsewhere"])
      } else {
        let bytes = try log.contents()
        try storage.remove(log)
        if fate == "replaced" { try log.replaceContents(with: bytes) }
      }
      let before = try bench.look()
      let check = try bench.run("check", file)
      #expect(check.status == 14, "\(check.all)")
      #expect(check.output.contains("DBR-F125"))
      let words = check.output.split { $0 == " " || $0 == "\n" }.joined(separator: " ")
      #expect(words.contains("sound, but a process goes on with a file that is not here"))
      #expect(check.output.contains("--from-process \(process)"))
      let commands: [[any Word]] = [
        ["backup", file], ["recover", file, "--choose", "salvage", "--yes"],
        ["guard", file, "--", "/bin/sh", "-c", "exit 0"],
        ["salvage", file, "--output", bench["new.db"]],
      ]
      for words in commands {
        let ending = try bench.run(words)
        #expect(ending.status == 75, "\(ending.all)")
        #expect(ending.error.contains("--from-process \(process)"))
      }
      #expect(try before.changes(until: bench.look()) == [])
      #expect(try holder.value("SELECT count(*) FROM t") == .integer(300))
    }

    @Test(arguments: [[""], ["", "-wal", "-shm"]])
    func `a database that was deleted under a process is not just missing`(
      _ suffixes: [String]
    ) throws {
      let holder = try holder()
      for suffix in suffixes { try SystemStorage().remove(file.adding(suffix: suffix)) }
      let commands: [[any Word]] = [
        ["check", file], ["diagnose", file], ["backup", file],
        ["salvage", file, "--output", bench["new.db"]],
      ]
      for words in commands {
        let ending = try bench.run(words)
        #expect(ending.status == 75, "\(ending.all)")
        #expect(ending.error.contains("--from-process \(process)"), "\(ending.all)")
      }
      #expect(try holder.value("SELECT count(*) FROM t") == .integer(300))
    }

    @Test func `what a process has open of a deleted log is captured`() throws {
      let holder = try holder()
      for suffix in ["-wal", "-shm"] { try SystemStorage().remove(file.adding(suffix: suffix)) }
      let output = bench["new.db"]
      let salvage = try bench.run("salvage", file, "--output", output, "--from-process", process)
      #expect(salvage.status == 0, "\(salvage.all)")
      #expect(try Oracle(output).count(of: "t") == 300)
      let backup = try bench.run("backup", file, "--from-process", process, "--json")
      #expect(backup.status == 0, "\(backup.all)")
      let path = FilePath(try #require(try backup.backup["path"]?.text))
      let restored = bench["restored.db"]
      #expect(
        try bench.run("vault", "extract", path, "--output", restored).status == 0)
      #expect(try Oracle(restored).count(of: "t") == 300)
      #expect(try !file.adding(suffix: "-wal").exists, "no log is made")
      #expect(try holder.value("SELECT count(*) FROM t") == .integer(300))
    }

    @Test func `a database that was moved away with its log is that of the process`() throws {
      let holder = try holder()
      for suffix in ["-wal", "-shm"] { try SystemStorage().remove(file.adding(suffix: suffix)) }
      try SystemStorage().rename(file, to: bench["app.db.1"])
      try DatabaseBuilder(["CREATE TABLE t (a)"]).build(at: file)
      let check = try bench.run("check", file)
      #expect(check.status == 14, "\(check.all)")
      #expect(check.output.contains("--from-process \(process)"))
      let output = bench["new.db"]
      let salvage = try bench.run("salvage", file, "--output", output, "--from-process", process)
      #expect(salvage.status == 0, "\(salvage.all)")
      #expect(try Oracle(output).count(of: "t") == 300)
      #expect(try holder.value("SELECT count(*) FROM t") == .integer(300))
    }

    @Test func `a journal that is deleted in a transaction is told`() throws {
      try DatabaseBuilder(["CREATE TABLE t (a)", "INSERT INTO t VALUES (1)"]).build(at: file)
      let holder = try Connection(file, mode: .app)
      try holder.execute("BEGIN IMMEDIATE; UPDATE t SET a = 2")
      #expect(try bench.run("check", file).output.contains("DBR-F125") == false)
      try SystemStorage().remove(file.adding(suffix: "-journal"))
      let check = try bench.run("check", file)
      #expect(check.output.contains("DBR-F125"), "\(check.all)")
      try holder.execute("ROLLBACK")
    }

    @Test func `a process that does not have the database open has nothing of it`() throws {
      try DatabaseBuilder(["CREATE TABLE t (a)"]).build(at: file)
      let ending = try bench.run(
        "salvage", file, "--output", bench["new.db"], "--from-process", process)
      #expect(ending.status == 66)
    }
  }
#endif
