// SPDX-License-Identifier: Apache-2.0
// Every command of the table on ordinary files: it works, it answers in text and in JSON, and it
// changes nothing but what it is there to change.

import DatabaseRescue
import Diagnosis
import RescueTestSupport
import SQLiteFormat
import Testing

@testable import RescueCLI

@Suite struct EveryCommandTests {
  /// An ordinary use of a command.
  struct Use: Sendable, CustomStringConvertible {
    let name: String
    /// Files that it may add or change, by how their names begin.
    var changes: [String] = []
    /// Whether it has an answer that a program would read.
    var hasJSON = true
    /// Makes the files ready, and gives what follows the name.
    let words: @Sendable (Workbench) throws -> [any Word]
    var description: String { name }
  }

  static let uses: [Use] = [
    Use(name: "check") { [try $0.place("healthy-v4.db"), "--contract", $0.contract] },
    Use(name: "diagnose", hasJSON: false) { [try $0.place("healthy-v4.db")] },
    Use(name: "explain") { _ in ["DBR-F060"] },
    Use(name: "backup", changes: ["added app.db.rescue/backups/app.db."]) {
      [try $0.place("healthy-v4.db", as: "app.db")]
    },
    Use(name: "vault list") { [try backedUp($0)] },
    Use(name: "vault status") { [try backedUp($0)] },
    Use(name: "vault verify", changes: ["added app.db.rescue/backups/.proofs.jsonl"]) {
      [try backedUp($0)]
    },
    Use(name: "vault prune") { [try backedUp($0)] },
    Use(name: "vault extract", changes: ["added new.db"]) { bench in
      let file = try backedUp(bench)
      let backup = try #require(try Vault(of: file).latest())
      return [backup.path, "--output", bench["new.db"]]
    },
    Use(name: "guard", changes: ["added app.db.rescue/backups/app.db."]) {
      [try $0.place("healthy-v4.db", as: "app.db"), "--contract", $0.contract, "--", "/bin/true"]
    },
    Use(
      name: "migrate",
      changes: [
        "added app.db.rescue/backups/app.db.", "added app.db.rescue/migrations.jsonl",
        "changed app.db",
      ]
    ) { bench in
      let folder = bench["migrations"]
      try SystemStorage().createFolder(folder)
      try folder.appending("0005_tags.sql").replaceContents(
        with: Bytes("CREATE TABLE tags (id INTEGER PRIMARY KEY, name TEXT)".utf8))
      return [try bench.place("healthy-v4.db", as: "app.db"), "--migrations", folder]
    },
    Use(name: "rehearse") { bench in
      let folder = bench["migrations"]
      try SystemStorage().createFolder(folder)
      try folder.appending("0005_tags.sql").replaceContents(
        with: Bytes("CREATE TABLE tags (id INTEGER PRIMARY KEY, name TEXT)".utf8))
      return [try bench.place("healthy-v4.db"), bench.contract, "--migrations", folder]
    },
    Use(name: "contract capture", changes: ["added c.json"]) {
      [try $0.place("healthy-v4.db"), "--output", $0["c.json"]]
    },
    Use(name: "contract import", changes: ["added c.json"]) {
      [try $0.place("healthy-v4.db"), "--output", $0["c.json"]]
    },
    Use(name: "contract verify") { [try $0.place("healthy-v4.db"), "--contract", $0.contract] },
    Use(name: "contract diff") { [try $0.place("healthy-v4.db"), $0.contract] },
    Use(name: "recover") { [try $0.place("healthy-v4.db"), "--contract", $0.contract] },
    Use(name: "restore", changes: ["added new.db"]) {
      [try backedUp($0), "--output", $0["new.db"]]
    },
    Use(name: "salvage", changes: ["added new.db"]) {
      [try $0.place("healthy-v4.db"), "--output", $0["new.db"]]
    },
    Use(name: "merge", changes: ["added new.db"]) {
      [
        try $0.place("healthy-v4.db", as: "old.db"), try $0.place("healthy-v4.db"), "--output",
        $0["new.db"],
      ]
    },
    Use(name: "reset", changes: ["added app.db.rescue/quarantine/", "changed app.db"]) {
      [
        try $0.place("healthy-v4.db", as: "app.db"), "--schema", $0.contract, "--yes",
        "--confirm", "app.db",
      ]
    },
    Use(name: "undo", changes: ["added app.db.rescue/quarantine/", "changed app.db"]) { bench in
      let file = try bench.place("healthy-v4.db", as: "app.db")
      let reset = try bench.run(
        "reset", file, "--schema", bench.contract, "--yes", "--confirm", "app.db", "--json")
      return [try #require(try reset.json["code"]?.text), file, "--yes"]
    },
    Use(name: "playbook list") { _ in [] },
    Use(name: "playbook show") { _ in ["pre-migration-backup"] },
    Use(name: "playbook validate") { _ in ["pre-migration-backup"] },
    Use(name: "playbook run", changes: ["added app.db.rescue/backups/app.db."]) {
      [
        "pre-migration-backup", try $0.place("healthy-v4.db", as: "app.db"), "--contract",
        $0.contract,
      ]
    },
    Use(name: "log list") { bench in
      try bench.run("check", bench.place("healthy-v4.db"))
      return []
    },
    Use(name: "log show") { bench in
      let check = try bench.run("check", bench.place("healthy-v4.db"))
      return [try #require(check.record).code.description]
    },
    Use(name: "schema", hasJSON: false) { _ in ["report"] },
    Use(name: "help", hasJSON: false) { _ in ["restore"] },
    Use(name: "completions", hasJSON: false) { _ in ["bash"] },
    Use(name: "man", hasJSON: false) { _ in [] },
  ]

  private static func backedUp(_ bench: Workbench) throws -> FilePath {
    let file = try bench.place("healthy-v4.db", as: "app.db")
    let backup = try bench.run("backup", file)
    #expect(backup.status == 0)
    return file
  }

  @Test func `the uses are those of the command table`() {
    #expect(Self.uses.map(\.name) == Command.all.map(\.name))
    #expect(Set(Command.all.map(\.name)) == Set(EntryPoint.bodies.keys))
  }

  @Test(arguments: uses)
  func `an ordinary use succeeds, and changes only what it should`(_ use: Use) throws {
    let bench = try Workbench()
    let words = try use.words(bench)
    let before = try bench.look()
    let ending = try bench.run(use.name.split(separator: " ").map(String.init) + words)
    #expect(ending.status == 0, "\(ending.all)")
    #expect(!ending.all.isEmpty)
    #expect(!ending.all.contains("error:"))
    let changes = try before.changes(until: bench.look())
    let strange = changes.filter { change in !use.changes.contains { change.hasPrefix($0) } }
    #expect(strange == [])
    #expect(use.changes.allSatisfy { expected in changes.contains { $0.hasPrefix(expected) } })
  }

  @Test(arguments: uses.filter(\.hasJSON))
  func `an answer in JSON says what it is`(_ use: Use) throws {
    let bench = try Workbench()
    let words = try use.words(bench)
    // Before '--', which ends the flags.
    let ending = try bench.run(use.name.split(separator: " ").map(String.init) + ["--json"] + words)
    #expect(ending.status == 0, "\(ending.all)")
    #expect(ending.error.isEmpty)
    let document = try ending.json
    let format = PublishedFormat.allCases.first { $0.name == document["format"]?.text }
    #expect(try document["version"]?.number == #require(format).version)
    #expect(try !#require(document["type"]?.text).isEmpty)
  }

  @Test func `a diagnosis answers in JSON`() throws {
    let bench = try Workbench()
    let ending = try bench.run("diagnose", bench.place("healthy-v4.db"))
    #expect(ending.status == 0)
    let json = try bench.run("diagnose", bench["healthy-v4.db"], "--json")
    #expect(try json.json["version"]?.number == 3)
  }

  @Test(arguments: Command.all.map(\.name))
  func `help works after every command`(_ name: String) throws {
    let bench = try Workbench()
    let ending = try bench.run(name.split(separator: " ").map(String.init) + ["--help"])
    #expect(ending.status == 0)
    #expect(ending.output.contains("dbrescue \(name)"))
    #expect(ending.record == nil)
  }
}
