// SPDX-License-Identifier: Apache-2.0
// The words and texts of a condition, for messages that say more than "syntax error".

import SQLiteFormat

/// The words and texts of a condition.
///
/// What keeps a condition harmless is the sandbox that evaluates it; the tokens
/// only serve to say what is wrong with it, all at once and with a suggestion.
struct ConditionTokens {
  /// A word: a fact, a function or a word of SQL.
  struct Word: Hashable {
    let text: String
    let isQuoted: Bool
    /// Whether an opening parenthesis follows.
    let isCall: Bool
  }

  private(set) var words: [Word] = []
  /// The texts in single quotes.
  private(set) var texts: [String] = []
  /// What makes this no single expression; nil when nothing does.
  private(set) var mistake: String?

  private let characters: [Character]
  private var index = 0
  private var depth = 0

  init(_ sql: String) {
    characters = Array(sql)
    while mistake == nil, index < characters.count { token() }
    if mistake == nil, depth > 0 { mistake = "a parenthesis is not closed" }
  }

  /// The words that are not quoted.
  var names: [Name] { words.filter { !$0.isQuoted }.map { Name($0.text) } }

  private func character(after count: Int) -> Character? {
    index + count < characters.count ? characters[index + count] : nil
  }

  private mutating func token() {
    let character = characters[index]
    switch character {
    case "'": quoted(until: "'").map { texts.append($0) }
    case "\"", "`": quoted(until: character).map { add($0, isQuoted: true) }
    case "[": quoted(until: "]").map { add($0, isQuoted: true) }
    case "(": bracket(1)
    case ")": bracket(-1)
    case ";": mistake = "';' has no place in a condition"
    case "?", ":", "@", "$", "#": mistake = "parameters have no place in a condition"
    case "-" where self.character(after: 1) == "-", "/" where self.character(after: 1) == "*":
      mistake = "comments have no place in a condition"
    case _ where character.isLetter || character == "_": add(name(), isQuoted: false)
    // A number, taken whole: the letter in 1e6 is no word.
    case _ where character.isNumber: _ = name()
    default: index += 1
    }
  }

  private mutating func bracket(_ change: Int) {
    depth += change
    index += 1
    if depth < 0 { mistake = "a parenthesis is closed that was not opened" }
  }

  private mutating func name() -> String {
    let start = index
    while index < characters.count,
      characters[index].isLetter || characters[index].isNumber || characters[index] == "_"
    {
      index += 1
    }
    return String(characters[start..<index])
  }

  private mutating func add(_ text: String, isQuoted: Bool) {
    let next = characters[index...].first { !$0.isWhitespace }
    words.append(Word(text: text, isQuoted: isQuoted, isCall: next == "("))
  }

  /// Reads up to a closing quote, which stands for itself when doubled; nil when there is none.
  private mutating func quoted(until quote: Character) -> String? {
    var text = ""
    index += 1
    while index < characters.count {
      if characters[index] != quote {
        text.append(characters[index])
      } else if quote != "]", character(after: 1) == quote {
        text.append(quote)
        index += 1
      } else {
        index += 1
        return text
      }
      index += 1
    }
    mistake = "a quote is not closed"
    return nil
  }
}
