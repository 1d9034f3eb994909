// SPDX-License-Identifier: Apache-2.0
// Completion scripts: what they offer, asked of the shells themselves where they are installed.

import Testing

@testable import RescueCLI

@Suite struct CompletionsTests {
  struct Case: Sendable, CustomTestStringConvertible {
    let line: String
    let replies: [String]
    var testDescription: String { line }

    /// The last word is the one to complete; ∅ stands for none begun.
    var words: [String] {
      ["dbrescue"] + line.split(separator: " ").map { $0 == "∅" ? "" : String($0) }
    }
  }

  static let cases = [
    Case(line: "ch", replies: ["check"]),
    Case(line: "re", replies: ["rehearse", "recover", "restore", "reset"]),
    Case(line: "vault ∅", replies: ["list", "status", "verify", "prune", "extract"]),
    Case(line: "playbook v", replies: ["validate"]),
    Case(line: "check app.db --con", replies: ["--contract"]),
    Case(line: "-q check --j", replies: ["--json", "--journal"]),
    Case(line: "check --color ∅", replies: ["auto", "always", "never"]),
    Case(line: "check --color = n", replies: ["never"]),
    Case(line: "check --color =", replies: ["auto", "always", "never"]),
    Case(line: "backup --verify q", replies: ["quick"]),
    Case(line: "completions ∅", replies: ["bash", "zsh", "fish"]),
    Case(line: "help va", replies: ["vault"]),
    // Nothing of ours: the shell completes file names.
    Case(line: "check ∅", replies: []),
    Case(line: "check --contract ∅", replies: []),
    Case(line: "guard app.db -- --j", replies: []),
  ]

  @Test(.enabled(if: Tool("bash") != nil, "there is no bash"), arguments: cases)
  func `bash offers what can come next`(_ example: Case) throws {
    let bash = try #require(Tool("bash"))
    let script =
      BashCompletions.script + """
        COMP_WORDS=("$@")
        COMP_CWORD=$(($# - 1))
        _dbrescue
        for reply in ${COMPREPLY[@]+"${COMPREPLY[@]}"}; do echo "$reply"; done
        """
    let (status, output) = try bash.run([], on: script, example.words)
    #expect(status == 0)
    let replies = output.split(separator: "\n").map(String.init)
    #expect(Set(replies) == Set(example.replies), "\(output)")
  }

  @Test(
    arguments: zip(
      [Shell.bash, .zsh, .fish],
      [BashCompletions.script, ZshCompletions.script, FishCompletions.script]))
  func `a script is what its shell can parse, and names everything`(
    _ shell: Shell, _ script: String
  ) throws {
    #expect(run(["completions", shell.rawValue]) == Outcome(status: 0, output: script))
    for flag in Flag.all { #expect(script.contains(flag.name)) }
    for word in Command.all.flatMap(\.words) { #expect(script.contains(word)) }
    guard let tool = Tool(shell.rawValue) else { return }
    let (status, output) = try tool.run(["-n"], on: script)
    #expect(status == 0)
    #expect(output.isEmpty)
  }

  @Test func `flags that exclude each other are said so to zsh`() {
    #expect(
      ZshCompletions.script.contains(
        "'(-q --quiet)'{-q,--quiet}'[print the result and errors only]'"))
    #expect(ZshCompletions.script.contains("'(-o --output)'{-o+,--output=}'[the file to write]"))
    #expect(ZshCompletions.script.contains("'*--approve=["))
  }
}
