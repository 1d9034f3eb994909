// SPDX-License-Identifier: Apache-2.0
// What goes wrong outside of the database is told from what is wrong with it, by its own status.

import DatabaseRescue
import Diagnosis
import RescueTestSupport
import Testing

@testable import RescueCLI

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

@Suite struct CommandErrorTests {
  let bench: Workbench
  init() throws { bench = try Workbench() }

  /// The commands that take a database, with what else they need.
  static let databaseCommands: [(name: String, rest: [String])] = [
    ("check", []), ("diagnose", []), ("backup", []), ("recover", []), ("contract capture", []),
    ("contract verify", ["--contract", "CONTRACT"]), ("salvage", ["--output", "NEW"]),
    ("reset", ["--schema", "CONTRACT", "--yes", "--confirm", "FILE"]),
    ("guard", ["--", "/bin/true"]), ("playbook run", []),
  ]

  private func line(
    _ command: (name: String, rest: [String]), on file: FilePath
  ) -> [any Word] {
    let name: [any Word] = command.name.split(separator: " ").map(String.init)
    let operands: [any Word] =
      command.name == "playbook run" ? ["pre-migration-backup", file] : [file]
    return name + operands
      + command.rest.map { word -> any Word in
        switch word {
        case "CONTRACT": bench.contract
        case "NEW": bench["new.db"]
        case "FILE": file.name
        default: word
        }
      }
  }

  @Test(arguments: databaseCommands.map(\.name))
  func `a file that is not there is missing`(_ name: String) throws {
    let command = try #require(Self.databaseCommands.first { $0.name == name })
    let ending = try bench.run(line(command, on: bench["absent.db"]))
    #expect(ending.status == 66, "\(ending.all)")
    #expect(ending.all.contains("absent.db"))
    #expect(ending.all.contains(name == "playbook run" ? "next: " : "  try: "))
    #expect(try bench.look().names == [])
  }

  @Test(arguments: databaseCommands.map(\.name))
  func `a folder is no database`(_ name: String) throws {
    try SystemStorage().createFolder(bench["folder"])
    let command = try #require(Self.databaseCommands.first { $0.name == name })
    let ending = try bench.run(line(command, on: bench["folder"]))
    #expect(ending.status == 65, "\(ending.all)")
    #expect(ending.all.contains("folder"))
  }

  @Test(.enabled(if: getuid() != 0, "the administrator may read everything"))
  func `a file without permission`() throws {
    let file = try bench.place("healthy-v4.db")
    let other = bench["closed.db"]
    try other.replaceContents(with: file.contents())
    #expect(unsafe chmod(other.description, 0) == 0)
    for command in Self.databaseCommands {
      let ending = try bench.run(line(command, on: other))
      #expect(ending.status == 77, "\(command.name): \(ending.all)")
    }
  }

  @Test(arguments: ["check", "contract verify", "recover"])
  func `a contract that is no contract is told with its place`(_ name: String) throws {
    let file = try bench.place("healthy-v4.db")
    let sql = bench["bad.sql"]
    try sql.replaceContents(with: .init("CREATE TABLE a (b);\nCREATE TABEL c (d);\n".utf8))
    let json = bench["bad.json5"]
    try json.replaceContents(
      with: .init("{\n  schema: 1,\n  name: \"x\" userVersion: 4,\n}\n".utf8))
    let words: [any Word] = name.split(separator: " ").map(String.init) + [file, "--contract"]
    let script = try bench.run(words + [sql])
    #expect(script.status == 65)
    #expect(script.error.contains("bad.sql:2:"), "\(script.error)")
    let document = try bench.run(words + [json])
    #expect(document.status == 65)
    #expect(document.error.contains("bad.json5"))
    #expect(document.error.contains("bad.json5:3:"), "\(document.error)")
    #expect(try bench.run(words + [bench["absent.json"]]).status == 66)
    #expect(document.record == nil)
  }

  @Test func `a photo, an empty file and a damaged database are no contracts`() throws {
    let file = try bench.place("healthy-v4.db")
    for sample in ["not-a-database.jpg", "empty.db", "zeroed-leaf.db"] as [FilePath] {
      let contract = try bench.place(sample)
      #expect(try bench.run("check", file, "--contract", contract).status == 65, "\(sample)")
    }
  }

