// SPDX-License-Identifier: Apache-2.0
// What a row has in a column that was added after it.

import Diagnosis
import SQLiteFormat

extension SchemaSandbox {
  /// The values of a table's defaults, column by column, as SQLite has them for rows that were
  /// written before the column was added: only constants count, and it knows which ones are.
  static func defaults(
    of table: TableDescription, _ connection: borrowing Connection
  ) -> [Value] {
    table.columns.map { column in
      guard let sql = column.defaultSQL else { return .null }
      let tokens = SQLTokens(parsing: sql)
      let affinity = Affinity(declaredType: column.type, strict: table.strict)
      return tokens.plainValue(affinity)
        ?? (try? connection.addedDefault(
          sql, isExpression: tokens.tokens.count > 1, affinity)) ?? .null
    }
  }
}

extension SQLTokens {
  /// The value of a short number or of a text, in a column that stores it as it is; nil for
  /// everything about which SQLite has rules of its own.
  fileprivate func plainValue(_ affinity: Affinity) -> Value? {
    guard tokens.count == 1 else { return nil }
    switch tokens[0] {
    case .number(let digits) where digits.utf8.count < 10 && affinity != .text && affinity != .real:
      return Int64(digits).map(Value.integer)
    case .literal(let text) where affinity == .text && text.hasPrefix("'"):
      let content = text.dropFirst().dropLast()
      return content.utf8.contains(UInt8(ascii: "'")) ? nil : .text(String(content))
    default: return nil
    }
  }
}

extension Connection {
  /// The value that a row has for a column with a default that was added after it; of a column of
  /// reals, what it has before it is made one.
  ///
  /// A name by itself, in quotes or without, is a text: `DEFAULT active`. In the parentheses that an
  /// expression needs it would be a column.
  ///
  /// - Throws: ``SQLiteError`` where it is not the same for every row, as the time is not. Nothing is
  ///   computed to tell.
  fileprivate func addedDefault(
    _ sql: String, isExpression: Bool, _ affinity: Affinity
  ) throws(SQLiteError) -> Value? {
    let table = "a row from before".quotedIdentifier
    try execute("CREATE TABLE \(table) (a); INSERT INTO \(table) VALUES (1)")
    defer { try? execute("DROP TABLE \(table)") }
    // An expression may end in a comment.
    let constant = isExpression ? "(\(sql)\n)" : sql
    let column = "b \(affinity.typeName) DEFAULT \(constant)"
    try prepare("ALTER TABLE \(table) ADD COLUMN \(column)").run([])
    return try value("SELECT b FROM \(table)")
  }
}

extension Affinity {
  /// A declared type with this affinity; of reals, one that leaves integers what they are.
  fileprivate var typeName: String {
    switch self {
    case .text: "TEXT"
    case .numeric: "NUMERIC"
    case .integer: "INTEGER"
    case .real: "NUMERIC"
    case .blob: ""
    }
  }
}
