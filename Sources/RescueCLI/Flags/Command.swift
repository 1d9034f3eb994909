// SPDX-License-Identifier: Apache-2.0
// One command as a value: its name, what it takes, what it is for, how it can end.

/// One command: its name, what it takes, what it is for, how it can end.
///
/// What a command *does* is not here: the bodies are in a table of their own.
struct Command: Sendable {
  /// What a command is for; the list of commands is divided by it.
  enum Purpose: String, CaseIterable, Sendable {
    case look = "look, and touch nothing"
    case protect = "protect a database"
    case rescue = "bring the data back"
    case playbooks = "follow a playbook"
    case records = "look up what was done"
    case program = "about dbrescue"
  }

  /// A command line, and what it is good for.
  struct Example: Hashable, Sendable {
    let line: String
    let purpose: String
  }

  /// One word, or two where commands belong together, such as `vault list`.
  let name: String
  /// What it is for, among the others.
  let purpose: Purpose
  /// What it does: a phrase in lower case without a full stop.
  let summary: String
  /// What else there is to know: paragraphs.
  let description: [String]
  /// The positional arguments; only the last may be repeatable.
  let operands: [Operand]
  /// Whether another program's command line follows after `--`.
  let takesCommandLine: Bool
  /// Whether that may be left out.
  let isCommandLineOptional: Bool
  /// Its own flags, without the global ones.
  let flags: [Flag]
  /// Command lines to learn from.
  let examples: [Example]
  /// How it can end, apart from what every command can end with.
  let exitCodes: [ExitCode]

  init(
    _ name: String, _ purpose: Purpose, _ summary: String, description: [String],
    operands: [Operand] = [], takesCommandLine: Bool = false,
    isCommandLineOptional: Bool = false, flags: [Flag] = [],
    examples: [(String, String)], exitCodes: [ExitCode] = []
  ) {
    self.name = name
    self.purpose = purpose
    self.summary = summary
    self.description = description
    self.operands = operands
    self.takesCommandLine = takesCommandLine
    self.isCommandLineOptional = isCommandLineOptional
    self.flags = flags
    self.examples = examples.map(Example.init)
    self.exitCodes = exitCodes
  }

  /// The words of the name.
  var words: [String] { name.split(separator: " ").map(String.init) }

  /// Every flag that it takes, its own first.
  var allFlags: [Flag] { flags + Flag.global }

  /// Every way it can end, by number.
  var allExitCodes: [ExitCode] {
    Set(exitCodes + ExitCode.always).sorted { $0.rawValue < $1.rawValue }
  }

  /// Whether it shows a plan for a database and carries it out: rows that the plan loses are lost.
  var carriesOutPlan: Bool { purpose == .rescue && flags.contains { $0.name == Flag.yes.name } }

  /// What follows the name in the usage line, piece by piece.
  var usageParts: [String] {
    let needed = flags.filter(\.isRequired).map(\.usage)
    let optional = flags.filter { !$0.isRequired }.map { flag in
      "[\(flag.usage)]" + (flag.isRepeatable ? "..." : "")
    }
    let words = "-- COMMAND [ARGUMENT ...]"
    let commandLine = takesCommandLine ? [isCommandLineOptional ? "[\(words)]" : words] : []
    return operands.map(\.usage) + needed + optional + commandLine
  }

  /// The line that shows how it is called, without the global flags.
  var usage: String {
    "usage: " + ([Program.name, name] + usageParts).joined(separator: " ")
  }
}
