// SPDX-License-Identifier: Apache-2.0
// The expressions that the statements of a table and its indexes contain.

import Diagnosis
import SQLiteFormat

/// The expressions of a table as they stand in its statements.
struct TableExpressions {
  /// The conditions of its CHECK constraints.
  let checks: [String]
  /// The expressions of its generated columns.
  let generated: [Name: String]
  /// Every name in any of them, among other words.
  let names: Set<Name>

  private let indexes: [Name: (items: [SQLTokens], predicate: SQLTokens?)]

  /// Finds them.
  ///
  /// - Throws: ``SQLiteError`` when they are too many, or have a text that is none and no column's
  ///   name: its bytes are not those that SQLite takes it for.
  init(_ table: ComputedTable, tokensMax: Int) throws(SQLiteError) {
    let tokens = SQLTokens(parsing: table.description.sql)
    let checks = SchemaReader.checks(in: tokens)
    let generated = SchemaReader.generatedColumns(in: tokens)
    var indexes: [Name: (items: [SQLTokens], predicate: SQLTokens?)] = [:]
    for key in table.keys {
      guard let sql = key.index.sql else { continue }
      let tokens = SQLTokens(parsing: sql)
      indexes[key.index.name] = (
        SchemaReader.indexItems(in: tokens) ?? [], SchemaReader.predicate(in: tokens)
      )
    }
    let all =
      checks + Array(generated.values)
      + indexes.values.flatMap { $0.items + [$0.predicate].compactMap(\.self) }
    guard all.reduce(0, { $0 + $1.tokens.count }) <= tokensMax else {
      throw SQLiteError(extendedCode: 1, message: "its expressions are too long")
    }
    let columns = Set(table.description.columns.map(\.name))
    let words = Set(all.lazy.flatMap(\.tokens).map { Name(SQLTokens([$0]).normalized) })
    guard words.subtracting(columns).allSatisfy({ !TextEncoding.hasStandIn($0.text) }) else {
      throw SQLiteError(extendedCode: 1, message: "the statement is not valid text")
    }
    self.checks = checks.map(\.sql)
    self.generated = generated.mapValues(\.sql)
    self.indexes = indexes
    names = words.union(
      table.keys.flatMap { $0.columns.compactMap(\.name) } + table.ruledColumns.map(\.name))
  }

  /// What an entry of an index holds, and which rows have one; nil where the statement cannot be
  /// understood.
  func columns(of key: ComputedTable.Key) -> (columns: [String], condition: String?)? {
    let index = indexes[key.index.name]
    if key.index.predicate != nil, index?.predicate == nil { return nil }
    var columns: [String] = []
    for (place, column) in key.columns.enumerated() {
      if let name = column.name {
        columns.append(name.quotedIdentifier)
      } else {
        guard let items = index?.items, place < items.count else { return nil }
        columns.append(items[place].sql)
      }
    }
    return (columns, index?.predicate?.sql)
  }

  /// The virtual columns that expressions take, and those that these take.
  func virtualColumns(in expressions: [String], of table: TableDescription) -> Set<Name> {
    let virtual = Set(table.columns.filter { $0.generated == .virtual }.map(\.name))
    var found: Set<Name> = []
    var waiting = expressions
    while let sql = waiting.popLast() {
      for token in SQLTokens(parsing: sql).tokens {
        let name = Name(SQLTokens([token]).normalized)
        guard virtual.contains(name), found.insert(name).inserted else { continue }
        waiting += [generated[name]].compactMap(\.self)
      }
    }
    return found
  }
}
