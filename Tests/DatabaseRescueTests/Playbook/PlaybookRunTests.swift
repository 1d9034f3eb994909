// SPDX-License-Identifier: Apache-2.0
// The engine: what runs, what is refused, and where a run ends.

import Diagnosis
import Foundation
import Testing

@testable import DatabaseRescue

@Suite struct `A playbook run` {
  private func run(
    _ steps: [Playbook.Step], approve: Set<String> = [], _ performer: inout ScriptedPerformer
  ) throws -> PlaybookResult {
    try PlaybookRun(Playbook(steps), approvals: approve).run(with: &performer)
  }

  // MARK: Conditions

  @Test func `steps run when their condition holds, and the record says why`() throws {
    var performer = ScriptedPerformer(known: PlaybookFacts([.verdict: "damaged"]))
    let result = try run(
      [
        .init(id: "a", action: .note, text: "Yes.", when: "verdict = 'damaged'"),
        .init(id: "b", action: .note, text: "No.", when: "verdict = 'healthy'"),
        .init(id: "c", action: .note, text: "Unknown.", when: "rows_lost = 0"),
        .init(id: "d", action: .note, text: "Always."),
      ], &performer)
    #expect(result.records.map(\.outcome) == [.done, .skipped, .skipped, .done])
    #expect(
      result.records.map(\.reason) == [
        "verdict = 'damaged'", "verdict = 'damaged'",
        "cannot be decided and counts as no: rows_lost is not known", "always",
      ])
    #expect(result.records.map(\.summary) == ["Yes.", "", "", "Always."])
    #expect(performer.ended == ["a done", "b skipped", "c skipped", "d done"])
    #expect(result.ending == .done)
    #expect(result.stoppedAt == nil)
    #expect(result.trouble == nil)
  }

  @Test func `a step decides over what the steps before have found`() throws {
    var performer = ScriptedPerformer()
    var found = PlaybookFacts()
    found.set(.newer)
    performer.reports["check"] = .init(summary: "newer", facts: found)
    let result = try run(
      [
        .check, .init(id: "end", action: .stop, text: "Install it.", when: "verdict = 'newer'"),
        .backup,
      ], &performer)
    #expect(result.ending == .stopped)
    #expect(result.stoppedAt == "end")
    #expect(result.next == "Install it.")
    #expect(result.verdict == .newer)
    #expect(result.trouble == nil)
    #expect(performer.performed == ["check"])
  }

  @Test func `a condition that fails ends the run`() throws {
    var performer = ScriptedPerformer(known: PlaybookFacts([.rowsLost: .integer(.min)]))
    let result = try run(
      [.init(id: "a", action: .check, text: "x", when: "abs(rows_lost) > 0")], &performer)
    #expect(result.ending == .failed)
    #expect(result.trouble == .invalidInput)
    #expect(performer.performed == [])
  }

  // MARK: Programs under guard

  static let migrate = Playbook.Step(
    id: "migrate", action: .guardCommand, text: "Migrate.", command: ["up", "{database}"])

  @Test func `a program is not run without consent, and whoever is asked sees it`() throws {
    var performer = ScriptedPerformer(answers: [.no])
    let result = try run([Self.migrate, .check], &performer)
    #expect(performer.performed == [])
    #expect(result.ending == .declined)
    let question = try #require(performer.questions.first?.text)
    #expect(question.contains("up '{database}'"))
    #expect(question.contains("a proven backup of what was before"))
  }

  @Test func `a migration that is refused has failed, and later steps can ask`() throws {
    var performer = ScriptedPerformer()
    performer.reports["migrate"] = PlaybookStepResult(
      summary: "refused", facts: PlaybookFacts(), copy: .proven,
      migration: .init(result: .restored, exitStatus: 18),
      refusal: RescueError(.invalidInput, "it is refused"))
    var step = Self.migrate
    step.onFailure = .continue
    let steps: [Playbook.Step] = [
      step, .init(id: "back", action: .stop, text: "Back.", when: "migration = 'restored'"),
    ]
    let result = try run(steps, approve: ["migrate"], &performer)
    #expect(result.stoppedAt == "back")
    #expect(result.records.map(\.outcome) == [.failed, .stopped])
    #expect(result.copies == [.proven])
    #expect(result.facts.isSet(.replacedInThisRun))
    #expect(result.exitStatus == 18)
  }

  @Test func `a failure after a refused migration decides the exit status`() throws {
    var performer = ScriptedPerformer()
    performer.reports["migrate"] = PlaybookStepResult(
      summary: "refused", facts: PlaybookFacts(), migration: .init(result: .left, exitStatus: 19),
      refusal: RescueError(.invalidInput, "it is refused"))
    performer.failures["check"] = RescueError(.busy, "somebody writes")
    var step = Self.migrate
    step.onFailure = .continue
    let result = try run([step, .check], approve: ["migrate"], &performer)
    #expect(result.exitStatus == RescueError.Kind.busy.rawValue)
  }

  // MARK: Destructive steps

  static let destructive: [Playbook.Step] = [
    .restore, .init(id: "salvage", action: .salvage, text: "Salvage.", inPlace: true),
    .init(id: "reset", action: .reset, text: "Reset."),
  ]

  @Test(arguments: destructive)
  func `a destructive step is not done without consent`(step: Playbook.Step) throws {
    var performer = ScriptedPerformer()
    let result = try run([.backup, step, .check], &performer)
    #expect(performer.performed == ["backup"])
    #expect(result.ending == .needsDecision)
    #expect(result.stoppedAt == step.id)
    #expect(result.trouble == .decisionNeeded)
    #expect(result.next.contains("--approve \(step.id)"))
    #expect(performer.questions.count == 1)
    #expect(performer.questions.first?.text.contains("quarantine") == true)
  }

  @Test(arguments: destructive)
  func `a destructive step is done when it was approved`(step: Playbook.Step) throws {
    var performer = ScriptedPerformer()
    let result = try run([.backup, step], approve: [step.id], &performer)
    #expect(performer.performed == ["backup", step.id])
    #expect(performer.questions == [])
    #expect(result.ending == .done)
    #expect(result.copies.map(\.kind) == [.backup, .quarantine])
    #expect(result.facts.isSet(.replacedInThisRun))
    #expect(result.facts.isSet(.quarantineInThisRun))
  }

  @Test(arguments: destructive)
  func `a destructive step is done when somebody says yes, and not on no`(
    step: Playbook.Step
  ) throws {
    var yes = ScriptedPerformer(answers: [.yes])
    #expect(try run([.backup, step], &yes).ending == .done)
    #expect(yes.performed == ["backup", step.id])
    var no = ScriptedPerformer(answers: [.no])
    let result = try run([.backup, step, .check], &no)
    #expect(result.ending == .declined)
    #expect(result.trouble == .declined)
    #expect(no.performed == ["backup"])
  }

  @Test(arguments: destructive)
  func `an approved step is refused when no copy was proven in this run`(
    step: Playbook.Step
  ) throws {
    var performer = ScriptedPerformer(answers: [.yes])
    // The vault is full of good backups, and a performer claims one of this run: neither counts.
    performer.known = PlaybookFacts([
      .backupExists: true, .backupVerified: true, .backupSound: true, .backupInThisRun: true,
      .quarantineInThisRun: true,
    ])
    let result = try run([.check, step], approve: [step.id], &performer)
    #expect(performer.performed == ["check"])
    #expect(result.ending == .refused)
    #expect(result.stoppedAt == step.id)
    #expect(result.trouble == .decisionNeeded)
    #expect(performer.questions == [], "nobody is asked for what cannot be done")
    #expect(result.facts[.backupInThisRun] == false)
  }

  @Test func `a backup without any check proves nothing`() throws {
    var performer = ScriptedPerformer()
    performer.reports["backup"] = .init(
      summary: "written", facts: PlaybookFacts(),
      copy: SafetyCopy(kind: .backup, name: "b", checks: []))
    let result = try run([.backup, .restore], approve: ["restore"], &performer)
    #expect(result.ending == .refused)
    #expect(performer.performed == ["backup"])
  }

  @Test func `only a backup or a replacement can prove a copy`() throws {
    var performer = ScriptedPerformer()
    performer.reports["check"] = .init(summary: "checked", facts: PlaybookFacts(), copy: .proven)
    #expect(try run([.check, .restore], approve: ["restore"], &performer).ending == .refused)
  }

  @Test func `a backup that failed proves nothing, also when the playbook goes on`() throws {
    var performer = ScriptedPerformer()
    performer.failures["backup"] = RescueError(.cannotWrite, "no space", advice: "free some space")
    var backup = Playbook.Step.backup
    backup.onFailure = .continue
    let result = try run([backup, .restore], approve: ["restore"], &performer)
    #expect(result.records.map(\.outcome) == [.failed, .refused])
  }

  @Test func `a destructive step that failed ends the run whatever the playbook says`() throws {
    var performer = ScriptedPerformer()
    performer.failures["restore"] = RescueError(.busy, "locked", advice: "close the app")
    var restore = Playbook.Step.restore
    restore.onFailure = .continue
    let result = try run([.backup, restore, .check], approve: ["restore"], &performer)
    #expect(result.ending == .failed)
    #expect(result.trouble == .busy)
    #expect(result.next == "close the app")
    #expect(performer.performed == ["backup", "restore"])
  }

  @Test func `a salvage into a new file needs no consent`() throws {
    var performer = ScriptedPerformer()
    let result = try run([.init(id: "s", action: .salvage, text: "Salvage.")], &performer)
    #expect(result.ending == .done)
    #expect(performer.questions == [])
  }

  // MARK: Questions

  @Test func `a question stops the run when nobody is there`() throws {
    var performer = ScriptedPerformer()
    let result = try run([.init(id: "sure", action: .ask, text: "Sure?"), .check], &performer)
    #expect(result.ending == .needsDecision)
    #expect(result.next.contains("--approve sure"))
    #expect(performer.performed == [])
  }

  @Test func `a question that was approved is not asked`() throws {
    var performer = ScriptedPerformer()
    let result = try run(
      [.init(id: "sure", action: .ask, text: "Sure?"), .check], approve: ["sure"], &performer)
    #expect(result.ending == .done)
    #expect(result.facts[.lastAnswer] == "yes")
    #expect(performer.questions == [])
  }

  @Test(arguments: [(PlaybookAnswer.yes, "yes", 1), (.no, "no", 0)])
  func `an answer is a fact for the steps after`(
    answer: PlaybookAnswer, word: String, count: Int
  ) throws {
    var performer = ScriptedPerformer(answers: [answer])
    let result = try run(
      [
        .init(id: "sure", action: .ask, text: "Sure?", onFailure: .continue),
        .init(id: "then", action: .check, text: "x", when: "last_answer = 'yes'"),
      ], &performer)
    #expect(result.facts[.lastAnswer] == .text(word))
    #expect(performer.performed.count == count)
    #expect(result.ending == .done)
  }

  private var choice: [Playbook.Step] {
    [
      .backup,
      .init(
        id: "which", action: .ask, text: "Which?", onFailure: .continue,
        choices: ["restore", "reset"]),
      .init(id: "restore", action: .restore, text: "R.", when: "last_answer = 'restore'"),
      .init(id: "reset", action: .reset, text: "X.", when: "last_answer = 'reset'"),
    ]
  }

  @Test func `a choice approves the step that was chosen and no other`() throws {
    var performer = ScriptedPerformer(answers: [.choice("reset")])
    let result = try run(choice, &performer)
    #expect(performer.performed == ["backup", "reset"])
    #expect(performer.questions.count == 1)
    #expect(performer.questions[0].choices.map(\.id) == ["restore", "reset"])
    #expect(performer.questions[0].choices[1].effect.contains("every row is gone"))
    #expect(result.ending == .done)
  }

  @Test func `an approval makes the choice, two approvals do not`() throws {
    var one = ScriptedPerformer()
    _ = try run(choice, approve: ["restore"], &one)
    #expect(one.performed == ["backup", "restore"])
    #expect(one.questions == [])
    var two = ScriptedPerformer()
    let result = try run(choice, approve: ["restore", "reset"], &two)
    #expect(result.ending == .needsDecision)
    #expect(two.performed == ["backup"])
  }

  @Test(arguments: [PlaybookAnswer.no, .yes, .choice("backup"), .choice("nothing")])
  func `an answer that is none of the choices approves nothing`(answer: PlaybookAnswer) throws {
    var performer = ScriptedPerformer(answers: [answer])
    let result = try run(choice, &performer)
    #expect(performer.performed == ["backup"])
    #expect(result.facts[.lastAnswer] == "no")
  }

  // MARK: Failures

  @Test func `a failed step ends the run with its kind and advice`() throws {
    var performer = ScriptedPerformer()
    performer.failures["check"] = RescueError(.missing, "no such file", advice: "check the path")
    let result = try run([.check, .backup], &performer)
    #expect(result.ending == .failed)
    #expect(result.stoppedAt == "check")
    #expect(result.trouble == .missing)
    #expect(result.next == "check the path")
    #expect(performer.performed == ["check"])
  }

  @Test func `a failure that may pass is a fact, and is not forgotten`() throws {
    var performer = ScriptedPerformer()
    performer.failures["check"] = RescueError(.inputOutput, "bad disk")
    var check = Playbook.Step.check
    check.onFailure = .continue
    let result = try run(
      [
        check, .init(id: "skipped", action: .note, text: "x", when: "last_step_outcome = 'done'"),
        .init(id: "b", action: .note, text: "x", when: "last_step_outcome = 'failed'"),
      ], &performer)
    #expect(result.records.map(\.outcome) == [.failed, .skipped, .done])
    #expect(result.ending == .done)
    #expect(result.trouble == .inputOutput, "a failed step never ends in success")
  }

  @Test func `facts that cannot be had end the run before the first step`() throws {
    var performer = ScriptedPerformer()
    performer.failures["facts"] = RescueError(.permission, "not allowed")
    let result = try run([.check], &performer)
    #expect(result.ending == .failed)
    #expect(result.trouble == .permission)
    #expect(result.records == [])
  }

  // MARK: Facts

  @Test func `what the vault held at the start does not change with the backups of this run`()
    throws
  {
    var performer = ScriptedPerformer(known: PlaybookFacts([.backupAgeHours: 100.0]))
    performer.reports["backup"] = .init(
      summary: "done", facts: PlaybookFacts([.backupAgeHours: 0.0, .backupVerified: true]),
      copy: .proven)
    let result = try run(
      [.backup, .init(id: "n", action: .note, text: "x", when: "backup_age_hours < 24")],
      &performer)
    #expect(result.records.last?.outcome == .skipped)
    #expect(result.facts[.backupAgeHours] == 100.0)
    #expect(result.facts[.backupVerified] == nil)
    #expect(result.facts[.backupInThisRun] == true)
  }

  @Test func `the first verdict stays known after the database was replaced`() throws {
    var performer = ScriptedPerformer()
    performer.known.set(.damagedLossy)
    var after = PlaybookFacts()
    after.set(.healthy)
    performer.reports["restore"] = .init(
      summary: "done", facts: after,
      copy: SafetyCopy(kind: .quarantine, name: "q", checks: ["moved"]))
    let result = try run([.backup, .restore], approve: ["restore"], &performer)
    #expect(result.firstVerdict == .damagedLossy)
    #expect(result.verdict == .healthy)
  }

  @Test func `seconds come from the clock of the world`() throws {
    let clock = Clock()
    let world = World(storage: SystemStorage(), now: { clock.tick() })
    var performer = ScriptedPerformer()
    let result = try PlaybookRun(Playbook([.check, .backup]), world: world).run(with: &performer)
    #expect(result.records.map(\.seconds) == [2, 2])
  }

  // MARK: Approvals

  @Test(arguments: [
    ("restroe", "has no step 'restroe'; did you mean 'restore'?"),
    ("check", "has a step 'check' that needs no approval"),
  ])
  func `an approval that approves nothing is refused`(id: String, reason: String) {
    let error = #expect(throws: RescueError.self) {
      try PlaybookRun(Playbook([.check, .backup, .restore]), approvals: [id])
    }
    #expect(error?.kind == .usage)
    #expect(error?.message == "the playbook 'test' \(reason)")
  }

  @Test func `what to do next is said, and who decided what is remembered`() throws {
    let playbook = Playbook([.backup, .restore])
    func result(
      _ approvals: Set<String>, _ answers: [PlaybookAnswer]
    ) throws -> PlaybookResult {
      var performer = ScriptedPerformer(answers: answers)
      return try PlaybookRun(playbook, approvals: approvals).run(with: &performer)
    }
    let open = try result([], [])
    #expect(open.next.hasPrefix("decide, then run the playbook again with --approve restore"))
    #expect(open.decisions == [])
    #expect(
      try result(["restore"], []).decisions
        == [.init(step: "restore", answer: "yes", origin: .beforehand)])
    for (answer, word) in [(PlaybookAnswer.yes, "yes"), (.no, "no")] {
      #expect(
        try result([], [answer]).decisions
          == [.init(step: "restore", answer: word, origin: .answered)])
    }
  }
}

/// A clock that moves on by two seconds whenever it is read.
private final class Clock: @unchecked Sendable {
  // Read by one run on one thread.
  private var seconds = 0.0

  func tick() -> Date {
    seconds += 2
    return Date(timeIntervalSince1970: seconds)
  }
}
