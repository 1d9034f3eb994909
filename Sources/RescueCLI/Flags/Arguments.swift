// SPDX-License-Identifier: Apache-2.0
// Exactly what was typed: the command line taken apart by the tables, and nothing else. Pure.

import DatabaseRescue

/// Exactly what was typed: which command, which flags with which values, which operands.
///
/// Whether that makes sense is the business of ``Invocation``: a command line that
/// asks for help is taken apart here and need not be complete.
struct Arguments: Sendable {
  /// One flag as it was typed.
  struct Occurrence: Sendable {
    let flag: Flag
    /// The dashes and the name that were typed, such as `-q` or `--quiet`.
    let spelling: String
    /// What followed; nil for a switch.
    let value: [UInt8]?
  }

  /// The words of the command so far: one or two, or none.
  private(set) var words: [String] = []
  /// The command that they name; nil where there are none, or only the word of a group.
  private(set) var command: Command?
  /// The flags in their order.
  private(set) var occurrences: [Occurrence] = []
  /// The positional arguments in their order.
  private(set) var operands: [[UInt8]] = []
  /// What follows `--`, for a command that takes another command line; nil without `--`.
  private(set) var rest: [[UInt8]]?

  private var tokens: ArraySlice<[UInt8]>

  /// Takes a command line apart.
  ///
  /// - Parameter raw: The arguments as the system has them, without the program's name.
  /// - Throws: A usage error for a command or flag that does not exist, and for a flag
  ///   with a value too many or too few.
  init(_ raw: [[UInt8]]) throws(RescueError) {
    tokens = raw[...]
    while let token = tokens.popFirst() {
      if token == Self.endOfFlags {
        try takeRest()
      } else if token.starts(with: Self.endOfFlags) {
        try takeLong(token.dropFirst(2))
      } else if token.first == Self.dash, token.count > 1 {
        try takeLetters(token.dropFirst())
      } else {
        try takeWord(token)
      }
    }
  }

  /// Whether a flag was given.
  func has(_ flag: Flag) -> Bool { occurrences.contains { $0.flag.name == flag.name } }

  /// The case that the value of a flag names; nil where it is not given or names none.
  func choice<Choice: RawRepresentable<String>>(_ flag: Flag) -> Choice? {
    occurrences.last { $0.flag.name == flag.name }?.value
      .flatMap { Choice(rawValue: String(decoding: $0, as: UTF8.self)) }
  }

  /// Whether a switch stands before `--` in a command line that could not be taken apart.
  static func mentions(_ flag: Flag, in raw: [[UInt8]]) -> Bool {
    raw.prefix { $0 != endOfFlags }.contains(Array(flag.spelling.utf8))
  }

  private static let dash = UInt8(ascii: "-")
  private static let equals = UInt8(ascii: "=")
  private static let endOfFlags = [dash, dash]

  // MARK: Words

  private mutating func takeWord(_ token: [UInt8]) throws(RescueError) {
    guard command == nil else {
      operands.append(token)
      return
    }
    let word = String(decoding: token, as: UTF8.self)
    let name = (words + [word]).joined(separator: " ")
    command = Command.named(name)
    guard command != nil || (words.isEmpty && !Command.group(word).isEmpty) else {
      throw unknown(word)
    }
    words.append(word)
  }

  private func unknown(_ word: String) -> RescueError {
    let known =
      words.first.map { Command.group($0).compactMap(\.words.last) } ?? Command.firstWords
    let guess = NearestWord.to(word, in: known).map { ", did you mean '\($0)'?" } ?? ""
    guard let group = words.first else {
      return misuse("unknown command '\(word)'\(guess)")
    }
    return misuse("unknown command '\(group) \(word)'\(guess)")
  }

  private mutating func takeRest() throws(RescueError) {
    let remaining = Array(tokens)
    tokens = []
    if let command, command.takesCommandLine {
      rest = remaining
    } else {
      for token in remaining { try takeWord(token) }
    }
  }

  // MARK: Flags

  private var knownFlags: [Flag] { command?.allFlags ?? Flag.global }

  private mutating func takeLong(_ text: ArraySlice<UInt8>) throws(RescueError) {
    let end = text.firstIndex(of: Self.equals) ?? text.endIndex
    let name = String(decoding: text[..<end], as: UTF8.self)
    guard let flag = knownFlags.first(where: { $0.name == name }) else {
      throw unknownFlag(name)
    }
    let joined = end < text.endIndex ? Array(text[(end + 1)...]) : nil
    if flag.isSwitch, joined != nil {
      throw misuse("'\(flag.spelling)' takes no value")
    }
    try append(flag, spelling: flag.spelling, joined: joined)
  }

  private mutating func takeLetters(_ text: ArraySlice<UInt8>) throws(RescueError) {
    var text = text
    while let byte = text.popFirst() {
      let letter = Character(UnicodeScalar(byte))
      guard let flag = knownFlags.first(where: { $0.letter == letter }) else {
        let typed = String(decoding: [byte] + (byte < 0x80 ? [] : text), as: UTF8.self)
        throw misuse("unknown flag '-\(typed)'\(place)")
      }
      if flag.isSwitch {
        try append(flag, spelling: "-\(letter)", joined: nil)
        continue
      }
      // What is left of the token is the value: `-oNEW` and `-o=NEW`.
      if text.first == Self.equals { text = text.dropFirst() }
      let joined = text.isEmpty ? nil : Array(text)
      try append(flag, spelling: "-\(letter)", joined: joined)
      return
    }
  }

  private mutating func append(
    _ flag: Flag, spelling: String, joined: [UInt8]?
  ) throws(RescueError) {
    var value = joined
    if !flag.isSwitch, value == nil { value = try takeValue(of: flag) }
    occurrences.append(Occurrence(flag: flag, spelling: spelling, value: value))
  }

  /// The next token as a value.
  ///
  /// One that starts with a dash is rather a forgotten value.
  private mutating func takeValue(of flag: Flag) throws(RescueError) -> [UInt8] {
    guard let token = tokens.first else { throw misuse("'\(flag.usage)': the value is missing") }
    guard token.first != Self.dash || token.count == 1 else {
      throw misuse(
        "'\(flag.usage)': the value is missing; one that starts with a dash is written "
          + "\(flag.spelling)=-…")
    }
    tokens = tokens.dropFirst()
    return token
  }

  private func unknownFlag(_ name: String) -> RescueError {
    if command == nil, Command.all.contains(where: { $0.flags.contains { $0.name == name } }) {
      return misuse("'--\(name)' belongs after the command")
    }
    let guess = NearestWord.to(name, in: knownFlags.map(\.name))
    return misuse(
      "unknown flag '--\(name)'\(place)" + (guess.map { ", did you mean '--\($0)'?" } ?? ""))
  }

  private var place: String { command.map { " of '\($0.name)'" } ?? "" }

  private func misuse(_ message: String) -> RescueError {
    if let command { return command.misuse(message) }
    return words.first.map { Command.misuse(ofGroup: $0, message) } ?? Program.misuse(message)
  }
}
