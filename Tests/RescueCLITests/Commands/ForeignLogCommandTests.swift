// SPDX-License-Identifier: Apache-2.0
// What every command does with a database beside which another one's log lies.

import DatabaseRescue
import RescueTestSupport
import SQLiteFormat
import Testing

@testable import RescueCLI

@Suite struct ForeignLogCommandTests {
  let bench: Workbench
  let file: FilePath

  init() throws {
    bench = try Workbench()
    file = bench["app.db"]
    let rows = "WITH RECURSIVE n(i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n WHERE i < 300)"
    try DatabaseBuilder(
      pageSize: 1024, journal: .wal,
      ["CREATE TABLE t (a, b)", "\(rows) INSERT INTO t SELECT i, hex(zeroblob(20)) FROM n"]
    ).build(at: file)
    let other = bench["other.db"]
    try DatabaseBuilder(
      pageSize: 1024, journal: .wal,
      ["CREATE TABLE t (z, y)", "INSERT INTO t VALUES (1, 2), (3, 4)"],
      leftover: .wal(["UPDATE t SET y = 1 WHERE z = 3"])
    ).build(at: other)
    try file.adding(suffix: "-wal").replaceContents(
      with: other.adding(suffix: "-wal").contents())
  }

  @Test func `it is no sound database, and the log is to be moved away`() throws {
    for verb in ["check", "diagnose"] {
      let ending = try bench.run(verb, file)
      #expect(ending.status == 13)
      #expect(ending.output.contains("DBR-F043"))
      let log = file.adding(suffix: "-wal")
      #expect(ending.output.contains("next: mv \(log) \(log).set-aside"))
      #expect(ending.output.contains("undo: mv \(log).set-aside \(log)"))
    }
  }

  @Test func `it is moved to no name that is taken`() throws {
    let log = file.adding(suffix: "-wal")
    try log.adding(suffix: ".set-aside").replaceContents(with: [1])
    for verb in ["check", "diagnose"] {
      #expect(try bench.run(verb, file).output.contains("next: mv \(log) \(log).set-aside-2\n"))
    }
    let ending = try bench.run("guard", file, "--", "/bin/sh", "-c", "exit 0")
    #expect(ending.error.contains("mv \(log) \(log).set-aside-2\n"), "\(ending.all)")
    #expect(try log.exists)
  }

  @Test func `to move it away is a command in JSON, too`() throws {
    let first = try bench.run("diagnose", file, "--json").json["options"]?.elements.first
    #expect(first?["name"]?.text == "nothing")
    #expect(first?["command"]?.text == "mv app.db-wal app.db-wal.set-aside")
    #expect(first?["summary"]?.text?.contains("FILE-wal.set-aside") == true)
  }

  @Test func `a backup keeps the files as they are, and is not good`() throws {
    let before = try [file, file.adding(suffix: "-wal")].map { try $0.contents() }
    let ending = try bench.run("backup", file, "--json")
    #expect(ending.status == 14)
    #expect(try ending.backup["good"]?.bool == false)
    #expect(ending.output.contains("readable by SQLite"))
    #expect(try [file, file.adding(suffix: "-wal")].map { try $0.contents() } == before)
  }

  @Test func `no migration is started, and the log does no harm any more`() throws {
    let log = file.adding(suffix: "-wal")
    let aside = file.adding(suffix: "-wal.set-aside")
    let before = try [file, log].map { try $0.contents() }
    let ending = try bench.run("guard", file, "--", "/bin/sh", "-c", "exit 0")
    #expect(ending.status == 13)
    #expect(ending.error.contains("mv \(aside) \(log)"), "\(ending.all)")
    #expect(try !bench["app.db.rescue"].exists)
    #expect(try !log.exists)
    #expect(try [file, aside].map { try $0.contents() } == before)
    #expect(try Oracle(file).count(of: "t") == 300)
  }

  @Test func `a log stays where its new name is taken`() throws {
    let log = file.adding(suffix: "-wal")
    let aside = file.adding(suffix: "-wal.set-aside")
    try aside.replaceContents(with: [1, 2, 3])
    let ending = try bench.run("guard", file, "--", "/bin/sh", "-c", "exit 0")
    #expect(ending.status == 13)
    #expect(ending.error.contains("nothing was changed"), "\(ending.all)")
    #expect(try log.exists)
    #expect(try aside.contents() == [1, 2, 3])
  }

  @Test func `a salvage has the rows of the file, and sets those of the log aside`() throws {
    let output = bench["new.db"]
    let ending = try bench.run("salvage", file, "--output", output)
    #expect(ending.status == 14)
    #expect(try Oracle(output).count(of: "t") == 300)
    let aside = try Oracle(output.adding(suffix: ".quarantine.db"))
    #expect(try aside.value("SELECT count(*) FROM rows") == .integer(2))
  }
}
