// SPDX-License-Identifier: Apache-2.0
// `dbrescue undo`: the files that an earlier run displaced, back in their place.

import DatabaseRescue
import Diagnosis

/// Brings back the files that a run displaced.
let undoCommand: CommandBody = { invocation, context throws(RescueError) in
  let file = invocation.path(.file)
  let code = try supportCode(invocation.text(.code))
  context.console.say("bring back what the run \(code) displaced; the present files are kept aside")
  if invocation.isSet(.dryRun) {
    context.console.note("nothing was changed: this was a dry run")
    return .success
  }
  if !invocation.isSet(.yes) {
    switch context.console.confirm("carry this out?") {
    case .given(true): break
    case .nobodyThere:
      throw RescueError(
        .decisionNeeded, "a decision is needed, and nobody is there to ask",
        meaning: "nothing was changed", advice: "add --yes to carry it out unasked")
    case .given(false), .cancelled:
      throw RescueError(.declined, "declined", meaning: "nothing was changed")
    }
  }
  let result = try context.rescue.undo(code, of: file)
  context.console.print("\(file.name): brought back from \(result.value)")
  context.tellCode(of: result)
  return .success
}

/// A support code as it was typed or read out.
func supportCode(_ text: String) throws(RescueError) -> SupportCode {
  do {
    return try SupportCode(parsing: text)
  } catch {
    throw RescueError(.invalidInput, error.message, advice: error.advice)
  }
}
