// SPDX-License-Identifier: Apache-2.0
// The words and texts of a condition, for messages that say more than "syntax error".

import Diagnosis
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

  init(_ sql: String) {
    let text = Bytes(sql.utf8)
    var tokens: [(token: SQLToken, place: Range<Int>)] = []
    SQLTokens.scan(text) { tokens.append(($0, $1)) }
    var (end, depth) = (0, 0)
    for (index, (token, place)) in tokens.enumerated() where mistake == nil {
      look(for: text[end..<place.lowerBound])
      end = place.upperBound
      let isCall = tokens.dropFirst(index + 1).first?.token == .symbol("(")
      add(token, isClosed: Self.isClosed(text[place]), isCall: isCall, &depth)
    }
    if mistake == nil { look(for: text[end...]) }
    if mistake == nil, depth > 0 { mistake = "a parenthesis is not closed" }
  }

  /// The words that are not quoted.
  var names: [Name] { words.filter { !$0.isQuoted }.map { Name($0.text) } }

  /// Looks for comments between two tokens: white space has neither byte.
  private mutating func look(for gap: Bytes.SubSequence) {
    if gap.contains(UInt8(ascii: "-")) || gap.contains(UInt8(ascii: "/")) {
      mistake = mistake ?? "comments have no place in a condition"
    }
  }

  /// Whether a quoted token ends with its quote, which stands for itself when doubled.
  private static func isClosed(_ token: Bytes.SubSequence) -> Bool {
    token.first == UInt8(ascii: "[")
      ? token.last == UInt8(ascii: "]")
      : token.count { $0 == token.first }.isMultiple(of: 2)
  }

  private mutating func add(
    _ token: SQLToken, isClosed: Bool, isCall: Bool, _ depth: inout Int
  ) {
    switch token {
    case .literal where !isClosed && token.asName != nil, .name where !isClosed:
      mistake = mistake ?? "a quote is not closed"
    case .literal: texts += [token.asName?.text].compactMap(\.self)
    case .name(let text): words.append(Word(text: text, isQuoted: true, isCall: isCall))
    case .word(let text) where text.contains("$"), .number(let text) where text.contains("$"):
      mistake = mistake ?? Self.parameter
    case .word(let text): words.append(Word(text: text, isQuoted: false, isCall: isCall))
    case .number: break
    case .symbol("("): depth += 1
    case .symbol(")"):
      depth -= 1
      if depth < 0 { mistake = mistake ?? "a parenthesis is closed that was not opened" }
    case .symbol(";"): mistake = mistake ?? "';' has no place in a condition"
    case .symbol(let character) where "?:@#".contains(character):
      mistake = mistake ?? Self.parameter
    case .symbol: break
    }
  }

  private static let parameter = "parameters have no place in a condition"
}
