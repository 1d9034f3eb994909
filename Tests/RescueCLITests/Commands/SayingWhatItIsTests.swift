// SPDX-License-Identifier: Apache-2.0
// What is said of files that are no database, of drift, and of what to look at next.

import DatabaseRescue
import FitnessLog
import RescueTestSupport
import SQLiteFormat
import Testing

@testable import RescueCLI

@Suite struct SayingWhatItIsTests {
  let bench: Workbench
  init() throws { bench = try Workbench() }

  @Test(arguments: ["encrypted.db", "lfs-pointer.db", "error-page.db"] as [FilePath])
  func `what is no database is not said to be damaged for want of a contract's answer`(
    _ sample: FilePath
  ) throws {
    let file = try bench.place(sample, as: "app.db")
    let json = try bench.run("diagnose", file, "--contract", bench.contract, "--json").output
    #expect(json.contains("there is no database here that could be read"), "\(json)")
    #expect(!json.contains("it is damaged: what its bytes say"), "\(json)")
  }

  @Test func `of a damaged database it is said that no row was asked`() throws {
    let file = try bench.place("zeroed-leaf.db", as: "app.db")
    let json = try bench.run("diagnose", file, "--contract", bench.contract, "--json").output
    #expect(json.contains("it is damaged: what its bytes say"), "\(json)")
  }

  @Test func `a backup is called one in the first line, with what it is of and how to put it back`()
    throws
  {
    let file = bench["app.db"]
    try FitnessLog.create(file, version: 4, workouts: 20)
    let path = try #require(try bench.run("backup", file, "--json").backup["path"]?.text)
    let backup = bench["sent.db.gz"]
    try backup.replaceContents(with: FilePath(path).contents())
    let ending = try bench.run("diagnose", backup)
    #expect(ending.status == 15)
    let head = ending.output.split(separator: "\n").prefix(4).joined(separator: " ")
    #expect(head.contains("this is a backup of 'app.db' that dbrescue made on"), "\(head)")
    #expect(head.contains("complete and proven when it was made"), "\(head)")
    let words = ending.all.replacing("\n", with: " ")
    #expect(words.contains("restore DATABASE --from"), "\(ending.all)")

    try backup.replaceContents(with: Bytes(FilePath(path).contents().dropLast(400)))
    #expect(try bench.run("diagnose", backup).all.contains("not complete"))
  }

  @Test func `a status of 12 does not say that the version is right`() throws {
    let help = try bench.run("help", "check").all
    #expect(help.contains("drifted: "))
    #expect(!help.contains("the version is right"), "\(help)")
    let file = try bench.place("drifted-missing-index.db", as: "app.db")
    let ending = try bench.run("check", file, "--contract", bench.contract)
    #expect(ending.all.contains("the version is right"), "\(ending.all)")
  }

  @Test func `where nothing is wrong, it is said where to look for what is slow`() throws {
    let file = try bench.place("healthy-v4.db", as: "app.db")
    let hint = "slow? dbrescue diagnose "
    #expect(try bench.run("diagnose", file).output.contains(hint))
    #expect(try !bench.run("diagnose", file, "--advice").output.contains(hint))
    let damaged = try bench.place("zeroed-leaf.db", as: "damaged.db")
    #expect(try !bench.run("diagnose", damaged).output.contains(hint))
  }

  @Test func `a playbook that needs a contract shows a command that has one`() throws {
    let page = try bench.run("playbook", "show", "restore-after-bad-release", "--markdown").output
    #expect(page.contains("restore-after-bad-release FILE --contract CONTRACT --dry-run"))
    #expect(page.contains("diagnose FILE --contract CONTRACT --report"))
    let other = try bench.run("playbook", "show", "user-submitted-file", "--markdown").output
    #expect(other.contains("user-submitted-file FILE --dry-run"))
  }

  @Test func `rows whose table nothing tells are in the table of what an option sets aside`() throws
  {
    let file = try bench.place("wrong-page.db", as: "app.db")
    let report = bench["report.html"]
    let ending = try bench.run("diagnose", file, "--json", "--report", report)
    let option = try #require(try ending.json["options"]?.elements.first)
    #expect(try #require(option["unplaced"]?.number) > 0)
    let page = String(decoding: try report.contents(), as: UTF8.self)
    #expect(page.contains("(table unknown)"))
  }
}
