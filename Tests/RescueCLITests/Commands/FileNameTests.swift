// SPDX-License-Identifier: Apache-2.0
// No file name is special: whatever the file system allows goes through every command.

import DatabaseRescue
import RescueTestSupport
import SQLiteFormat
import Testing

@testable import RescueCLI

@Suite struct FileNameTests {
  static let names: [FilePath] = [
    "with space.db", "it's.db", "\"quoted\".db", "new\nline.db", "-dash.db", "--help", "$HOME.db",
    "a;b&c|d.db", "*?[x].db", "Zürich 🏋️.db", "%s%n.db", "back\\slash.db", "tab\t.db", ".hidden",
    FilePath(bytes: [0xFF, 0xFE, 0x2E, 0x64, 0x62]), FilePath(bytes: [0xC3, 0x28]),
    FilePath(String(repeating: "n", count: 180)),
  ]

  @Test(arguments: names)
  func `a database of any name is protected and brought back`(_ name: FilePath) throws {
    let bench = try Workbench()
    let file = try bench.place("healthy-v4.db", as: name)
    let reference = Checkout.samples.appending("healthy-v4.db")
    for verb in ["check", "diagnose", "backup"] {
      let ending = try bench.run(verb, "--", file)
      #expect(ending.status == 0, "\(verb): \(ending.all)")
      // A terminal must never be made to obey a name.
      #expect(!ending.all.contains("\t"))
      #expect(!ending.output.contains("new\nline"))
    }
    #expect(
      try bench.run("vault", "list", "--json", "--", file).json["backups"]?.elements.count == 1)
    #expect(try bench.run("vault", "verify", "--", file).status == 0)
    #expect(try bench.run("salvage", "--output", bench["new.db"], "--", file).status == 0)
    #expect(try Oracle.firstDifference(expected: reference, actual: bench["new.db"]) == nil)

