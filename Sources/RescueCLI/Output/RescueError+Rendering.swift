// SPDX-License-Identifier: Apache-2.0
// An error as it is shown: to people in lines, to programs as one JSON object.

import DatabaseRescue
import Diagnosis

extension RescueError {
  /// The error for people: what happened, what it means, what to try.
  var lines: [StyledText] {
    let hint = kind == .usage ? "" : "try: "
    return ["\(Program.name): \("error:", .bad) \(message)"]
      + meaning.split(separator: "\n").map { "  \($0)" }
      + advice.split(separator: "\n").map { "  \(hint)\($0, .emphasised)" }
      + (code.map { ["  support code \($0, .emphasised)"] } ?? [])
  }

  /// The error for programs, with the status in which the process ends; where a run has failed, with
  /// its support code, and whether it has changed what it was given: null where that cannot be told.
  func json(exit: Int32) -> JSON {
    .document(
      "error", exit: exit,
      [
        "message": .string(message), "meaning": .string(meaning), "advice": .string(advice),
        "code": code.map { .string($0.description) },
        "changed": change.map { $0.extent == .unknown ? .null : .bool($0.extent == .something) },
      ])
  }
}
