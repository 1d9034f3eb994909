// SPDX-License-Identifier: Apache-2.0
// `dbrescue log` and `dbrescue explain`: what was done, and what a code says.

import DatabaseRescue
import Diagnosis

/// Lists the last runs, newest last.
let logListCommand: CommandBody = { invocation, context throws(RescueError) in
  let log = try RunLog(in: context.world)
  let contents = try log.records(lastLines: invocation.requiredNumber(.last))
  return try context.give(LogAnswer(contents, of: log))
}

/// Prints everything that was recorded of a run.
let logShowCommand: CommandBody = { invocation, context throws(RescueError) in
  let code = try supportCode(invocation.text(.code))
  guard let record = try RunLog(in: context.world).record(for: code) else {
    throw RescueError(
      .missing, "the run \(code) is not in the log of this machine",
      advice: "the code itself tells the essence: dbrescue explain \(code)")
  }
  return try context.give(RunRecordAnswer(record))
}

/// Says what a support code or the code of a finding means.
let explainCommand: CommandBody = { invocation, context throws(RescueError) in
  let subject = invocation.text(.subject)
  if let answer = FindingAnswer(subject) {
    if invocation.isSet(.markdown), !context.console.manner.isJSON {
      context.console.write(answer.markdown)
      return .success
    }
    return try context.give(answer)
  }
  guard !subject.looksLikeFinding else {
    throw RescueError(
      .invalidInput, "there is no finding '\(subject)'",
      advice: "findings have codes such as DBR-F060")
  }
  return try context.give(ExplanationAnswer(supportCode(subject)))
}

extension String {
  /// Whether this was meant as the code of a finding: too short for a support code.
  fileprivate var looksLikeFinding: Bool {
    let text = uppercased()
    return count <= 10 && (text.hasPrefix("DBR-F") || text.hasPrefix("F"))
  }
}
