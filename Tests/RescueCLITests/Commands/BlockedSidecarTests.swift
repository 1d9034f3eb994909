// SPDX-License-Identifier: Apache-2.0
// A database that SQLite cannot use for a folder where its log, journal or index would lie.

import DatabaseRescue
import RescueTestSupport
import SQLiteFormat
import Testing

@testable import RescueCLI

@Suite struct BlockedSidecarTests {
  let bench: Workbench
  let file: FilePath

  init() throws {
    bench = try Workbench()
    file = bench["app.db"]
    try DatabaseBuilder(["CREATE TABLE t (a)", "INSERT INTO t VALUES (1), (2), (3)"]).build(
      at: file)
  }

  @Test(arguments: ["-wal", "-journal"])
  func `it is not healthy, and what is in the way is to be moved`(_ suffix: String) throws {
    let blocking = file.adding(suffix: suffix)
    try SystemStorage().createFolder(blocking)
    #expect(throws: (any Error).self) { try Self.rows(of: file) }
    for verb in ["check", "diagnose"] {
      let ending = try bench.run(verb, file)
      #expect(ending.status == 13)
      #expect(ending.output.contains("DBR-F128"))
      #expect(ending.output.contains("next: mv \(blocking) \(blocking).set-aside"))
    }
    let first = try bench.run("diagnose", file, "--json").json["options"]?.elements.first
    #expect(first?["name"]?.text == "nothing")
    #expect(first?["command"]?.text == "mv app.db\(suffix) app.db\(suffix).set-aside")
    try SystemStorage().renameWithoutReplacing(blocking, to: blocking.adding(suffix: ".set-aside"))
    #expect(try bench.run("check", file).status == 0)
    #expect(try Self.rows(of: file) == 3)
  }

  @Test func `a folder in the place of the index counts in WAL mode alone`() throws {
    try SystemStorage().createFolder(file.adding(suffix: "-shm"))
    #expect(try bench.run("check", file).status == 0)
    #expect(try Self.rows(of: file) == 3)
    let logged = bench["logged.db"]
    try DatabaseBuilder(journal: .wal, ["CREATE TABLE t (a)", "INSERT INTO t VALUES (1)"])
      .build(at: logged)
    try SystemStorage().createFolder(logged.adding(suffix: "-shm"))
    #expect(throws: (any Error).self) {
      try Connection(logged, mode: .app).execute("INSERT INTO t VALUES (2)")
    }
    #expect(try bench.run("check", logged).status == 13)
  }

  @Test func `a backup says what is in its way`() throws {
    let blocking = file.adding(suffix: "-wal")
    try SystemStorage().createFolder(blocking)
    let ending = try bench.run("backup", file)
    #expect(ending.status == 65)
    #expect(ending.error.contains("a folder lies where SQLite looks for the -wal"))
    #expect(ending.error.contains("mv \(blocking) \(blocking).set-aside"))
  }

  /// What SQLite counts.
  private static func rows(of file: FilePath) throws -> Int {
    try Connection(file, mode: .readWrite, schemaBy: .us).rows("SELECT * FROM t").count
  }
}
