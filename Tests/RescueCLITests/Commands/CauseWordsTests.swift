// SPDX-License-Identifier: Apache-2.0
// What is said of files that are no databases: by name, with a next step, and no reset alone.

import DatabaseRescue
import RescueTestSupport
import Testing

@testable import RescueCLI

@Suite struct CauseWordsTests {
  let bench: Workbench
  init() throws { bench = try Workbench() }

  @Test(
    arguments: [
      ("encrypted.db", "Ask for the key"), ("lfs-pointer.db", "git lfs pull"),
      ("error-page.db", "Download the file again"), ("not-a-database.jpg", "Ask for the database"),
      ("lost-database.db-wal", "the same name without that ending"),
    ] as [(FilePath, String)])
  func `a file that is no database comes with a next step, and a reset is not all there is`(
    _ sample: FilePath, _ advice: String
  ) throws {
    let file = Checkout.samples.appending(sample)
    let answer = try bench.run("diagnose", file, "--contract", bench.contract, "--json")
    #expect(answer.status == 15)
    let causes = try #require(try answer.json["causes"]?.elements)
    #expect(causes.first?["now"]?.text?.contains(advice) == true)
    let options = try #require(try answer.json["options"]?.elements)
    #expect(options.compactMap { $0["name"]?.text } == ["nothing", "reset"])
    #expect(try answer.json["next"] == nil)
    #expect(try bench.run("check", file).output.contains(advice))
  }

  @Test func `a backup of ours is named with its database, and with the command that restores it`()
    throws
  {
    let file = bench["app.db"]
    try file.replaceContents(with: Checkout.samples.appending("healthy-v4.db").contents())
    let made = try bench.run("backup", file, "--json").backup
    let backup = FilePath(try #require(made["path"]?.text))
    let copy = bench["sent.gz"]
    try copy.replaceContents(with: backup.contents())
    let answer = try bench.run("diagnose", copy)
    #expect(answer.status == 15)
    #expect(answer.output.contains("a backup of 'app.db' that dbrescue made on"))
    #expect(answer.output.contains("dbrescue vault extract"))
    let restored = bench["NEW.db"]
    #expect(try bench.run("vault", "extract", copy, "--output", restored).status == 0)
    #expect(try bench.run("check", restored).status == 0)
  }

  @Test func `backups of the same second are told apart`() throws {
    let file = bench["app.db"]
    try file.replaceContents(with: Checkout.samples.appending("healthy-v4.db").contents())
    for _ in 1...2 { #expect(try bench.run("backup", file).status == 0) }
    try file.replaceContents(with: Checkout.samples.appending("zeroed-leaf.db").contents())
    let answer = try bench.run("diagnose", file, "--json")
    let options = try #require(try answer.json["options"]?.elements)
    let summaries = options.compactMap { $0["summary"]?.text }
    #expect(Set(summaries).count == summaries.count && summaries.count >= 3)
  }

  @Test func `a report for a terminal fits into 80 columns`() throws {
    for sample in ["truncated.db", "zeroed-leaf.db", "encrypted.db", "swapped-leaves.db"] {
      let file = bench["app.db"]
      try file.replaceContents(with: Checkout.samples.appending(FilePath(sample)).contents())
      let lines = try bench.run("diagnose", file, "--contract", bench.contract).output
        .split(separator: "\n").filter { !$0.hasPrefix("next:") && !$0.hasPrefix("undo:") }
      #expect(lines.allSatisfy { $0.count <= 80 }, "\(lines.filter { $0.count > 80 })")
    }
  }
}
