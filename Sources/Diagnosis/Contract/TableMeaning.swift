// SPDX-License-Identifier: Apache-2.0
// The parts of a table reduced to what they mean, and shown in a few words of SQL.

import SQLiteFormat

/// What a column means, with nothing of how it was written.
struct ColumnMeaning: Hashable {
  /// The declared type, folded.
  var type: String
  private let notNull: Bool
  private let defaultSQL: String?
  private let collation: Name
  private let generated: ColumnDescription.Generated
  private let expression: String?

  init(_ column: ColumnDescription, at position: Int, of table: TableDescription) {
    type = SQLTokens(parsing: column.type).normalized
    // The rowid is never NULL, whether that was said or not.
    notNull = column.notNull || table.rowIDAlias == position
    defaultSQL = column.constantDefault.map { SQLTokens($0).normalized }
    collation = column.collation
    generated = column.generated
    expression =
      column.generated == .none
      ? nil : TableDeclaration(sql: table.sql).expression(of: column.name)
  }
}

extension ColumnDescription {
  /// The tokens of the default; nil for NULL, which is the default of every column.
  var constantDefault: [SQLToken]? {
    guard let defaultSQL else { return nil }
    let tokens = SQLTokens(parsing: defaultSQL).tokens
    if tokens.count == 1, tokens[0].isWord("null") { return nil }
    return tokens.map { token in
      // A default names no column, so a name in double quotes is a string.
      guard case .name(let text) = token else { return token }
      return .literal("'" + text.replacingScalar("'", by: "''") + "'")
    }
  }

  /// The column without its name, such as `TEXT NOT NULL DEFAULT 'UTC'`.
  func definition(in table: TableDescription) -> String {
    var words = type.isEmpty ? [] : [type]
    if notNull { words.append("NOT NULL") }
    if let tokens = constantDefault {
      let text = SQLTokens(tokens).sql
      words.append("DEFAULT " + (tokens.isPlain ? text : "(\(text))"))
    }
    if collation != "BINARY" { words.append("COLLATE \(collation)") }
    if generated != .none {
      let expression = TableDeclaration(sql: table.sql).expression(of: name) ?? "…"
      words.append("AS (\(expression)) \(generated.rawValue.uppercased())")
    }
    return words.isEmpty ? "no type" : words.joined(separator: " ")
  }
}

extension [SQLToken] {
  /// Whether a default stands without parentheses: a literal, a number with its sign, a word.
  var isPlain: Bool {
    switch count {
    case 1: true
    case 2:
      if case .number = self[1] {
        self[0] == .symbol("-") || self[0] == .symbol("+")
      } else {
        false
      }
    default: false
    }
  }

  /// Whether a default is one and the same value for every row that is there already.
  var isConstant: Bool {
    guard isPlain else { return false }
    guard case .word = self[0] else { return true }
    return ["true", "false"].contains { self[0].isWord($0) }
  }
}

/// What an index means, with nothing of how it was written.
struct IndexMeaning {
  let index: IndexDescription
  /// The index in a few words, such as `UNIQUE on log (day DESC) WHERE done`.
  let text: String
  /// The text as it compares.
  let normal: String

  init(_ index: IndexDescription, of table: TableDescription) {
    self.index = index
    let unique = index.unique && index.origin == .created ? "UNIQUE " : ""
    let key = Self.key(index.columns, of: table)
    let predicate = index.predicate.map { " WHERE \($0)" } ?? ""
    let place = index.origin == .created ? "on \(table.name) " : ""
    text = unique + place + key + predicate
    normal = SQLTokens(parsing: text).normalized
  }

  /// Columns with the order and collation that are not their own.
  static func key(_ columns: [IndexColumn], of table: TableDescription) -> String {
    let parts = columns.map { part in
      let column = table.columns.first { $0.name == part.name }
      let own = column?.collation ?? "BINARY"
      return (part.name?.text ?? part.expression ?? "an expression")
        + (own == part.collation || part.expression != nil
          ? "" : " COLLATE \(part.collation)")
        + (part.descending ? " DESC" : "")
    }
    return "(\(parts.joined(separator: ", ")))"
  }

  var missing: ContractDifference {
    ContractDifference(.missing, .index, index.name.text, expected: text, mend: .making(index.sql))
  }
}

extension TableDescription {
  /// The primary key in a few words, such as `(day, kind DESC)`; nil when there is none.
  var primaryKeyText: String? {
    let columns = columns.filter { $0.primaryKeyPosition > 0 }
      .sorted { $0.primaryKeyPosition < $1.primaryKeyPosition }
    guard !columns.isEmpty else { return nil }
    let index = indexes.first { $0.origin == .primaryKey }
    let key = IndexMeaning.key(
      index?.columns ?? columns.map { IndexColumn(name: $0.name, collation: $0.collation) },
      of: self)
    return key + (rowIDAlias == nil ? "" : " as rowid") + (autoincrement ? " AUTOINCREMENT" : "")
  }

  /// WITHOUT ROWID and STRICT.
  var optionsText: String {
    let options = (withoutRowID ? ["WITHOUT ROWID"] : []) + (strict ? ["STRICT"] : [])
    return options.isEmpty ? "none" : options.joined(separator: ", ")
  }
}

/// What a foreign key means, with nothing of how it was written.
struct ForeignKeyMeaning: Hashable {
  /// The key in a few words of SQL.
  let text: String
  /// The columns that refer.
  let columns: [Name]
  private let normal: Name

  init(_ key: ForeignKeyDescription, in schema: SchemaDescription) {
    // No columns stand for the primary key of the parent.
    let parent = schema.tables.first { $0.name == key.table }
    let primaryKey = parent?.columns.filter { $0.primaryKeyPosition > 0 }
      .sorted { $0.primaryKeyPosition < $1.primaryKeyPosition }.map(\.name)
    let referenced = key.referencedColumns.isEmpty ? primaryKey ?? [] : key.referencedColumns
    var text = "(\(key.columns.joined(separator: ", "))) REFERENCES \(key.table)"
    if !referenced.isEmpty { text += " (\(referenced.joined(separator: ", ")))" }
    for (event, action) in [("DELETE", key.onDelete), ("UPDATE", key.onUpdate)]
    where action.uppercased() != "NO ACTION" {
      text += " ON \(event) \(action.uppercased())"
    }
    // SQLite ignores MATCH.
    if key.deferred { text += " DEFERRABLE INITIALLY DEFERRED" }
    self.text = text
    columns = key.columns
    normal = Name(text)
  }

  static func == (left: ForeignKeyMeaning, right: ForeignKeyMeaning) -> Bool {
    left.normal == right.normal
  }

  func hash(into hasher: inout Hasher) { hasher.combine(normal) }
}
