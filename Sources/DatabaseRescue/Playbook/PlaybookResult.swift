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

/// What a run of a playbook did.
package struct PlaybookResult: Hashable, Sendable {
  /// The name of the playbook.
  package let playbook: String
  /// How the run ended: `done` when the playbook came to its end.
  package let ending: PlaybookStepRecord.Outcome
  /// The step at which the run ended; nil when the playbook came to its end.
  package let stoppedAt: String?
  /// Every step that was come to, in order.
  package let records: [PlaybookStepRecord]
  /// The verdict of the first look, before the run changed anything; nil when nobody has looked.
  package let firstVerdict: Verdict?
  /// What is known at the end.
  package let facts: PlaybookFacts
  /// The proven copies that this run has made.
  package let copies: [SafetyCopy]
  /// What somebody decided, in order.
  package let decisions: [PlaybookDecision]
  /// The last error of a step; nil when none failed.
  package let failure: RescueError?
  /// The exit status of a migration that was refused, where that was the last failure; nil for none.
  package let migrationStatus: Int32?
  /// What to do next.
  package let next: String
  /// The rows that replacing the database has cost, a line for each table that has lost any.
  package internal(set) var losses: [String] = []
  /// The commands that take back what the run has replaced, the last replacement first.
  package internal(set) var undo: [String] = []

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

  /// The verdict at the end; nil when nobody has looked.
  package var verdict: Verdict? { facts.verdict }
}
