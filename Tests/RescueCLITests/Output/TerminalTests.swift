// SPDX-License-Identifier: Apache-2.0
// Who gets colours, and when a line can be redrawn.

import Testing

@testable import RescueCLI

@Suite struct TerminalTests {
  struct Case: Sendable {
    let isTerminal: Bool
    let choice: ColorChoice
    let environment: [String: String]
    let isColored: Bool
  }

  static let cases = [
    Case(isTerminal: true, choice: .auto, environment: [:], isColored: true),
    Case(isTerminal: false, choice: .auto, environment: [:], isColored: false),
    Case(isTerminal: true, choice: .auto, environment: ["NO_COLOR": "1"], isColored: false),
    Case(isTerminal: true, choice: .auto, environment: ["NO_COLOR": ""], isColored: true),
    Case(isTerminal: true, choice: .auto, environment: ["TERM": "dumb"], isColored: false),
    Case(isTerminal: true, choice: .auto, environment: ["TERM": "xterm"], isColored: true),
    Case(isTerminal: true, choice: .never, environment: [:], isColored: false),
    Case(isTerminal: false, choice: .always, environment: ["NO_COLOR": "1"], isColored: true),
    Case(isTerminal: false, choice: .always, environment: ["TERM": "dumb"], isColored: true),
  ]

  @Test(arguments: cases)
  func `colours follow the flag, then the environment, then the terminal`(_ example: Case) {
    let terminal = Terminal(outputIsTerminal: example.isTerminal)
    #expect(
      terminal.isColored(.output, example.choice, environment: example.environment)
        == example.isColored)
  }

  @Test func `each stream is judged by itself`() {
    let terminal = Terminal(outputIsTerminal: false, errorIsTerminal: true)
    #expect(!terminal.isColored(.output, .auto, environment: [:]))
    #expect(terminal.isColored(.error, .auto, environment: [:]))
    #expect(terminal.canRedraw(environment: [:]))
    #expect(!terminal.canRedraw(environment: ["TERM": "dumb"]))
  }

  @Test(arguments: [
    (Terminal(columns: 200), 80), (Terminal(outputIsTerminal: true, columns: 200), 80),
    (Terminal(outputIsTerminal: true, columns: 64), 64),
    (Terminal(outputIsTerminal: true, columns: 10), 50), (Terminal(columns: 64), 80),
  ])
  func `help is written for the terminal, within reason`(_ terminal: Terminal, _ columns: Int) {
    #expect(terminal.helpColumns == columns)
  }
}
