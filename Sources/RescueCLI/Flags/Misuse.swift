// SPDX-License-Identifier: Apache-2.0
// Usage errors: what is wrong, how it is called, and where to read more.

import DatabaseRescue

extension Command {
  /// The error of a command line that this command cannot follow.
  func misuse(_ message: String) -> RescueError {
    RescueError(
      .usage, message, meaning: usage, advice: "see '\(Program.name) help \(name)'")
  }

  /// The error of a command line that names a group and none of its commands.
  static func misuse(ofGroup word: String, _ message: String) -> RescueError {
    let names = group(word).compactMap(\.words.last).joined(separator: "|")
    return RescueError(
      .usage, message, meaning: "usage: \(Program.name) \(word) \(names) ...",
      advice: "see '\(Program.name) help \(word)'")
  }
}

extension Program {
  /// The line that shows how the program is called.
  static let usage = "usage: \(name) COMMAND [ARGUMENT ...]"

  /// The error of a command line that names no command.
  static func misuse(_ message: String) -> RescueError {
    RescueError(.usage, message, meaning: usage, advice: "see '\(name) help'")
  }
}