    let confirm = name.description
    // A name that is not text cannot be typed exactly; it is shown as it reads.
    let reset = try bench.run(
      "reset", "--schema", bench.contract, "--yes", "--confirm=\(confirm)", "--json", "--", file)
    #expect(reset.status == 0, "\(reset.all)")
    #expect(try Oracle(file).count(of: "sets") == 0)
    let restore = try bench.run("restore", "--yes", "--", file)
    #expect(restore.status == 0, "\(restore.all)")
    #expect(try Oracle.firstDifference(expected: reference, actual: file) == nil)
    let code = try #require(try reset.json["code"]?.text)
    let undo = try bench.run("undo", "--yes", "--", code, file)
    #expect(undo.status == 0, "\(undo.all)")
    #expect(try Oracle.firstDifference(expected: reference, actual: file) == nil)
  }

  @Test func `what a report tells to run next takes no name for a flag`() throws {
    let bench = try Workbench()
    let file = try bench.place("zeroed-leaf.db", as: "-dash.db")
    for verb in ["check", "diagnose"] {
      let ending = try bench.run(verb, "--", file)
      let next = try #require(ending.output.firstRange(of: "next: dbrescue "), "\(ending.all)")
      #expect(!ending.output[next.upperBound...].contains(" -dash.db"), "\(ending.all)")
    }
  }

  @Test(arguments: ["back\\slash.db", "tab\t.db", "\u{202E}evil.db", "-dash.db", "plain.db"])
  func `no command in a report is another file's`(_ name: String) throws {
    let bench = try Workbench()
    let file = try bench.place("healthy-v4.db", as: FilePath(name))
    #expect(try bench.run("backup", "--", file).status == 0)
    var bytes = try file.contents()
    bytes.replaceSubrange(4096..<8192, with: Bytes(repeating: 0, count: 4096))
    try file.replaceContents(with: bytes)
    let report = try bench.run("diagnose", "--json", "--", file).json
    let commands =
      try #require(report["options"]).elements.compactMap { $0["command"]?.text }
      + [try #require(report["next"]?.text)]
    #expect(commands.count > 2)
    for command in commands {
      let word = command.split(separator: " ").dropFirst(2).first
      let own = name.hasSuffix("plain.db") ? "plain.db" : name == "-dash.db" ? "./-dash.db" : "FILE"
      #expect(word == Substring(own), "\(command)")
      #expect(!command.contains("--from -"), "\(command)")
    }
  }

  @Test func `a name that is not text is shown byte for byte`() throws {
    let bench = try Workbench()
    let name = FilePath(bytes: [0x61, 0xFF, 0x2E, 0x64, 0x62])
    let file = try bench.place("healthy-v4.db", as: name)
    for words in [["backup"], ["check"], ["diagnose"], ["vault", "list"], ["vault", "verify"]] {
      let ending = try bench.run(words + ["--", file])
      #expect(!ending.all.contains("\u{FFFD}"), "\(words): \(ending.all)")
    }
    let backup = try bench.run("backup", "--", file)
    #expect(backup.output.contains("a\\xFF.db"), "\(backup.all)")
    let reset = try bench.run(
      "reset", "--schema", bench.contract, "--yes", "--confirm=a\\xFF.db", "--json", "--", file)
    #expect(try reset.json["undo"]?.text?.hasSuffix("a\\377.db'") == true, "\(reset.all)")
  }

  @Test func `a name in the folder of the program needs no path`() throws {
    let bench = try Workbench()
    let file = try bench.place("healthy-v4.db", as: "-dash.db")
    let outcome = try Command(
      "/bin/sh",
      [
        "-c", "cd \"$1\" && exec \"$2\" check -- -dash.db", "sh", file.folder.description,
        Products.dbrescue.description,
      ],
      environment: ["DBRESCUE_LOG": bench.log.description]
    ).run()
    #expect(outcome.status == 0, "\(outcome)")
    #expect(outcome.text.hasPrefix("-dash.db: healthy"))
  }

  @Test func `the command that undoes can be pasted`() throws {
    let bench = try Workbench()
    let file = try bench.place("healthy-v4.db", as: "it's a $HOME.db")
    let reset = try bench.run(
      "reset", file, "--schema", bench.contract, "--yes", "--confirm", file.name.description,
      "--json")
    let undo = try #require(try reset.json["undo"]?.text)
    let outcome = try Command(
      "/bin/sh", ["-c", "dbrescue() { \"$PROGRAM\" \"$@\"; }; \(undo) --yes"],
      environment: [
        "DBRESCUE_LOG": bench.log.description, "PROGRAM": Products.dbrescue.description,
        "PATH": "/usr/bin:/bin",
      ]
    ).run()
    #expect(outcome.status == 0, "\(outcome)")
  }

  @Test func `a link is followed, and what belongs to the database lies beside the file`() throws {
    let bench = try Workbench()
    try SystemStorage().createFolder(bench["real"])
    let file = try bench.place("healthy-v4.db", as: "real/app.db")
    let link = bench["link.db"]
    #expect(try Command("/bin/ln", ["-s", "real/app.db", link.description]).run().status == 0)
    #expect(try bench.run("backup", link).status == 0)
    #expect(try bench.run("vault", "list", "--json", file).json["backups"]?.elements.count == 1)
    let reset = try bench.run(
      "reset", link, "--schema", bench.contract, "--yes", "--confirm", "link.db", "--json")
    #expect(reset.status == 0, "\(reset.all)")
    #expect(try Oracle(file).count(of: "sets") == 0)
    #expect(try bench.run("restore", link, "--yes").status == 0)
    #expect(try Oracle(file).count(of: "sets") > 0)
    #expect(try SystemStorage().names(in: bench.files).map(\.description) == ["link.db", "real"])
  }

  @Test(arguments: names.filter { $0.bytes.first != UInt8(ascii: "-") })
  func `a command under guard finds the database of any name`(_ name: FilePath) throws {
    let bench = try Workbench()
    let file = try bench.place("healthy-v4.db", as: name)
    let ending = try bench.run(
      "guard", file, "--", "/bin/sh", "-c",
      "cd / && test -f \"$DBRESCUE_DATABASE\" && test -f \"$DBRESCUE_BACKUP\"")
    #expect(ending.status == 0, "\(ending.all)")
  }
}
