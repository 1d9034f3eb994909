// SPDX-License-Identifier: Apache-2.0
// What was typed, found to make sense: the values that a command body asks for.

import DatabaseRescue

/// What was typed, found to make sense: the values that a command body asks for.
///
/// Values are asked for by the flags and operands of the tables, as in
/// `invocation.path(.file)` or `invocation.isSet(.yes)`. To ask for one that the
/// command does not have is a defect, and stops the program.
struct Invocation: Sendable {
  /// The command.
  let command: Command
  /// The command line after `--`; empty for commands that take none.
  let rest: [[UInt8]]
  /// The operands as typed, by name.
  private let operands: [String: [[UInt8]]]
  /// The values of the flags that were given, by name; a switch has none.
  private let values: [String: [[UInt8]]]

  /// Makes sense of what was typed.
  ///
  /// - Throws: A usage error where something is missing, too many, contradictory or
  ///   not of its kind.
  init(_ arguments: Arguments) throws(RescueError) {
    guard let command = arguments.command else {
      throw Self.commandMissing(after: arguments.words)
    }
    self.command = command
    try Self.checkRepetitions(arguments.occurrences, of: command)
    values = arguments.occurrences.reduce(into: [:]) { values, occurrence in
      values[occurrence.flag.name, default: []] += [occurrence.value].compactMap(\.self)
    }
    for occurrence in arguments.occurrences {
      if let value = occurrence.value {
        try occurrence.flag.check(value, of: command)
      }
    }
    for conflict in Flag.conflicts
    where values[conflict.first.name] != nil && values[conflict.second.name] != nil {
      throw command.misuse(
        "'\(conflict.first.spelling)' and '\(conflict.second.spelling)' cannot be given together: "
          + conflict.reason)
    }
    operands = try Self.distribute(arguments.operands, of: command)
    for flag in command.flags where flag.isRequired && values[flag.name] == nil {
      throw command.misuse("'\(command.name)' needs \(flag.usage): \(flag.purpose)")
    }
    rest = arguments.rest ?? []
    if command.takesCommandLine, !command.isCommandLineOptional, rest.isEmpty {
      throw command.misuse("'\(command.name)' needs a command line to run after '--'")
    }
  }

  // MARK: Operands

  /// The bytes of a path that was typed.
  func path(_ operand: Operand) -> FilePath { FilePath(bytes: single(operand)) }

  /// The bytes of a path that may have been left out.
  func optionalPath(_ operand: Operand) -> FilePath? {
    typed(operand).first.map { FilePath(bytes: $0) }
  }

  /// The paths of a repeatable operand.
  func paths(_ operand: Operand) -> [FilePath] { typed(operand).map { FilePath(bytes: $0) } }

  /// A word that was typed.
  func text(_ operand: Operand) -> String { String(decoding: single(operand), as: UTF8.self) }

  /// The words of a repeatable operand.
  func texts(_ operand: Operand) -> [String] {
    typed(operand).map { String(decoding: $0, as: UTF8.self) }
  }

  /// A word that was typed as the case that it names.
  func choice<Choice: RawRepresentable<String>>(_ operand: Operand) -> Choice {
    guard let choice = Choice(rawValue: text(operand)) else {
      preconditionFailure("\(operand.name) has choices that \(Choice.self) does not know")
    }
    return choice
  }

  // MARK: Flags

  /// Whether a flag was given.
  func isSet(_ flag: Flag) -> Bool {
    demand(flag)
    return values[flag.name] != nil
  }

  /// The path after a flag, or its default; nil where it has neither.
  func path(_ flag: Flag) -> FilePath? { given(flag).last.map { FilePath(bytes: $0) } }

  /// The paths after a repeatable flag.
  func paths(_ flag: Flag) -> [FilePath] { given(flag).map { FilePath(bytes: $0) } }

  /// The words after a flag, or its default; nil where it has neither.
  func text(_ flag: Flag) -> String? { texts(flag).last }

  /// The words after a repeatable flag.
  func texts(_ flag: Flag) -> [String] {
    given(flag).map { String(decoding: $0, as: UTF8.self) }
  }

  /// The number after a flag, or its default; nil where it has neither.
  func number(_ flag: Flag) -> Int? { text(flag).flatMap { Int($0) } }

  /// The case that the word after a flag, or its default, names; nil where it has neither.
  func choice<Choice: RawRepresentable<String>>(_ flag: Flag) -> Choice? {
    text(flag).flatMap { Choice(rawValue: $0) }
  }

  /// The path after a flag that the command cannot do without.
  func requiredPath(_ flag: Flag) -> FilePath { definite(path(flag), flag) }

  /// The number after a flag that has a default.
  func requiredNumber(_ flag: Flag) -> Int { definite(number(flag), flag) }

  /// The case named after a flag that has a default.
  func requiredChoice<Choice: RawRepresentable<String>>(_ flag: Flag) -> Choice {
    definite(choice(flag), flag)
  }

  /// The part of the file that is the database; nil for all of it.
  var part: Range<Int>? {
    guard number(.offset) != nil || number(.length) != nil else { return nil }
    let start = number(.offset) ?? 0
    return start..<(number(.length).map { start + $0 } ?? Int.max)
  }

  /// How much may be read of a pipe; nil for a command that reads none.
  var pipeByteCountMax: Int? {
    guard command.flags.contains(where: { $0.name == Flag.maxSize.name }) else { return nil }
    return requiredNumber(.maxSize) << 20
  }

