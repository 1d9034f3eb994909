// SPDX-License-Identifier: Apache-2.0
// The completion script for fish, made from the tables.

/// The completion script for fish.
enum FishCompletions {
  /// The script.
  static let script = """
    # Completions of \(Program.name) for fish.
    # Made by '\(Program.name) completions fish' from the tables of commands and flags.

    # Succeeds when the words typed so far name the command given.
    function __\(Program.name)_at
      set -l command ""
      for word in (commandline -opc)
        test "$word" = "--"; and return 1
        switch "$command:$word"
    \(paths)
        end
      end
      test "$command" = "$argv[1]"
    end

    complete -c \(Program.name) -f
    \(words)
    \(flags)
    \(operands)

    """

  private static let paths = Command.steps.map { step in
    "      case \(quoted("\(step.before):\(step.word)")); set command \(quoted(step.after))"
  }.joined(separator: "\n")

  /// The words of the commands, with what they do.
  private static let words = Command.steps.map { step in
    let summary = Command.named(step.after)?.summary ?? Command.groupSummaries[step.after] ?? ""
    return line(at: step.before, "-a \(quoted(step.word)) -d \(quoted(summary))")
  }.joined(separator: "\n")

  private static let flags =
    (Flag.global.map { "complete -c \(Program.name) \(description(of: $0))" }
    + Command.all.flatMap { command in
      command.flags.map { line(at: command.name, description(of: $0)) }
    }).joined(separator: "\n")

  private static let operands = Command.all.flatMap { command in
    command.operands.map { operand in
      let isPath = operand.kind == .path
      let words = command.wordsThatFollow.joined(separator: " ")
      return isPath ? line(at: command.name, "-F") : line(at: command.name, "-a \(quoted(words))")
    }
  }.joined(separator: "\n")

  private static func line(at command: String, _ rest: String) -> String {
    "complete -c \(Program.name) -n \(quoted("__\(Program.name)_at \"\(command)\"")) \(rest)"
  }

  private static func description(of flag: Flag) -> String {
    let value =
      switch flag.value {
      case .none: ""
      case .file: " -r -F"
      case .folder: " -x -a '(__fish_complete_directories)'"
      case .text, .number: " -x"
      case .choice(let words): " -x -a \(quoted(words.joined(separator: " ")))"
      }
    let letter = flag.letter.map { " -s \($0)" } ?? ""
    return "-l \(flag.name)\(letter)\(value) -d \(quoted(flag.purpose))"
  }

  private static func quoted(_ text: String) -> String {
    "'" + text.replacing("\\", with: "\\\\").replacing("'", with: "\\'") + "'"
  }
}
