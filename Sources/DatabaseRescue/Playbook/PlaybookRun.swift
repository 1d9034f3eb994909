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
    var walk = PlaybookWalk(consents: approvals, parameters: playbook.values)
    do throws(RescueError) {
      walk.learn(try performer.facts(), atStart: true)
    } catch {
      return result(of: walk, ending: .failed, at: nil, failure: error)
    }
    for step in playbook.steps {
      let start = world.now()
      var record =
        world.isCancelled()
        ? PlaybookStepRecord(
          step, .failed, "the playbook was interrupted before this step", failure: .interrupted,
          endsRun: true)
        : decide(step, &walk, &performer)
      record.seconds = max(0, world.now().timeIntervalSince(start))
      walk.note(record)
      performer.didEnd(step, record)
      if performer.ends(with: record) {
        return result(of: walk, ending: record.outcome, at: step, failure: walk.failure)
      }
    }
    return result(of: walk, ending: .done, at: nil, failure: walk.failure)
  }

  // MARK: One step

  /// Judges the condition of a step, and does the step when it holds.
  private func decide(
    _ step: Playbook.Step, _ walk: inout PlaybookWalk, _ performer: inout some PlaybookPerformer
  ) -> PlaybookStepRecord {
    var (holds, reason) = (true, "always")
    var record: PlaybookStepRecord
    do throws(SQLiteError) {
      if let when = step.when {
        (holds, reason) = try performer.judge(PlaybookCondition(sql: when), over: walk.facts)
      }
      record = holds ? self.do(step, &walk, &performer) : PlaybookStepRecord(step, .skipped)
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
    _ step: Playbook.Step, _ walk: inout PlaybookWalk, _ performer: inout some PlaybookPerformer
  ) -> PlaybookStepRecord {
    let goesOn = step.onFailure == .continue && !step.isDestructive
    do throws(RescueError) {
      switch step.action {
      case .note: return .init(step, .done, step.text)
      case .stop: return .init(step, .stopped, step.text, endsRun: true)
      case .ask:
        return try answer(step, &walk, &performer)
      default:
        if step.needsConsent, let objection = try objection(to: step, &walk, &performer) {
          return objection
        }
        performer.willPerform(step)
        let report = try performer.perform(step)
        walk.learn(report.facts, atStart: false)
        walk.keep(report.copy, from: step, report.migration)
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
    to step: Playbook.Step, _ walk: inout PlaybookWalk, _ performer: inout some PlaybookPerformer
  ) throws(RescueError) -> PlaybookStepRecord? {
    guard !step.isDestructive || !walk.copies.isEmpty else {
      return .init(
        step, .refused, "this run has made no proven copy of the database", endsRun: true)
    }
    if walk.consents.contains(step.id) {
      if approvals.contains(step.id) { walk.decide(step, "yes", .beforehand) }
      return nil
    }
    switch try performer.ask(PlaybookQuestion("\(step.text) (\(consequence(of: step)))")) {
    case .yes:
      walk.decide(step, "yes", .answered)
      return nil
    case .nobody:
      return .init(step, .needsDecision, consequence(of: step), endsRun: true)
    case .no, .choice:
      walk.decide(step, "no", .answered)
      return .init(step, .declined, "nothing was changed by this step", endsRun: true)
    }
  }

  /// Asks the question of a step, unless approvals answer it.
  private func answer(
    _ step: Playbook.Step, _ walk: inout PlaybookWalk, _ performer: inout some PlaybookPerformer
  ) throws(RescueError) -> PlaybookStepRecord {
    let choices = step.choices ?? []
    let approved = (choices.isEmpty ? [step.id] : choices).filter(walk.consents.contains)
    var answer = PlaybookAnswer.nobody
    let origin: PlaybookDecision.Origin = approved.count == 1 ? .beforehand : .answered
    if approved.count == 1 {
      answer = choices.isEmpty ? .yes : .choice(approved[0])
    } else {
      performer.willPerform(step)
      answer = try performer.ask(
        PlaybookQuestion(
          step.text,
          choices: choices.compactMap(playbook.step).map {
            .init(id: $0.id, effect: "\($0.text) (\(consequence(of: $0)))")
          }))
    }
    switch answer {
    case .nobody:
      return .init(step, .needsDecision, step.text, endsRun: true)
    case .yes where choices.isEmpty:
      walk.lastAnswer = "yes"
      walk.decide(step, "yes", origin)
      return .init(step, .done, "yes")
    case .choice(let id) where choices.contains(id):
      walk.lastAnswer = id
      walk.decide(step, id, origin)
      walk.consents.insert(id)
      return .init(step, .done, id)
    case .no, .yes, .choice:
      walk.lastAnswer = "no"
      walk.decide(step, "no", origin)
      return .init(step, .declined, "no", endsRun: step.onFailure != .continue)
    }
  }

  // MARK: The end

  private func result(
    of walk: PlaybookWalk, ending: PlaybookStepRecord.Outcome, at step: Playbook.Step?,
    failure: RescueError?
  ) -> PlaybookResult {
    PlaybookResult(
      playbook: playbook.name, ending: ending, stoppedAt: step?.id, records: walk.records,
      firstVerdict: walk.firstVerdict,
      facts: walk.facts, copies: walk.copies, decisions: walk.decisions, failure: failure,
      migrationStatus: walk.migrationStatus,
      next: next(ending, step, failure, walk))
  }

  private func next(
    _ ending: PlaybookStepRecord.Outcome, _ step: Playbook.Step?, _ failure: RescueError?,
    _ walk: PlaybookWalk
  ) -> String {
    switch ending {
    case .stopped: return step?.text ?? ""
    case .failed: return failure?.advice ?? ""
    case .refused:
      return "make a backup first, with a backup step before \(step?.id.quoted ?? "it")"
    case .declined: return "nothing was changed by this step; run the playbook again to decide anew"
    case .needsDecision:
      guard let step else { return "" }
      let ids = step.choices ?? [step.id]
      let flags = ids.map { "--approve \($0)" }.joined(separator: " or ")
      return "decide, then run the playbook again with \(flags), or where somebody can answer"
    case .done, .skipped:
      return walk.facts.verdict.map { "the playbook is done; \($0.meaning)" }
        ?? "the playbook is done"
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
