// SPDX-License-Identifier: Apache-2.0
// SQL as it compares: how it was written, quoted and put in parentheses is gone, what it says stays.

package import SQLiteFormat

extension SQLTokens {
  /// The text as it compares by meaning: names and keywords in lower case, operators and numbers in
  /// one spelling, without parentheses that change nothing.
  ///
  /// Where `names` are given, a quoted name that is none of them is what SQLite takes it for: a
  /// string.
  package func meaning(names: Set<Name>? = nil) -> String {
    var reading = SQLReading()
    var index = 0
    while index < tokens.count {
      if let text = operatorText(at: index) {
        index += text.utf8.count
        reading.add(.sign(SQLReading.spellings[text] ?? text))
        continue
      }
      switch tokens[index] {
      case .symbol("("): reading.open()
      case .symbol(")"): reading.close(before: operatorText(at: index + 1), next(after: index))
      case .symbol(let character): reading.add(.other(String(character)))
      case .word(let text):
        let isBeforeNull = next(after: index)?.isWord("null") == true
        if let words = reading.nullTest(Name(text).foldedText, isBeforeNull: isBeforeNull) {
          for word in words { reading.add(SQLReading.Part(word: word)) }
        } else {
          reading.add(SQLReading.Part(word: Name(text).foldedText))
        }
      case .number(let text): reading.add(.operand(Self.plainNumber(text)))
      case .literal(let text): reading.add(.operand(text))
      case .name(let text):
        let isString = names.map { !$0.contains(Name(text)) } ?? false
        reading.add(.operand(isString ? text.quotedString : Name(text).foldedText))
      }
      index += 1
    }
    return reading.text
  }

  private func next(after index: Int) -> SQLToken? {
    index + 1 < tokens.count ? tokens[index + 1] : nil
  }

  /// The operator that begins at a place: its characters have a token each.
  private func operatorText(at index: Int) -> String? {
    var text = ""
    for token in tokens[min(index, tokens.count)...].prefix(3) {
      guard case .symbol(let character) = token, "<>=!|-+*/%&~".contains(character) else { break }
      text.append(character)
    }
    while !text.isEmpty, !SQLReading.signs.contains(text) { text.removeLast() }
    return text.isEmpty ? nil : text
  }

  /// A number in one spelling: `.50` is `0.5`, and `0x10` is `16`.
  static func plainNumber(_ text: String) -> String {
    let text = text.lowercased()
    if text.hasPrefix("0x") {
      return UInt64(text.dropFirst(2), radix: 16).map { String(Int64(bitPattern: $0)) } ?? text
    }
    if text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) {
      if let number = Int64(text) { return String(number) }
    }
    return Double(text).map(\.description) ?? text
  }
}

extension String {
  /// The text as a string of SQL.
  package var quotedString: String { "'" + replacingScalar("'", by: "''") + "'" }
}

/// SQL that is read part by part, and rid of parentheses that change nothing.
private struct SQLReading {
  /// A part of it.
  enum Part {
    /// A name, a value, or a word that ends an expression.
    case operand(String)
    /// An operator of characters.
    case sign(String)
    /// A word that is an operator, or stands before an expression.
    case keyword(String)
    /// A parenthesis or any other character.
    case other(String)

    init(word: String) {
      self =
        SQLReading.precedences[word] != nil || SQLReading.leaders.contains(word)
          || SQLReading.clauses.contains(word)
        ? .keyword(word) : .operand(word)
    }

    var text: String {
      switch self {
      case .operand(let text), .sign(let text), .keyword(let text), .other(let text): text
      }
    }
  }

  /// What stands within a pair of parentheses, as far as it was read.
  private struct Group {
    /// Where its parenthesis is.
    let start: Int
    /// The precedence of its weakest operator.
    var weakest = Int.max
    /// Whether it is no single expression.
    var isList = false
    /// How many parts it has.
    var count = 0
    /// How often BETWEEN waits for its AND.
    var betweens = 0
    /// How many times CASE waits for its END.
    var cases = 0
  }

  /// The operators of characters.
  static let signs: Set<String> = [
    "=", "==", "<>", "!=", "<", "<=", ">", ">=", "&", "|", "<<", ">>", "+", "-", "*", "/", "%",
    "||",
    "->", "->>", "~",
  ]
  /// The one spelling of operators that have two.
  static let spellings = ["==": "=", "!=": "<>"]

  /// How strongly operators bind.
  private static let precedences: [String: Int] = [
    "or": 1, "and": 2, "not": 3, "=": 4, "<>": 4, "is": 4, "in": 4, "match": 4, "like": 4,
    "regexp": 4, "glob": 4, "between": 4, "isnull": 4, "notnull": 4, "<": 5, "<=": 5, ">": 5,
    ">=": 5, "escape": 6, "&": 7, "|": 7, "<<": 7, ">>": 7, "+": 8, "-": 8, "*": 9, "/": 9, "%": 9,
    "||": 10, "->": 10, "->>": 10, "collate": 11, "~": 12,
  ]
  private static let prefixPrecedence = 12

