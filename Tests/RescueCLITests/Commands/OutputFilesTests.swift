// SPDX-License-Identifier: Apache-2.0
// No command writes over what it reads, or beside it as its journal; nor over its own other output.

import DatabaseRescue
import RescueTestSupport
import SQLiteFormat
import Testing

@Suite struct OutputFilesTests {
  let bench: Workbench
  init() throws { bench = try Workbench() }

  /// A command that writes a file, and the status that refuses it.
  struct Line: Sendable, CustomTestStringConvertible {
    let words: [String]
    var status: Int32 = 64
    var testDescription: String { words.joined(separator: " ") }

    init(_ line: String, status: Int32 = 64) {
      words = line.split(separator: " ").map(String.init)
      self.status = status
    }
  }

  /// Files to read, by name: databases, links to them, a backup and a contract.
  @discardableResult
  private func place() throws -> FilePath {
    for name in ["a.db", "b.db", "x.quarantine.db", "a.html", "log.db"] as [FilePath] {
      try bench.place("wrong-page.db", as: name)
    }
    try bench.place("healthy-v4.db", as: "good.db")
    try #require(try bench.run("backup", bench["good.db"], "--vault", bench["vault"]).status == 0)
    let vault = bench["vault"]
    let backup = try #require(
      try SystemStorage().names(in: vault).first { $0.hasSuffix(".db.gz") })
    try bench["good.gz"].replaceContents(with: vault.appending(backup).contents())
    try bench["s.sql"].replaceContents(with: Bytes("CREATE TABLE t (a);".utf8))
    try bench["saved-wal"].replaceContents(with: [])
    let link = try SystemStorage().link(bench["a.db"], to: bench["same.db"])
    for (target, name) in [("a.db", "link.db"), ("files", "../here")] {
      try #require(
        try Command("/bin/ln", ["-s", target, bench[FilePath(name)].description]).run().status == 0)
    }
    try #require(link)
    return vault.appending(backup)
  }

  static let salvages = [
    "a.db --output a.db", "a.db --output same.db", "a.db --output link.db", "link.db --output a.db",
    "a.db --output ../here/a.db", "a.db --output ./a.db", "a.db --output a.db-wal",
    "a.db --output a.db-WAL", "a.db --output a.db-journal", "a.db --output a.db-shm",
    "link.db --output a.db-wal", "link.db --output link.db-wal", "a.db --output ../here/A.DB-WAL",
    "same.db --output a.db", "a.db --backup b.db --output b.db",
    "a.db --backup good.gz --output good.gz", "a.db --schema s.sql --output s.sql",
    "a.db --backup b.db --output b.db-wal", "a.db --schema good.db --output good.db",
    "a.db --wal saved-wal --output saved-wal", "x.quarantine.db --output x",
    "a.db --output n.db --report a.html --schema a.html",
    "a.html --output n.db --report a.html", "a.db --output n.html --report n.html",
    "b.db --backup x.quarantine.db --output x",
  ].map { Line("salvage \($0) --force") }

  static let others = [
    Line("diagnose a.html --report a.html"), Line("diagnose a.html --report a.html --force"),
    Line("diagnose a.db --contract a.html --report a.html --force"),
    Line("diagnose b.db --report a.html", status: 73),
    Line("salvage b.db --output n.db --report a.html", status: 73),
    Line("salvage b.db --output a.db", status: 73),
    Line("salvage b.db --output x", status: 73),
    Line("contract capture good.db --output good.db-wal"),
    Line("contract capture good.db --output good.db"),
    Line("contract capture good.db --output s.sql", status: 73),
    Line("restore good.db --from BACKUP --output BACKUP"),
    Line("restore good.db --from BACKUP --output good.db-wal"),
    Line("restore good.db --from BACKUP --output good.db"),
    Line("restore good.db --from BACKUP --output b.db", status: 73),
    Line("vault extract good.gz --output good.gz"),
    Line("vault extract good.gz --output good.gz-wal"),
    Line("vault extract good.gz --output b.db", status: 73),
  ]

  @Test(arguments: salvages + others)
  func `no output is an input`(_ line: Line) throws {
    let backup = try place()
    let before = try bench.look()
    let verbs = ["salvage", "diagnose", "contract", "capture", "restore", "vault", "extract"]
    let words = line.words.map { word -> any Word in
      if word == "BACKUP" { return backup }
      return verbs.contains(word) || word.hasPrefix("-") ? word : bench[FilePath(word)]
    }
    let ending = try bench.run(words)
    #expect(ending.status == line.status, "\(ending.all)")
    #expect(try before.changes(until: bench.look()) == [])
  }

  @Test func `a report does not take the place of another one unless it is told to`() throws {
    try place()
    let report = bench["r.json"]
    try bench.run("diagnose", bench["a.db"], "--report", report)
    let first = try report.contents()
    #expect(try bench.run("diagnose", bench["good.db"], "--report", report).status == 73)
    #expect(try report.contents() == first)
    #expect(try bench.run("diagnose", bench["good.db"], "--report", report, "--force").status == 0)
    #expect(try report.contents() != first)
  }

  @Test(arguments: [
    "contract capture good.db --output no/c.json", "vault status good.db --prometheus no/app.prom",
    "salvage good.db --output no/s.db",
  ])
  func `a folder that is not there is not made for an output`(_ line: String) throws {
    try bench.place("healthy-v4.db", as: "good.db")
    let words = line.split(separator: " ").map { word in
      word.contains(".") ? bench[FilePath(String(word))].description : String(word)
    }
    let ending = try bench.run(words)
    #expect(ending.status != 0, "\(ending.all)")
    #expect(try SystemStorage().status(of: bench["no"]) == nil)
  }

  @Test func `a device is not replaced by a file`() throws {
    try place()
    let pipe = bench["pipe.txt"]
    try #require(try Command("/usr/bin/mkfifo", [pipe.description]).run().status == 0)
    let ending = try bench.run("diagnose", bench["a.db"], "--report", pipe, "--force")
    #expect(ending.status == 73)
  }

  @Test func `the log is not written to an input`() throws {
    try place()
    let before = try bench.look()
    for name in ["log.db", "log.db-wal"] as [FilePath] {
      let outcome = try Command(
        Products.dbrescue, ["check", bench["log.db"].description],
        environment: ["DBRESCUE_LOG": bench[name].description]
      ).run()
      #expect(outcome.status == 64)
    }
    #expect(try before.changes(until: bench.look()) == [])
  }

  @Test func `a salvage that fails at the end leaves the old files`() throws {
    try place()
    let output = bench["n.db"]
    try bench.run("salvage", bench["a.db"], "--output", output)
    let quarantine = output.adding(suffix: ".quarantine.db")
    try #require(try quarantine.exists)
    let old = [try output.contents(), try quarantine.contents()]
    // A salvage of a sound file has no quarantine: the old one goes with the old output.
    try bench.run("salvage", bench["good.db"], "--output", output, "--force")
    #expect(try !quarantine.exists)
    #expect(try output.contents() != old[0])
  }
}
