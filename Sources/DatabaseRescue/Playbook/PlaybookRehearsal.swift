// SPDX-License-Identifier: Apache-2.0
// The dry run of a playbook: what every step would do and why, as far as that can be known.

/// What a playbook would do, worked out from facts alone: nothing is asked and nothing is changed.
package struct PlaybookRehearsal: Hashable, Sendable, Encodable {
  /// Whether a step would be done.
  package enum Decision: String, Hashable, Sendable, Encodable {
    /// It would.
    case runs
    /// It would be passed over.
    case skips
    /// That depends on what the steps before it find.
    case depends
    /// It would not be come to.
    case unreached
  }

  /// What one step would do.
  package struct Forecast: Hashable, Sendable, Encodable {
    /// The id of the step.
    package let step: String
    /// Its action.
    package let action: PlaybookAction
    /// Whether it would be done.
    package let decision: Decision
    /// Why: the facts that the condition depends on.
    package let reason: String
    /// What it would do.
    package let effect: String
    /// Whether it replaces the live database.
    package let isDestructive: Bool
    /// What stands in its way although its condition holds; nil when nothing does.
    package let gate: String?
    /// The last step before it at which the run may end; nil when this one is reached for certain.
    package let mayEndAt: String?

    private enum CodingKeys: String, CodingKey {
      case step, action, decision, reason, effect, gate, mayEndAt
      case isDestructive = "destructive"
    }
  }

  /// The name of the playbook.
  package let playbook: String
  /// Every step, in order.
  package let steps: [Forecast]
}

extension PlaybookRun {
  /// Works out what the run would do, given what is known now.
  ///
  /// - Throws: ``RescueError`` of kind `invalidInput` when a condition fails.
  package func rehearse(_ facts: PlaybookFacts) throws(RescueError) -> PlaybookRehearsal {
    var understudy = Understudy(known: facts, parameters: playbook.values)
    let result = run(with: &understudy)
    if let failure = result.failure { throw failure }
    let unreached = playbook.steps.dropFirst(understudy.forecasts.count).map { step in
      understudy.forecast(
        step, .unreached, "the step \((result.stoppedAt ?? "").quoted) ends the playbook")
    }
    return PlaybookRehearsal(playbook: playbook.name, steps: understudy.forecasts + unreached)
  }
}

/// Stands in for a performer: nothing is done, and what would be done is foreseen.
private struct Understudy: PlaybookPerformer {
  let known: PlaybookFacts
  let parameters: [String: PlaybookFacts.Value]
  private(set) var forecasts: [PlaybookRehearsal.Forecast] = []

  /// The facts that steps before may yet change or find.
  private var open: Set<PlaybookFact> = []
  /// The facts that steps before would make true.
  private var made: Set<PlaybookFact> = []
  /// The questions that offer a step, by the step's id.
  private var offered: [String: String] = [:]
  private var mayEndAt: String?
  /// Whether the step would be done for certain.
  private var isCertain = true
  /// Whether somebody would be asked about the step.
  private var isAsked = false
  private var isOver = false

  init(known: PlaybookFacts, parameters: [String: PlaybookFacts.Value]) {
    self.known = known
    self.parameters = parameters
  }

  func facts() -> PlaybookFacts { known }

  mutating func judge(
    _ condition: PlaybookCondition, over facts: PlaybookFacts
  ) throws(SQLiteError) -> (holds: Bool, reason: String) {
    var facts = facts
    for fact in made { facts[fact] = true }
    for fact in open { facts[fact] = nil }
    let judgement = try condition.judge(facts)
    let open = judgement.facts.filter(open.contains)
    // A result that is not NULL holds whatever the open facts turn out to be, unless the condition
    // asks whether something is unknown.
    isCertain = open.isEmpty || judgement.truth != .unknown && !condition.seesUnknown
    guard isCertain else {
      let names = open.map(\.name).joined(separator: ", ")
      return (true, "depends on \(names), which only the steps before can tell")
    }
    return (judgement.truth == .yes, judgement.explanation(facts))
  }

