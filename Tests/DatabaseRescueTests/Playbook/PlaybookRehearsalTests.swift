// SPDX-License-Identifier: Apache-2.0
// The dry run: what it can know, and what it says of the rest.

import Diagnosis
import Testing

@testable import DatabaseRescue

@Suite struct `A playbook rehearsal` {
  private func rehearse(
    _ steps: [Playbook.Step], _ facts: PlaybookFacts = PlaybookFacts(), approve: Set<String> = []
  ) throws -> [PlaybookRehearsal.Forecast] {
    try PlaybookRun(Playbook(steps), approvals: approve).rehearse(facts).steps
  }

  private func note(_ when: String) -> Playbook.Step {
    .init(id: "note", action: .note, text: "x", when: when)
  }

  @Test func `a step is decided by the facts that are known`() throws {
    let facts = PlaybookFacts([.verdict: "damaged"])
    let steps = try rehearse(
      [note("verdict = 'damaged'"), note("verdict = 'newer'"), note("rows_lost = 0")], facts)
    #expect(steps.map(\.decision) == [.runs, .skips, .skips])
    #expect(steps[0].reason == "verdict = 'damaged'")
    #expect(steps[2].reason == "cannot be decided and counts as no: rows_lost is not known")
  }

  @Test func `what a look may find is left open when nobody has looked`() throws {
    let steps = try rehearse([
      note("verdict = 'newer'"), .check, note("verdict = 'newer'"),
      note("verdict = 'newer' AND contract_given = 0"),
    ])
    #expect(steps.map(\.decision) == [.skips, .runs, .depends, .depends])
    #expect(
      steps[2].reason == "depends on verdict, which only the steps before can tell")
  }

  @Test func `an open fact leaves open only what depends on it`() throws {
    let facts = PlaybookFacts([.contractGiven: false])
    let steps = try rehearse(
      [
        .check, note("verdict = 'newer' AND contract_given"),
        note("verdict = 'newer' OR NOT contract_given"), note("verdict IS NULL"),
      ], facts)
    #expect(steps.map(\.decision) == [.runs, .skips, .runs, .depends])
  }

  @Test func `a backup of this run counts as made, and what is replaced is open again`() throws {
    var facts = PlaybookFacts()
    facts.set(.damagedLossy)
    let steps = try rehearse(
      [
        .backup, note("backup_in_this_run"), .restore, note("verdict = 'damaged'"),
        note("NOT replaced_in_this_run AND verdict = 'damaged'"),
      ], facts, approve: ["restore"])
    #expect(steps.map(\.decision) == [.runs, .runs, .runs, .depends, .skips])
    #expect(steps[2].gate == nil)
    #expect(steps[2].isDestructive)
  }

  @Test func `gates are named: no proof, no approval, a question`() throws {
    #expect(
      try rehearse([.restore], approve: ["restore"])[0].gate
        == "would be refused: no step before it makes a proven backup")
    #expect(
      try rehearse([.backup, .restore])[1].gate
        == "needs --approve restore, or a yes; else the run ends here")
    let question = Playbook.Step(
      id: "which", action: .ask, text: "Which?", choices: ["restore"])
    let asked = try rehearse([.backup, question, .restore])
    #expect(asked[1].gate == "asks; with nobody there the run ends here")
    #expect(asked[2].gate == "only when chosen at the step 'which'")
    let approved = try rehearse([.backup, question, .restore], approve: ["restore"])
    #expect(approved[1].gate == "answered by --approve restore")
    #expect(approved[2].gate == nil)
    var maybe = Playbook.Step.backup
    maybe.when = "verdict = 'damaged'"
    #expect(
      try rehearse([.check, maybe, .restore], approve: ["restore"])[2].gate
        == "only after a backup of this run is proven")
  }

  @Test func `a step that may not be come to says past what the run must get`() throws {
    let stop = Playbook.Step(id: "end", action: .stop, text: "x", when: "verdict = 'newer'")
    let steps = try rehearse([.check, stop, .backup, .restore, .check])
    #expect(steps.map(\.decision) == [.runs, .depends, .runs, .runs, .runs])
    #expect(steps.map(\.mayEndAt) == [nil, nil, "end", "end", "restore"])
  }

  @Test func `nothing is reached after a step that ends the playbook`() throws {
    let stop = Playbook.Step(id: "end", action: .stop, text: "x")
    let steps = try rehearse([stop, .check])
    #expect(steps.map(\.decision) == [.runs, .unreached])
    #expect(steps[1].reason == "the step 'end' ends the playbook")
  }

  @Test func `a forecast that is certain is what the run does`() throws {
    // Every verdict, through every shipped playbook: the run with the same facts, which no step
    // changes, must do the steps that were forecast, up to the first that replaces the database.
    for playbook in try ShippedPlaybooks.all() {
      for facts in ShippedPlaybookTests.rows {
        let run = try PlaybookRun(playbook)
        let forecasts = try run.rehearse(facts).steps
        var performer = ScriptedPerformer(known: facts)
        let result = run.run(with: &performer)
        for (forecast, record) in zip(forecasts, result.records) {
          #expect(forecast.step == record.step)
          switch forecast.decision {
          case .runs: #expect(record.outcome != .skipped, "\(playbook.name) \(record)")
          case .skips: #expect(record.outcome == .skipped, "\(playbook.name) \(record)")
          case .depends: break
          case .unreached: Issue.record("\(record.step) was reached")
          }
        }
      }
    }
  }

  @Test func `the text names what would happen, why, and what stands in the way`() throws {
    let text = try PlaybookRun(Playbook([.backup, .restore])).rehearse(PlaybookFacts()).text
    #expect(text.hasPrefix("dry run of test: nothing is changed\n"))
    #expect(text.contains(" 2. [DESTRUCTIVE] restore: would run\n      why: always\n"))
    #expect(text.contains("      but: needs --approve restore, or a yes; else the run ends here\n"))
  }
}
