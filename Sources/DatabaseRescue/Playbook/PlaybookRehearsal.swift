// SPDX-License-Identifier: Apache-2.0
// The dry run of a playbook: what every step would do and why, as far as that can be known.

import Diagnosis
import SQLiteFormat

/// What a playbook would do, worked out from facts alone: nothing is asked and nothing is changed.
package struct PlaybookRehearsal: Hashable, Sendable, Codable {
  /// Whether a step would be done.
  package enum Decision: String, Hashable, Sendable, Codable {
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
  package struct Forecast: Hashable, Sendable, Codable {
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
    var facts = facts
    facts.parameters = playbook.values
    var rehearsal = Rehearsal(facts, approvals)
    var forecasts: [PlaybookRehearsal.Forecast] = []
    for step in playbook.steps {
      do throws(SQLiteError) {
        forecasts.append(try rehearsal.forecast(step))
      } catch {
        throw conditionFailed(step, error)
      }
    }
    return PlaybookRehearsal(playbook: playbook.name, steps: forecasts)
  }
}

/// What is known while a dry run goes from step to step.
private struct Rehearsal {
  private var facts: PlaybookFacts
  /// The facts that steps before may yet change or find.
  private var pending: Set<PlaybookFact> = []
  private var stoppedBy: String?
  private var mayEndAt: String?
  private let approvals: Set<String>
  private var offered: [String: String] = [:]

  init(_ facts: PlaybookFacts, _ approvals: Set<String>) {
    self.facts = facts
    self.approvals = approvals
    for fact in [PlaybookFact.backupInThisRun, .quarantineInThisRun, .replacedInThisRun] {
      self.facts[fact] = false
    }
    self.facts[.migration] = nil
    self.facts[.lastStepOutcome] = nil
    self.facts[.lastAnswer] = nil
  }

  mutating func forecast(
    _ step: Playbook.Step
  ) throws(SQLiteError) -> PlaybookRehearsal.Forecast {
    if let stoppedBy {
      return forecast(step, .unreached, "the step \(stoppedBy.quoted) ends the playbook", nil)
    }
    let (decision, reason) = try judge(step)
    guard decision != .skips else { return forecast(step, .skips, reason, nil) }
    let gate = gate(step)
    let forecast = forecast(step, decision, reason, gate.obstacle)
    imagine(step, certain: decision == .runs)
    if gate.mayEnd || step.action == .stop { mayEndAt = step.id }
    return forecast
  }

  private func forecast(
    _ step: Playbook.Step, _ decision: PlaybookRehearsal.Decision, _ reason: String, _ gate: String?
  ) -> PlaybookRehearsal.Forecast {
    let speaks = [.ask, .note, .stop].contains(step.action)
    let isPassedOver = decision == .skips || decision == .unreached
    return PlaybookRehearsal.Forecast(
      step: step.id, action: step.action, decision: decision, reason: reason,
      effect: speaks ? step.text : step.shown(with: facts.parameters).effect,
      isDestructive: step.isDestructive, gate: gate,
      mayEndAt: isPassedOver ? nil : mayEndAt)
  }

  private func judge(
    _ step: Playbook.Step
  ) throws(SQLiteError) -> (PlaybookRehearsal.Decision, String) {
    guard let when = step.when else { return (.runs, "always") }
    let condition = PlaybookCondition(sql: when)
    var known = facts
    for fact in pending { known[fact] = nil }
    let judgement = try condition.judge(known)
    let open = judgement.facts.filter(pending.contains)
    // A result that is not NULL holds whatever the open facts turn out to be, unless the condition
    // asks whether something is unknown.
    let isFinal = open.isEmpty || judgement.truth != .unknown && !condition.seesUnknown
    guard isFinal else {
      let names = open.map(\.name).joined(separator: ", ")
      return (.depends, "depends on \(names), which only the steps before can tell")
    }
    return judgement.truth == .yes
      ? (.runs, judgement.explanation(known)) : (.skips, judgement.reasonToSkip(known))
  }

  /// What stands in the way of a step whose condition holds, and whether the run may end there.
  private func gate(_ step: Playbook.Step) -> (obstacle: String?, mayEnd: Bool) {
    if step.action == .ask {
      let choices = step.choices ?? [step.id]
      let approved = choices.filter(approvals.contains)
      return approved.count == 1
        ? ("answered by --approve \(approved[0])", false)
        : ("asks; with nobody there the run ends here", true)
    }
    guard step.needsConsent else { return (nil, false) }
    var gates: [String] = []
    // A step that only runs a program makes its own backup.
    if step.isDestructive, pending.contains(.backupInThisRun) {
      gates.append("only after a backup of this run is proven")
    } else if step.isDestructive, facts[.backupInThisRun] != true {
      return ("would be refused: no step before it makes a proven backup", true)
    }
    if !approvals.contains(step.id) {
      gates.append(
        offered[step.id].map { "only when chosen at the step \($0.quoted)" }
          ?? "needs --approve \(step.id), or a yes; else the run ends here")
    }
    guard gates.isEmpty else { return (gates.joined(separator: "; "), true) }
    return (nil, step.action == .guardCommand && step.onFailure != .continue)
  }

  /// Takes the step as done, and notes what can no longer be known.
  private mutating func imagine(_ step: Playbook.Step, certain: Bool) {
    switch step.action {
    case .stop where certain: stoppedBy = step.id
    case .stop: break
    case .ask:
      for id in step.choices ?? [] { offered[id] = step.id }
      pending.insert(.lastAnswer)
    case .backup: set(.backupInThisRun, certain)
    case .check, .diagnose:
      if facts[.verdict] == nil { pending.formUnion(unknown(of: .database)) }
    case .contractVerify:
      let compared: [PlaybookFact] = [.schemaDifferences, .invariantsBroken]
      pending.formUnion(compared.filter { facts[$0] == nil && facts[.contractGiven] == true })
    case .note: break
    case .guardCommand:
      set(.backupInThisRun, certain)
      pending.formUnion([.migration, .replacedInThisRun])
      pending.formUnion(PlaybookFact.allCases.filter { $0.source == .database })
    case .restore, .salvage, .reset, .rebuild:
      guard step.isDestructive else { break }
      set(.replacedInThisRun, certain)
      set(.quarantineInThisRun, certain)
      pending.formUnion(PlaybookFact.allCases.filter { $0.source == .database })
    }
    pending.insert(.lastStepOutcome)
  }

  private mutating func set(_ fact: PlaybookFact, _ certain: Bool) {
    if certain {
      facts[fact] = true
      pending.remove(fact)
    } else if facts[fact] != true {
      pending.insert(fact)
    }
  }

  private func unknown(of source: PlaybookFact.Source) -> [PlaybookFact] {
    PlaybookFact.allCases.filter { $0.source == source && facts[$0] == nil }
  }
}
