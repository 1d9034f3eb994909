// SPDX-License-Identifier: Apache-2.0
// Walks the steps of a playbook: decides by facts what runs, and guards what is destructive.

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import Diagnosis

/// A walk through the steps of a playbook.
///
/// Two rules hold whatever the playbook says. A destructive step is refused
/// unless a copy of the database was made and proven in this run. And it is done
/// only with consent: its id was approved beforehand, or somebody said yes. So is a step that runs a
/// program, which makes a proven copy itself.
package struct PlaybookRun {
  /// The playbook.
  package let playbook: Playbook
  /// The ids of the steps that were approved beforehand.
  package let approvals: Set<String>
  private let world: World

  /// Prepares a run.
  ///
  /// - Throws: ``RescueError`` of kind `usage` when an approval names no step that
  ///   needs one.
  package init(
    _ playbook: Playbook, approvals: Set<String> = [], world: World = World()
  ) throws(RescueError) {
    for id in approvals.sorted() where !playbook.approvable.contains(id) {
      let reason =
        playbook.step(id) == nil
        ? "has no step \(id.quoted)" + NearestWord.hint(for: id, in: playbook.approvable)
        : "has a step \(id.quoted) that needs no approval"
      throw RescueError(
        .usage, "the playbook \(playbook.name.quoted) \(reason)", meaning: "nothing was done",
        advice: "dbrescue playbook show \(playbook.name)")
    }
    self.playbook = playbook
    self.approvals = approvals
    self.world = world
  }

  /// Walks through the steps, up to the end or to the step that ends the run.
  func run(with performer: inout some PlaybookPerformer) -> PlaybookResult {
    var result = PlaybookResult(of: playbook, consents: approvals)
    do throws(RescueError) {
      result.learn(try performer.facts(), atStart: true)
    } catch {
      result.end(failing: error)
      return result
    }
    for step in playbook.steps {
      let start = world.now()
      var record =
        world.isCancelled()
        ? PlaybookStepRecord(
          step, .failed, "the playbook was interrupted before this step", failure: .interrupted,
          endsRun: true)
        : decide(step, &result, &performer)
      record.seconds = max(0, world.now().timeIntervalSince(start))
      result.note(record)
      performer.didEnd(step, record)
      if performer.ends(with: record) {
        result.end(record.outcome, at: step)
        break
      }
    }
    return result
  }

  // MARK: One step

  /// Judges the condition of a step, and does the step when it holds.
  private func decide(
    _ step: Playbook.Step, _ result: inout PlaybookResult, _ performer: inout some PlaybookPerformer
  ) -> PlaybookStepRecord {
    var (holds, reason) = (true, "always")
    var record: PlaybookStepRecord
    do throws(SQLiteError) {
      if let when = step.when {
        (holds, reason) = try performer.judge(PlaybookCondition(sql: when), over: result.facts)
      }
      record = holds ? self.do(step, &result, &performer) : PlaybookStepRecord(step, .skipped)
    } catch {
      // An overflow, say: validation has seen the rest.
      let failure = RescueError(
        .invalidInput,
        "the condition of the step \(step.id.quoted) cannot be judged: \(error.message)",
        meaning: "nothing was done from that step on",
        advice: "dbrescue playbook validate FILE")
      record = PlaybookStepRecord(step, .failed, failure.message, failure: failure, endsRun: true)
    }
    record.reason = reason
    return record
  }

  private func `do`(
    _ step: Playbook.Step, _ result: inout PlaybookResult, _ performer: inout some PlaybookPerformer
  ) -> PlaybookStepRecord {
    let goesOn = step.onFailure == .continue && !step.isDestructive
    do throws(RescueError) {
      switch step.action {
      case .note: return .init(step, .done, step.text)
      case .stop: return .init(step, .stopped, step.text, endsRun: true)
      case .ask:
        return answer(step, &result, &performer)
      default:
        if step.needsConsent, let objection = objection(to: step, &result, &performer) {
          return objection
        }
        let report = try performer.perform(step)
        result.learn(report.facts, atStart: false)
        result.keep(report, of: step)
        if let refusal = report.refusal {
          return .init(step, .failed, report.summary, failure: refusal, endsRun: !goesOn)
        }
        return .init(step, .done, report.summary)
      }
    } catch {
      return .init(step, .failed, error.message, failure: error, endsRun: !goesOn)
    }
  }

  private func consequence(of step: Playbook.Step) -> String {
    step.shown(with: playbook.values).consequence
  }

  /// Why a step that needs consent is not done; nil when it may be.
  private func objection(
    to step: Playbook.Step, _ result: inout PlaybookResult,
    _ performer: inout some PlaybookPerformer
  ) -> PlaybookStepRecord? {
    guard !step.isDestructive || !result.copies.isEmpty else {
      return .init(
        step, .refused, "this run has made no proven copy of the database", endsRun: true)
    }
    if result.consents.contains(step.id) {
      if approvals.contains(step.id) { result.decide(step, "yes", .beforehand) }
      return nil
    }
    switch performer.ask(PlaybookQuestion(text: "\(step.text) (\(consequence(of: step)))")) {
    case .yes:
      result.decide(step, "yes", .answered)
      return nil
    case .nobody:
      return .init(step, .needsDecision, consequence(of: step), endsRun: true)
    case .no, .choice:
      result.decide(step, "no", .answered)
      return .init(step, .declined, "nothing was changed by this step", endsRun: true)
    }
  }

  /// Asks the question of a step, unless approvals answer it.
  private func answer(
    _ step: Playbook.Step, _ result: inout PlaybookResult, _ performer: inout some PlaybookPerformer
  ) -> PlaybookStepRecord {
    let choices = step.choices ?? []
    let approved = (choices.isEmpty ? [step.id] : choices).filter(result.consents.contains)
    var answer = PlaybookAnswer.nobody
    let origin: PlaybookDecision.Origin = approved.count == 1 ? .beforehand : .answered
    if approved.count == 1 {
      answer = choices.isEmpty ? .yes : .choice(approved[0])
    } else {
      answer = performer.ask(
        PlaybookQuestion(
          text: step.text,
          choices: choices.compactMap(playbook.step).map {
            .init(id: $0.id, effect: "\($0.text) (\(consequence(of: $0)))")
          }))
    }
    switch answer {
    case .nobody:
      return .init(step, .needsDecision, step.text, endsRun: true)
    case .yes where choices.isEmpty:
      result.decide(step, "yes", origin)
      return .init(step, .done, "yes")
    case .choice(let id) where choices.contains(id):
      result.decide(step, id, origin)
      result.consents.insert(id)
      return .init(step, .done, id)
    case .no, .yes, .choice:
      result.decide(step, "no", origin)
      return .init(step, .declined, "no", endsRun: step.onFailure != .continue)
    }
  }
}

extension Playbook.Step {
  /// What the step does, keeps and loses, in one sentence.
  var consequence: String {
    var parts = ["this will \(effect)"]
    if let keeps { parts.append("it keeps \(keeps)") }
    if let loses { parts.append(loses) }
    return parts.joined(separator: "; ")
  }
}
