// SPDX-License-Identifier: Apache-2.0
// One flag as a value: how it is spelled, what it takes, and what it is for.

/// One flag: how it is spelled, what it takes, and what it is for.
///
/// The parser, the help, the completions and the man page are all made from
/// these values, so that nothing about a flag is written twice.
struct Flag: Hashable, Sendable {
  /// What follows a flag.
  enum Value: Hashable, Sendable {
    /// Nothing: the flag is a switch.
    case none
    /// A file; where endings are given, its name must end in one of them.
    case file(String, endings: [String] = [])
    /// A folder.
    case folder(String)
    /// Words, which must be UTF-8.
    case text(String)
    /// A whole number within a range.
    case number(String, ClosedRange<Int>)
    /// One of the words given.
    case choice([String])
  }

  /// The long name, without its dashes.
  let name: String
  /// The short letter, if it has one.
  let letter: Character?
  /// What follows it.
  private(set) var value: Value
  /// What holds where the flag is not given.
  let defaultValue: String?
  /// Whether it may be given more than once, each time with another value.
  let isRepeatable: Bool
  /// Whether the file after it is written, and not read.
  let isWritten: Bool
  /// Whether the command cannot do without it.
  private(set) var isRequired = false
  /// What it does: a phrase in lower case without a full stop.
  private(set) var purpose: String

  init(
    _ name: String, _ letter: Character? = nil, _ value: Value = .none,
    defaultValue: String? = nil, isRepeatable: Bool = false, isWritten: Bool = false,
    help purpose: String
  ) {
    self.name = name
    self.letter = letter
    self.value = value
    self.defaultValue = defaultValue
    self.isRepeatable = isRepeatable
    self.isWritten = isWritten
    self.purpose = purpose
  }

  /// The flag of a command that means something narrower by it.
  func saying(_ purpose: String) -> Flag {
    var flag = self
    flag.purpose = purpose
    return flag
  }

  /// The flag of a command that calls the file after it something else.
  func named(_ valueName: String) -> Flag {
    var flag = self
    if case .file(_, let endings) = value { flag.value = .file(valueName, endings: endings) }
    return flag
  }

  /// The flag of a command that cannot do without it.
  var required: Flag {
    var flag = self
    flag.isRequired = true
    return flag
  }

  /// Whether the flag takes no value.
  var isSwitch: Bool { value == .none }

  /// The long name as it is typed.
  var spelling: String { "--" + name }

  /// What stands for its value in a usage line; nil for a switch.
  var valueName: String? {
    switch value {
    case .none: nil
    case .file(let name, _), .folder(let name), .text(let name), .number(let name, _): name
    case .choice(let words): words.joined(separator: "|")
    }
  }

  /// The long name with what follows it, such as `--level N`.
  var usage: String { spelling + (valueName.map { " " + $0 } ?? "") }

  /// The purpose, and what is to be known of the value.
  var explanation: String {
    var notes: [String] = []
    if case .number(_, let range) = value {
      notes.append("\(range.lowerBound) to \(range.upperBound)")
    }
    if let defaultValue { notes.append("default: \(defaultValue)") }
    if isRepeatable { notes.append("may be given more than once") }
    if isRequired { notes.append("required") }
    return notes.isEmpty ? purpose : "\(purpose) (\(notes.joined(separator: "; ")))"
  }
}

/// Two flags that contradict each other.
struct Conflict: Sendable {
  let first: Flag
  let second: Flag
  /// Why they cannot both hold.
  let reason: String
}
