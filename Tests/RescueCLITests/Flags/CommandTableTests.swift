// SPDX-License-Identifier: Apache-2.0
// The tables hold what everything made from them relies on.

import DatabaseRescue
import Testing

@testable import RescueCLI

@Suite struct CommandTableTests {
  @Test func `names are unique`() {
    let names = Command.all.map(\.name)
    #expect(Set(names).count == names.count)
    #expect(names.count == 32)
  }

  @Test func `a group has a summary and is no command itself`() {
    #expect(Set(Command.groups) == Set(Command.groupSummaries.keys))
    for group in Command.groups { #expect(Command.named(group) == nil) }
  }

  @Test(arguments: Command.all)
  func `flags of a command differ in name and letter`(_ command: Command) {
    let names = command.allFlags.map(\.name)
    #expect(Set(names).count == names.count)
    let letters = command.allFlags.compactMap(\.letter)
    #expect(Set(letters).count == letters.count)
  }

  @Test(arguments: Command.all)
  func `only the last operand is repeatable`(_ command: Command) {
    for operand in command.operands.dropLast() { #expect(!operand.isRepeatable) }
  }

  // Completions look a flag up by its name alone.
  @Test func `a flag takes the same kind of value in every command`() {
    for flag in Command.all.flatMap(\.flags) {
      let other = Flag.all.first { $0.name == flag.name }
      #expect(other?.letter == flag.letter)
      #expect(other?.kind == flag.kind, "\(flag.name)")
    }
  }

  @Test(arguments: Command.all)
  func `texts are phrases in lower case without a full stop`(_ command: Command) {
    let phrases =
      [command.summary] + command.flags.map(\.purpose) + command.operands.map(\.purpose)
      + command.examples.map(\.purpose)
    for phrase in phrases {
      #expect(!phrase.hasSuffix("."), "\(phrase)")
      #expect(phrase.first?.isLowercase == true || phrase.hasPrefix("CODE"), "\(phrase)")
    }
    for paragraph in command.description { #expect(paragraph.hasSuffix("."), "\(paragraph)") }
  }

  @Test(arguments: Command.all)
  func `examples are command lines that the command accepts`(_ command: Command) throws {
    try #require(!command.examples.isEmpty)
    for example in command.examples where example.line.hasPrefix("dbrescue ") {
      let words = example.line.split(separator: " ").dropFirst().prefix { $0 != ">" }
      let arguments = try Arguments(words.map { Array($0.utf8) })
      #expect(try Invocation(arguments).command.name == command.name)
    }
  }

  @Test(arguments: Flag.all.filter { $0.defaultValue != nil })
  func `a default is a value that the flag takes`(_ flag: Flag) throws {
    let value = try #require(flag.defaultValue)
    switch flag.value {
    case .choice(let words): #expect(words.contains(value))
    case .number(_, let range): #expect(range.contains(try #require(Int(value))))
    case .none: Issue.record("a switch has no default")
    case .file, .folder, .text: #expect(!value.isEmpty)
    }
  }

  @Test func `every command has a body and every body a command`() {
    #expect(Set(EntryPoint.bodies.keys) == Set(Command.all.map(\.name)))
  }
}

extension Flag {
  /// The kind of value without its name.
  fileprivate var kind: String {
    switch value {
    case .none: "switch"
    case .file: "file"
    case .folder: "folder"
    case .text: "text"
    case .number: "number"
    case .choice(let words): words.joined(separator: "|")
    }
  }
}

extension Command: CustomTestStringConvertible {
  /// The name of the command.
  public var testDescription: String { name }
}

extension Flag: CustomTestStringConvertible {
  /// The long name as it is typed.
  public var testDescription: String { spelling }
}
