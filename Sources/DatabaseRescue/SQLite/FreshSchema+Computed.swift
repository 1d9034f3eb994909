// SPDX-License-Identifier: Apache-2.0
// The statements of tables with rules and stored columns that only the app can compute, as ones that
// take its values, and refuse no row for what stands in for its functions.

import Diagnosis
import SQLiteFormat

extension FreshSchema {
  /// The statement of a table that needs functions of the app, with stored columns as ordinary ones
  /// and without the rules that take such a function; nil where there are none of both, or the values
  /// of stored columns are not kept.
  func plainEntry(of declaration: Declaration) -> SchemaEntry? {
    guard declaration.kind == .table, !declaration.missingFunctions.isEmpty,
      KnownFunctions.canBeOfApp(declaration.missingFunctions),
      let table = declared.table(named: declaration.name)
    else { return nil }
    let tokens = SQLTokens(parsing: declaration.sql)
    let rules = RulesOfApp(of: table, tokens, lacking: declaration.missingFunctions)
    guard keepsComputedValues || !rules.computeStored, tokens.areAsStored,
      let open = tokens.tokens.firstIndex(of: .symbol("(")), let body = tokens.group(at: open)
    else { return nil }
    let plainItems = body.items.map { item in
      rules.removed(from: keepsComputedValues ? item.withoutStoredExpression : item)
    }
    guard plainItems != body.items else { return nil }
    let items = plainItems.map(\.tokens).filter { !$0.isEmpty }
    let plain =
      tokens.tokens[...open] + items.joined(separator: [.symbol(",")])
      + tokens.tokens[(open + 1 + body.tokens.count)...]
    return SchemaEntry(
      kind: .table, name: declaration.name, table: declaration.table, root: nil,
      sql: SQLTokens(plain).sql)
  }
}

extension SQLTokens {
  /// Whether the statement of a table or an index begins as SQLite writes it into a schema: there it
  /// accepts no other, such as one that names a database.
  var areAsStored: Bool {
    guard let kind = tokens.firstIndex(where: { $0.isWord("table") || $0.isWord("index") }),
      kind == 1 || kind == 2 && tokens[1].isWord("unique"), kind + 2 < tokens.count
    else { return false }
    return tokens[kind + 2] == .symbol("(") || tokens[kind + 2].isWord("on")
  }

  /// The definition of a column without what makes it a stored one: `GENERATED ALWAYS AS (…) STORED`.
  fileprivate var withoutStoredExpression: SQLTokens {
    guard var start = position(of: "as"), let expression = group(at: start + 1) else { return self }
    let end = start + 3 + expression.tokens.count
    guard end < tokens.count, tokens[end].isWord("stored") else { return self }
    if start > 2, tokens[start - 1].isWord("always"), tokens[start - 2].isWord("generated") {
      start -= 2
    }
    return SQLTokens(tokens[..<start] + tokens[(end + 1)...])
  }
}