  /// How large a new database may become; nil where nothing was said.
  var outputByteCountMax: Int? {
    guard command.flags.contains(where: { $0.name == Flag.maxOutput.name }) else { return nil }
    return number(.maxOutput).map { $0 << 20 }
  }

  /// Every file that was named to be read, by operands and by flags.
  var pathsToRead: [FilePath] {
    let ofOperands = command.operands.filter { $0.kind == .path }.flatMap { typed($0) }
    let ofFlags = command.flags.filter(\.isRead).flatMap { values[$0.name] ?? [] }
    return (ofOperands + ofFlags).map { FilePath(bytes: $0) }
  }

  // MARK: Inside

  private func typed(_ operand: Operand) -> [[UInt8]] {
    precondition(command.operands.contains(operand), "\(command.name) has no \(operand.name)")
    return operands[operand.name] ?? []
  }

  private func single(_ operand: Operand) -> [UInt8] {
    let typed = typed(operand)
    precondition(!operand.isRepeatable && typed.count == 1, "\(operand.name) is not single")
    return typed[0]
  }

  private func demand(_ flag: Flag) {
    precondition(
      command.allFlags.contains { $0.name == flag.name }, "\(command.name) has no \(flag.spelling)")
  }

  private func given(_ flag: Flag) -> [[UInt8]] {
    demand(flag)
    return values[flag.name] ?? flag.defaultValue.map { [Array($0.utf8)] } ?? []
  }

  private func definite<Value>(_ value: Value?, _ flag: Flag) -> Value {
    guard let value else {
      preconditionFailure("\(flag.spelling) is neither required nor has a default")
    }
    return value
  }

  private static func commandMissing(after words: [String]) -> RescueError {
    guard let group = words.first else { return Program.misuse("no command is given") }
    let names = Command.group(group).map { "'\($0.name)'" }.joined(separator: " or ")
    return Command.misuse(ofGroup: group, "'\(group)' is incomplete: \(names)?")
  }

  private static func checkRepetitions(
    _ occurrences: [Arguments.Occurrence], of command: Command
  ) throws(RescueError) {
    var seen: Set<String> = []
    for occurrence in occurrences where !occurrence.flag.isSwitch && !occurrence.flag.isRepeatable {
      guard seen.insert(occurrence.flag.name).inserted else {
        throw command.misuse("'\(occurrence.flag.spelling)' is given more than once")
      }
    }
  }

  private static func distribute(
    _ typed: [[UInt8]], of command: Command
  ) throws(RescueError) -> [String: [[UInt8]]] {
    var remaining = typed[...]
    var operands: [String: [[UInt8]]] = [:]
    for operand in command.operands {
      let count = operand.isRepeatable ? remaining.count : min(1, remaining.count)
      guard count > 0 || operand.isOptional else {
        throw command.misuse("'\(command.name)' needs \(operand.name): \(operand.purpose)")
      }
      operands[operand.name] = Array(remaining.prefix(count))
      remaining = remaining.dropFirst(count)
      for value in operands[operand.name] ?? [] { try operand.check(value, of: command) }
    }
    if let extra = remaining.first {
      throw command.misuse("'\(String(decoding: extra, as: UTF8.self))' is one argument too many")
    }
    return operands
  }
}

extension Operand {
  fileprivate func check(_ value: [UInt8], of command: Command) throws(RescueError) {
    guard !value.isEmpty else {
      throw command.misuse("\(name) is empty; is a shell variable unset?")
    }
    switch kind {
    case .path: return
    case .text, .command: _ = try command.decode(value, name)
    case .choice(let words): try command.check(value, name, isAmong: words)
    }
  }
}

extension Flag {
  fileprivate var isRead: Bool {
    if case .file = value { return !isWritten }
    return false
  }

  fileprivate func check(_ value: [UInt8], of command: Command) throws(RescueError) {
    guard !value.isEmpty else {
      throw command.misuse("'\(spelling)' has an empty value; is a shell variable unset?")
    }
    switch self.value {
    case .none, .folder: return
    case .file(_, let endings):
      let path = FilePath(bytes: value)
      guard endings.isEmpty || endings.contains(where: { path.hasSuffix($0) }) else {
        throw command.misuse(
          "'\(spelling)' needs a name that ends in \(endings.listed), not '\(path)'")
      }
    case .text: _ = try command.decode(value, "'\(spelling)'")
    case .choice(let words): try command.check(value, "'\(spelling)'", isAmong: words)
    case .number(_, let range):
      let text = try command.decode(value, "'\(spelling)'")
      guard let number = Int(text), range.contains(number) else {
        throw command.misuse(
          "'\(spelling)' takes a number from \(range.lowerBound) to \(range.upperBound), "
            + "not '\(text)'")
      }
    }
  }
}

extension Command {
  fileprivate func decode(_ value: [UInt8], _ name: String) throws(RescueError) -> String {
    guard let text = String(validating: value, as: UTF8.self) else {
      throw misuse("\(name) must be UTF-8 text")
    }
    return text
  }

  fileprivate func check(
    _ value: [UInt8], _ name: String, isAmong words: [String]
  ) throws(RescueError) {
    let text = try decode(value, name)
    guard !words.contains(text) else { return }
    let guess = NearestWord.to(text, in: words)
    throw misuse(
      "\(name) takes \(words.listed), not '\(text)'"
        + (guess.map { "; did you mean '\($0)'?" } ?? ""))
  }
}

extension [String] {
  /// The words as a list for people: `a, b or c`.
  fileprivate var listed: String {
    guard let last, count > 1 else { return first ?? "" }
    return dropLast().joined(separator: ", ") + " or " + last
  }
}
