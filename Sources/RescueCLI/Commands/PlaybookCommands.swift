// SPDX-License-Identifier: Apache-2.0
// `dbrescue playbook`: runbooks that can be read, checked, rehearsed and run.

import DatabaseRescue
import Diagnosis
import SQLiteFormat

/// Lists the playbooks that come with the program.
let playbookListCommand: CommandBody = { _, context throws(RescueError) in
  let playbooks = try ShippedPlaybooks.all()
  if context.console.manner.isJSON {
    context.console.print(
      document: .document(
        "playbook-list",
        [
          "playbooks": .array(
            playbooks.map { ["name": .string($0.name), "title": .string($0.title)] })
        ]))
    return .success
  }
  var table = TextTable([.text(""), .prose("")])
  for playbook in playbooks { table.add(["\(playbook.name, .emphasised)", "\(playbook.title)"]) }
  context.console.print(table.lines(width: nil))
  return .success
}

/// Prints a playbook as a checklist.
let playbookShowCommand: CommandBody = { invocation, context throws(RescueError) in
  let playbook = try playbook(invocation, context)
  if context.console.manner.isJSON {
    context.console.print(document: try .document("playbook", of: playbook))
  } else {
    for line in playbook.checklist.split(separator: "\n", omittingEmptySubsequences: false) {
      context.console.print("\(line)")
    }
  }
  return .success
}

/// Lists everything that is wrong with a playbook.
let playbookValidateCommand: CommandBody = { invocation, context throws(RescueError) in
  let (bytes, name) = try source(invocation, context)
  let problems = PlaybookReader.problems(in: bytes)
  if context.console.manner.isJSON {
    context.console.print(
      document: .document(
        "playbook-validate", ["playbook": .string(name), "problems": .array(problems.map(json))]))
  } else {
    for problem in problems { context.console.print("\(problem.description(in: name))") }
    if problems.isEmpty { context.console.note("'\(name)' can be run") }
  }
  return problems.isEmpty ? .success : .invalidInput
}

/// Runs or rehearses a playbook on a database.
let playbookRunCommand: CommandBody = { invocation, context throws(RescueError) in
  let playbook = try playbook(invocation, context)
  let file = invocation.path(.file)
  let setting = PlaybookSetting(
    contract: try context.contract(at: invocation.path(.contract) ?? invocation.path(.schema)),
    vault: invocation.path(.vault), approvals: Set(invocation.texts(.approve)))
  if invocation.isSet(.dryRun) {
    let rehearsal = try context.rescue.rehearse(playbook, on: file, setting)
    if context.console.manner.isJSON {
      context.console.print(document: try .document("playbook-plan", of: rehearsal))
    } else {
      for line in rehearsal.text.split(separator: "\n", omittingEmptySubsequences: false) {
        context.console.print("\(line)")
      }
      context.console.note("nothing was changed: this was a dry run")
    }
    return .success
  }
  let isJSON = context.console.manner.isJSON
  let result = try context.rescue.run(
    playbook, on: file, setting, asking: { ask($0, context) },
    telling: { step, record in if !isJSON { tell(step, record, context) } })
  if isJSON {
    context.console.print(
      document: .document(
        "playbook-run",
        members(result.value).merging(["code": .string(result.code.description)]) { $1 }))
  } else {
    context.console.print(
      "\(playbook.name): \(result.value.ending.rawValue)"
        + (result.value.stoppedAt.map { " at '\($0)'" } ?? ""))
    for loss in result.value.losses { context.console.print("gone from the database: \(loss)") }
    for command in result.value.undo { context.console.print("to undo: \(command)") }
    context.console.print("next: \(result.value.next)")
  }
  context.tellCode(of: result)
  return ExitCode(rawValue: result.value.exitStatus) ?? .internal
}

private func json(_ problem: DocumentProblem) -> JSON {
  [
    "line": .integer(problem.position.line), "column": .integer(problem.position.column),
    "message": .string(problem.message),
  ]
}

/// What a run of a playbook did, as members of a JSON document.
private func members(_ result: PlaybookResult) -> [String: JSON?] {
  [
    "playbook": .string(result.playbook), "ending": .string(result.ending.rawValue),
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
  ]
}

/// A playbook of the program, or the one at a path.
private func playbook(
  _ invocation: Invocation, _ context: CommandContext
) throws(RescueError) -> Playbook {
  let (bytes, name) = try source(invocation, context)
  return try PlaybookReader.read(bytes, named: name)
}

private func source(
  _ invocation: Invocation, _ context: CommandContext
) throws(RescueError) -> (bytes: Bytes, name: String) {
  let path = invocation.path(.playbook)
  let name = path.description
  if ShippedPlaybooks.names.contains(name) {
    return (try ShippedPlaybooks.text(named: name), "\(name).json5")
  }
  do {
    guard try context.world.storage.status(of: path) != nil else {
      throw RescueError(
        .missing, "there is no playbook '\(name)'", advice: "dbrescue playbook list")
    }
  } catch {
    throw RescueError(error, doing: "look at '\(path)'")
  }
  return (try context.contents(of: path, byteCountMax: 8 << 20), path.name.description)
}

private func ask(_ question: PlaybookQuestion, _ context: CommandContext) -> PlaybookAnswer {
  if question.choices.isEmpty {
    return switch context.console.confirm("\(question.text)") {
    case .given(true): .yes
    case .given(false), .cancelled: .no
    case .nobodyThere: .nobody
    }
  }
  if context.speaksToPeople { context.console.say("\(question.text)") }
  return
    switch context.console.choose(
      "which one?", from: question.choices.map { "\($0.id): \($0.effect)" })
  {
  case .given(let index): .choice(question.choices[index].id)
  case .cancelled: .no
  case .nobodyThere: .nobody
  }
}

private func tell(
  _ step: Playbook.Step, _ record: PlaybookStepRecord, _ context: CommandContext
) {
  guard record.outcome != .skipped else {
    context.console.detail("  \("skipped", .dim)  \(step.id): \(record.reason)")
    return
  }
  let style: StyledText.Style =
    switch record.outcome {
    case .done: .good
    case .skipped: .dim
    case .stopped: .emphasised
    case .declined, .failed, .needsDecision, .refused: .bad
    }
  context.console.print("  \(record.outcome.rawValue, style)  \(step.id): \(step.text)")
  if !record.summary.isEmpty, record.summary != step.text {
    context.console.print("      \(record.summary)")
  }
}
