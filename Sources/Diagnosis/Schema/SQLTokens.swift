// SPDX-License-Identifier: Apache-2.0
// SQL cut into tokens: enough to compare two texts by meaning and to find a clause.

/// One token of SQL.
public enum SQLToken: Hashable, Sendable {
  /// A bare word: a keyword or a name.
  case word(String)
  /// A quoted name, without its quotes.
  case name(String)
  /// A string or blob literal, with its quotes.
  case literal(String)
  /// A number.
  case number(String)
  /// Any other character.
  case symbol(Character)

  /// Whether this is a bare word, in any case.
  public func isWord(_ word: String) -> Bool {
    if case .word(let text) = self { text.lowercased() == word } else { false }
  }

  /// The token as it compares: names and keywords in lower case, however they were quoted.
  var normal: String {
    switch self {
    case .word(let text), .name(let text): text.lowercased()
    case .literal(let text): text
    case .number(let text): text.lowercased()
    case .symbol(let character): String(character)
    }
  }
}

/// SQL cut into tokens; white space and comments are gone.
public struct SQLTokens: Hashable, Sendable {
  /// The tokens.
  public let tokens: [SQLToken]

  /// Makes a text of tokens.
  public init(_ tokens: some Sequence<SQLToken>) {
    self.tokens = Array(tokens)
  }

  /// The text with one space between tokens, names and keywords in lower case.
  public var normalized: String { tokens.map(\.normal).joined(separator: " ") }

  /// The text between the parenthesis at `open` and the one that closes it.
  public func group(at open: Int) -> SQLTokens? {
    guard open < tokens.count, tokens[open] == .symbol("(") else { return nil }
    var depth = 0
    for index in open..<tokens.count {
      if tokens[index] == .symbol("(") { depth += 1 }
      if tokens[index] == .symbol(")") { depth -= 1 }
      if depth == 0 { return SQLTokens(tokens[(open + 1)..<index]) }
    }
    return nil
  }

  /// The parts between commas that stand in no inner parentheses.
  public var items: [SQLTokens] {
    var depth = 0
    return tokens.split(omittingEmptySubsequences: false) { token in
      if token == .symbol("(") { depth += 1 }
      if token == .symbol(")") { depth -= 1 }
      return depth == 0 && token == .symbol(",")
    }.map { SQLTokens($0) }
  }

  /// The position of a bare word that stands in no parentheses.
  public func position(of word: String) -> Int? {
    var depth = 0
    return tokens.firstIndex { token in
      if token == .symbol("(") { depth += 1 }
      if token == .symbol(")") { depth -= 1 }
      return depth == 0 && token.isWord(word)
    }
  }
}

extension SQLTokens {
  /// Cuts SQL into tokens; a text that breaks off inside a token gives that token as far as it goes.
  public init(parsing sql: String) {
    let text = Array(sql)
    var tokens: [SQLToken] = []
    var index = 0
    while index < text.count {
      let character = text[index]
      switch character {
      case _ where character.isWhitespace:
        index += 1
      case "-" where index + 1 < text.count && text[index + 1] == "-":
        while index < text.count, !text[index].isNewline { index += 1 }
      case "/" where index + 1 < text.count && text[index + 1] == "*":
        index = Self.end(ofComment: text, from: index + 2)
      case "'":
        let end = Self.end(ofQuoted: text, from: index, by: "'")
        tokens.append(.literal(String(text[index..<end])))
        index = end
      case "\"", "`", "[":
        let close: Character = character == "[" ? "]" : character
        let end = Self.end(ofQuoted: text, from: index, by: close)
        tokens.append(.name(Self.unquoted(text[index..<end], by: close)))
        index = end
      case "x" where index + 1 < text.count && text[index + 1] == "'",
        "X" where index + 1 < text.count && text[index + 1] == "'":
        let end = Self.end(ofQuoted: text, from: index + 1, by: "'")
        tokens.append(.literal(String(text[index..<end]).lowercased()))
        index = end
      case _ where character.isLetter || character == "_" || !character.isASCII:
        let end = Self.end(of: text, from: index) {
          $0.isLetter || $0.isNumber || $0 == "_" || $0 == "$" || !$0.isASCII
        }
        tokens.append(.word(String(text[index..<end])))
        index = end
      case _ where character.isNumber:
        let end = Self.end(of: text, from: index) { $0.isNumber || $0.isLetter || $0 == "." }
        tokens.append(.number(String(text[index..<end])))
        index = end
      default:
        tokens.append(.symbol(character))
        index += 1
      }
    }
    self.tokens = tokens
  }

  private static func end(
    of text: [Character], from start: Int, while belongs: (Character) -> Bool
  ) -> Int {
    var index = start + 1
    while index < text.count, belongs(text[index]) { index += 1 }
    return index
  }

  private static func end(ofComment text: [Character], from start: Int) -> Int {
    var index = start
    while index < text.count {
      if text[index] == "*", index + 1 < text.count, text[index + 1] == "/" { return index + 2 }
      index += 1
    }
    return index
  }

  /// The end of a quoted token; a doubled quote stands for one.
  private static func end(
    ofQuoted text: [Character], from start: Int, by close: Character
  ) -> Int {
    var index = start + 1
    while index < text.count {
      if text[index] == close {
        guard close != "]", index + 1 < text.count, text[index + 1] == close else {
          return index + 1
        }
        index += 1
      }
      index += 1
    }
    return text.count
  }

  private static func unquoted(_ text: ArraySlice<Character>, by close: Character) -> String {
    var name = text.dropFirst()
    if name.last == close { name = name.dropLast() }
    var result = ""
    var skipsNext = false
    for character in name {
      if skipsNext {
        skipsNext = false
        continue
      }
      result.append(character)
      skipsNext = character == close && close != "]"
    }
    return result
  }
}
