// SPDX-License-Identifier: Apache-2.0
// What a run of a playbook did, where it ended, and what to do next.

package import Diagnosis

/// What became of one step.
package struct PlaybookStepRecord: Hashable, Sendable {
  /// How a step can end.
  package enum Outcome: String, Hashable, Sendable, CaseIterable {
    /// It was done.
    case done
    /// Its condition does not hold, or cannot be decided.
    case skipped
    /// The answer was no.
    case declined
    /// It was tried and failed.
    case failed
    /// The run ends here because the playbook says so.
    case stopped
    /// It needs a decision, and nobody was there to ask.
    case needsDecision = "needs-decision"
    /// It is destructive, and no copy of the database was proven in this run.
    case refused
  }

  /// The id of the step.
  package let step: String
  /// Its action.
  package let action: PlaybookAction
  /// How it ended.
  package let outcome: Outcome
  /// How long it took.
  package internal(set) var seconds = 0.0
  /// Why it was done or passed over: the condition, and the facts that decided it.
  package internal(set) var reason = ""
  /// What was done, found or told.
  package let summary: String
  /// Why it failed; nil when it did not.
  let failure: RescueError?
  /// Whether the run ends with it.
  let endsRun: Bool

  init(
    _ step: Playbook.Step, _ outcome: Outcome, _ summary: String = "",
    failure: RescueError? = nil, endsRun: Bool = false
  ) {
    self.step = step.id
    self.action = step.action
    self.outcome = outcome
    self.summary = summary
    self.failure = failure
    self.endsRun = endsRun
  }
}

/// What somebody decided in a run.
package struct PlaybookDecision: Hashable, Sendable {
  /// How it became known.
  package enum Origin: String, Hashable, Sendable, CaseIterable {
    /// By `--approve`, before the run.
    case beforehand
    /// By an answer to a question of the run.
    case answered
  }

  /// The step that was decided about, or that asked.
  package let step: String
  /// `yes`, `no`, or the step that was chosen.
  package let answer: String
  /// How it became known.
  package let origin: Origin
}

/// What a run of a playbook has done: it grows with every step, and is complete when the run ends.
package struct PlaybookResult: Hashable, Sendable {
  /// The name of the playbook.
  package let playbook: String
  /// How the run ended: `done` when the playbook came to its end.
  package private(set) var ending = PlaybookStepRecord.Outcome.done
  /// The step at which the run ended; nil when the playbook came to its end.
  private var endedAt: Playbook.Step?
  /// Every step that was come to, in order.
  package private(set) var records: [PlaybookStepRecord] = []
  /// The verdict of the first look, before the run changed anything; nil when nobody has looked.
  package private(set) var firstVerdict: Verdict?
  /// What is known at the end.
  package private(set) var facts = PlaybookFacts()
  /// The proven copies that this run has made.
  package private(set) var copies: [SafetyCopy] = []
  /// What somebody decided, in order.
  package private(set) var decisions: [PlaybookDecision] = []
  /// The last error of a step; nil when none failed.
  package private(set) var failure: RescueError?
  /// The exit status of a migration that was refused, where that was the last failure; nil for none.
  package private(set) var migrationStatus: Int32?
  /// The rows that replacing the database has cost, a line for each table that has lost any.
  package internal(set) var losses: [String] = []
  /// The commands that take back what the run has replaced, the last replacement first.
  package internal(set) var undo: [String] = []
  /// The steps that may be done without a further question.
  var consents: Set<String>

  /// Begins a run, of which nothing is known yet.
  init(of playbook: Playbook, consents: Set<String>) {
    self.playbook = playbook.name
    self.consents = consents
    facts.parameters = playbook.values
  }

  /// The id of the step at which the run ended; nil when the playbook came to its end.
  package var stoppedAt: String? { endedAt?.id }

  /// The verdict at the end; nil when nobody has looked.
  package var verdict: Verdict? { facts.verdict }

  /// What kind of trouble the run ended in; nil when the verdicts alone decide the exit status.
  ///
  /// A step that failed counts also where the playbook went on after it.
  package var trouble: RescueError.Kind? {
    switch ending {
    case .needsDecision, .refused: .decisionNeeded
    case .declined: .declined
    case .failed, .done, .skipped, .stopped: failure?.kind
    }
  }

  /// What to do next.
  package var next: String {
    switch ending {
    case .stopped: return endedAt?.text ?? ""
    case .failed: return failure?.advice ?? ""
    case .refused:
      return "make a backup first, with a backup step before \(endedAt?.id.quoted ?? "it")"
    case .declined: return "nothing was changed by this step; run the playbook again to decide anew"
    case .needsDecision:
      guard let endedAt else { return "" }
      let flags = (endedAt.choices ?? [endedAt.id]).map { "--approve \($0)" }.joined(
        separator: " or ")
      return "decide, then run the playbook again with \(flags), or where somebody can answer"
    case .done, .skipped:
      return verdict.map { "the playbook is done; \($0.meaning)" } ?? "the playbook is done"
    }
  }
}

extension PlaybookResult {
  /// Takes over what a performer knows; what belongs to the run, and what the vault held at its
  /// start, no performer can change.
  mutating func learn(_ learned: PlaybookFacts, atStart: Bool) {
    let before = facts
    facts = learned
    facts.parameters = before.parameters
    for fact in PlaybookFact.allCases
    where fact.source == .run || fact.source == .vault && !atStart {
      facts[fact] = before[fact]
    }
    for fact in [PlaybookFact.backupInThisRun, .quarantineInThisRun, .replacedInThisRun] {
      facts[fact] = facts[fact] ?? false
    }
    if firstVerdict == nil { firstVerdict = facts.verdict }
  }

  /// Remembers what a step did to the database, and the copy that it made: only of the steps that
  /// make one, and only when proven.
  mutating func keep(_ result: PlaybookStepResult, of step: Playbook.Step) {
    if step.isDestructive || result.migration?.result == .restored {
      facts[.replacedInThisRun] = true
    }
    if let migration = result.migration {
      facts[.migration] = .text(migration.result.rawValue)
      migrationStatus = migration.result == .kept ? nil : migration.exitStatus
    }
    if let copy = result.copy, !copy.checks.isEmpty, step.action == .backup || step.needsConsent {
      copies.append(copy)
      facts[copy.kind == .backup ? .backupInThisRun : .quarantineInThisRun] = true
    }
  }

  /// Remembers what somebody decided.
  mutating func decide(
    _ step: Playbook.Step, _ answer: String, _ origin: PlaybookDecision.Origin
  ) {
    decisions.append(PlaybookDecision(step: step.id, answer: answer, origin: origin))
    if step.action == .ask { facts[.lastAnswer] = .text(answer) }
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

  /// Ends the run before the playbook does.
  mutating func end(_ ending: PlaybookStepRecord.Outcome, at step: Playbook.Step) {
    (self.ending, endedAt) = (ending, step)
  }

  /// Ends the run before its first step, of which nothing can be known.
  mutating func end(failing error: RescueError) { (ending, failure) = (.failed, error) }
}
