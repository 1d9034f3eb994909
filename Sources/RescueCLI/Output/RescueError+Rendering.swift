// SPDX-License-Identifier: Apache-2.0
// An error as it is shown: to people in lines, to programs as one JSON object.

import Diagnosis
import DatabaseRescue

extension RescueError {
  /// The error for people: what happened, what it means, what to try.
  var lines: [StyledText] {
    let hint = kind == .usage ? "" : "try: "
    return ["\(Program.name): \("error:", .bad) \(message)"]
      + meaning.split(separator: "\n").map { "  \($0)" }
      + advice.split(separator: "\n").map { "  \(hint)\($0, .emphasised)" }
      + (code.map { ["  support code \($0, .emphasised)"] } ?? [])
  }

  /// The error for programs; the support code where the run has one.
  var json: JSON {
    let members: [String: JSON] = [
      "code": .integer(Int(exitStatus)), "message": .string(message),
      "meaning": .string(meaning), "advice": .string(advice),
    ]
    guard let code else { return .document("error", members) }
    return .document(
      "error", members.merging(["supportCode": .string(code.description)]) { $1 })
  }
}
