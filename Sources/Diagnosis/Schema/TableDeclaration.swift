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
    let tokens = SQLTokens(parsing: sql)
    let open = tokens.tokens.firstIndex(of: .symbol("("))
    let items = open.flatMap { tokens.group(at: $0) }?.items ?? []
    let start = items.firstIndex { item in
      Self.constraintWords.contains { item.tokens.first?.isWord($0) == true }
    }
    var columns: [Name: SQLTokens] = [:]
    for item in items[..<(start ?? items.count)] {
      guard let name = item.tokens.first else { continue }
      columns[Name(name.text)] = item
    }
    self.columns = columns
    constraints = Array(items[(start ?? items.count)...])
  }

  private static let constraintWords = ["constraint", "primary", "unique", "check", "foreign"]

  /// The definition of a column, its name first.
  func definition(of column: Name) -> SQLTokens? { columns[column] }

  /// The expression that computes a generated column, normalized.
  func expression(of column: Name) -> String? {
    guard let item = definition(of: column), let position = item.position(of: "as") else {
      return nil
    }
    return item.group(at: position + 1)?.normalized
  }

  /// The conditions of the CHECK constraints in a column's definition, normalized.
  func checks(of column: Name) -> [String] {
    guard let item = definition(of: column) else { return [] }
    return item.tokens.indices.compactMap { index in
      item.tokens[index].isWord("check") ? item.group(at: index + 1)?.normalized : nil
    }
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

extension SQLToken {
  /// The text of a word or name.
  fileprivate var text: String {
    switch self {
    case .word(let text), .name(let text), .literal(let text), .number(let text): text
    case .symbol(let character): String(character)
    }
  }
}
