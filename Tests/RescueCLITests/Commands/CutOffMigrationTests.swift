// SPDX-License-Identifier: Apache-2.0
// A record that a guard has left which was killed: told by every command that reads its database, and
// to programs as well.

import DatabaseRescue
import RescueTestSupport
import SQLiteFormat
import Testing

@testable import RescueCLI

@Suite struct CutOffMigrationTests {
  private static let backup = "app.db.20261201T080000Z.v4.0000K3F9.db.gz"

  let bench: Workbench
  let file: FilePath
  let other: FilePath

  init() throws {
    bench = try Workbench()
    file = try bench.place("healthy-v4.db", as: "app.db")
    other = try bench.place("healthy-v4.db", as: "other.db")
  }

  /// Leaves the record of a guard that is not there any more.
  private func cutOff(_ members: String = "") throws {
    let folder = file.adding(suffix: ".rescue")
    try SystemStorage().createFolder(folder)
    try folder.appending("guard.json").replaceContents(
      with: Bytes(
        #"""
        {"version": 1, "mark": "nobody's", "began": "2026-12-01T08:00:00Z", "program": "sh",
        "backup": "\#(Self.backup)"\#(members)}
        """#.utf8))
  }

  @Test func `every file that a command reads is looked at`() throws {
    try cutOff()
    let new = bench["new.db"]
    let lines: [[any Word]] = [
      ["merge", file, other, "--output", new, "--force"],
      ["merge", other, file, "--output", new, "--force"],
      ["contract", "diff", file, other], ["contract", "diff", other, file],
      ["salvage", other, "--backup", file, "--output", new, "--force"],
      ["check", other, "--contract", file], ["rehearse", file, "--", "/bin/test", "-e", "{db}"],
    ]
    for line in lines {
      let ending = try bench.run(line)
      for words in [
        "'\(file)': a migration, 'sh', was begun here under guard at 2026-12-01T08:00:00Z and",
        "to go back: dbrescue restore \(file) --from 0000K3F9 --yes;",
        "dbrescue backup \(file) --accept",
      ] {
        #expect(ending.error.contains(words), "\(line): \(words)\n\(ending.all)")
      }
    }
  }

  @Test func `a file that is read twice is told of once`() throws {
    try cutOff()
    let ending = try bench.run("check", file, "--contract", file)
    #expect(ending.error.ranges(of: "was begun here").count == 1, "\(ending.all)")
  }

  @Test(arguments: ["check", "diagnose"])
  func `a program learns of the backup and the two ways out`(_ command: String) throws {
    try cutOff(#", "deadline": "2026-12-01T09:00:00Z""#)
    let ending = try bench.run(command, file, "--json")
    #expect(ending.status == 12, "\(ending.all)")
    let migration = try #require(try ending.json["cutOffMigration"])
    #expect(migration["backup"]?.text == Self.backup)
    #expect(migration["deadline"]?.text == "2026-12-01T09:00:00Z")
    #expect(migration["restore"]?.text == "dbrescue restore app.db --from 0000K3F9 --yes")
    #expect(migration["accept"]?.text == "dbrescue backup app.db --accept")
    #expect(ending.output.contains("was to be stopped at 2026-12-01T09:00:00Z"))
    #expect(ending.error.contains("was to be stopped at 2026-12-01T09:00:00Z"))
  }

  @Test func `the folder of the backup is in no report`() throws {
    try cutOff(#", "vault": "/somewhere/vault""#)
    let ending = try bench.run("check", file, "--json")
    #expect(!ending.output.contains("/somewhere"), "\(ending.output)")
    #expect(ending.output.contains("--from 0000K3F9 --yes --vault VAULT"), "\(ending.output)")
    #expect(ending.error.contains("--vault /somewhere/vault"), "\(ending.error)")
  }

  @Test func `a database without such a migration has nothing of it`() throws {
    let ending = try bench.run("check", file, "--json")
    #expect(ending.status == 0, "\(ending.all)")
    #expect(try ending.json["cutOffMigration"] == nil)
  }
}
