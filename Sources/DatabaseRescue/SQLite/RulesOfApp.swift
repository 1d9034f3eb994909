// SPDX-License-Identifier: Apache-2.0
// The rules of a table that nobody but its app can judge: they take functions that are not here, and
// what stands in for those gives NULL whatever the row holds.

import Diagnosis
import SQLiteFormat

/// The rules of a table that need functions which only its app has.
struct RulesOfApp {
  /// The virtual columns that need one of them.
  let columns: Set<Name>
  /// The conditions of CHECK constraints that need none.
  let otherChecks: [SQLTokens]
  /// Whether any CHECK constraint needs one.
  let haveChecks: Bool
  /// Whether a stored column needs one.
  let computeStored: Bool

  private let functions: Set<Name>

  /// Finds them in the statement of a table, where these functions are not here.
  init(of table: TableDescription, _ statement: SQLTokens, lacking functions: Set<Name>) {
    let expressions = SchemaReader.generatedColumns(in: statement)
    let virtual = table.columns.filter { $0.generated == .virtual }.map(\.name)
    var columns: Set<Name> = []
    // A column may need one that needs a function.
    for _ in virtual {
      columns.formUnion(
        virtual.filter { expressions[$0]?.takes(functions, or: columns) ?? false })
    }
    let checks = SchemaReader.checks(in: statement)
    otherChecks = checks.filter { !$0.takes(functions, or: columns) }
    haveChecks = otherChecks.count < checks.count
    computeStored = table.columns.contains { column in
      column.generated == .stored
        && expressions[column.name]?.takes(functions, or: columns) ?? false
    }
    self.columns = columns
    self.functions = functions
  }

  /// The definition of a column, or constraints of a table, without these rules.
  func removed(from item: SQLTokens) -> SQLTokens {
    let isComputed = item.tokens.first?.asName.map(columns.contains) ?? false
    var kept: [SQLToken] = []
    var (place, depth) = (0, 0)
    while place < item.tokens.count {
      let token = item.tokens[place]
      if depth == 0, let end = end(ofRuleAt: place, in: item, isComputed: isComputed) {
        place = item.end(ofConflictClauseAt: end)
        continue
      }
      if token == .symbol("(") { depth += 1 }
      if token == .symbol(")") { depth -= 1 }
      kept.append(token)
      place += 1
    }
    return SQLTokens(kept)
  }

  /// Where a rule ends that begins at a place; nil where none of these does.
  private func end(ofRuleAt place: Int, in item: SQLTokens, isComputed: Bool) -> Int? {
    let tokens = item.tokens
    if tokens[place].isWord("check"), let condition = item.group(at: place + 1),
      condition.takes(functions, or: columns)
    {
      return place + 3 + condition.tokens.count
    }
    let refusesNull =
      isComputed && tokens[place].isWord("not") && place + 1 < tokens.count
      && tokens[place + 1].isWord("null")
    return refusesNull ? place + 2 : nil
  }
}

extension SQLTokens {
  /// The operators that call functions of their names.
  private static let operators: Set<Name> = ["regexp", "match"]

  /// Whether an expression calls one of these functions, or takes one of these columns.
  fileprivate func takes(_ functions: Set<Name>, or columns: Set<Name>) -> Bool {
    tokens.indices.contains { place in
      guard let name = tokens[place].asWrittenName else { return false }
      let isCall = place + 1 < tokens.count && tokens[place + 1] == .symbol("(")
      return functions.contains(name) && (isCall || Self.operators.contains(name))
        || columns.contains(name) && !isCall
    }
  }

  /// The place behind ON CONFLICT and what follows it; the same place where that is not there.
  fileprivate func end(ofConflictClauseAt place: Int) -> Int {
    guard place + 2 < tokens.count, tokens[place].isWord("on"),
      tokens[place + 1].isWord("conflict")
    else { return place }
    return place + 3
  }
}

extension SQLToken {
  /// What a word or a quoted name says; nil for a string.
  fileprivate var asWrittenName: Name? {
    if case .literal = self { nil } else { asName }
  }
}
