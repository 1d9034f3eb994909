// SPDX-License-Identifier: Apache-2.0
// A `.rescue` folder that came with a database is evidence, whatever it says of itself: nothing in
// it is finished, followed or removed.

import DatabaseRescue
import RescueTestSupport
import SQLiteFormat
import Testing

@Suite struct SentRescueFolderTests {
  let bench: Workbench
  private let code = "DBR-4Z12A-8001Z-ZRNEF-W4XQM"

  init() throws {
    bench = try Workbench()
    try bench.place("healthy-v4.db", as: "a.db")
    try SystemStorage().createFolder(bench["precious"])
    try bench["precious/thesis.txt"].replaceContents(with: [1])
  }

  private var folder: FilePath { bench["a.db.rescue"] }

  /// What every command that changes something begins with, by the simplest of them.
  private func expectUntouched(_ command: String, status: Int32) throws {
    let before = try bench.look()
    let vault = try ScratchFolder()
    let ending = try bench.run([command, bench["a.db"], "--vault", vault["vault"]])
    #expect(ending.status == status, "\(ending.all)")
    #expect(try before.changes(until: bench.look()) == [])
  }

  private func link(_ path: FilePath, to target: String) throws {
    try #require(try Command("/bin/ln", ["-s", target, path.description]).run().status == 0)
  }

  @Test func `links in its quarantine are not followed`() throws {
    try SystemStorage().createFolder(folder.appending("quarantine"))
    try link(folder.appending("quarantine/zz"), to: "../../precious")
    try link(folder.appending(FilePath("quarantine/\(code)")), to: "../../precious")
    try expectUntouched("backup", status: 0)
  }

  @Test func `what looks like the files of a run stays`() throws {
    let quarantine = folder.appending(FilePath("quarantine/\(code)"))
    try SystemStorage().createFolder(quarantine)
    try quarantine.appending("doubtful-rows.db").replaceContents(with: [1])
    for name in [".\(code).new", ".\(code).new-wal", ".\(code).claim", "plan.json.partial"] {
      try folder.appending(FilePath(name)).replaceContents(with: [1])
    }
    try SystemStorage().createFolder(folder.appending("dbrescue-abc"))
    try folder.appending("dbrescue-abc/copy.db").replaceContents(with: [1])
    try expectUntouched("backup", status: 0)
  }

  @Test func `its plan is not carried out`() throws {
    try SystemStorage().createFolder(folder.appending("quarantine"))
    // By this plan the database is its own second name in quarantine, which is taken away.
    try link(folder.appending(FilePath("quarantine/\(code)")), to: "../..")
    try folder.appending("plan.json").replaceContents(
      with: Bytes(#"{"schema":1,"code":"\#(code)","method":"move"}"#.utf8))
    // A look at everything would go in circles.
    let before = try bench["a.db"].contents()
    #expect(try bench.run("backup", bench["a.db"], "--vault", bench["vault"]).status == 65)
    #expect(try bench["a.db"].contents() == before)
    #expect(try folder.appending("plan.json").exists)
  }

  @Test func `a plan that a later version has written is left to that version`() throws {
    try SystemStorage().createFolder(folder)
    try folder.appending("plan.json").replaceContents(
      with: Bytes(#"{"schema":2,"code":"\#(code)","method":"move"}"#.utf8))
    let ending = try bench.run("backup", bench["a.db"], "--vault", bench["vault"])
    #expect(ending.status == 65)
    #expect(ending.error.contains("was written by a later version"), "\(ending.all)")
    #expect(try folder.appending("plan.json").exists)
  }

  @Test func `its quarantine is not taken for the place of the old files when it is a link`() throws
  {
    try bench.place("zeroed-leaf.db", as: "a.db")
    try SystemStorage().createFolder(folder)
    try link(folder.appending("quarantine"), to: "../precious")
    let before = try bench.look()
    let ending = try bench.run("recover", bench["a.db"], "--choose", "salvage", "--yes")
    #expect(ending.status == 73, "\(ending.all)")
    #expect(try before.changes(until: bench.look()) == [])
  }

  @Test(arguments: ["", "backups"])
  func `no backup goes where a link of it leads`(_ name: String) throws {
    if name.isEmpty {
      try link(folder, to: "precious")
    } else {
      try SystemStorage().createFolder(folder)
      try link(folder.appending(FilePath(name)), to: "../precious")
    }
    let before = try bench.look()
    let ending = try bench.run("backup", bench["a.db"])
    #expect(ending.status == 73 && ending.error.contains("--vault DIR"), "\(ending.all)")
    #expect(try before.changes(until: bench.look()) == [])
    #expect(try bench.run("backup", bench["a.db"], "--vault", bench["precious"]).status == 0)
  }

  @Test func `its vault is not swept`() throws {
    let vault = folder.appending("backups")
    try SystemStorage().createFolder(vault)
    let names = [".ABCDEFGH.image.partial", ".ABCDEFGH.db.gz.partial", ".ABCDEFGH.claim"]
    for name in names { try vault.appending(FilePath(name)).replaceContents(with: [1]) }
    try bench.run("backup", bench["a.db"])
    let left = try SystemStorage().names(in: vault).map(\.description)
    #expect(names.allSatisfy(left.contains))
  }
}