  /// Words that an expression stands after, and that are no operators.
  private static let leaders: Set<String> = [
    "where", "when", "then", "else", "case", "on", "having", "select", "by", "limit", "offset",
    "return", "default", "check",
  ]
  /// Words that no single expression has.
  private static let clauses: Set<String> = [
    "values", "with", "join", "from", "as", "using", "order", "group", "distinct", "partition",
    "over", "filter", "asc", "desc", "set", "union", "except", "intersect", "exists", "all",
  ]

  /// The parts, and how strongly each binds that is an operator; nil for parentheses that went.
  private var parts: [(text: String, precedence: Int, isOperand: Bool, isLeader: Bool)?] = []
  private var groups = [Group(start: -1)]

  var text: String { parts.compactMap { $0?.text }.joined(separator: " ") }

  private var last: (text: String, precedence: Int, isOperand: Bool, isLeader: Bool)? {
    parts.last { $0 != nil } ?? nil
  }

  /// A test for NULL in its one spelling, `IS NULL` or `IS NOT NULL`, as far as a word is part of it.
  func nullTest(_ word: String, isBeforeNull: Bool) -> [String]? {
    switch word {
    case "isnull": ["is", "null"]
    case "notnull": ["is", "not", "null"]
    case "not" where isBeforeNull && last?.isOperand == true: ["is", "not"]
    default: nil
    }
  }

  mutating func add(_ part: Part) {
    let precedence = precedence(of: part)
    let place = groups.count - 1
    groups[place].count += 1
    switch part {
    case .keyword("case"): groups[place].cases += 1
    case .operand("end") where groups[place].cases > 0: groups[place].cases -= 1
    default:
      if precedence > 0, groups[place].cases == 0 {
        groups[place].weakest = min(groups[place].weakest, precedence)
      }
      if case .keyword(let word) = part, precedence == 0, groups[place].cases == 0 {
        if Self.clauses.contains(word) || Self.leaders.contains(word) {
          groups[place].isList = true
        }
      }
    }
    if case .other(",") = part { groups[place].isList = true }
    if case .other(";") = part { groups[place].isList = true }
    var isOperand = false
    if case .operand = part { isOperand = true }
    var isLeader = false
    if case .keyword(let word) = part { isLeader = Self.leaders.contains(word) }
    parts.append((part.text, precedence, isOperand, isLeader))
  }

  /// How strongly an operator binds here; 0 for what is none.
  private mutating func precedence(of part: Part) -> Int {
    let place = groups.count - 1
    switch part {
    case .operand, .other: return 0
    case .sign(let sign):
      if sign == "*", last?.isOperand != true { return 0 }
      if last?.isOperand != true, ["+", "-", "~"].contains(sign) { return Self.prefixPrecedence }
      return Self.precedences[sign] ?? 0
    case .keyword("not"):
      // After an operand or IS it belongs to the operator.
      return last?.isOperand == true || last?.text == "is" ? 4 : 3
    case .keyword("between"):
      groups[place].betweens += 1
      return 4
    case .keyword("and") where groups[place].betweens > 0:
      groups[place].betweens -= 1
      return 4
    case .keyword(let word): return Self.precedences[word] ?? 0
    }
  }

  mutating func open() {
    groups.append(Group(start: parts.count))
    parts.append(("(", 0, false, false))
  }

  /// Ends a group; what follows it tells whether its parentheses say anything.
  mutating func close(before sign: String?, _ next: SQLToken?) {
    guard groups.count > 1, let group = groups.popLast() else { return add(.other(")")) }
    let outer = groups.count - 1
    groups[outer].count += 1
    let isPlain = !group.isList && group.count > 0 && group.cases == 0 && group.betweens == 0
    guard isPlain, isNeedless(group, before: sign, next) else {
      parts.append((")", 0, true, false))
      return
    }
    parts[group.start] = nil
    if groups[outer].cases == 0 {
      groups[outer].weakest = min(groups[outer].weakest, group.weakest)
    }
  }

  private func isNeedless(_ group: Group, before sign: String?, _ next: SQLToken?) -> Bool {
    let before = parts[..<group.start].last { $0 != nil } ?? nil
    var left = 0
    if let before {
      let opens = before.text == "(" || before.text == ","
      guard before.precedence > 0 || before.isLeader || opens, before.text != "in" else {
        return false
      }
      left = before.precedence
      // A chain of AND or OR is one whichever two are taken first.
      if group.weakest == left, before.text == "and" && left == 2 || before.text == "or" {
        left -= 1
      }
    }
    return group.weakest > left && group.weakest >= precedence(ofSign: sign, next)
  }

  /// How strongly what follows binds; 0 for what is no operator.
  private func precedence(ofSign sign: String?, _ next: SQLToken?) -> Int {
    if let sign { return Self.precedences[Self.spellings[sign] ?? sign] ?? 0 }
    guard case .word(let text)? = next else { return 0 }
    let word = Name(text).foldedText
    if word == "not" { return 4 }
    if word == "and", let group = groups.last, group.betweens > 0 { return 4 }
    return Self.precedences[word] ?? 0
  }
}
