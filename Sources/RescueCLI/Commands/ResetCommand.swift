// SPDX-License-Identifier: Apache-2.0
// `dbrescue reset`: an empty database in the place of the old one, whose files are kept.

import DatabaseRescue
import Diagnosis

/// Replaces a database by an empty one.
let resetCommand: CommandBody = { invocation, context throws(RescueError) in
  guard let contract = try context.contract(at: invocation.path(.schema)) else {
    throw invocation.command.misuse("--schema is needed")
  }
  let name = invocation.path(.file).name.description
  let isConfirmed = invocation.isSet(.yes) && invocation.text(.confirm) == name
  if let typed = invocation.text(.confirm), typed != name {
    throw RescueError(
      .usage, "--confirm '\(typed)' is not the name of the file", meaning: "nothing was changed",
      advice: "add --confirm \(ShellWord.quoted(name))")
  }
  return try recover(
    .reset, invocation, context, contract: contract, vault: nil,
    asksForName: isConfirmed ? nil : name,
    choose: { examination, _ throws(RescueError) in
      guard examination.verdict != .newer else {
        throw RescueError(
          .invalidInput, "'\(name)' was written by a newer app",
          meaning: "nothing is wrong with it, and nothing was changed",
          advice: "install the newer app", verdict: .newer)
      }
      return examination.resetOption
    })
}
