// SPDX-License-Identifier: Apache-2.0
// An error as it is shown: to people in lines, to programs as one JSON object.

import DatabaseRescue

extension RescueError {
  /// The error for people: what happened, what it means, what to try.
  var lines: [StyledText] {
    let hint = kind == .usage ? "" : "try: "
    return ["\(Program.name): \("error:", .bad) \(message)"]
      + meaning.split(separator: "\n").map { "  \($0)" }
      + advice.split(separator: "\n").map { "  \(hint)\($0, .emphasised)" }
  }

  /// The error for programs.
  var json: JSON {
    .document(
      "error",
      [
        "code": .integer(Int(ExitCode(kind).rawValue)), "message": .string(message),
        "meaning": .string(meaning), "advice": .string(advice),
      ])
  }
}
