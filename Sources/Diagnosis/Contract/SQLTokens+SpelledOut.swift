// SPDX-License-Identifier: Apache-2.0
// Statements of views and triggers, in which what can be said or left out is always said, or never.

import SQLiteFormat

extension SQLTokens {
  /// A statement that makes a view or trigger with what it leaves to SQLite: a trigger that names no
  /// moment acts before, for each row, and on the columns in whichever order; and no AS stands before
  /// another name of a column or table.
  var spelledOut: SQLTokens { withoutAS.withTriggerSpelledOut }

  private var withoutAS: SQLTokens {
    var kept: [SQLToken] = []
    /// For each open parenthesis, whether it is that of a CAST.
    var casts: [Bool] = []
    for (index, token) in tokens.enumerated() {
      switch token {
      case .symbol("("): casts.append(index > 0 && tokens[index - 1].isWord("cast"))
      case .symbol(")"): _ = casts.popLast()
      default: break
      }
      if token.isWord("as"), casts.last != true, isBeforeName(index) { continue }
      kept.append(token)
    }
    return SQLTokens(kept)
  }

  /// Whether what follows a word is a name, and not the parts of a common table or a window.
  private func isBeforeName(_ index: Int) -> Bool {
    guard index + 1 < tokens.count else { return false }
    let next = tokens[index + 1]
    return next != .symbol("(") && !next.isWord("materialized") && !next.isWord("not")
  }

  private var withTriggerSpelledOut: SQLTokens {
    guard tokens.first?.isWord("create") == true,
      let name = tokens.prefix(3).firstIndex(where: { $0.isWord("trigger") }).map({ $0 + 1 }),
      let begin = tokens.firstIndex(where: { $0.isWord("begin") }), name < begin,
      let event = tokens[(name + 1)..<begin].firstIndex(where: { token in
        ["delete", "insert", "update"].contains { token.isWord($0) }
      })
    else { return self }
    let moment = event == name + 1 ? [SQLToken.word("before")] : Array(tokens[(name + 1)..<event])
    var head = Array(tokens[event..<begin])
    let each = head.indices.first { index in
      index + 2 < head.count && head[index].isWord("for") && head[index + 1].isWord("each")
        && head[index + 2].isWord("row")
    }
    if let each { head.removeSubrange(each..<(each + 3)) }
    if head.count > 2, head[1].isWord("of"), let on = head.firstIndex(where: { $0.isWord("on") }) {
      let columns = head[2..<on].split(separator: .symbol(",")).sorted {
        Name(SQLTokens($0).meaning()) < Name(SQLTokens($1).meaning())
      }
      head.replaceSubrange(
        2..<on, with: Array(columns.joined(separator: [SQLToken.symbol(",")])))
    }
    return SQLTokens(tokens[...name] + moment + head + tokens[begin...])
  }
}
