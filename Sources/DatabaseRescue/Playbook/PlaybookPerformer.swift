// SPDX-License-Identifier: Apache-2.0
// What carries out the steps of a playbook, as the engine sees it.

/// Carries out the steps of a playbook on a database.
///
/// The engine decides what runs; a performer does it, and never asks whether it may.
protocol PlaybookPerformer {
  /// What is known before the first step: the surroundings, the vault, and what is cheap to see.
  mutating func facts() throws(RescueError) -> PlaybookFacts

  /// Judges the condition of a step over what is known: whether it holds, and why.
  mutating func judge(
    _ condition: PlaybookCondition, over known: PlaybookFacts
  ) throws(SQLiteError) -> (holds: Bool, reason: String)

  /// Does a step: any action but `ask`, `note` and `stop`.
  ///
  /// A step that finds something wrong with the database has not failed: what it
  /// found is in the facts. A `restore` takes the newest proven backup from
  /// before this run, the one that the facts of the vault describe.
  mutating func perform(_ step: Playbook.Step) throws(RescueError) -> PlaybookStepResult

  /// Puts a question to whoever is there.
  mutating func ask(_ question: PlaybookQuestion) -> PlaybookAnswer

  /// Hears of a step after it was done or passed over: its record is complete.
  mutating func didEnd(_ step: Playbook.Step, _ record: PlaybookStepRecord)

  /// Whether the run ends with a step.
  func ends(with record: PlaybookStepRecord) -> Bool
}

extension PlaybookPerformer {
  func judge(
    _ condition: PlaybookCondition, over known: PlaybookFacts
  ) throws(SQLiteError) -> (holds: Bool, reason: String) {
    let judgement = try condition.judge(known)
    return (judgement.truth == .yes, judgement.explanation(known))
  }

  func ends(with record: PlaybookStepRecord) -> Bool { record.endsRun }
}

/// What a performer says of a step that it has done.
package struct PlaybookStepResult: Hashable, Sendable {
  /// What was done and found, in one sentence, without row values.
  package var summary: String
  /// Everything that is known now; what is not set is unknown.
  package var facts: PlaybookFacts
  /// The copy of the database that the step has made and proven, if it has.
  package var copy: SafetyCopy?
  /// What became of a migration under guard, if the step was one.
  package var migration: Migration?
  /// Why the result of a migration is refused: the step has failed then.
  package var refusal: RescueError?

  /// What became of a migration, and the exit status that says so.
  package struct Migration: Hashable, Sendable {
    package let result: GuardReport.Result
    package let exitStatus: Int32
  }
}

/// A copy of the database that exists beside it, and how that was proven.
package struct SafetyCopy: Hashable, Sendable, Codable {
  /// The kinds of copy.
  package enum Kind: String, Hashable, Sendable, Codable {
    /// A backup in the vault.
    case backup
    /// The files themselves, moved to quarantine.
    case quarantine
  }

  /// The kind.
  package let kind: Kind
  /// Its name: of the backup file, or the code of the quarantine.
  package let name: String
  /// The checks that proved it, such as `read back` and `integrity_check`; without any it proves
  /// nothing.
  package let checks: [String]
}

/// A question to whoever is there.
package struct PlaybookQuestion: Hashable, Sendable {
  /// The question.
  package let text: String
  /// What can be chosen; empty for a question of yes or no.
  package var choices: [Choice] = []

  /// One thing that can be chosen.
  package struct Choice: Hashable, Sendable {
    /// The id of the step.
    package let id: String
    /// What it does, keeps and loses.
    package let effect: String
  }
}

/// The answer to a question.
package enum PlaybookAnswer: Hashable, Sendable {
  /// Nobody is there.
  case nobody
  /// No, or none of the choices.
  case no
  /// Yes.
  case yes
  /// One of the choices, by its id.
  case choice(String)
}
