// SPDX-License-Identifier: Apache-2.0
// What the playbooks tell people to type: commands and other playbooks that are there.

import DatabaseRescue
import Testing

@testable import RescueCLI

@Suite struct PlaybookWordsTests {
  private static func text(of name: String) throws -> String {
    String(decoding: try ShippedPlaybooks.text(named: name), as: UTF8.self)
  }

  /// The command lines in a text, without the name of the program: up to the end of the sentence,
  /// the line or the quotation.
  private static func commandLines(in text: String) -> [String] {
    text.matches(of: #/dbrescue ([^\n'",;]+)/#).map { match in
      let line = match.1.split(separator: #/\.( |$)|\\n| and | or /#)[0]
      return String(line)
    }
  }

  /// What is wrong with a command line; nil where the program takes it.
  ///
  /// A command that stands alone is only named.
  private static func flaw(of line: String) -> String? {
    var words = line.split(separator: " ").map(String.init)
    if Command.all.contains(where: { $0.words == words }) { return nil }
    // The command that a guard is to run stands for itself.
    if let end = words.firstIndex(of: "--") { words[end...] = ["--", "true"] }
    do {
      _ = try Invocation(Arguments(words.map { Array($0.utf8) }))
      return nil
    } catch {
      return "'\(line)': \(error.message)"
    }
  }

  @Test(arguments: ShippedPlaybooks.names)
  func `every command that a playbook names exists and takes what is given`(_ name: String) throws {
    let lines = try Self.commandLines(in: Self.text(of: name))
    #expect(!lines.isEmpty)
    for line in lines { #expect(Self.flaw(of: line) == nil) }
  }

  @Test func `a command, a flag or an operand that does not exist is found`() {
    let text = "Run dbrescue contract verfy FILE. Then 'dbrescue guard' or dbrescue undo --nothing."
    let lines = Self.commandLines(in: text)
    #expect(lines == ["contract verfy FILE", "guard", "undo --nothing"])
    #expect(lines.map { Self.flaw(of: $0) == nil } == [false, true, false])
    #expect(Self.flaw(of: "restore") == nil && Self.flaw(of: "vault list DIR") == nil)
    #expect(Self.flaw(of: "vault list DIR ANOTHER") != nil)
  }

  @Test(arguments: ShippedPlaybooks.names)
  func `every playbook that a playbook leads to exists`(_ name: String) throws {
    let text = try Self.text(of: name)
    for match in text.matches(of: #/(?:[Ff]ollow|[Uu]se) ([a-z]+(?:-[a-z]+){2,})/#) {
      #expect(ShippedPlaybooks.names.contains(String(match.1)))
    }
  }
}
