// SPDX-License-Identifier: Apache-2.0
// `dbrescue recover`: diagnose, offer the options, carry out the one that is chosen.

import DatabaseRescue
import Diagnosis
import SQLiteFormat

/// Diagnoses a database, offers what can be done, and does what is chosen.
let recoverCommand: CommandBody = { invocation, context throws(RescueError) in
  let contract = try context.contract(at: invocation.path(.contract))
  var files = context.files(invocation)
  let message = try invocation.path(.handOver).map { path throws(RescueError) in
    try files.write(
      path, replacing: invocation.isSet(.force), storage: context.world.storage)
  }
  var causes: CauseAnswer?
  var isPossible = true
  func handOver(_ text: HandOver) throws(RescueError) {
    guard let message else { return }
    do throws(RescueError) {
      try message.write(Bytes(text.text.utf8), world: context.world)
    } catch {
      throw RescueError(
        .cannotWrite, error.message, meaning: "the message was not written; the rest was done",
        advice: error.advice)
    }
  }
  let file = invocation.path(.file)
  do throws(RescueError) {
    return try recover(
      .recover, invocation, context, contract: contract, vault: invocation.path(.vault),
      choose: { examination, options throws(RescueError) in
        if message != nil { causes = examination.causes }
        isPossible = !options.isEmpty
        return try choose(examination, options, invocation, context)
      },
      afterwards: { result throws(RescueError) in
        try handOver(HandOver(result, of: file, causes: causes))
      })
  } catch  where !isPossible {
    // Who sent the file has to know what to do all the same; why nothing can be done stays the error.
    let text = HandOver(unable: error, with: file, causes: causes, at: context.world.now())
    do throws(RescueError) {
      try handOver(text)
    } catch {
      context.console.warn("the message was not written: \(error.message)")
    }
    throw error
  }
}

/// Carries out an option on the database that was named, and tells what was done.
func recover(
  _ operation: SupportCode.Operation, _ invocation: Invocation, _ context: CommandContext,
  contract: Contract?, vault: FilePath?, backup: Backup? = nil, wait: Duration = .seconds(5),
  asksForName name: String? = nil,
  choose: (Examination, [RecoveryOption]) throws(RescueError) -> RecoveryOption,
  afterwards: (RunResult<RecoveryReport>) throws(RescueError) -> Void = { _ throws(RescueError) in }
) throws(RescueError) -> ExitCode {
  try context.requireNothingPending(invocation)
  let isDry = invocation.isSet(.dryRun)
  var isPlanned = false
  let result: RunResult<RecoveryReport>
  do {
    result = try context.rescue.recover(
      operation, invocation.path(.file), contract: contract, vault: vault,
      backup: backup, wait: wait, choose: choose,
      approve: { plan throws(RescueError) in
        isPlanned = true
        try context.approve(plan, invocation, asksForName: name)
      })
  } catch  where isDry && isPlanned && error.kind == .declined {
    if context.speaksToPeople {
      context.console.note("nothing was changed: this was a dry run")
    }
    return .success
  }
  let exit = try context.give(
    RecoveryAnswer(operation, result, of: invocation.path(.file)), of: result)
  try context.rescue.concluding(result) { () throws(RescueError) in try afterwards(result) }
  return exit
}

private func choose(
  _ examination: Examination, _ options: [RecoveryOption], _ invocation: Invocation,
  _ context: CommandContext
) throws(RescueError) -> RecoveryOption {
  let text = ExaminationText(examination, of: invocation.path(.file))
  if context.speaksToPeople {
    for line in text.headline + text.causes + text.findings + text.unchecked {
      context.console.say(line)
    }
  }
  guard !options.isEmpty else {
    throw RescueError(
      .invalidInput, "nothing can be done with this file alone",
      meaning: examination.meaning,
      advice: examination.causes.leading?.now
        ?? "look for a backup, the -wal file, or give --contract to start anew")
  }
  if let wanted = invocation.text(.choose) {
    guard let option = options.chosen(by: wanted) else {
      throw RescueError(
        .usage, "'\(wanted)' is not possible here",
        advice: "choose one of: \(options.choices.joined(separator: ", "))")
    }
    return option
  }
  if options.count == 1, options[0].kind == .nothing || options[0].kind == .migrate {
    if context.speaksToPeople { context.console.say("\(options[0].summary)") }
    return options[0]
  }
  if context.speaksToPeople {
    for line in OptionText.lines(options) { context.console.say(line) }
  }
  switch context.console.choose("which one?", from: options.choices.map { "\($0)" }) {
  case .given(let index): return options[index]
  case .nobodyThere:
    throw RescueError(
      .decisionNeeded, "a decision is needed, and nobody is there to ask",
      meaning: "nothing was changed",
      advice: "add --choose OPTION --yes to carry it out unasked; OPTION is one of: "
        + options.choices.sorted().joined(separator: ", "))
  case .cancelled:
    throw RescueError(
      .declined, "cancelled", meaning: "nothing was changed",
      advice: "run the same again once it is decided, and answer with a number")
  }
}
