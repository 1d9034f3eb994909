// SPDX-License-Identifier: Apache-2.0
// The way for most: the options are shown, one is chosen, and what was predicted comes about.

import DatabaseRescue
import Diagnosis
import FitnessLog
import RescueTestSupport
import SQLiteFormat
import Testing

@testable import RescueCLI

@Suite struct RecoverCommandTests {
  let bench: Workbench
  init() throws { bench = try Workbench() }

  /// A drifted database with a backup from before the migration that spoilt it.
  private func spoilt() throws -> (file: FilePath, before: FilePath) {
    let file = bench["app.db"]
    let before = bench["before.db"]
    try FitnessLog.create(file, version: 3, workouts: 10)
    try file.copyFileSet(to: before)
    #expect(try bench.run("backup", file).status == 0)
    bench.pass(hours: 2)
    try FitnessLog.migrate(file, mistakes: [.forgetColumn])
    return (file, before)
  }

  @Test func `nobody there: the options are told and nothing is changed`() throws {
    let (file, _) = try spoilt()
    let before = try bench.look()
    let text = try bench.run("recover", file, "--contract", bench.contract)
    #expect(text.status == 20)
    for option in ["restore", "salvage", "reset"] { #expect(text.error.contains(option)) }
    let json = try bench.run("recover", file, "--contract", bench.contract, "--json")
    #expect(json.status == 20)
    #expect(try JSON(json.error)["advice"]?.text?.contains("reset, restore, salvage") == true)
    for option in ["restore", "salvage", "reset"] {
      let words: [any Word] = ["recover", file, "--contract", bench.contract, "--choose", option]
      #expect(try bench.run(words).status == 20)
      #expect(try bench.run(words, answers: ["n"]).status == 21)
      let plan = try bench.run(words + ["--dry-run", "--json"])
      #expect(plan.status == 0)
      #expect(try plan.json["option"]?.text == option)
    }
    #expect(try before.changes(until: bench.look()) == [])
    #expect(try bench.records().last?.outcome == "declined")
  }

  @Test func `of two backups, each can be chosen by its id`() throws {
    let (file, _) = try spoilt()
    let names = try (0..<2).map { number in
      let path = bench[FilePath("backup\(number)")]
      try FitnessLog.create(path, version: 4, workouts: 10 + number)
      try path.copyFileSet(to: file)
      bench.pass(hours: 1)
      let made = FilePath(
        try #require(try bench.run("backup", file, "--json").backup["path"]?.text))
      return try #require(BackupName(made.name)).id
    }
    try file.replaceContents(
      with: Damage.zeroPage(2).applied(to: file.contents(), pageSize: 4096))
    let asked = try bench.run("recover", file)
    #expect(asked.status == 20)
    for id in names {
      #expect(asked.error.contains("restore:\(id)"))
      let plan = try bench.run("recover", file, "--choose", "restore:\(id)", "--dry-run", "--json")
      #expect(plan.status == 0 && plan.output.contains("\(id)"), "\(plan.all)")
    }
    #expect(try bench.run("recover", file, "--choose", "restore:NONE", "--dry-run").status == 64)
  }

  @Test func `the commands of a report take what was given for it`() throws {
    let (file, _) = try spoilt()
    let vault = bench["vault"]
    let report = try bench.run(
      "diagnose", file, "--contract", bench.contract, "--vault", vault, "--json"
    ).json
    let commands = (report["options"]?.elements ?? []).compactMap { $0["command"]?.text }
    #expect(!commands.isEmpty)
    for command in commands + [report["next"]?.text ?? ""] {
      #expect(command.contains(" --contract \(bench.contract.name) --vault vault"), "\(command)")
    }
  }

  @Test func `what stands above the question fits into 80 columns, and promises one figure`() throws
  {
    let file = bench["app.db"]
    try FitnessLog.create(file, version: 4, workouts: 60)
    let whole = try file.contents()
    try file.replaceContents(with: Bytes(whole.prefix(whole.count * 7 / 10)))
    let ending = try bench.run("recover", file, "--no-color", answers: [""])
    #expect(ending.status == 21)
    for line in ending.error.split(separator: "\n") where !line.contains("dbrescue undo") {
      #expect(line.count <= 80 && line.last != " ", "\(line)")
    }
    #expect(ending.error.contains("[1, or Return for none]"))
    #expect(!ending.error.contains(" times"))
    // A finding and an option say the same of what is lost, as the diagnosis does.
    let report = try bench.run("diagnose", file, "--json").json
    let findings = report["findings"]?.elements ?? []
    let lost = findings.first { $0["code"]?.text == "DBR-F100" }?["places"]?.elements ?? []
    #expect(!lost.isEmpty)
    let text = ending.error.split { $0 == " " || $0 == "\n" }.joined(separator: " ")
    for place in lost { #expect(text.contains(place["message"]?.text ?? "?")) }
  }

  @Test func `an option that is not possible is refused with those that are`() throws {
    let (file, _) = try spoilt()
    for option in ["rebuild-indexes", "nothing", "salvag", ""] {
      let ending = try bench.run(
        "recover", file, "--contract", bench.contract, "--choose=\(option)", "--yes")
      #expect(ending.status == 64, "\(option): \(ending.all)")
    }
  }

  @Test func `restore brings the state before back`() throws {
    let (file, before) = try spoilt()
    let ending = try bench.run(
      "recover", file, "--contract", bench.contract, "--choose", "restore", "--yes", "--json")
    #expect(ending.status == 10, "\(ending.all)")
    #expect(try ending.json["verdict"]?.text == "outdated")
    #expect(try Oracle.firstDifference(expected: before, actual: file) == nil)
  }

  @Test func `salvage puts every row into the schema that is expected`() throws {
    let (file, _) = try spoilt()
    let spoilt = bench["spoilt.db"]
    try file.copyFileSet(to: spoilt)
    let ending = try bench.run(
      "recover", file, "--contract", bench.contract, "--choose", "salvage", "--yes", "--json")
    #expect(ending.status == 0, "\(ending.all)")
    #expect(try ending.json["salvage"]?["complete"]?.bool == true)
    #expect(try bench.run("check", file, "--contract", bench.contract).status == 0)
    for table in ["sets", "notes", "outbox", "exercises"] {
      let difference = firstDifference(
        expected: try oracleRows(spoilt, table), actual: try oracleRows(file, table))
      #expect(difference == nil)
    }
    let zones = try Oracle(file).value("SELECT group_concat(DISTINCT timezone) FROM workouts")
    #expect(zones?.utf8String == "UTC")
  }

  @Test func `somebody chooses by number`() throws {
    let (file, before) = try spoilt()
    let ending = try bench.run(
      "recover", file, "--contract", bench.contract, answers: ["7", "1", "y"])
    #expect(ending.status == 10, "\(ending.all)")
    #expect(try Oracle.firstDifference(expected: before, actual: file) == nil)
    let (again, declined) = (bench["again.db"], try bench.place("drifted-forgot-column.db"))
    _ = again
    let look = try bench.look()
    #expect(
      try bench.run("recover", declined, "--contract", bench.contract, answers: [""]).status == 21)
    #expect(try look.changes(until: bench.look()) == [])
  }

  @Test(arguments: ["index-disagrees.db", "zeroed-index-leaf.db"])
  func `new indexes keep every row`(_ sample: FilePath) throws {
    let file = try bench.place(sample)
    let healthy = Checkout.samples.appending("healthy-v4.db")
    let ending = try bench.run(
      "recover", file, "--contract", bench.contract, "--choose", "rebuild-indexes", "--yes",
      "--json")
    #expect(ending.status == 0, "\(ending.all)")
    #expect(try Oracle.firstDifference(expected: healthy, actual: file) == nil)
    #expect(try bench.run("check", file, "--contract", bench.contract).status == 0)
  }

  @Test func `the command that comes next names the database with its folder`() throws {
    let file = try bench.place("zeroed-leaf.db")
    let ending = try bench.run("recover", file, "--choose", "salvage", "--yes")
    #expect(ending.output.contains("next: dbrescue check \(file.shellQuoted)"), "\(ending.all)")
  }

  @Test func `a salvage that loses rows never ends in 0`() throws {
    let file = try bench.place("zeroed-leaf.db")
    let bytes = try file.contents()
    let ending = try bench.run("recover", file, "--choose", "salvage", "--yes", "--json")
    #expect(ending.status == 14, "\(ending.all)")
    #expect(try ending.json["verdict"]?.text == "healthy")
    #expect(try Oracle(file).integrityErrors == [])
    let code = try #require(try ending.json["code"]?.text)
    #expect(try bench.run("undo", code, file, "--yes").status == 0)
    let report = try bench.run("check", file, "--json")
    #expect(report.status == 14)
    let kept = FilePath(try #require(try ending.json["quarantine"]?.text)).appending(file.name)
    let isEvidence = try kept.contents() == bytes
    #expect(isEvidence)
  }

  @Test(arguments: [("healthy-v4.db", 0), ("outdated-v3.db", 10), ("newer-v5.db", 11)])
  func `where there is nothing to do, nothing is done`(_ sample: String, _ status: Int32) throws {
    let file = try bench.place(FilePath(sample))
    let before = try bench.look()
    for words in [[], ["--json"], ["--yes"]] as [[any Word]] {
      let ending = try bench.run(["recover", file, "--contract", bench.contract] + words)
      #expect(ending.status == status, "\(ending.all)")
    }
    #expect(try before.changes(until: bench.look()) == [])
    #expect(try bench.records().allSatisfy { $0.outcome == "nothing-to-do" })
  }

  @Test func `what is no database is replaced by a backup or a new one only`() throws {
    let file = try bench.place("healthy-v4.db", as: "app.db")
    #expect(try bench.run("backup", file).status == 0)
    let photo = try Checkout.samples.appending("not-a-database.jpg").contents()
    try file.replaceContents(with: photo)
    let ending = try bench.run("recover", file, "--choose", "restore", "--yes", "--json")
    #expect(ending.status == 0, "\(ending.all)")
    let healthy = Checkout.samples.appending("healthy-v4.db")
    #expect(try Oracle.firstDifference(expected: healthy, actual: file) == nil)
    let code = try #require(try ending.json["code"]?.text)
    #expect(try bench.run("undo", code, file, "--yes").status == 0)
    let isPhoto = try file.contents() == photo
    #expect(isPhoto)
  }
}
