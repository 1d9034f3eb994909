// SPDX-License-Identifier: Apache-2.0
// A performer that does what a test says, and remembers what it was asked to do.

@testable import DatabaseRescue

/// A performer that does what a test says.
struct ScriptedPerformer: PlaybookPerformer {
  /// What is known at the start, and after steps that say nothing else.
  var known = PlaybookFacts()
  /// What each step reports, by its id.
  var reports: [String: PlaybookStepResult] = [:]
  /// The steps that fail.
  var failures: [String: RescueError] = [:]
  /// The answers, in order; then nobody is there.
  var answers: [PlaybookAnswer] = []

  private(set) var performed: [String] = []
  private(set) var questions: [PlaybookQuestion] = []
  private(set) var ended: [String] = []

  mutating func facts() throws(RescueError) -> PlaybookFacts {
    if let error = failures["facts"] { throw error }
    return known
  }

  mutating func perform(_ step: Playbook.Step) throws(RescueError) -> PlaybookStepResult {
    performed.append(step.id)
    if let error = failures[step.id] { throw error }
    if let report = reports[step.id] {
      known = report.facts
      return report
    }
    let copy: SafetyCopy? =
      if step.action == .backup { .proven } else if step.isDestructive {
        SafetyCopy(kind: .quarantine, name: "q", checks: ["moved together"])
      } else { nil }
    return PlaybookStepResult(summary: "done", facts: known, copy: copy)
  }

  mutating func ask(_ question: PlaybookQuestion) -> PlaybookAnswer {
    questions.append(question)
    return answers.isEmpty ? .nobody : answers.removeFirst()
  }

  mutating func didEnd(_ step: Playbook.Step, _ record: PlaybookStepRecord) {
    ended.append("\(step.id) \(record.outcome.rawValue)")
  }
}

extension SafetyCopy {
  static let proven = SafetyCopy(
    kind: .backup, name: "b", checks: ["read back", "integrity_check"])
}

extension PlaybookFacts {
  /// Makes facts of pairs.
  init(_ values: [PlaybookFact: Value]) {
    self.init()
    for (fact, value) in values { self[fact] = value }
  }

  /// These facts with others.
  func with(_ values: [PlaybookFact: Value?]) -> PlaybookFacts {
    var facts = self
    for (fact, value) in values { facts[fact] = value }
    return facts
  }
}

extension Playbook {
  /// A playbook of some steps.
  init(_ steps: [Step]) {
    self.init(
      name: "test", title: "A test", symptoms: ["a"], whenToUse: ["b"], whenNotToUse: ["c"],
      steps: steps)
  }
}

extension Playbook.Step {
  static let backup = Playbook.Step(id: "backup", action: .backup, text: "Back up.")
  static let restore = Playbook.Step(id: "restore", action: .restore, text: "Restore.")
  static let check = Playbook.Step(id: "check", action: .check, text: "Check.")
}
