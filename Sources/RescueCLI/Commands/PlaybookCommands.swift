// SPDX-License-Identifier: Apache-2.0
// `dbrescue playbook`: runbooks that can be read, checked, rehearsed and run.

import DatabaseRescue
import Diagnosis
import SQLiteFormat

/// Lists the playbooks that come with the program.
let playbookListCommand: CommandBody = { _, context throws(RescueError) in
  try context.give(PlaybookListAnswer())
}

/// Prints a playbook as a checklist.
let playbookShowCommand: CommandBody = { invocation, context throws(RescueError) in
  let playbook = try playbook(invocation, context)
  if invocation.isSet(.markdown), !context.console.manner.isJSON {
    for line in playbook.markdown.split(separator: "\n", omittingEmptySubsequences: false)
      .dropLast()
    {
      context.console.print("\(line)")
    }
    return .success
  }
  return try context.give(playbook)
}

/// Lists everything that is wrong with a playbook.
let playbookValidateCommand: CommandBody = { invocation, context throws(RescueError) in
  let (bytes, name) = try source(invocation, context)
  let problems = PlaybookReader.problems(in: bytes)
  return try context.give(PlaybookValidationAnswer(problems, in: name))
}

/// Runs or rehearses a playbook on a database.
let playbookRunCommand: CommandBody = { invocation, context throws(RescueError) in
  let playbook = try playbook(invocation, context).setting(invocation.texts(.set))
  let file = invocation.path(.file)
  let setting = PlaybookSetting(
    contract: try context.contract(at: invocation.path(.contract) ?? invocation.path(.schema)),
    vault: invocation.path(.vault), approvals: Set(invocation.texts(.approve)),
    commandOutput: context.console.manner.isJSON ? .errors : .shared)
  if invocation.isSet(.dryRun) {
    return try context.give(context.rescue.rehearse(playbook, on: file, setting))
  }
  var files = context.files(invocation)
  let record = try context.reportFile(invocation, in: &files)
  let isJSON = context.console.manner.isJSON
  let result = try context.interruption.patiently { () throws(RescueError) in
    try context.rescue.run(
      playbook, on: file, setting, asking: { ask($0, context) },
      telling: { step, record in if !isJSON { tell(step, record, context) } })
  }
  let answer = PlaybookRunAnswer(result, on: file, in: context.world)
  let exit = try context.give(answer, of: result)
  if let record {
    do throws(RescueError) {
      try record.output.write(
        Bytes(answer.rendered(as: record.format).utf8), world: context.world)
    } catch {
      context.console.warn("the record was not written: \(error.message)")
      if exit == .success {
        context.rescue.note(ExitCode.cannotWrite.rawValue, of: result)
        return .cannotWrite
      }
    }
  }
  return exit
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
