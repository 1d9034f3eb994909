// SPDX-License-Identifier: Apache-2.0
// Playbooks, their dry runs and their runs, as a schema: a table.

import Diagnosis

/// Playbooks, their dry runs and their runs.
enum PlaybookShapes {
  /// A playbook as it was read.
  static let playbook: [String: JSONShape] = [
    "name": .text, "title": .text, "symptoms": .list(.text), "whenToUse": .list(.text),
    "whenNotToUse": .list(.text),
    "parameters": .list(PlaybookReader.parameter.published())
      .saying("what is left to whoever runs it"),
    "steps": .list(
      PlaybookReader.step.published(saying: ["when": "a condition in SQL over the facts"])),
  ]

  /// What a dry run foresees.
  static let plan: [String: JSONShape] = [
    "playbook": .text,
    "steps": .list(
      .object([
        "step": .text, "action": action,
        "decision": .words(["runs", "skips", "depends", "unreached"]), "reason": .text,
        "effect": .text, "destructive": .flag.saying("whether it replaces the live database"),
        "gate?": .text.saying("what stands in its way although its condition holds"),
        "mayEndAt?": .text.saying("the last step before it at which the run may end"),
      ])),
  ]

  /// What a run did.
  static let run: [String: JSONShape] = [
    "code": ReportShapes.code, "playbook": .text, "ending": outcome, "created": .date,
    "file": ReportShapes.file,
    "person?": .text.saying("who ran it, as far as the environment tells"),
    "facts": .list(.text).saying("what was known at the end"),
    "parameters": .list(.text),
    "decisions": .list(
      .object([
        "step": .text.saying("the step that was decided about, or that asked"),
        "answer": .text.saying("yes, no, or the step that was chosen"),
        "origin": .words(PlaybookDecision.Origin.allCases.map(\.rawValue)),
      ])),
    "copies": .list(
      .object([
        "kind": .words(["backup", "quarantine"]), "name": .text, "checks": .list(.text),
      ])
    ).saying("the proven copies that the run has made"),
    "stoppedAt?": .text.saying("the step at which the run ended before the playbook did"),
    "verdict?": .named("verdict"), "losesRows?": .named("losesRows"),
    "next": .text.saying("what to do next"),
    "losses": .list(.text).saying("what replacing the database has cost"),
    "undoSteps": .list(.text).saying("the commands that take it back, in this order"),
    "steps": .list(
      .object([
        "step": .text, "action": action, "outcome": outcome, "seconds": .number,
        "reason": .text, "summary": .text,
      ])),
  ]

  private static let action = JSONShape.words(PlaybookAction.allCases.map(\.rawValue))
  private static let outcome = JSONShape.words(PlaybookStepRecord.Outcome.allCases.map(\.rawValue))
}
