// SPDX-License-Identifier: Apache-2.0
// The statements of tables whose stored columns only the app can compute, as ones that take values.

import Diagnosis
import SQLiteFormat

extension FreshSchema {
  /// The statement of a table whose stored columns only the app can compute, with these columns as
  /// ordinary ones; nil where there are none, or their values are not kept.
  func plainEntry(of declaration: Declaration) -> SchemaEntry? {
    guard keepsComputedValues, declaration.kind == .table, !declaration.missingFunctions.isEmpty,
      KnownFunctions.canBeOfApp(declaration.missingFunctions),
      let table = declared.table(named: declaration.name),
      table.columns.contains(where: { $0.generated == .stored })
    else { return nil }
    let tokens = SQLTokens(parsing: declaration.sql)
    guard tokens.areAsStored, let open = tokens.tokens.firstIndex(of: .symbol("(")),
      let body = tokens.group(at: open)
    else { return nil }
    let items = body.items.map(\.withoutStoredExpression.tokens)
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
