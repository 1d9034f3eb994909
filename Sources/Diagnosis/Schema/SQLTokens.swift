// SPDX-License-Identifier: Apache-2.0
// SQL cut into tokens: enough to compare two texts by meaning and to find a clause.

import SQLiteFormat

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
    if case .word(let text) = self { Name(text) == Name(word) } else { false }
  }

  /// The token as it compares: names and keywords in lower case, however they were quoted.
  var normal: String {
    switch self {
    case .word(let text), .name(let text): Name(text).foldedText
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

  /// The text as it compares: names without quotes, names and keywords in lower case.
  public var normalized: String { joined(\.normal) }

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
    // Scalars, not characters: to SQLite a quote is a quote, whatever combines with it.
    let text = Array(sql.unicodeScalars)
    var tokens: [SQLToken] = []
    var index = 0
    while index < text.count {
      let end: Int
      switch text[index] {
      case let space where space.isSQLSpace:
        end = index + 1
      case "-" where text[(index + 1)...].first == "-":
        end = text[index...].firstIndex(of: "\n") ?? text.count
      case "/" where text[(index + 1)...].first == "*":
        end = Self.end(ofComment: text, from: index + 2)
      case "'":
        end = Self.end(ofQuoted: text, from: index, by: "'")
        tokens.append(.literal(Self.string(text[index..<end])))
      case "\"", "`", "[":
        let close: Unicode.Scalar = text[index] == "[" ? "]" : text[index]
        end = Self.end(ofQuoted: text, from: index, by: close)
        tokens.append(.name(Self.unquoted(text[index..<end], by: close)))
      case "x" where text[(index + 1)...].first == "'",
        "X" where text[(index + 1)...].first == "'":
        end = Self.end(ofQuoted: text, from: index + 1, by: "'")
        tokens.append(.literal(Self.string(text[index..<end]).lowercased()))
      case _ where Self.isNumber(text[index...]):
        end = Self.end(ofNumber: text, from: index)
        tokens.append(.number(Self.string(text[index..<end])))
      case let letter where letter.isSQLWord:
        end = text[index...].firstIndex { !$0.isSQLWord } ?? text.count
        tokens.append(.word(Self.string(text[index..<end])))
      default:
        end = index + 1
        tokens.append(.symbol(Character(text[index])))
      }
      index = end
    }
    self.tokens = tokens
  }

  private static func isNumber(_ text: ArraySlice<Unicode.Scalar>) -> Bool {
    let start = text.first == "." ? text.dropFirst() : text
    return start.first?.isSQLDigit == true
  }

  private static func string(_ text: ArraySlice<Unicode.Scalar>) -> String {
    String(String.UnicodeScalarView(text))
  }

  private static func end(ofComment text: [Unicode.Scalar], from start: Int) -> Int {
    var index = start
    while index < text.count {
      if text[index] == "*", text[(index + 1)...].first == "/" { return index + 2 }
      index += 1
    }
    return text.count
  }

  /// The end of digits, letters and points, and of an exponent with its sign.
  private static func end(ofNumber text: [Unicode.Scalar], from start: Int) -> Int {
    let isHexadecimal = text[start] == "0" && ["x", "X"].contains(text[(start + 1)...].first)
    var index = start + 1
    while index < text.count {
      let isSign = text[index] == "+" || text[index] == "-"
      let followsExponent = text[index - 1] == "e" || text[index - 1] == "E"
      guard
        text[index].isSQLWord || text[index] == "."
          || isSign && followsExponent && !isHexadecimal
      else { break }
      index += 1
    }
    return index
  }

  /// The end of a quoted token; a doubled quote stands for one.
  private static func end(
    ofQuoted text: [Unicode.Scalar], from start: Int, by close: Unicode.Scalar
  ) -> Int {
    var index = start + 1
    while index < text.count {
      if text[index] == close {
        guard close != "]", text[(index + 1)...].first == close else { return index + 1 }
        index += 1
      }
      index += 1
    }
    return text.count
  }

  private static func unquoted(
    _ text: ArraySlice<Unicode.Scalar>, by close: Unicode.Scalar
  ) -> String {
    var name = text.dropFirst()
    if name.last == close { name = name.dropLast() }
    var result = String.UnicodeScalarView()
    var skipsNext = false
    for scalar in name {
      if skipsNext {
        skipsNext = false
        continue
      }
      result.append(scalar)
      skipsNext = scalar == close && close != "]"
    }
    return String(result)
  }
}

extension Unicode.Scalar {
  /// What SQLite takes for white space.
  fileprivate var isSQLSpace: Bool { ["\t", "\n", "\u{C}", "\r", " "].contains(self) }

  fileprivate var isSQLDigit: Bool { ("0"..."9").contains(self) }

  /// What SQLite takes for a part of a name.
  fileprivate var isSQLWord: Bool {
    ("a"..."z").contains(self) || ("A"..."Z").contains(self) || isSQLDigit || self == "_"
      || self == "$" || !isASCII
  }
}
