// SPDX-License-Identifier: Apache-2.0
// One index or constraint of a table as a query over a row.

import Diagnosis
import SQLiteFormat

/// An index or constraint as a query that gives what it makes of the one row of a table.
final class ComputedRule {
  /// What a rule is.
  enum Kind {
    /// An index, with the condition of a partial one, and whether the rowid ends its keys.
    case index(Name, condition: String?, hasRowID: Bool)
    /// A CHECK constraint, with its condition as the schema has it.
    case check(String)
    /// A virtual column that refuses NULL.
    case filledColumn(Name)
    /// A virtual column of a STRICT table, which holds values of its type only.
    case typedColumn
  }

  /// What SQLite makes of a row.
  enum Outcome {
    /// The key of an entry; nil where a partial index leaves the row out.
    case key(KeyHash?)
    /// Whether the row keeps to the rule.
    case holds(Bool)

    /// Whether the condition holds.
    var isPositive: Bool {
      switch self {
      case .key(let key): key != nil
      case .holds(let holds): holds
      }
    }
  }

  /// What the rule is.
  let kind: Kind
  /// The expressions, one for each column of the result.
  let expressions: [String]
  /// The condition of a partial index.
  var condition: String? {
    if case .index(_, let condition, _) = kind { condition } else { nil }
  }

  /// Whether the rule calls functions that can give the current time.
  let canTakeTime: Bool

  private let statement: Statement
  private let encoding: TextEncoding

  /// Prepares the query.
  ///
  /// - Throws: ``SQLiteError`` when it does not parse, or takes a function that is not here, or whose
  ///   result is not the same each time.
  init(
    _ kind: Kind, _ expressions: [String], of table: Name, _ encoding: TextEncoding,
    on connection: borrowing Connection
  ) throws(SQLiteError) {
    self.kind = kind
    self.expressions = expressions
    self.encoding = encoding
    var columns = expressions
    var condition = ""
    if case .index(_, let predicate, _) = kind {
      // SQLite hands out text in UTF-8; its bytes as they are stored come as a blob.
      if encoding != .utf8 { columns += expressions.map { "CAST((\($0)) AS BLOB)" } }
      condition = predicate.map { " WHERE \(Self.truth(of: $0, null: 0))" } ?? ""
    }
    let list = columns.map { "(\($0))" }.joined(separator: ", ")
    let sql = "SELECT \(list) FROM \(table.quotedIdentifier)\(condition)"
    let statementGuard = connection.statementGuard
    statementGuard.permission = .queries
    defer { statementGuard.permission = .own }
    statement = try connection.prepare(sql)
    if let function = statementGuard.called.intersection(KnownFunctions.unsteady).min() {
      throw SQLiteError(
        extendedCode: 1, message: "the result of \(function) is not the same each time")
    }
    canTakeTime = !statementGuard.called.isDisjoint(with: KnownFunctions.ofTime)
  }

  /// An expression that is 1 where a condition holds and 0 where it does not, or where NULL counts as
  /// the one or the other; it computes no more than SQLite does: `json_valid(a) AND a -> 'b'`.
  static func truth(of condition: String, null: Int) -> String {
    null == 0
      ? "CASE WHEN (\(condition)) THEN 1 ELSE 0 END"
      : "CASE WHEN NOT (\(condition)) THEN 0 ELSE 1 END"
  }

  /// What SQLite makes of the row that is there now.
  ///
  /// - Throws: ``SQLiteError`` when an expression has no value for it.
  func outcome(rowID: Int64?) throws(SQLiteError) -> Outcome {
    defer { statement.reset() }
    let isThere = try statement.step()
    switch kind {
    case .check, .filledColumn, .typedColumn: return .holds(!isThere || statement[0] != .integer(0))
    case .index(_, _, let hasRowID):
      guard isThere else { return .key(nil) }
      var key = KeyHash()
      let count = encoding == .utf8 ? statement.columnCount : statement.columnCount / 2
      for column in 0..<count {
        var value = statement[column]
        if encoding != .utf8, case .text = value,
          case .blob(let bytes) = statement[column + count]
        {
          value = .text(bytes)
        }
        key.add(value)
      }
      if hasRowID { key.add(rowID ?? 0) }
      return .key(key)
    }
  }
}

extension ComputedTable {
  /// What each row has to keep to, as conditions that are 0 where it does not.
  func conditions(
    _ expressions: TableExpressions
  ) -> [(kind: ComputedRule.Kind, condition: String)] {
    var conditions = expressions.checks.map {
      (kind: ComputedRule.Kind.check($0), condition: ComputedRule.truth(of: $0, null: 1))
    }
    for column in ruledColumns {
      let name = column.name.quotedIdentifier
      if !column.classes.contains(.null) {
        conditions.append((.filledColumn(column.name), "\(name) IS NOT NULL"))
      }
      let classes = column.classes.union(.null)
      if classes != .all {
        conditions.append((.typedColumn, "typeof(\(name)) IN (\(classes.names))"))
      }
    }
    return conditions
  }
}

extension StorageClasses {
  /// The names that SQLite has for the classes, as strings of a list.
  fileprivate var names: String {
    let names: [(StorageClasses, String)] = [
      (.null, "null"), (.integer, "integer"), (.real, "real"), (.text, "text"), (.blob, "blob"),
    ]
    return names.filter { contains($0.0) }.map { "'\($0.1)'" }.joined(separator: ", ")
  }
}
