// SPDX-License-Identifier: Apache-2.0
// What a CREATE TABLE statement says that no pragma repeats.

import SQLiteFormat

/// A CREATE TABLE statement cut into its column definitions and constraints.
struct TableDeclaration: Sendable {
  /// The definition of every column, by name; it starts with the name.
  private let columns: [Name: SQLTokens]
  /// The constraints that stand apart from the columns.
  private let constraints: [SQLTokens]

  /// Cuts a statement; what is no CREATE TABLE with a list in parentheses has no parts.
  init(sql: String) {
    let tokens = SQLTokens(parsing: sql).withoutOwnName
    let open = tokens.tokens.firstIndex(of: .symbol("("))
    let items = open.flatMap { tokens.group(at: $0) }?.items ?? []
    let start = items.firstIndex { item in
      Self.constraintWords.contains { item.tokens.first?.isWord($0) == true }
    }
    var columns: [Name: SQLTokens] = [:]
    for item in items[..<(start ?? items.count)] {
      guard let name = item.tokens.first?.asName else { continue }
      columns[name] = item
    }
    self.columns = columns
    constraints = Array(items[(start ?? items.count)...])
  }

  private static let constraintWords = ["constraint", "primary", "unique", "check", "foreign"]

  /// The definition of a column, its name first.
  func definition(of column: Name) -> SQLTokens? { columns[column] }

  /// The expression that computes a generated column.
  func expression(of column: Name) -> SQLTokens? {
    guard let item = definition(of: column), let position = item.position(of: "as") else {
      return nil
    }
    return item.group(at: position + 1)
  }

  /// The conditions of the CHECK constraints in a column's definition.
  func checks(of column: Name) -> [SQLTokens] {
    guard let item = definition(of: column) else { return [] }
    return item.tokens.indices.compactMap { index in
      item.tokens[index].isWord("check") ? item.group(at: index + 1) : nil
    }
  }

  /// A statement with another name for the table that it makes.
  static func naming(_ name: Name, in sql: String) -> String? {
    let tokens = SQLTokens(statement: sql).tokens
    guard let keyword = tokens.firstIndex(where: { $0.isWord("table") }) else { return nil }
    var start = keyword + 1
    if start + 2 < tokens.count, tokens[start].isWord("if"), tokens[start + 1].isWord("not") {
      start += 3
    }
    if start + 1 < tokens.count, tokens[start + 1] == .symbol(".") { start += 2 }
    guard start < tokens.count else { return nil }
    if tokens[..<keyword].contains(where: { $0.isWord("virtual") }) {
      // Modules read their arguments as they were written.
      return SQLTokens.text(of: sql, fromToken: start + 1).map {
        "CREATE VIRTUAL TABLE \(name.quotedIdentifier) \($0.withoutSemicolon)"
      }
    }
    let head = tokens[...keyword].filter { !$0.isWord("temp") && !$0.isWord("temporary") }
    var body = SQLTokens(tokens[(start + 1)...])
    if let own = tokens[start].asName, own != name { body = body.unqualified(by: own) }
    return SQLTokens(head + [.name(name.text)] + body.tokens).sql
  }

  /// A statement with other names for some columns, wherever these stand in its body.
  static func renaming(_ names: [Name: Name], in sql: String) -> String {
    let tokens = SQLTokens(parsing: sql)
    guard let open = tokens.tokens.firstIndex(of: .symbol("(")), let body = tokens.group(at: open)
    else { return sql }
    let end = open + 1 + body.tokens.count
    return SQLTokens(
      tokens.tokens[...open] + body.renaming(names).tokens + tokens.tokens[end...]
    ).sql
  }

  /// What is done with a row that breaks a constraint, where it is not to fail: normalized, sorted.
  var conflictClauses: [String] {
    let ofColumns = columns.flatMap { name, item in
      Self.conflictClauses(in: item).map { "\(name.foldedText) \($0)" }
    }
    return (ofColumns + constraints.flatMap { Self.conflictClauses(in: $0) }).sorted()
  }

  private static func conflictClauses(in item: SQLTokens) -> [String] {
    let tokens = item.tokens
    return tokens.indices.compactMap { index in
      guard index + 2 < tokens.count, tokens[index].isWord("on"),
        tokens[index + 1].isWord("conflict"), !tokens[index + 2].isWord("abort")
      else { return nil }
      let start = tokens[..<index].lastIndex { token in
        ["not", "primary", "unique", "check"].contains { token.isWord($0) }
      }
      return SQLTokens(tokens[(start ?? index)...(index + 2)]).normalized
    }
  }
}

extension String {
  /// The text without white space and semicolons at its end.
  fileprivate var withoutSemicolon: String {
    var text = unicodeScalars
    while let last = text.last, last == ";" || last.properties.isWhitespace { text.removeLast() }
    return String(text)
  }
}

extension SQLTokens {
  /// The same without the name of a table before its columns, as in `CHECK (t.a > 0)`.
  func unqualified(by table: Name) -> SQLTokens {
    var kept: [SQLToken] = []
    var index = 0
    while index < tokens.count {
      let isQualifier =
        index + 2 < tokens.count && tokens[index].asName == table
        && tokens[index + 1] == .symbol(".")
      if isQualifier {
        index += 2
      } else {
        kept.append(tokens[index])
        index += 1
      }
    }
    return SQLTokens(kept)
  }

  /// A statement that makes a table, without the name of that before its columns.
  fileprivate var withoutOwnName: SQLTokens {
    guard let open = tokens.firstIndex(of: .symbol("(")), open > 0,
      let own = tokens[open - 1].asName
    else { return self }
    return SQLTokens(tokens[..<open] + SQLTokens(tokens[open...]).unqualified(by: own).tokens)
  }
}
