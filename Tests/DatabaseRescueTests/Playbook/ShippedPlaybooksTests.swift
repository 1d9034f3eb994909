// SPDX-License-Identifier: Apache-2.0
// The shipped playbooks: that they are valid, and that they do the right thing in each situation.

import Diagnosis
import Foundation
import SQLiteFormat
import Testing

@testable import DatabaseRescue

typealias ShippedPlaybookTests = `The shipped playbooks`

@Suite struct `The shipped playbooks` {
  /// The facts of a database with this verdict and a good backup two hours old.
  static func facts(
    _ verdict: Verdict, _ values: [PlaybookFact: PlaybookFacts.Value?] = [:]
  ) -> PlaybookFacts {
    var facts = PlaybookFacts([
      .fileKind: "database", .rowsLost: 0, .rowsDoubtful: 0, .findingsCount: 1, .pageSize: 4096,
      .databaseBytes: 1_000_000, .freeBytes: 1_000_000_000, .walPresent: false, .hotJournal: false,
      .unsyncedRows: 0, .unsyncedState: "none", .contractGiven: true, .versionFound: 42,
      .versionExpected: 42, .versionRelation: "equal", .schemaDifferences: 0, .invariantsBroken: 0,
      .backupExists: true, .backupVerified: true, .backupSound: true, .backupAgeHours: 2.0,
      .backupVersion: 41, .rowsLostByRestore: 5, .interactive: false,
    ])
    facts.set(verdict)
    if verdict == .drifted { facts[.schemaDifferences] = 3 }
    return facts.with(values)
  }

  static let rows: [PlaybookFacts] =
    Verdict.allCases.flatMap { verdict in
      [
        facts(verdict), facts(verdict, [.backupVerified: false, .backupExists: false]),
        facts(verdict, [.unsyncedState: "some", .unsyncedRows: 7]),
        facts(verdict, [.unsyncedState: "cannot-tell", .unsyncedRows: nil, .contractGiven: false]),
        facts(verdict, [.rowsLost: nil, .rowsLostByRestore: nil, .backupAgeHours: 300.0]),
        facts(verdict, [.fileKind: "encrypted", .freeBytes: 10]),
      ]
    } + [PlaybookFacts()]

  /// Read once: the tests run them some thousand times.
  private static let playbooks = Result {
    Dictionary(uniqueKeysWithValues: try ShippedPlaybooks.all().map { ($0.name, $0) })
  }

  private static func run(
    _ name: String, _ facts: PlaybookFacts, approve: Set<String> = [],
    _ answers: [PlaybookAnswer] = [],
    after: Verdict = .healthy
  ) throws -> (PlaybookResult, ScriptedPerformer) {
    var performer = ScriptedPerformer(known: facts, answers: answers)
    let playbook = try #require(Self.playbooks.get()[name])
    var replaced = facts
    replaced.set(after)
    for step in playbook.steps where step.isDestructive {
      performer.reports[step.id] = .init(
        summary: "done", facts: replaced,
        copy: SafetyCopy(kind: .quarantine, name: "q", checks: ["moved"]))
    }
    let result = try PlaybookRun(playbook, approvals: approve).run(with: &performer)
    return (result, performer)
  }

  // MARK: All of them

  @Test func `every file of the folder is built in, as it is`() throws {
    let folder = URL(filePath: #filePath).deletingLastPathComponent()
      .appending(path: "../../../playbooks").standardizedFileURL
    let files = try FileManager.default.contentsOfDirectory(atPath: folder.path())
    #expect(files.sorted() == ShippedPlaybooks.names.map { "\($0).json5" })
    for name in ShippedPlaybooks.names {
      let file = try Data(contentsOf: folder.appending(path: "\(name).json5"))
      #expect(try ShippedPlaybooks.text(named: name) == Bytes(file))
    }
  }

  @Test(arguments: ShippedPlaybooks.names)
  func `it is valid and named after its file`(name: String) throws {
    #expect(
      PlaybookReader.problems(in: try ShippedPlaybooks.text(named: name))
        .map { $0.description(in: name) } == [])
    #expect(try ShippedPlaybooks.playbook(named: name).name == name)
  }

