// SPDX-License-Identifier: Apache-2.0
// What a support code tells a support engineer, in words.

import Testing

@testable import Diagnosis

@Suite struct SupportCodeExplanationTests {
  typealias Content = SupportCode.Content

  @Test func `a salvage with loss is told in full`() {
    let content = Content(
      operation: .salvage, stage: .done, outcome: .succeededWithLoss, day: 688,
      verdict: .damagedLossy, finding: .rowsLost, framework: .room, relation: .older, found: 41,
      expected: 42, hasWAL: true, unsynced: .some(3), hasVerifiedBackup: true, rowsLost: true,
      unattended: true)
    let lines = SupportCode(content, random: 0x1ABC).explanation
    #expect(
      lines.map { "\($0.label): \($0.text)" } == [
        "date: 2026-11-20",
        "run: salvage: bringing rows out of a damaged file into a new database, with nobody there "
          + "to ask",
        "outcome: it succeeded, and rows were lost",
        "verdict: damaged: \(Verdict.damagedLossy.meaning)",
        "finding: DBR-F100, \(FindingCode.rowsLost.title): \(FindingCode.rowsLost.meaning)",
        "made by: Room",
        "version: found 41, expected 42; the file is older than expected",
        "wal: a -wal file was present",
        "unsynced: rows wait to be sent and exist nowhere else",
        "backup: a verified backup exists",
        "loss: rows were lost",
        "next: keep the original file; see what was lost: dbrescue log show "
          + SupportCode(content, random: 0x1ABC).description,
      ])
  }

  struct Case: Sendable, CustomTestStringConvertible {
    let outcome: SupportCode.Outcome
    let stage: SupportCode.Stage
    let verdict: Verdict?
    let backup: Bool
    let operation: SupportCode.Operation
    let next: String

    init(
      _ outcome: SupportCode.Outcome, _ stage: SupportCode.Stage = .done, _ verdict: Verdict? = nil,
      backup: Bool = false, operation: SupportCode.Operation = .diagnose, next: String
    ) {
      self.outcome = outcome
      self.stage = stage
      self.verdict = verdict
      self.backup = backup
      self.operation = operation
      self.next = next
    }

    var testDescription: String { "\(outcome) \(stage) \(verdict?.rawValue ?? "-") \(operation)" }
  }

  static let cases = [
    Case(.succeeded, .done, .healthy, next: "nothing needs to be done"),
    Case(.findings, .done, .outdated, next: "dbrescue guard FILE -- COMMAND"),
    Case(.findings, .done, .newer, next: "do not reset it"),
    Case(.findings, .done, .drifted, next: "dbrescue diagnose FILE --contract C"),
    Case(.findings, .done, .drifted, backup: true, next: "dbrescue restore FILE"),
    Case(.findings, .done, .damagedIntact, next: "dbrescue recover FILE"),
    Case(.findings, .done, .damagedLossy, next: "dbrescue salvage FILE --output NEW"),
    Case(.findings, .done, .damagedLossy, backup: true, next: "dbrescue recover FILE"),
    Case(.findings, .done, .unreadable, next: "dbrescue diagnose FILE"),
    Case(.findings, operation: .vaultVerify, next: "dbrescue log show DBR-"),
    Case(.succeeded, operation: .restore, next: "dbrescue check FILE"),
    Case(.succeeded, operation: .backup, next: "nothing needs to be done"),
    Case(.interrupted, .install, next: "run the same command again"),
    Case(.needsDecision, .plan, next: "dbrescue recover FILE"),
    Case(.declined, .plan, next: "dbrescue recover FILE"),
    Case(.failed, .open, next: "dbrescue check FILE"),
    Case(.failed, .act, operation: .reset, next: "dbrescue undo DBR-"),
    Case(
      .failed, .migrate, backup: true, operation: .guard,
      next: "dbrescue restore FILE --from latest"),
    Case(.failed, .verify, backup: true, operation: .backup, next: "dbrescue log show DBR-"),
    Case(.failed, .backup, next: "dbrescue log show DBR-"),
  ]

  @Test(arguments: cases)
  func `the last line is what to do next`(_ entry: Case) throws {
    let content = Content(
      operation: entry.operation, stage: entry.stage, outcome: entry.outcome, day: 1,
      verdict: entry.verdict, hasVerifiedBackup: entry.backup)
    let last = try #require(SupportCode(content, random: 0).explanation.last)
    #expect(last.label == "next")
    #expect(last.text.contains(entry.next))
  }

  @Test func `unsynced rows that nobody looked for are never told as none`() throws {
    for unsynced in [nil, UnsyncedRows.cannotTell] {
      let content = Content(
        operation: .check, stage: .done, outcome: .succeeded, day: 1, unsynced: unsynced)
      let line = SupportCode(content, random: 0).explanation.first { $0.label == "unsynced" }
      #expect(try #require(line).text.hasSuffix("do not read this as none"))
    }
  }

  @Test func `every code has an explanation whose lines are short sentences`() {
    var generator = SupportCodeGenerator(seed: 4)
    for _ in 0..<500 {
      let code = SupportCode(Content.random(using: &generator), random: generator.next())
      for line in code.explanation {
        #expect(!line.label.isEmpty && !line.text.isEmpty)
        #expect(!line.text.hasSuffix("."))
        #expect(line.text.count < 200)
      }
    }
  }
}
