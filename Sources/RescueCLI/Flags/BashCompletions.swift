// SPDX-License-Identifier: Apache-2.0
// The completion script for bash, made from the tables. Works with bash 3.2, as on macOS.

/// The completion script for bash.
enum BashCompletions {
  /// The script.
  ///
  /// Where it offers nothing, bash completes file names.
  static let script = """
    # Completions of \(Program.name) for bash.
    # Made by '\(Program.name) completions bash' from the tables of commands and flags.
    _\(Program.name)() {
      local current="${COMP_WORDS[COMP_CWORD]}" flag="${COMP_WORDS[COMP_CWORD-1]}"
      local command="" word index words=""
      COMPREPLY=()

      # Bash splits --flag=value at the equals sign.
      if [[ $current == "=" ]]; then
        current=""
      elif [[ $flag == "=" ]]; then
        flag="${COMP_WORDS[COMP_CWORD-2]}"
      fi

      for ((index = 1; index < COMP_CWORD; index++)); do
        word="${COMP_WORDS[index]}"
        [[ $word == "--" ]] && return
        case "$command:$word" in
    \(paths)
        esac
      done

      case "$flag" in
    \(values)
      esac

      case "$command" in
    \(words)
      esac
      COMPREPLY=($(compgen -W "$words" -- "$current"))
    }
    complete -o bashdefault -o default -F _\(Program.name) \(Program.name)

    """

  /// How the words typed so far lead to a command.
  private static let paths = Command.steps.map { step in
    "      \"\(step.before):\(step.word)\") command=\"\(step.after)\" ;;"
  }.joined(separator: "\n")

  /// What follows a flag that takes a value: one of its choices, or else nothing of ours.
  private static let values = (choices + [others]).joined(separator: "\n")

  private static let choices = Flag.all.compactMap { flag -> String? in
    guard case .choice(let words) = flag.value else { return nil }
    let reply = "COMPREPLY=($(compgen -W \"\(words.joined(separator: " "))\" -- \"$current\"))"
    return "    \(flag.spellings.joined(separator: "|"))) \(reply); return ;;"
  }

  private static let others: String = {
    let flags = Flag.all.filter { flag in
      if case .choice = flag.value { return false }
      return !flag.isSwitch
    }
    return "    \(flags.flatMap(\.spellings).joined(separator: "|"))) return ;;"
  }()

  /// The words that can come next: flags after a dash, else what the operands name.
  private static let words =
    (groupLines + commandLines).joined(separator: "\n")

  private static let groupLines = ([""] + Command.groups).map { before in
    line(before, flags: Flag.global, words: Command.wordsThatFollow(before))
  }

  private static let commandLines = Command.all.map { command in
    line(command.name, flags: command.allFlags, words: command.wordsThatFollow)
  }

  private static func line(_ command: String, flags: [Flag], words: [String]) -> String {
    let flags = flags.flatMap(\.spellings)
    let otherwise =
      words.isEmpty ? "return" : "words=\"\(words.joined(separator: " "))\""
    return """
          "\(command)")
            if [[ $current == -* ]]; then
              words="\(flags.joined(separator: " "))"
            else
              \(otherwise)
            fi ;;
      """
  }
}

extension Command {
  /// The words of which each starts a group of commands.
  static let groups = firstWords.filter { !group($0).isEmpty }

  /// How one more word leads from what was typed to a command or group.
  static let steps: [(before: String, word: String, after: String)] =
    firstWords.map { ("", $0, $0) }
    + groups.flatMap { word in
      group(word).compactMap { command in
        command.words.last.map { (word, $0, command.name) }
      }
    }

  /// The words that can follow a group, or nothing.
  static func wordsThatFollow(_ before: String) -> [String] {
    steps.filter { $0.before == before }.map(\.word)
  }

  /// The words that can be operands; none where operands are paths or free text.
  var wordsThatFollow: [String] {
    operands.flatMap { operand in
      switch operand.kind {
      case .choice(let words): words
      case .command: Command.firstWords
      case .path, .text: [] as [String]
      }
    }
  }
}

extension Flag {
  /// The ways it can be typed.
  fileprivate var spellings: [String] { [spelling] + (letter.map { ["-\($0)"] } ?? []) }

  /// Every flag of every command, each name once.
  static let all: [Flag] = (global + Command.all.flatMap(\.flags)).reduce(into: []) { flags, flag in
    if !flags.contains(where: { $0.name == flag.name }) { flags.append(flag) }
  }
}
