// SPDX-License-Identifier: Apache-2.0
// SQL cut into tokens: enough to compare two texts by meaning and to find a clause.

package import SQLiteFormat

/// One token of SQL.
package enum SQLToken: Hashable, Sendable {
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
  package func isWord(_ word: String) -> Bool {
    if case .word(let text) = self { Name(text) == Name(word) } else { false }
  }

  /// What this names where a name has to stand: there SQLite takes a string for one, too.
  package var asName: Name? {
    switch self {
    case .word(let text), .name(let text): Name(text)
    case .literal(let text) where text.hasPrefix("'"):
      Name(
        text.dropFirst().dropLast().split(separator: "''", omittingEmptySubsequences: false)
          .joined(separator: "'"))
    case .literal, .number, .symbol: nil
    }
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
package struct SQLTokens: Hashable, Sendable {
  /// The tokens.
  package let tokens: [SQLToken]

  /// Makes a text of tokens.
  package init(_ tokens: some Sequence<SQLToken>) {
    self.tokens = Array(tokens)
  }

  /// The text as it compares: names without quotes, names and keywords in lower case.
  package var normalized: String { joined(\.normal) }

  /// The text between the parenthesis at `open` and the one that closes it.
  package func group(at open: Int) -> SQLTokens? {
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
  package var items: [SQLTokens] {
    var depth = 0
    return tokens.split(omittingEmptySubsequences: false) { token in
      if token == .symbol("(") { depth += 1 }
      if token == .symbol(")") { depth -= 1 }
      return depth == 0 && token == .symbol(",")
    }.map { SQLTokens($0) }
  }

  /// The position of a bare word that stands in no parentheses.
  package func position(of word: String) -> Int? {
    var depth = 0
    return tokens.firstIndex { token in
      if token == .symbol("(") { depth += 1 }
      if token == .symbol(")") { depth -= 1 }
      return depth == 0 && token.isWord(word)
    }
  }

  /// The last position of a bare word that stands in no parentheses.
  package func lastPosition(of word: String) -> Int? {
    var depth = 0
    return tokens.lastIndex { token in
      if token == .symbol(")") { depth += 1 }
      if token == .symbol("(") { depth -= 1 }
      return depth == 0 && token.isWord(word)
    }
  }
}

extension SQLTokens {
  /// One statement without the semicolon at its end.
  init(statement sql: String) {
    let tokens = SQLTokens(parsing: sql).tokens
    let end = tokens.lastIndex { $0 != .symbol(";") }
    self.init(tokens[..<(end.map { $0 + 1 } ?? 0)])
  }

  /// The text with other names for some, wherever they stand.
  func renaming(_ names: [Name: Name]) -> SQLTokens {
    SQLTokens(
      tokens.map { token in
        switch token {
        case .word(let text), .name(let text): names[Name(text)].map { .name($0.text) } ?? token
        default: token
        }
      })
  }

  /// Cuts SQL into tokens; a text that breaks off inside a token gives that token as far as it goes.
  package init(parsing sql: String) {
    var tokens: [SQLToken] = []
    Self.scan(Bytes(sql.utf8)) { token, _ in tokens.append(token) }
    self.tokens = tokens
  }

  /// The text of SQL from a token on, as it was written.
  static func text(of sql: String, fromToken number: Int) -> String? {
    let text = Bytes(sql.utf8)
    var starts: [Int] = []
    scan(text) { starts.append($1.lowerBound) }
    return starts.indices.contains(number)
      ? String(decoding: text[starts[number]...], as: UTF8.self) : nil
  }

  /// Tells every token of a text, and where it stands.
  ///
  /// Bytes, not characters: to SQLite a quote is a quote, whatever combines with it.
  package static func scan(_ text: Bytes, _ tell: (SQLToken, Range<Int>) -> Void) {
    var index = 0
    while index < text.count {
      let end: Int
      var token: SQLToken?
      let next = index + 1 < text.count ? text[index + 1] : nil
      switch Unicode.Scalar(text[index]) {
      case let space where space.isSQLSpace:
        end = index + 1
      case "-" where next == UInt8(ascii: "-"):
        end = text[index...].firstIndex(of: UInt8(ascii: "\n")) ?? text.count
      case "/" where next == UInt8(ascii: "*"):
        end = Self.end(ofComment: text, from: index + 2)
      case "'":
        end = Self.end(ofQuoted: text, from: index, by: "'")
        token = .literal(Self.string(text[index..<end]))
      case let open where ["\"", "`", "["].contains(open):
        let close: Unicode.Scalar = open == "[" ? "]" : open
        end = Self.end(ofQuoted: text, from: index, by: close)
        token = .name(Self.unquoted(text[index..<end], by: close))
      case "x" where next == UInt8(ascii: "'"), "X" where next == UInt8(ascii: "'"):
        end = Self.end(ofQuoted: text, from: index + 1, by: "'")
        token = .literal(Self.string(text[index..<end]).lowercased())
      case let digit where digit.isSQLDigit || digit == "." && next?.isSQLDigit == true:
        end = Self.end(ofNumber: text, from: index)
        token = .number(Self.string(text[index..<end]))
      case let letter where letter.isSQLWord:
        end = text[index...].firstIndex { !Unicode.Scalar($0).isSQLWord } ?? text.count
        token = .word(Self.string(text[index..<end]))
      case let other:
        end = index + 1
        token = .symbol(Character(other))
      }
      if let token { tell(token, index..<end) }
      index = end
    }
  }

  private static func string(_ text: Bytes.SubSequence) -> String {
    String(decoding: text, as: UTF8.self)
  }

  private static func end(ofComment text: Bytes, from start: Int) -> Int {
    var index = start
    while index + 1 < text.count {
      if text[index] == UInt8(ascii: "*"), text[index + 1] == UInt8(ascii: "/") { return index + 2 }
      index += 1
    }
    return text.count
  }

  /// The end of digits, letters and points, and of an exponent with its sign.
  private static func end(ofNumber text: Bytes, from start: Int) -> Int {
    let second = start + 1 < text.count ? text[start + 1] | 0x20 : 0
    let isHexadecimal = text[start] == UInt8(ascii: "0") && second == UInt8(ascii: "x")
    var index = start + 1
    while index < text.count {
      let scalar = Unicode.Scalar(text[index])
      let isSign = scalar == "+" || scalar == "-"
      let followsExponent = text[index - 1] | 0x20 == UInt8(ascii: "e")
      guard
        scalar.isSQLWord || scalar == "." || isSign && followsExponent && !isHexadecimal
      else { break }
      index += 1
    }
    return index
  }

  /// The end of a quoted token; a doubled quote stands for one.
  private static func end(
    ofQuoted text: Bytes, from start: Int, by close: Unicode.Scalar
  ) -> Int {
    let close = UInt8(ascii: close)
    var index = start + 1
    while index < text.count {
      if text[index] == close {
        guard close != UInt8(ascii: "]"), index + 1 < text.count, text[index + 1] == close else {
          return index + 1
        }
        index += 1
      }
      index += 1
    }
    return text.count
  }

  private static func unquoted(_ text: Bytes.SubSequence, by close: Unicode.Scalar) -> String {
    let close = UInt8(ascii: close)
    var name = text.dropFirst()
    if name.last == close { name = name.dropLast() }
    var result = Bytes()
    result.reserveCapacity(name.count)
    var skipsNext = false
    for byte in name {
      if skipsNext {
        skipsNext = false
        continue
      }
      result.append(byte)
      skipsNext = byte == close && close != UInt8(ascii: "]")
    }
    return String(decoding: result, as: UTF8.self)
  }
}

extension UInt8 {
  fileprivate var isSQLDigit: Bool { Unicode.Scalar(self).isSQLDigit }
}

extension Unicode.Scalar {
  /// What SQLite takes for white space.
  var isSQLSpace: Bool {
    self == " " || self == "\n" || self == "\t" || self == "\r" || self == "\u{C}"
  }

  fileprivate var isSQLDigit: Bool { ("0"..."9").contains(self) }

  /// What SQLite takes for a part of a name; every byte of a letter that is not ASCII is.
  fileprivate var isSQLWord: Bool {
    ("a"..."z").contains(self) || ("A"..."Z").contains(self) || isSQLDigit || self == "_"
      || self == "$" || !isASCII
  }
}

extension String {
  /// How much of a statement is looked at for what kind it is.
  private static let startMax = 4096

  /// Whether these letters, in lower case, stand in the start of a statement.
  package func startHolds(_ letters: String) -> Bool {
    Name(utf8.count > Self.startMax ? String(prefix(Self.startMax)) : self).holds(letters)
  }
}
