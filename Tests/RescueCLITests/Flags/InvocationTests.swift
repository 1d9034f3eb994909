// SPDX-License-Identifier: Apache-2.0
// What a command body gets from a command line that makes sense.

import DatabaseRescue
import Testing

@testable import RescueCLI

@Suite struct InvocationTests {
  private func invocation(_ line: String) throws -> Invocation {
    try Invocation(Arguments(line.split(separator: " ").map { Array($0.utf8) }))
  }

  @Test(arguments: [
    "salvage a.db --output new.db --json -q",
    "salvage --output=new.db a.db -q --json",
    "-q --json salvage -o new.db a.db",
    "--json salvage a.db -qonew.db",
    "salvage -qo=new.db --json a.db",
    "salvage -q --json -o new.db -- a.db",
  ])
  func `the order and the spelling of flags do not matter`(_ line: String) throws {
    let invocation = try self.invocation(line)
    #expect(invocation.command.name == "salvage")
    #expect(invocation.path(.file) == "a.db")
    #expect(invocation.requiredPath(.output) == "new.db")
    #expect(invocation.isSet(.quiet) && invocation.isSet(.json))
    #expect(!invocation.isSet(.force) && invocation.path(.schema) == nil)
  }

  @Test func `commands of two words may have flags between them`() throws {
    #expect(try invocation("vault --json list x").command.name == "vault list")
  }

  @Test func `defaults hold where a flag is not given`() throws {
    let backup = try invocation("backup a.db")
    #expect(backup.requiredNumber(.level) == 1)
    #expect(backup.requiredNumber(.wait) == 5)
    #expect(backup.requiredChoice(.verify) as BackupWriter.Verification == .full)
    #expect(!backup.isSet(.level))
    #expect(try invocation("restore a.db").path(.from) == "latest")
    let guarded = try invocation("guard a.db -- x")
    #expect(guarded.choice(.onFailure) as FailurePolicy? == nil)
    #expect(guarded.number(.timeout) == nil)
  }

  @Test func `values that are given come through`() throws {
    let backup = try invocation("backup a.db --level 9 --verify quick --wait 0 --vault /v")
    #expect(backup.requiredNumber(.level) == 9)
    #expect(backup.requiredNumber(.wait) == 0)
    #expect(backup.requiredChoice(.verify) as BackupWriter.Verification == .quick)
    #expect(backup.path(.vault) == "/v")
    #expect(try invocation("recover a.db --choose restore").text(.choose) == "restore")
  }

  @Test func `repeatable flags and operands keep their order`() throws {
    #expect(
      try invocation("playbook run p a.db --approve x --approve y").texts(.approve) == ["x", "y"])
    #expect(try invocation("vault verify dir b2 b1").paths(.backups) == ["b2", "b1"])
    #expect(try invocation("vault verify dir").paths(.backups) == [])
  }

  @Test func `what follows two dashes is left to the other command`() throws {
    let guarded = try invocation("guard a.db --timeout 9 -- make --json -q -- x")
    #expect(
      guarded.rest.map { String(decoding: $0, as: UTF8.self) } == [
        "make", "--json", "-q", "--", "x",
      ])
    #expect(!guarded.isSet(.json))
    #expect(guarded.number(.timeout) == 9)
  }

  @Test func `two dashes let a name start with a dash, and one dash is a name`() throws {
    #expect(try invocation("check -- -x.db").path(.file) == "-x.db")
    #expect(try invocation("check -- --").path(.file) == "--")
    #expect(try invocation("check -").path(.file) == "-")
    #expect(try invocation("contract capture a.db -o -").path(.output) == "-")
    #expect(try invocation("check a.db --contract=-c").path(.contract) == "-c")
  }

  @Test func `names that are not UTF-8 keep their bytes`() throws {
    let name: [UInt8] = [0x61, 0xFF, 0xFE, 0x2E, 0x64, 0x62]
    let invocation = try Invocation(
      Arguments([
        Array("salvage".utf8), name, Array("--output=".utf8) + name, Array("--wal".utf8), name,
      ]))
    #expect(invocation.path(.file).bytes == name)
    #expect(invocation.requiredPath(.output).bytes == name)
    #expect(invocation.path(.wal)?.bytes == name)
  }

  @Test func `help needs no complete command line`() throws {
    let arguments = try Arguments([Array("salvage".utf8), Array("-h".utf8)])
    #expect(arguments.has(.help))
    #expect(arguments.occurrences.first?.spelling == "-h")
  }

  @Test func `switches may be repeated`() throws {
    #expect(try invocation("check a.db -vv --verbose").isSet(.verbose))
  }
}
