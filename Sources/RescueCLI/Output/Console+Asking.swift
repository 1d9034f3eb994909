// SPDX-License-Identifier: Apache-2.0
// Questions. Asked only where somebody sees them and can answer.

import DatabaseRescue

/// What came of a question.
enum Answer<Value: Hashable & Sendable>: Hashable, Sendable {
  /// Somebody answered.
  case given(Value)
  /// Nobody sits at a terminal: the question was not asked.
  case nobodyThere
  /// The question was left without an answer: end of input, Ctrl-C, or nonsense.
  case cancelled
}

extension Console {
  /// How often a question is put again after an answer that makes no sense.
  private static var attempts: Int { 3 }

  /// Asks yes or no; no answer but Return means no.
  func confirm(_ question: StyledText) -> Answer<Bool> {
    ask(question + " [y/N] ", hint: "please answer 'y' or 'n'") { answer in
      switch answer.lowercased() {
      case "y", "yes": .given(true)
      case "n", "no", "": .given(false)
      default: nil
      }
    }
  }

  /// Asks to type a name, so that nobody confirms by habit; any other name means no.
  func confirm(_ question: StyledText, byTyping name: String) -> Answer<Bool> {
    ask(question + ": ", hint: "") { .given($0 == name) }
  }

  /// Asks for one of several options, shown with numbers from 1; the answer counts from 0.
  func choose(_ question: StyledText, from options: [StyledText]) -> Answer<Int> {
    guard terminal.hasSomebody else { return .nobodyThere }
    let digits = String(options.count).count
    for (index, option) in options.enumerated() {
      let number = String(index + 1)
      let indent = String(repeating: " ", count: 2 + digits - number.count)
      say("\(indent)\(number, .emphasised)  " + option)
    }
    let range = options.count == 1 ? "1" : "1-\(options.count)"
    return ask(
      question + " [\(range), or Return for none] ", hint: "please answer with one of the numbers"
    ) { answer in
      if answer.isEmpty { return .cancelled }
      guard let number = Int(answer), options.indices.contains(number - 1) else { return nil }
      return .given(number - 1)
    }
  }

  private func ask<Value>(
    _ question: StyledText, hint: StyledText, _ parse: (String) -> Answer<Value>?
  ) -> Answer<Value> {
    guard terminal.hasSomebody else { return .nobodyThere }
    for attempt in 1...Self.attempts {
      sayPart(question)
      guard let line = readLine() else {
        say("")
        return .cancelled
      }
      if let answer = parse(line.trimmed) { return answer }
      if attempt < Self.attempts { say(hint) }
    }
    return .cancelled
  }
}

extension String {
  /// The text without spaces, tabs and line ends around it.
  fileprivate var trimmed: String {
    let isSpace: (Character) -> Bool = { $0 == " " || $0 == "\t" || $0.isNewline }
    return String(drop(while: isSpace).reversed().drop(while: isSpace).reversed())
  }
}
