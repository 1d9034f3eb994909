// SPDX-License-Identifier: Apache-2.0
// A replacement that was cut short is finished also where the database was moved meanwhile with all
// that belongs to it, as when a device is set up again from its backup: our log knows the run.

import DatabaseRescue
import RescueTestSupport
import SQLiteFormat
import Testing

@Suite struct MovedRescueFolderTests {
  let bench: Workbench
  private let code = "DBR-4Z12A-8001Z-ZRNEF-W4XQM"

  init() throws {
    bench = try Workbench()
    try bench.place("zeroed-leaf.db", as: "a.db")
    let folder = bench["a.db.rescue"]
    try SystemStorage().createFolder(folder)
    try bench.place("healthy-v4.db", as: FilePath("a.db.rescue/.\(code).new"))
    try folder.appending("plan.json").replaceContents(
      with: Bytes(#"{"schema":1,"code":"\#(code)","method":"move"}"#.utf8))
  }

  private func noteBeginning() throws {
    let line = #"{"at":"2026-11-22T10:00:00Z","began":"\#(code)","file":"a.db","schema":1}"#
    try SystemStorage().createFolder(bench.log.folder)
    try bench.log.replaceContents(with: Bytes((line + "\n").utf8))
  }

  @Test func `a plan that our log knows is finished elsewhere`() throws {
    try noteBeginning()
    // As long as the old file has its name, nothing was displaced: the plan is taken back.
    #expect(try bench.run("backup", bench["a.db"], "--vault", bench["vault"]).status == 14)
    #expect(try !bench["a.db.rescue/plan.json"].exists)
    #expect(try !bench["a.db.rescue"].appending(FilePath(".\(code).new")).exists)
  }

  @Test func `a plan that it knows goes on where the old file has gone`() throws {
    try noteBeginning()
    let quarantine = bench["a.db.rescue"].appending(FilePath("quarantine/\(code)"))
    try SystemStorage().createFolder(quarantine)
    try SystemStorage().rename(bench["a.db"], to: quarantine.appending("a.db"))
    #expect(try bench.run("backup", bench["a.db"], "--vault", bench["vault"]).status == 0)
    #expect(try bench.run("check", bench["a.db"]).status == 0)
    #expect(try quarantine.appending("a.db").exists)
  }

  @Test func `what a run had built before it was killed goes`() throws {
    try noteBeginning()
    try SystemStorage().remove(bench["a.db.rescue/plan.json"])
    #expect(try bench.run("backup", bench["a.db"], "--vault", bench["vault"]).status == 14)
    #expect(try !bench["a.db.rescue"].appending(FilePath(".\(code).new")).exists)
  }

  @Test func `a run that has not ended is listed`() throws {
    try noteBeginning()
    let list = try bench.run("log", "list")
    #expect(list.status == 0)
    #expect(list.error.contains("\(code) began to replace 'a.db' at 2026-11-22T10:00:00Z"))
    let json = try bench.run("log", "list", "--json").json
    #expect(json["unfinished"]?.elements.compactMap { $0["began"]?.text } == [code])
  }

  @Test func `a run is noted before it replaces a database, and is ended by its line`() throws {
    let file = try bench.place("healthy-v4.db", as: "app.db")
    let reset: [any Word] = [
      "reset", file, "--schema", bench.contract, "--yes", "--confirm", "app.db",
    ]
    #expect(try bench.run(reset).status == 0)
    let lines = try bench.log.contents().split(separator: UInt8(ascii: "\n"))
    #expect(lines.count == 2)
    #expect(String(decoding: lines[0], as: UTF8.self).contains(#""type":"beginning","at":""#))
    #expect(try bench.run("log", "list", "--json").json["unfinished"]?.elements.isEmpty == true)
    #expect(try bench.run("log", "list", "--last", "1").output.contains("reset"))
  }
}
