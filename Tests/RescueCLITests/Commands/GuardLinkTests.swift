// SPDX-License-Identifier: Apache-2.0
// A program under guard that puts a link or a folder in the place of the database: the way back must
// lead back, and never through the link.

import DatabaseRescue
import RescueTestSupport
import Testing

@testable import RescueCLI

@Suite struct GuardLinkTests {
  let bench: Workbench
  let file: FilePath
  let other: FilePath
  init() throws {
    bench = try Workbench()
    file = try bench.place("healthy-v4.db", as: "app.db")
    other = try bench.place("healthy-v4.db", as: "other.db")
  }

  /// Runs a program under guard that puts a link to another database, or what else is said, in the
  /// place of this one.
  private func guardLinking(
    _ policy: String, by command: String = "ln -s other.db"
  ) throws -> Ending {
    try bench.run(
      "guard", file, "--on-failure", policy, "--", "/bin/sh", "-c",
      "rm \"$0\" && \(command) \"$0\"", file)
  }

  /// Runs a command line of an answer in a shell.
  private func paste(_ command: Substring) throws -> Int32? {
    try Command(
      "/bin/sh", ["-c", "dbrescue() { \"$PROGRAM\" \"$@\"; }; \(command)"],
      environment: [
        "DBRESCUE_LOG": bench.log.description, "PROGRAM": Products.dbrescue.description,
        "PATH": "/usr/bin:/bin",
      ]
    ).run().status
  }

  @Test(arguments: ["stop", "restore"], ["ln -s other.db", "mkdir", "mkfifo"])
  func `the way back that is told leads back, and not through the link`(
    _ policy: String, _ command: String
  ) throws {
    let before = try other.contents()
    let ending = try guardLinking(policy, by: command)
    #expect(ending.status != 0)
    let line = try #require(
      ending.all.split(separator: "\n").first { $0.contains("dbrescue restore") }, "\(ending.all)")
    let command = line[try #require(line.firstRange(of: "mv -n")?.lowerBound, "\(line)")...]
    #expect(try paste(command) == 0, "\(command)")
    #expect(try SystemStorage().openFolder(bench.files).status(of: "app.db")?.kind == .file)
    let isUntouched = try other.contents() == before
    #expect(isUntouched)
    let reference = Checkout.samples.appending("healthy-v4.db")
    #expect(try Oracle.firstDifference(expected: reference, actual: file) == nil)
    let check = try bench.run("check", file)
    #expect(check.status == 0 && !check.output.contains("DBR-F146"), "\(check.all)")
  }

  @Test(arguments: ["stop", "restore"])
  func `a file in the place of a link to the database is not taken for the database`(
    _ policy: String
  ) throws {
    let link = bench["link.db"]
    #expect(try Command("/bin/ln", ["-s", "app.db", link.description]).run().status == 0)
    let ending = try bench.run(
      "guard", link, "--on-failure", policy, "--", "/bin/sh", "-c",
      "rm \"$0\" && : > \"$0\"", link)
    #expect(ending.status != 0)
    #expect(
      ending.all.contains("in the place of the link '\(link)' is a file of its own"),
      "\(ending.all)")
    let line = try #require(
      ending.all.split(separator: "\n").first { $0.contains("dbrescue restore") }, "\(ending.all)")
    let command = line[try #require(line.firstRange(of: "mv -n")?.lowerBound, "\(line)")...]
    #expect(try paste(command) == 0, "\(command)")
    #expect(try SystemStorage().openFolder(bench.files).status(of: "link.db")?.kind == .link)
    #expect(try SystemStorage().openFolder(bench.files).status(of: "app.db")?.kind == .file)
    let reference = Checkout.samples.appending("healthy-v4.db")
    #expect(try Oracle.firstDifference(expected: reference, actual: link) == nil)
  }

  @Test func `of a migration that could not be undone is said how it ended`() throws {
    _ = try guardLinking("restore", by: "mkdir")
    let look = try bench.run("check", file)
    let obstacle = "in the place of the database is a folder"
    #expect(look.error.contains("and was refused (\(obstacle)); what was before"), "\(look.all)")
    #expect(look.error.contains("could not be put back: \(obstacle)"), "\(look.all)")
    #expect(try Command("/bin/rmdir", [file.description]).run().status == 0)
    try other.copyFileSet(to: file)
    try Connection(file, mode: .readWrite, schemaBy: .us).execute("DELETE FROM sets")
    let again = try bench.run("guard", file, "--", "true")
    #expect(again.status == 20)
    #expect(again.error.contains("the database is as it left it; this run has changed nothing"))
  }

  @Test(arguments: [("mkfifo", "a pipe"), ("mkdir", "a folder")])
  func `what is no file in the place of the database cannot be put back over`(
    _ command: String, _ what: String
  ) throws {
    let ending = try guardLinking("restore", by: command)
    #expect(ending.status == 73, "\(ending.all)")
    #expect(ending.error.contains("in the place of the database is \(what)"), "\(ending.all)")
    // Users are told all the same.
    #expect(ending.output.contains("The app's data file is damaged"), "\(ending.all)")
    let look = try bench.run("check", file)
    #expect(look.error.contains("and was refused (in the place"), "\(look.all)")
  }

  @Test func `whoever looks at the database is told that a link is in its place`() throws {
    _ = try guardLinking("stop")
    for verb in ["check", "diagnose"] {
      let ending = try bench.run(verb, file)
      #expect(ending.error.contains("'app.db' is a link, which leads to"), "\(ending.all)")
    }
    let link = bench["link.db"]
    #expect(try Command("/bin/ln", ["-s", "other.db", link.description]).run().status == 0)
    #expect(try !bench.run("check", link).error.contains("is a link"))
  }
}
