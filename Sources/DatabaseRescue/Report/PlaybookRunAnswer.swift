// SPDX-License-Identifier: Apache-2.0
// What a run of a playbook did: the answer of the command, and the record of an incident.

internal import Diagnosis
internal import SQLiteFormat

#if canImport(FoundationEssentials)
  internal import FoundationEssentials
#else
  internal import Foundation
#endif

/// What a run of a playbook did: steps, facts, decisions and who made them, copies, codes.
package struct PlaybookRunAnswer: CommandAnswer {
  let result: PlaybookResult
  let code: SupportCode
  let created: Date
  /// The name of the database, made harmless.
  let file: String
  /// Who ran it, as far as the environment tells.
  let person: String?

  /// Makes the answer of a run on a database.
  package init(_ result: RunResult<PlaybookResult>, on file: FilePath, in world: World) {
    self.result = result.value
    code = result.code
    created = result.started
    self.file = PlainName(file).description.shownFile
    person = ["SUDO_USER", "LOGNAME", "USER"].lazy.compactMap { world.environment[$0] }
      .first { !$0.isEmpty }.map { $0.harmless(limit: PlainName.lengthLimit) }
  }

  package var exitStatus: Int32 { result.exitStatus }

  package var document: JSON {
    .document(
      "playbook-run", exit: exitStatus,
      [
        "code": .string(code.description), "playbook": .string(result.playbook),
        "created": .date(created), "file": .string(file), "person": person.map { .string($0) },
        "ending": .string(result.ending.rawValue),
        "stoppedAt": result.stoppedAt.map { .string($0) },
        "verdict": result.verdict.map { .string($0.word) },
        "losesRows": result.verdict.map { .bool($0.losesRows) },
        "next": .string(result.next),
        "losses": .array(result.losses.map { .string($0) }),
        "undoSteps": .array(result.undo.map { .string($0) }),
        "facts": .array(result.facts.shown.map { .string($0) }),
        "parameters": .array(parameters.map { .string($0) }),
        "decisions": .array(
          result.decisions.map {
            [
              "step": .string($0.step), "answer": .string($0.answer),
              "origin": .string($0.origin.rawValue),
            ]
          }),
        "copies": .array(
          result.copies.map {
            [
              "kind": .string($0.kind.rawValue), "name": .string($0.name),
              "checks": .array($0.checks.map { .string($0) }),
            ]
          }),
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
    [.result("\(headline)")]
      + result.losses.map { .result("gone from the database: \($0)") }
      + result.undo.map { .result("to undo: \($0)") } + [.result("next: \(result.next)")]
  }

  /// How it ended, in a line.
  var headline: String {
    "\(result.playbook): \(result.ending.rawValue)"
      + (result.stoppedAt.map { " at '\($0)'" } ?? "")
  }

  /// When it began.
  var moment: String { created.formatted(.iso8601) }

  /// The parameters with their values.
  var parameters: [String] {
    result.facts.parameters.sorted { $0.key < $1.key }.map { "\($0.key) = \($0.value.plain)" }
  }
}
