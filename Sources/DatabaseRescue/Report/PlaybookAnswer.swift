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
    .pairs(playbooks.map { ("\($0.name, .emphasised)", "\($0.title)") })
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

  package var exitStatus: Int32 { problems.isEmpty ? 0 : RescueError.Kind.invalidInput.rawValue }

  package var document: JSON {
    .document(
      "playbook-validate", exit: exitStatus,
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
