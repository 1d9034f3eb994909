// SPDX-License-Identifier: Apache-2.0
// What a run of a playbook leaves: rows that waited to be sent, and the record of the incident.

import DatabaseRescue
import Diagnosis
import FitnessLog
import RescueTestSupport
import SQLiteFormat
import Testing

@testable import RescueCLI

@Suite struct PlaybookRecordTests {
  let bench: Workbench
  let file: FilePath
  let before: FilePath
  let contract: FilePath

  /// A database that a bad release has spoilt since its backup, with rows that wait to be sent, and
  /// a contract that says where they are.
  init() throws {
    bench = try Workbench()
    file = bench["app.db"]
    before = bench["before.db"]
    contract = bench["app.sql"]
    try FitnessLog.create(file, version: 4, workouts: 30)
    try contract.replaceContents(with: Checkout.samples.appending("fitness-log-v4.sql").contents())
    try bench["app.overlay.json5"].replaceContents(
      with: Bytes(
        """
        {
          unsynced: [
            { name: "outbox", table: "outbox", where: "status = 'pending'" },
          ],
        }
        """.utf8))
    try Connection(file, mode: .app).execute("UPDATE outbox SET status = 'done'")
    try file.copyFileSet(to: before)
    try bench.run("backup", file, "--contract", contract)
    bench.pass(hours: 5)
    let connection = try Connection(file, mode: .app)
    try connection.execute("UPDATE outbox SET status = 'pending' WHERE id <= 3")
    try connection.execute("UPDATE workouts SET title = 'spoilt'")
  }

  private func run(_ words: any Word...) throws -> Ending {
    let line: [any Word] = [
      "playbook", "run", "restore-after-bad-release", file, "--contract", contract,
    ]
    return try bench.run(line + words, environment: ["LOGNAME": "dora"])
  }

  @Test func `rows that wait to be sent are asked about, exported, and still in the copies`() throws
  {
    let spoilt = try file.contents()
    let waiting = try run("--json")
    #expect(waiting.status == 20, "\(waiting.all)")
    #expect(try waiting.json["stoppedAt"]?.text == "ask-synced")
    let isUnchanged = try file.contents() == spoilt
    #expect(isUnchanged)
    // An approval for the case that nothing waits is none for this one.
    #expect(try run("--approve", "restore-synced").status == 20)
    bench.pass(hours: 1)
    let done = try run("--approve", "restore-exporting", "--json")
    #expect(try done.json["stoppedAt"]?.text == "done", "\(done.all)")
    #expect(try Oracle.firstDifference(expected: before, actual: file) == nil)
    let code = try #require(try done.json["code"]?.text)
    let kept = file.adding(suffix: ".rescue").appending("quarantine").appending(FilePath(code))
    let names = try SystemStorage().names(in: kept)
    let exported = try #require(names.first { $0.hasSuffix(".jsonl") })
    let lines = try kept.appending(exported).contents().split(separator: UInt8(ascii: "\n"))
    #expect(lines.count >= 3)
    let isEvidence = try kept.appending(file.name).contents() == spoilt
    #expect(isEvidence)
  }

  @Test func `a backup from after the release is not gone back to`() throws {
    let ending = try run(
      "--set", "release_age_hours=12", "--approve", "restore-exporting", "--json")
    #expect(try ending.json["stoppedAt"]?.text == "stop-backup-younger")
    #expect(try run("--set", "release_age=12").status == 64)
    #expect(try run("--set", "release_age_hours=yesterday").status == 64)
  }

  @Test(arguments: ["txt", "html", "json"])
  func `the record has steps, facts, decisions, who made them, and the code`(
    _ ending: String
  ) throws {
    let record = bench[FilePath("record.\(ending)")]
    let run = try run(
      "--approve", "restore-exporting", "--report", record, "--set", "release_age_hours=3")
    let text = String(decoding: try record.contents(), as: UTF8.self)
    for words in [
      "restore-exporting", "keep-present", "dora", "unsynced_state", "release_age_hours = 3",
      try #require(run.record?.code.description), "beforehand", "read back",
    ] {
      #expect(text.contains(words), "\(words)\n\(text)")
    }
    #expect(!text.contains("spoilt"))
    #expect(!text.contains(bench.files.description) || ending == "json")
    // What is there is not replaced unless that is asked for.
    #expect(try self.run("--report", record).status == 73)
    #expect(try self.run("--report", record, "--force").status != 73)
  }

  @Test func `a page of a wiki is printed`() throws {
    let ending = try bench.run("playbook", "show", "back-in-time", "--markdown")
    #expect(ending.status == 0)
    #expect(ending.output.hasPrefix("# The database went back in time\n\n## What you see\n"))
    #expect(ending.output.contains("needs: `--approve restore-newer`"))
  }
}
