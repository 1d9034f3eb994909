// SPDX-License-Identifier: Apache-2.0
// Playbooks and dry runs as text for people.

import Diagnosis
import SQLiteFormat

extension Playbook {
  /// The playbook as a checklist for people.
  package var checklist: String {
    var text = PlaybookText()
    text.line("\(title) (\(name))")
    text.section("What you see", symptoms)
    text.section("Use it when", whenToUse)
    text.section("Do not use it when", whenNotToUse)
    if !parameters.isEmpty { text.section("What you may set with --set", parameters.map(\.line)) }
    text.heading("Steps")
    for (index, step) in steps.enumerated() { text.step(step, number: index + 1) }
    text.heading("Facts that the conditions ask for")
    for fact in facts { text.line("\(fact.name): \(fact.meaning)", first: "  ", rest: "      ") }
    return text.lines.joined(separator: "\n") + "\n"
  }

  /// Whether it ends at once where no contract is given.
  var needsContract: Bool {
    steps.contains { $0.action == .stop && $0.when == "NOT \(PlaybookFact.contractGiven.name)" }
  }

  /// The facts that the conditions ask for, in the order of the table.
  package var facts: [PlaybookFact] {
    let names = steps.compactMap(\.when).flatMap { ConditionTokens($0).words }.map { Name($0.text) }
    return PlaybookFact.allCases.filter { names.contains(Name($0.name)) }
  }
}

extension PlaybookParameter {
  /// The parameter in a line.
  fileprivate var line: String { "\(name)=\(value.plain): \(text)" }
}

extension PlaybookRehearsal {
  /// The dry run as text: what each step would do, and why.
  package var text: String {
    var text = PlaybookText()
    text.line("dry run of \(playbook): nothing is changed")
    for (index, forecast) in steps.enumerated() {
      let word =
        switch forecast.decision {
        case .runs: "would run"
        case .skips: "would be skipped"
        case .depends: "cannot tell yet"
        case .unreached: "would not be reached"
        }
      text.line("")
      text.numbered(index + 1, "\(forecast.step): \(word)", isDestructive: forecast.isDestructive)
      text.detail("why: \(forecast.reason)")
      if forecast.decision != .skips, forecast.decision != .unreached {
        text.detail("does: \(forecast.action.rawValue): \(forecast.effect)")
      }
      if let gate = forecast.gate { text.detail("but: \(gate)") }
      if let end = forecast.mayEndAt { text.detail("if: the run gets past \(end.quoted)") }
    }
    return text.lines.joined(separator: "\n") + "\n"
  }
}

/// Lines of text, wrapped.
struct PlaybookText {
  private(set) var lines: [String] = []

  mutating func heading(_ text: String) {
    lines += ["", text + ":"]
  }

  mutating func section(_ title: String, _ items: [String]) {
    heading(title)
    for item in items { line(item, first: "  - ", rest: "    ") }
  }

  /// A step: its condition first, so that nobody acts before it is met.
  mutating func step(_ step: Playbook.Step, number: Int) {
    lines.append("")
    if let when = step.when {
      numbered(number, "Only if \(when):", isDestructive: step.isDestructive)
      line(step.text, first: "    ", rest: "    ")
    } else {
      numbered(number, step.text, isDestructive: step.isDestructive)
    }
    if step.action != .note { detail("\(step.id): \(step.action.rawValue): \(step.effect)") }
    if let keeps = step.keeps { detail("keeps: \(keeps)") }
    if let loses = step.loses { detail("loses: \(loses)") }
    if step.needsConsent { detail("needs: --approve \(step.id), or a yes") }
    for choice in step.choices ?? [] { detail("choice: \(choice)") }
    if step.onFailure == .continue { detail("goes on after a failure or a no") }
  }

  mutating func numbered(_ number: Int, _ text: String, isDestructive: Bool) {
    let mark = number < 10 ? " \(number). " : "\(number). "
    line((isDestructive ? "[DESTRUCTIVE] " : "") + text, first: mark, rest: "    ")
  }

  mutating func detail(_ text: String) { line(text, first: "      ", rest: "        ") }

  /// Adds a text, broken at spaces into lines of 80 characters.
  mutating func line(_ text: String, first: String = "", rest: String = "") {
    var current = first
    var isFresh = true
    for word in text.split(separator: " ", omittingEmptySubsequences: false) {
      if !isFresh, current.count + 1 + word.count > 80 {
        lines.append(current)
        (current, isFresh) = (rest, true)
      }
      current += (isFresh ? "" : " ") + word
      isFresh = false
    }
    lines.append(current)
  }
}