  @Test(arguments: ShippedPlaybooks.names)
  func `it never replaces anything without consent, whatever the facts`(name: String) throws {
    let playbook = try ShippedPlaybooks.playbook(named: name)
    for facts in Self.rows {
      let (result, performer) = try Self.run(name, facts)
      let done = performer.performed.compactMap(playbook.step)
      #expect(done.allSatisfy { !$0.isDestructive })
      #expect(result.facts[.replacedInThisRun] == false)
      #expect(!result.next.isEmpty)
    }
  }

  @Test(arguments: ShippedPlaybooks.names)
  func `it keeps the present files before it replaces anything, and replaces them once`(
    name: String
  ) throws {
    let playbook = try ShippedPlaybooks.playbook(named: name)
    let approvals = playbook.approvable
    for facts in Self.rows {
      for approval in approvals {
        let (result, performer) = try Self.run(name, facts, approve: [approval])
        let done = performer.performed.compactMap(playbook.step)
        let replacements = done.filter(\.isDestructive)
        #expect(replacements.count <= 1)
        #expect(result.ending != .refused)
        if let first = done.firstIndex(where: \.isDestructive) {
          #expect(done[..<first].contains { $0.action == .backup })
        }
      }
    }
  }

  @Test(arguments: ShippedPlaybooks.names)
  func `the checklist names every step and every fact`(name: String) throws {
    let playbook = try ShippedPlaybooks.playbook(named: name)
    let checklist = playbook.checklist
    #expect(checklist.hasPrefix("\(playbook.title) (\(name))\n\nWhat you see:\n  - "))
    #expect(checklist.split(separator: "\n").allSatisfy { $0.count <= 80 })
    let marks = checklist.components(separatedBy: "[DESTRUCTIVE]").count - 1
    #expect(marks == playbook.steps.count { $0.isDestructive })
    #expect(checklist.contains("\(playbook.steps.count). "))
    for fact in playbook.facts { #expect(checklist.contains("  \(fact.name): ")) }
  }

  @Test func `an unknown name is refused with a suggestion`() {
    let error = #expect(throws: RescueError.self) {
      try ShippedPlaybooks.playbook(named: "pre-migration-bakcup")
    }
    #expect(error?.kind == .missing)
    #expect(
      error?.message
        == "no playbook 'pre-migration-bakcup'; did you mean 'pre-migration-backup'?")
  }

  // MARK: Before a migration

  @Test(arguments: [
    (Verdict.healthy, "migrate", ["diagnose", "backup"]),
    (.outdated, "migrate", ["diagnose", "backup"]), (.newer, "stop-newer", ["diagnose"]),
    (.unreadable, "stop-unreadable", ["diagnose"]),
    (.damagedIntact, "stop-damaged", ["diagnose", "keep-damaged-files"]),
    (.damagedLossy, "stop-damaged", ["diagnose", "keep-damaged-files"]),
    (.drifted, "stop-drifted", ["diagnose", "backup"]),
  ])
  func `before a migration a sound database is backed up, any other is not migrated`(
    verdict: Verdict, last: String, performed: [String]
  ) throws {
    let (result, performer) = try Self.run("pre-migration-backup", Self.facts(verdict))
    #expect(result.records.last { $0.outcome != .skipped }?.step == last)
    #expect(performer.performed == performed)
  }

  @Test func `before a migration there must be space`() throws {
    let (result, _) = try Self.run(
      "pre-migration-backup", Self.facts(.outdated, [.freeBytes: 2_999_999]))
    #expect(result.stoppedAt == "stop-no-space")
  }

  // MARK: After an update

  @Test(arguments: [
    (Verdict.newer, "stop-newer"), (.unreadable, "stop-damaged"),
    (.damagedIntact, "stop-damaged"), (.damagedLossy, "stop-damaged"),
    (.outdated, "stop-outdated"), (.healthy, "stop-sound"),
  ])
  func `after an update only a drifted database is restored`(
    verdict: Verdict, end: String
  ) throws {
    let (result, performer) = try Self.run(
      "failed-verification-after-update", Self.facts(verdict), approve: ["restore-fresh"])
    #expect(result.stoppedAt == end)
    #expect(!performer.performed.contains("restore-fresh"))
  }

  @Test func `after an update a fresh backup is restored once it is approved`() throws {
    let name = "failed-verification-after-update"
    let (waiting, _) = try Self.run(name, Self.facts(.drifted))
    #expect(waiting.stoppedAt == "restore-fresh")
    #expect(waiting.trouble == .decisionNeeded)
    let (result, performer) = try Self.run(
      name, Self.facts(.drifted), approve: ["restore-fresh"], after: .outdated)
    #expect(
      performer.performed
        == ["diagnose", "keep-present", "verify", "restore-fresh", "verify-again"])
    #expect(result.stoppedAt == "done-outdated")
    let (bad, _) = try Self.run(
      name, Self.facts(.drifted), approve: ["restore-fresh"], after: .drifted)
    #expect(bad.stoppedAt == "not-done")
  }

  @Test(arguments: [
    [PlaybookFact.backupAgeHours: PlaybookFacts.Value.real(30)],
    [.unsyncedState: "some", .unsyncedRows: 2], [.unsyncedState: "cannot-tell"],
  ])
  func `after an update an approval for a fresh backup does not restore an old one`(
    values: [PlaybookFact: PlaybookFacts.Value]
  ) throws {
    let name = "failed-verification-after-update"
    let facts = Self.facts(.drifted, values)
    let (asked, performer) = try Self.run(name, facts, approve: ["restore-fresh"])
    #expect(asked.stoppedAt == "ask-restore")
    #expect(!performer.performed.contains { $0.hasPrefix("restore") })
    let (chosen, other) = try Self.run(name, facts, [.choice("restore-older")])
    #expect(other.performed.contains("restore-older"))
    #expect(chosen.stoppedAt == "done-healthy")
  }

  @Test(
    arguments: [
      ([PlaybookFact.backupVerified: false], "stop-no-backup"),
      ([.backupVerified: nil], "stop-no-backup"), ([.backupSound: false], "stop-no-backup"),
      ([.backupVersion: 43], "stop-backup-newer"), ([.contractGiven: false], "stop-no-contract"),
    ] as [([PlaybookFact: PlaybookFacts.Value?], String)])
  func `after an update nothing is restored from what cannot be trusted`(
    values: [PlaybookFact: PlaybookFacts.Value?], end: String
  ) throws {
    let (result, _) = try Self.run(
      "failed-verification-after-update", Self.facts(.drifted, values),
      approve: ["restore-fresh", "restore-older"])
    #expect(result.stoppedAt == end)
  }

  // MARK: Malformed at start

  @Test(arguments: [
    ("encrypted", "stop-encrypted"), ("journal", "stop-journal"), ("other", "stop-other"),
  ])
  func `a file that is no damaged database ends with what to ask for`(
    kind: String, end: String
  ) throws {
    let (result, performer) = try Self.run(
      "malformed-database-at-start", Self.facts(.unreadable, [.fileKind: .text(kind)]),
      approve: ["restore-unreadable"])
    #expect(result.stoppedAt == end)
    #expect(performer.performed == ["diagnose"])
  }

  @Test(arguments: [
    (Verdict.healthy, "stop-sound"), (.newer, "stop-newer"), (.outdated, "stop-outdated"),
    (.drifted, "stop-drifted"),
  ])
  func `a file that is not damaged is not mended`(verdict: Verdict, end: String) throws {
    let (result, performer) = try Self.run(
      "malformed-database-at-start", Self.facts(verdict), approve: ["salvage-intact"])
    #expect(result.stoppedAt == end)
    #expect(performer.performed == ["diagnose"])
  }

  struct Loss: CustomTestStringConvertible {
    let verdict: Verdict
    let values: [PlaybookFact: PlaybookFacts.Value?]
    /// The step that decides.
    let step: String
    /// The step that replaces the database when it is approved; the same unless it is a question.
    var replacement: String?

    var testDescription: String { "\(verdict) \(step)" }
  }

  @Test(arguments: [
    Loss(verdict: .damagedIntact, values: [:], step: "salvage-intact"),
    Loss(verdict: .damagedLossy, values: [.rowsLost: 9], step: "restore-better"),
    Loss(verdict: .damagedLossy, values: [.rowsLost: 4], step: "salvage-better"),
    Loss(
      verdict: .damagedLossy, values: [.rowsLost: 4, .rowsDoubtful: 2], step: "ask-lossy",
      replacement: "salvage-chosen"),
    Loss(
      verdict: .damagedLossy, values: [.rowsLost: 9, .unsyncedState: "some"], step: "ask-lossy",
      replacement: "salvage-chosen"),
    Loss(
      verdict: .damagedLossy, values: [.rowsLost: 9, .unsyncedState: "cannot-tell"],
      step: "ask-lossy", replacement: "restore-chosen"),
    Loss(
      verdict: .damagedLossy, values: [.rowsLost: nil], step: "ask-lossy",
      replacement: "restore-chosen"),
    Loss(
      verdict: .damagedLossy, values: [.rowsLost: 9, .rowsLostByRestore: nil], step: "ask-lossy",
      replacement: "salvage-chosen"),
    Loss(
      verdict: .damagedLossy, values: [.rowsLost: 9, .backupVerified: false],
      step: "salvage-no-backup"),
    Loss(
      verdict: .damagedLossy, values: [.rowsLost: 9, .backupSound: false],
      step: "salvage-no-backup"),
    Loss(
      verdict: .unreadable, values: [.fileKind: "zeros", .rowsLost: nil],
      step: "restore-unreadable"),
  ])
  func `a damaged database is mended by what loses less, or somebody decides`(loss: Loss) throws {
    let name = "malformed-database-at-start"
    let facts = Self.facts(loss.verdict, loss.values)
    let (waiting, before) = try Self.run(name, facts)
    #expect(waiting.stoppedAt == loss.step)
    #expect(waiting.ending == .needsDecision)
    #expect(before.performed.prefix(2) == ["diagnose", "keep-damaged-files"])
    let replacement = loss.replacement ?? loss.step
    let (result, performer) = try Self.run(name, facts, approve: [replacement])
    #expect(performer.performed.suffix(3) == [replacement, "check-result", "verify-result"])
    #expect(result.stoppedAt == "done-healthy")
    #expect(result.firstVerdict == loss.verdict)
  }

  @Test func `an unreadable file without a backup is kept, and nothing else happens`() throws {
    let (result, performer) = try Self.run(
      "malformed-database-at-start",
      Self.facts(.unreadable, [.fileKind: "empty", .backupVerified: false]),
      approve: ["restore-unreadable"])
    #expect(performer.performed == ["diagnose", "keep-damaged-files"])
    #expect(result.stoppedAt == "stop-nothing-done")
  }

  @Test func `nothing is replaced when neither salvage nor restore is wanted`() throws {
    let (result, performer) = try Self.run(
      "malformed-database-at-start", Self.facts(.damagedLossy, [.rowsLost: nil]), [.no])
    #expect(performer.performed == ["diagnose", "keep-damaged-files", "salvage-copy"])
    #expect(result.stoppedAt == "stop-nothing-done")
  }
}
