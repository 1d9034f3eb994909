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

  /// The error for programs; where a run has failed, with its support code, and whether it has
  /// changed what it was given: null where that cannot be told.
  var json: JSON {
    var members: [String: JSON] = [
      "code": .integer(Int(exitStatus)), "message": .string(message),
      "meaning": .string(meaning), "advice": .string(advice),
    ]
    if let code { members["supportCode"] = .string(code.description) }
    if let change {
      let isChanged: JSON = change.extent == .unknown ? nil : .bool(change.extent == .something)
      members["changed"] = isChanged
    }
    return .document("error", members)
  }
}
