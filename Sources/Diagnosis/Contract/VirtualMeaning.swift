// SPDX-License-Identifier: Apache-2.0
// What a virtual table is, by its statement.

import SQLiteFormat

/// What a virtual table is, by its statement.
struct VirtualMeaning: Hashable {
  /// Its module.
  let module: Name?
  /// Its arguments without options, in order: mostly columns.
  private let columns: [String]
  /// Its options, such as `tokenize=porter`.
  private let options: Set<String>
  /// What `content` names; empty where the words are of texts that are kept nowhere.
  private let content: String?

  init(_ table: TableDescription) { self.init(SQLTokens(statement: table.sql)) }

  init(_ statement: SQLTokens) {
    let tokens = statement.tokens
    let using = tokens.firstIndex { $0.isWord("using") }
    guard let using, using + 1 < tokens.count else {
      (module, columns, options, content) = (nil, [statement.meaning()], [], nil)
      return
    }
    module = tokens[using + 1].asName
    let items = statement.group(at: using + 2)?.items ?? []
    let isOption: (SQLTokens) -> Bool = { $0.tokens.count > 1 && $0.tokens[1] == .symbol("=") }
    columns = items.filter { !isOption($0) && !$0.tokens.isEmpty }.map { $0.meaning() }
    let named = items.filter(isOption).map { item in
      (Name(item.tokens[0].content).foldedText, item.tokens.dropFirst(2).map(\.content))
    }
    options = Set(named.map { "\($0.0)=\($0.1.joined(separator: " "))" })
    content = named.last { $0.0 == "content" }?.1.joined()
  }

  /// Whether another one has the same columns, for the same module.
  func hasColumns(of other: VirtualMeaning) -> Bool {
    module == other.module && columns == other.columns
  }

  /// Whether it finds words in texts.
  var isFullText: Bool { module.map { ["fts3", "fts4", "fts5"].contains($0) } ?? false }

  /// Whether it keeps its rows itself.
  var isSelfContained: Bool { content == nil }

  /// The table or view whose texts it finds words in.
  var contentTable: Name? { content.flatMap { $0.isEmpty ? nil : Name($0) } }
}

extension SQLToken {
  /// The text of a token without its quotes; of names and words, in lower case.
  fileprivate var content: String {
    guard case .literal(let text) = self, text.hasPrefix("'") else { return normal }
    return text.dropFirst().dropLast().split(separator: "''", omittingEmptySubsequences: false)
      .joined(separator: "'")
  }
}
