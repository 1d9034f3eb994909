// SPDX-License-Identifier: Apache-2.0
// Rules that are computed over a row of their own.

import Diagnosis
import SQLiteFormat

/// Rules with a row of their own, which has no other virtual columns than they take.
///
/// A rule that can take the current time has its expressions as virtual columns: as part of a schema,
/// SQLite refuses to compute them with it, where a query would be given the time.
struct RulesApart {
  private let table: ComputedTable
  private let expressions: TableExpressions
  private var made: [ObjectIdentifier: (row: SandboxRow, query: ComputedRule)] = [:]

  /// No rule yet of a table.
  init(_ table: ComputedTable, _ expressions: TableExpressions) {
    self.table = table
    self.expressions = expressions
  }

  /// The row and the query that compute a rule.
  ///
  /// - Throws: ``SQLiteError`` when it cannot be computed so.
  mutating func query(
    for rule: ComputedRule
  ) throws(SQLiteError) -> (row: SandboxRow, query: ComputedRule) {
    if let made = made[ObjectIdentifier(rule)] { return made }
    let all = rule.expressions + [rule.condition].compactMap(\.self)
    let row = try SandboxRow(
      table, expressions, virtual: expressions.virtualColumns(in: all, of: table.description),
      adding: rule.canTakeTime ? all : [])
    let query =
      rule.canTakeTime
      ? try row.ruleOverAdded(rule.kind) : try row.rule(rule.kind, rule.expressions)
    made[ObjectIdentifier(rule)] = (row, query)
    return (row, query)
  }
}