  func perform(_ step: Playbook.Step) -> PlaybookStepResult {
    PlaybookStepResult(
      summary: "", facts: known, copy: SafetyCopy(kind: .backup, name: "", checks: ["foreseen"]))
  }

  mutating func ask(_ question: PlaybookQuestion) -> PlaybookAnswer {
    isAsked = true
    return .yes
  }

  mutating func didEnd(_ step: Playbook.Step, _ record: PlaybookStepRecord) {
    if record.outcome == .skipped {
      forecasts.append(forecast(step, .skips, record.reason))
    } else {
      let gate = gate(step, record)
      forecasts.append(
        forecast(step, isCertain ? .runs : .depends, record.reason, gate.obstacle, mayEndAt))
      imagine(step)
      if gate.mayEnd || step.action == .stop { mayEndAt = step.id }
    }
    (isCertain, isAsked) = (true, false)
  }

  func ends(with record: PlaybookStepRecord) -> Bool { isOver || record.outcome == .failed }

  func forecast(
    _ step: Playbook.Step, _ decision: PlaybookRehearsal.Decision, _ reason: String,
    _ gate: String? = nil, _ mayEndAt: String? = nil
  ) -> PlaybookRehearsal.Forecast {
    let speaks = [.ask, .note, .stop].contains(step.action)
    return PlaybookRehearsal.Forecast(
      step: step.id, action: step.action, decision: decision, reason: reason,
      effect: speaks ? step.text : step.shown(with: parameters).effect,
      isDestructive: step.isDestructive, gate: gate, mayEndAt: mayEndAt)
  }

  /// What stands in the way of a step whose condition holds, and whether the run may end there.
  private func gate(
    _ step: Playbook.Step, _ record: PlaybookStepRecord
  ) -> (obstacle: String?, mayEnd: Bool) {
    if step.action == .ask {
      return isAsked
        ? ("asks; with nobody there the run ends here", true)
        : ("answered by --approve \(step.choices == nil ? step.id : record.summary)", false)
    }
    guard record.outcome != .refused else {
      return ("would be refused: no step before it makes a proven backup", true)
    }
    var gates: [String] = []
    // A step that only runs a program makes its own backup.
    if step.isDestructive, open.contains(.backupInThisRun) {
      gates.append("only after a backup of this run is proven")
    }
    if isAsked {
      gates.append(
        offered[step.id].map { "only when chosen at the step \($0.quoted)" }
          ?? "needs --approve \(step.id), or a yes; else the run ends here")
    }
    guard gates.isEmpty else { return (gates.joined(separator: "; "), true) }
    return (nil, step.action == .guardCommand && step.onFailure != .continue)
  }

  /// Takes the step as done, and notes what can no longer be known.
  private mutating func imagine(_ step: Playbook.Step) {
    open.insert(.lastStepOutcome)
    switch step.action {
    case .stop: isOver = isCertain
    case .ask:
      for id in step.choices ?? [] { offered[id] = step.id }
      open.insert(.lastAnswer)
    case .backup: make(.backupInThisRun)
    case .check, .diagnose:
      guard known[.verdict] == nil else { break }
      open.formUnion(PlaybookFact.ofDatabase.filter { known[$0] == nil })
    case .contractVerify where known[.contractGiven] == true:
      open.formUnion([.schemaDifferences, .invariantsBroken].filter { known[$0] == nil })
    case .guardCommand:
      make(.backupInThisRun)
      open.formUnion([.migration, .replacedInThisRun])
      open.formUnion(PlaybookFact.ofDatabase)
    case .restore, .salvage, .reset, .rebuild:
      guard step.isDestructive else { break }
      make(.replacedInThisRun)
      make(.quarantineInThisRun)
      open.formUnion(PlaybookFact.ofDatabase)
    case .contractVerify, .note: break
    }
  }

  private mutating func make(_ fact: PlaybookFact) {
    if isCertain {
      made.insert(fact)
      open.remove(fact)
    } else if !made.contains(fact) {
      open.insert(fact)
    }
  }
}
