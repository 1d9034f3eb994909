// SPDX-License-Identifier: Apache-2.0
// Help, made from the tables: short for -h, full for --help.

import DatabaseRescue

/// Help for a command, a group of commands or the program.
struct HelpPage {
  /// The lines of the page.
  private(set) var lines: [StyledText] = []
  private let columns: Int

  /// Makes the page.
  ///
  /// - Parameters:
  ///   - words: The words of the command or of the group; none for the program.
  ///   - isFull: Examples first, exit status last; otherwise only what fits on a screen.
  ///   - columns: The width to write for.
  init(_ words: [String], isFull: Bool, columns: Int) {
    self.columns = columns
    if let command = Command.named(words.joined(separator: " ")) {
      isFull ? addFull(command) : addShort(command)
    } else if let word = words.first {
      addGroup(word)
    } else {
      isFull ? addFullProgram() : addShortProgram()
    }
  }

  // MARK: A command

  private mutating func addShort(_ command: Command) {
    addTitle("\(Program.name) \(command.name)", command.summary)
    addUsage(command)
    let operands = command.operands.map { ($0.name, $0.purpose) }
    let items = operands + command.flags.map { ($0.term, $0.explanation) }
    if !items.isEmpty { add() }
    addList(items)
    addFooter(
      "see '\(Program.name) \(command.name) --help' for examples, all flags and exit statuses")
  }

  private mutating func addFull(_ command: Command) {
    addTitle("\(Program.name) \(command.name)", command.summary)
    addExamples(command.examples)
    addHeading("USAGE")
    addUsageParts(command, prefix: "  \(Program.name) \(command.name)")
    addHeading("DESCRIPTION")
    addParagraphs(command.description)
    if !command.operands.isEmpty {
      addHeading("ARGUMENTS")
      addList(command.operands.map { ($0.name, $0.purpose) })
    }
    if !command.flags.isEmpty {
      addHeading("FLAGS")
      addList(command.flags.map { ($0.term, $0.explanation) })
    }
    addGlobalFlags()
    addExitStatus(command.allExitCodes, isOfPlan: command.carriesOutPlan)
  }

  // MARK: A group of commands

  private mutating func addGroup(_ word: String) {
    addTitle("\(Program.name) \(word)", Command.groupSummaries[word] ?? "")
    for command in Command.group(word) {
      addUsage(command)
      addWrapped(command.summary, indent: 4)
    }
    addFooter("see '\(Program.name) help \(word) COMMAND' for more")
  }

  // MARK: The program

  private mutating func addShortProgram() {
    addTitle(Program.name, Program.summary)
    add()
    add(Program.usage)
    addCommands()
    addFooter(
      "see '\(Program.name) help COMMAND' for a command, '\(Program.name) --help' for everything")
  }

  private mutating func addFullProgram() {
    addTitle(Program.name, Program.summary)
    addExamples(Program.examples)
    addHeading("USAGE")
    add("  " + Program.usage.replacing("usage: ", with: ""))
    addHeading("DESCRIPTION")
    addParagraphs(Program.description)
    addHeading("COMMANDS")
    addCommands()
    addGlobalFlags()
    addHeading("ENVIRONMENT")
    addList(Program.environment)
    addExitStatus(ExitCode.allCases)
  }

  private mutating func addCommands() {
    for purpose in Command.Purpose.allCases {
      add()
      lines.append(StyledText(verbatim: purpose.rawValue, .heading))
      let commands = Command.all.filter { $0.purpose == purpose }
      addList(commands.map { ($0.name, $0.summary) })
    }
  }

  // MARK: Pieces

  private mutating func add(_ line: String = "") { lines.append(StyledText(verbatim: line)) }

  private mutating func addTitle(_ name: String, _ summary: String) {
    let title = TextWrap.lines(of: "\(name): \(summary)", columns)
    let rest = title.first.map { String($0.dropFirst(name.count)) } ?? ""
    lines.append(StyledText(verbatim: name, .heading) + StyledText(verbatim: rest))
    for line in title.dropFirst() { add(line) }
  }

  private mutating func addFooter(_ text: String) {
    add()
    addWrapped(text, indent: 0)
  }

  private mutating func addHeading(_ heading: String) {
    add()
    lines.append(StyledText(verbatim: heading, .heading))
  }

  private mutating func addUsage(_ command: Command) {
    add()
    addUsageParts(command, prefix: "usage: \(Program.name) \(command.name)")
  }

  private mutating func addUsageParts(_ command: Command, prefix: String) {
    let indent = String(repeating: " ", count: min(prefix.count + 1, 24))
    for line in TextWrap.fill([prefix] + command.usageParts, columns, hanging: indent) { add(line) }
  }

  private mutating func addParagraphs(_ paragraphs: [String]) {
    for (index, paragraph) in paragraphs.enumerated() {
      if index > 0 { add() }
      addWrapped(paragraph, indent: 2)
    }
  }

  private mutating func addWrapped(_ text: String, indent: Int) {
    let space = String(repeating: " ", count: indent)
    for line in TextWrap.lines(of: text, columns - indent) { add(space + line) }
  }

  private mutating func addExamples(_ examples: [Command.Example]) {
    addHeading("EXAMPLES")
    for example in examples {
      addWrapped(example.purpose + ":", indent: 2)
      lines.append("    \(example.line, .emphasised)")
    }
  }

  private mutating func addGlobalFlags() {
    addHeading("GLOBAL FLAGS")
    addList(Flag.global.map { ($0.term, $0.explanation) })
  }

  private mutating func addExitStatus(_ codes: [ExitCode], isOfPlan: Bool = false) {
    addHeading("EXIT STATUS")
    let addition = " but what the plan named"
    addList(
      codes.map { code in
        (String(code.rawValue), code.meaning + (isOfPlan && code == .success ? addition : ""))
      })
    addWrapped("Treat every other status as failure.", indent: 2)
  }

  /// Terms with their explanations beside them, or below where a term is too long.
  private mutating func addList(_ items: [(term: String, text: String)]) {
    let widest = 26
    let width = items.map(\.term.count).filter { $0 <= widest }.max() ?? 0
    let space = String(repeating: " ", count: width + 4)
    for item in items {
      let texts = TextWrap.lines(of: item.text, columns - space.count)
      let isLong = item.term.count > width
      if isLong { add("  " + item.term) }
      for (index, text) in texts.enumerated() {
        add((index == 0 && !isLong ? "  " + item.term.padded(to: width) + "  " : space) + text)
      }
    }
  }
}

extension Flag {
  /// The flag as a list of flags shows it, with room for the letter.
  fileprivate var term: String { (letter.map { "-\($0), " } ?? "    ") + usage }
}

/// Breaks text into lines.
enum TextWrap {
  /// The lines of a text, none wider than so many columns if its words allow it.
  static func lines(of text: String, _ columns: Int) -> [String] {
    fill(text.split(separator: " ").map(String.init), columns, hanging: "")
  }

  /// Pieces that are not broken, on as few lines as can be; all but the first are indented.
  static func fill(_ pieces: [String], _ columns: Int, hanging indent: String) -> [String] {
    var lines: [String] = []
    for piece in pieces {
      if let last = lines.last, last.columns + 1 + piece.columns <= columns {
        lines[lines.count - 1] += " " + piece
      } else {
        lines.append((lines.isEmpty ? "" : indent) + piece)
      }
    }
    return lines
  }
}