  @Test(arguments: ["undo", "log show", "explain"])
  func `a code that was misread is told, not looked for`(_ name: String) throws {
    let file = try bench.place("healthy-v4.db")
    let code = try #require(try bench.run("check", file).record).code.description
    let wrong = String(code.dropLast()) + (code.hasSuffix("A") ? "B" : "A")
    for text in [wrong, "DBR-12345", "nonsense"] {
      let words: [any Word] = name.split(separator: " ").map(String.init) + [text]
      let ending = try bench.run(words + (name == "undo" ? [file, "--yes"] : []))
      #expect(ending.status == 65, "\(text): \(ending.all)")
      #expect(ending.error.contains("  try: "))
    }
  }

  @Test func `a finding that does not exist is told as such`() throws {
    let ending = try bench.run("explain", "DBR-F999")
    #expect(ending.status == 65)
    #expect(ending.error.contains("no finding"))
  }

  @Test func `what exists is not written over`() throws {
    let file = try bench.place("healthy-v4.db")
    let taken = bench["taken.db"]
    try taken.replaceContents(with: .init("mine".utf8))
    try bench.run("backup", file)
    let before = try bench.look()
    for words in [
      ["salvage", file, "--output", taken], ["restore", file, "--output", taken],
      ["contract", "capture", file, "--output", taken],
    ] as [[any Word]] {
      let ending = try bench.run(words)
      #expect(ending.status == 73, "\(ending.all)")
      #expect(ending.error.contains("taken.db"))
    }
    #expect(try before.changes(until: bench.look()) == [])
    // But for who insists.
    #expect(try bench.run("salvage", file, "--output", taken, "--force").status == 0)
    #expect(try Oracle.firstDifference(expected: file, actual: taken) == nil)
  }

  @Test(arguments: ["-wal", "-journal"])
  func `nothing is made where a journal lies that is not its own`(_ suffix: String) throws {
    let file = try bench.place("healthy-v4.db")
    try bench.run("backup", file)
    let new = bench["new.db"]
    try new.adding(suffix: suffix).replaceContents(
      with: Checkout.samples.appending("wal/fitness.db-wal").contents())
    let before = try bench.look()
    for verb in ["salvage", "restore"] {
      let ending = try bench.run(verb, file, "--output", new)
      #expect(ending.status == 73, "\(ending.all)")
      #expect(ending.error.contains("new.db\(suffix)"))
    }
    #expect(try before.changes(until: bench.look()) == [])
  }

  @Test func `a folder that is not there is not made`() throws {
    let file = try bench.place("healthy-v4.db")
    let ending = try bench.run("salvage", file, "--output", bench["no/such/new.db"])
    #expect([66, 73].contains(ending.status), "\(ending.all)")
    #expect(try bench.look().names == ["healthy-v4.db"])
  }

  @Test func `nothing can be salvaged or recovered from a photo`() throws {
    let photo = try bench.place("not-a-database.jpg")
    for words in [["salvage", photo, "--output", bench["new.db"]], ["recover", photo]]
      as [[any Word]]
    {
      let ending = try bench.run(words)
      #expect(ending.status == 65)
      #expect(ending.all.contains("JPEG"))
    }
    #expect(try bench.look().names == ["not-a-database.jpg"])
  }

  @Test func `an error in JSON is one object with status and advice`() throws {
    let ending = try bench.run("check", bench["absent.db"], "--json")
    let error = try JSON(ending.error)
    #expect(ending.output.isEmpty)
    #expect(error["type"]?.text == "error")
    #expect(error["exit"]?.number == 66)
    #expect(try !#require(error["message"]?.text).isEmpty)
    #expect(error["advice"]?.text?.isEmpty == false)
  }

  @Test func `a run that failed tells its support code`() throws {
    let file = try bench.place("newer-v5.db")
    let ending = try bench.run("guard", file, "--contract", bench.contract, "--", "/bin/true")
    let code = try #require(ending.record).code.description
    #expect(ending.error.contains(code))
  }
}
