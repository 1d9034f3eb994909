// SPDX-License-Identifier: Apache-2.0
// What the commands answer that list, show, check, rehearse and run playbooks.

internal import Diagnosis
internal import SQLiteFormat

/// The playbooks that come with the program.
package struct PlaybookListAnswer: CommandAnswer {
  private let playbooks: [Playbook]

  /// Lists them.
  ///
  /// - Throws: ``RescueError`` of kind `invalidInput` when one is wrong, which is a defect.
  package init() throws(RescueError) { playbooks = try ShippedPlaybooks.all() }

  package var document: JSON {
    .document(
      "playbook-list",
      [
        "playbooks": .array(
          playbooks.map { ["name": .string($0.name), "title": .string($0.title)] })
      ])
  }

  package var lines: [AnswerLine] {
    var table = TextTable([.text(""), .prose("")])
    for playbook in playbooks { table.add(["\(playbook.name, .emphasised)", "\(playbook.title)"]) }
    return table.lines(width: nil).map { .result($0) }
  }
}

extension Playbook: CommandAnswer {
  package var document: JSON {
    get throws(RescueError) { try .document("playbook", of: self) }
  }

  package var lines: [AnswerLine] { checklist.resultLines }
}

extension PlaybookRehearsal: CommandAnswer {
  package var document: JSON {
    get throws(RescueError) { try .document("playbook-plan", of: self) }
  }

  package var lines: [AnswerLine] {
    text.resultLines + [.note("nothing was changed: this was a dry run")]
  }
}

extension String {
  fileprivate var resultLines: [AnswerLine] {
    split(separator: "\n", omittingEmptySubsequences: false).map { .result("\($0)") }
  }
}

/// What is wrong with a playbook.
package struct PlaybookValidationAnswer: CommandAnswer {
  private let name: String
  private let problems: [DocumentProblem]

  /// Makes the answer for the playbook of a file of this name.
  package init(_ problems: [DocumentProblem], in name: String) {
    self.problems = problems
    self.name = name
  }

  package var document: JSON {
    .document(
      "playbook-validate",
      [
        "playbook": .string(name),
        "problems": .array(
          problems.map { problem in
            [
              "line": .integer(problem.position.line),
              "column": .integer(problem.position.column),
              "message": .string(problem.message),
            ]
          }),
      ])
  }

  package var lines: [AnswerLine] {
    problems.isEmpty
      ? [.note("'\(name)' can be run")]
      : problems.map { .result("\($0.description(in: name))") }
  }
}

/// What a run of a playbook did.
package struct PlaybookRunAnswer: CommandAnswer {
  private let result: PlaybookResult
  private let code: SupportCode

  /// Makes the answer of a run.
  package init(_ result: RunResult<PlaybookResult>) {
    self.result = result.value
    code = result.code
  }

  package var document: JSON {
    .document(
      "playbook-run",
      [
        "code": .string(code.description), "playbook": .string(result.playbook),
        "ending": .string(result.ending.rawValue),
        "stoppedAt": result.stoppedAt.map { .string($0) },
        "verdict": result.verdict.map { .string($0.word) },
        "losesRows": result.verdict.map { .bool($0.losesRows) },
        "exit": .integer(Int(result.exitStatus)), "next": .string(result.next),
        "losses": .array(result.losses.map { .string($0) }),
        "undoSteps": .array(result.undo.map { .string($0) }),
        "steps": .array(
          result.records.map { record in
            [
              "step": .string(record.step), "action": .string(record.action.rawValue),
              "outcome": .string(record.outcome.rawValue), "seconds": .number(record.seconds),
              "reason": .string(record.reason), "summary": .string(record.summary),
            ]
          }),
      ])
  }

  package var lines: [AnswerLine] {
    let place = result.stoppedAt.map { " at '\($0)'" } ?? ""
    return [.result("\(result.playbook): \(result.ending.rawValue)\(place)")]
      + result.losses.map { .result("gone from the database: \($0)") }
      + result.undo.map { .result("to undo: \($0)") } + [.result("next: \(result.next)")]
  }
}
