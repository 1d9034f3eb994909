// SPDX-License-Identifier: Apache-2.0
// The state of a walk through a playbook: what is known, what was done, what is consented to.

import Diagnosis

/// What a run knows and has done so far.
struct PlaybookWalk {
  private(set) var facts = PlaybookFacts()
  private(set) var records: [PlaybookStepRecord] = []
  private(set) var copies: [SafetyCopy] = []
  private(set) var decisions: [PlaybookDecision] = []
  private(set) var failure: RescueError?
  /// The exit status of a migration that was refused, where nothing else has failed since.
  private(set) var migrationStatus: Int32?
  private(set) var firstVerdict: Verdict?
  /// The steps that may be done without a further question.
  var consents: Set<String>
  var lastAnswer: String? { didSet { facts[.lastAnswer] = lastAnswer.map { .text($0) } } }

  private var replaced = false

  init(consents: Set<String>, parameters: [String: PlaybookFacts.Value]) {
    self.consents = consents
    facts.parameters = parameters
  }

  /// Takes over what a performer knows; what belongs to the run, and what the vault held at its
  /// start, no performer can change.
  mutating func learn(_ learned: PlaybookFacts, atStart: Bool) {
    let before = facts
    facts = learned
    facts.parameters = before.parameters
    for fact in PlaybookFact.allCases {
      switch fact.source {
      case .run: facts[fact] = before[fact]
      case .vault where !atStart: facts[fact] = before[fact]
      default: break
      }
    }
    if firstVerdict == nil { firstVerdict = facts.verdict }
    setRunFacts()
  }

  /// Remembers the copy that a step made: only of the steps that make one, and only when proven.
  mutating func keep(
    _ copy: SafetyCopy?, from step: Playbook.Step, _ migration: PlaybookStepResult.Migration? = nil
  ) {
    if step.isDestructive || migration?.result == .restored { replaced = true }
    if let migration {
      facts[.migration] = .text(migration.result.rawValue)
      migrationStatus = migration.result == .kept ? nil : migration.exitStatus
    }
    if let copy, !copy.checks.isEmpty, step.action == .backup || step.needsConsent {
      copies.append(copy)
    }
    setRunFacts()
  }

  /// Remembers what somebody decided.
  mutating func decide(
    _ step: Playbook.Step, _ answer: String, _ origin: PlaybookDecision.Origin
  ) {
    decisions.append(PlaybookDecision(step: step.id, answer: answer, origin: origin))
  }

  /// Remembers how a step ended.
  mutating func note(_ record: PlaybookStepRecord) {
    records.append(record)
    if let failure = record.failure {
      self.failure = failure
      if record.action != .guardCommand { migrationStatus = nil }
    }
    if record.outcome != .skipped { facts[.lastStepOutcome] = .text(record.outcome.rawValue) }
  }

  private mutating func setRunFacts() {
    facts[.backupInThisRun] = .flag(copies.contains { $0.kind == .backup })
    facts[.quarantineInThisRun] = .flag(copies.contains { $0.kind == .quarantine })
    facts[.replacedInThisRun] = .flag(replaced)
  }
}
