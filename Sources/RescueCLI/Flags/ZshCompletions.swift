// SPDX-License-Identifier: Apache-2.0
// The completion script for zsh, made from the tables.

/// The completion script for zsh.
enum ZshCompletions {
  /// The script, to be found in `fpath` as `_dbrescue`, or sourced.
  static let script = """
    #compdef \(Program.name)
    # Completions of \(Program.name) for zsh.
    # Made by '\(Program.name) completions zsh' from the tables of commands and flags.

    _\(Program.name)() {
      local context state state_descr line curcontext="$curcontext"
      typeset -A opt_args
      local -a global
      global=(
    \(Flag.global.map { "    " + specification(of: $0) }.joined(separator: "\n"))
      )
    \(dispatch(after: "", indent: "  "))
    }

    if [[ $funcstack[1] == _\(Program.name) ]]; then
      _\(Program.name) "$@"
    else
      compdef _\(Program.name) \(Program.name)
    fi

    """

  /// Completes the next word of a command, then what that word asks for.
  private static func dispatch(after before: String, indent: String) -> String {
    let steps = Command.steps.filter { $0.before == before }
    let words = steps.map { step in
      let summary = Command.named(step.after)?.summary ?? Command.groupSummaries[step.after] ?? ""
      return "\(indent)    \(quoted("\(step.word):\(summary)"))"
    }
    let branches = steps.map { step in
      let body =
        Command.named(step.after).map { arguments(of: $0, indent: indent + "      ") }
        ?? dispatch(after: step.word, indent: indent + "      ")
      return "\(indent)    \(step.word))\n\(body) ;;"
    }
    return """
      \(indent)_arguments -C -S $global '1: :->command' '*:: :->arguments' && return
      \(indent)case $state in
      \(indent)command)
      \(indent)  local -a commands
      \(indent)  commands=(
      \(words.joined(separator: "\n"))
      \(indent)  )
      \(indent)  _describe -t commands command commands ;;
      \(indent)arguments)
      \(indent)  case $words[1] in
      \(branches.joined(separator: "\n"))
      \(indent)  esac ;;
      \(indent)esac
      """
  }

  private static func arguments(of command: Command, indent: String) -> String {
    let operands = command.operands.enumerated().map { index, operand in
      let position =
        operand.isRepeatable ? "*" : String(index + 1) + (operand.isOptional ? ":" : "")
      let action =
        operand.kind == .path
        ? "_files" : "(\(command.wordsThatFollow.joined(separator: " ")))"
      return quoted("\(position):\(operand.name.replacing(":", with: "\\:")):\(action)")
    }
    let commandLine = command.takesCommandLine ? [quoted("*:::COMMAND:_normal")] : []
    let all = ["$global"] + command.flags.map(specification) + operands + commandLine
    return "\(indent)_arguments -S " + all.joined(separator: " \\\n\(indent)  ")
  }

  private static func specification(of flag: Flag) -> String {
    let action =
      switch flag.value {
      case .none: ""
      case .file: "_files"
      case .folder: "_files -/"
      case .text, .number: " "
      case .choice(let words): "(\(words.joined(separator: " ")))"
      }
    let value = flag.valueName.map { ":\($0.replacing(":", with: "\\:")):\(action)" } ?? ""
    let equals = flag.isSwitch ? "" : "="
    let explanation = "[\(bracketed(flag.purpose))]\(value)"
    if flag.isRepeatable { return quoted("*\(flag.spelling)\(equals)\(explanation)") }
    guard let letter = flag.letter else {
      return quoted("\(flag.spelling)\(equals)\(explanation)")
    }
    let short = flag.isSwitch ? "" : "+"
    let excluded = quoted("(-\(letter) \(flag.spelling))")
    return "\(excluded){-\(letter)\(short),\(flag.spelling)\(equals)}\(quoted(explanation))"
  }

  /// Text between the brackets of a specification.
  private static func bracketed(_ text: String) -> String {
    text.replacing("\\", with: "\\\\").replacing("[", with: "\\[").replacing("]", with: "\\]")
      .replacing(":", with: "\\:")
  }

  private static func quoted(_ text: String) -> String {
    "'" + text.replacing("'", with: "'\\''") + "'"
  }
}
