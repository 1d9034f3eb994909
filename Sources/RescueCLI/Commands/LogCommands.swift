// SPDX-License-Identifier: Apache-2.0
// `dbrescue log` and `dbrescue explain`: what was done, and what a code says.

import DatabaseRescue
import Diagnosis

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Lists the last runs, newest last.
let logListCommand: CommandBody = { invocation, context throws(RescueError) in
  let log = try RunLog(in: context.world)
  let contents = try log.records(lastLines: invocation.requiredNumber(.last))
  if context.console.manner.isJSON {
    context.console.print(
      document: .document(
        "log-list",
        [
          "runs": try documents(contents.records),
          "unfinished": try documents(contents.unfinished),
        ]))
  } else {
    var table = TextTable([
      .text("started"), .text("code"), .text("operation"), .text("verdict"), .text("outcome"),
      .prose("file"),
    ])
    for record in contents.records {
      table.add([
        "\(record.started.formatted(.iso8601))", "\(record.code)", "\(record.operation)",
        "\(record.verdict?.description ?? "")", "\(record.outcome)",
        "\(record.file?.description ?? "")",
      ])
    }
    if contents.records.isEmpty {
      context.console.note("no runs in '\(log.path)'")
    } else {
      context.console.print(table)
    }
    for run in contents.unfinished {
      context.console.note(
        "\(run.began) began to replace '\(run.file)' at \(run.at.formatted(.iso8601)) and has not ended: "
          + "it was killed, or is at work")
    }
  }
  if contents.unreadableCount > 0 {
    context.console.warn("\(Quantity.count(contents.unreadableCount, "line")) cannot be read")
  }
  return .success
}

/// Lines of the log as they stand there.
private func documents(_ lines: [some LogLine]) throws(RescueError) -> JSON {
  .array(try lines.map { line throws(RescueError) in try line.document })
}

/// Prints everything that was recorded of a run.
let logShowCommand: CommandBody = { invocation, context throws(RescueError) in
  let code = try supportCode(invocation.text(.code))
  guard let record = try RunLog(in: context.world).record(for: code) else {
    throw RescueError(
      .missing, "the run \(code) is not in the log of this machine",
      advice: "the code itself tells the essence: dbrescue explain \(code)")
  }
  if context.console.manner.isJSON {
    context.console.print(document: try record.document)
  } else {
    context.console.print(RunRecordText(record).lines)
  }
  return .success
}

/// Says what a support code or the code of a finding means.
let explainCommand: CommandBody = { invocation, context throws(RescueError) in
  let subject = invocation.text(.subject)
  if let answer = FindingAnswer(subject) {
    if invocation.isSet(.markdown), !context.console.manner.isJSON {
      context.console.write(answer.markdown)
    } else {
      try context.give(answer)
    }
    return .success
  }
  guard !subject.looksLikeFinding else {
    throw RescueError(
      .invalidInput, "there is no finding '\(subject)'",
      advice: "findings have codes such as DBR-F060")
  }
  let lines = try supportCode(subject).explanation
  if context.console.manner.isJSON {
    context.console.print(
      document: .document(
        "explanation",
        ["lines": .array(lines.map { ["label": .string($0.label), "text": .string($0.text)] })]))
  } else {
    var table = TextTable([.text(""), .prose("")])
    for line in lines { table.add(["\(line.label, .dim)", "\(line.text)"]) }
    context.console.print(table.lines(width: nil))
  }
  return .success
}

extension String {
  /// Whether this was meant as the code of a finding: too short for a support code.
  fileprivate var looksLikeFinding: Bool {
    let text = uppercased()
    return count <= 10 && (text.hasPrefix("DBR-F") || text.hasPrefix("F"))
  }
}
