// SPDX-License-Identifier: Apache-2.0
// Tokens as SQL again, to be shown to people and given to SQLite.

import SQLiteFormat

extension SQLTokens {
  /// SQL that SQLite reads as these tokens.
  package var sql: String { joined(\.sql) }

  /// The texts of the tokens, with a space where one is usual.
  func joined(_ text: (SQLToken) -> String) -> String {
    var result = ""
    for index in tokens.indices {
      if index > 0, needsSpace(before: index) { result += " " }
      result += text(tokens[index])
    }
    return result
  }

  private func needsSpace(before index: Int) -> Bool {
    let (left, right) = (tokens[index - 1], tokens[index])
    switch (left, right) {
    case (.symbol("("), _), (.symbol("."), _), (_, .symbol(")")), (_, .symbol(",")),
      (_, .symbol(".")), (_, .symbol(";")):
      return false
    // A sign ends no operator, and two would begin a comment.
    case (.symbol, .symbol("-")), (.symbol, .symbol("+")), (.symbol("/"), .symbol("*")): return true
    case (.symbol(let left), .symbol(let right)):
      return !Self.isOperator(left) || !Self.isOperator(right)
    case (.symbol("-"), .number), (.symbol("+"), .number):
      return index > 1 && tokens[index - 2].isOperand
    default: return true
    }
  }

  /// Whether a character can be a part of an operator of several.
  private static func isOperator(_ character: Character) -> Bool { !"(),.;".contains(character) }
}

extension SQLToken {
  fileprivate var sql: String {
    switch self {
    case .word(let text), .literal(let text), .number(let text): text
    case .name(let name): name.quotedIdentifier
    case .symbol(let character): String(character)
    }
  }

  /// Whether a sign after this token subtracts or adds.
  fileprivate var isOperand: Bool {
    switch self {
    case .name, .literal, .number, .symbol(")"): true
    case .symbol: false
    case .word(let word): !Self.wordsBeforeOperands.contains(word.lowercased())
    }
  }

  /// Keywords that an expression follows.
  private static let wordsBeforeOperands: Set<String> = [
    "default", "and", "or", "not", "is", "between", "like", "glob", "case", "when", "then", "else",
    "select", "where", "by", "limit", "offset", "collate",
  ]
}

extension String {
  /// The statement with an end for a comment that it breaks off in: SQLite needs none where nothing
  /// follows.
  package var endingItsComment: String {
    // Anywhere else the mark is two tokens more.
    let ended = self + "\n*/"
    return SQLTokens(parsing: ended) == SQLTokens(parsing: self) ? ended : self
  }

  /// Whether another text is as long, and one letter of it is another.
  func differsInOneLetter(from other: String) -> Bool {
    let (own, others) = (unicodeScalars, other.unicodeScalars)
    return own.count == others.count && zip(own, others).count { $0 != $1 } == 1
  }

  /// The name in double quotes, so that SQLite reads it as nothing else.
  package var quotedIdentifier: String { "\"" + replacingScalar("\"", by: "\"\"") + "\"" }

  /// The text with something else for a scalar, wherever that stands.
  ///
  /// A quote with an accent after it is one character, and a quote all the same to SQLite and to a
  /// shell.
  package func replacingScalar(_ scalar: Unicode.Scalar, by text: String) -> String {
    var result = String.UnicodeScalarView()
    for own in unicodeScalars {
      if own == scalar {
        result.append(contentsOf: text.unicodeScalars)
      } else {
        result.append(own)
      }
    }
    return String(result)
  }
}

extension Name {
  /// The name in double quotes, so that SQLite reads it as nothing else.
  package var quotedIdentifier: String { text.quotedIdentifier }
}
