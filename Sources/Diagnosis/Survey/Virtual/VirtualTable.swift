// SPDX-License-Identifier: Apache-2.0
// A virtual table, and which ordinary tables of the file its module keeps it in.

package import SQLiteFormat

/// A virtual table, and which ordinary tables of the file its module keeps it in.
package struct VirtualTable: Hashable, Sendable {
  /// A table that a module makes to store a virtual one.
  package struct Part: Hashable, Sendable {
    /// Its name.
    package let name: Name
    /// How many columns it has.
    package let columnCount: Int

    /// Makes a part.
    package init(name: Name, columnCount: Int) {
      self.name = name
      self.columnCount = columnCount
    }
  }

  /// What is known of where the rows of a virtual table are.
  package enum Storage: Hashable, Sendable {
    /// Its module keeps them in these tables.
    case parts([Part])
    /// Its module keeps nothing in the file.
    case nothing
    /// It cannot be made here, for this reason: its module or tokenizer is not there.
    case unknown(String)
  }

  /// Its name.
  package let name: Name
  /// Its module.
  package let module: Name
  /// How many columns it has.
  package var columnCount = 0
  /// Where its rows are.
  package var storage: Storage
  /// The tables that store it whose columns are not those that its module looks for.
  package var misshapen: [Name] = []

  /// The table or view whose texts it finds words in, where it does not keep them itself.
  package let contentTable: Name?
  /// The column of that by which FTS5 finds its rows, where one is named.
  package let contentRowID: Name?
  /// Whether it looks for words in every text: no column is left out, and no letter is said to be
  /// part of none.
  let indexesEveryText: Bool

  /// Makes a virtual table of its statement.
  package init(name: Name, module: Name, sql: String, storage: Storage) {
    self.name = name
    self.module = module
    self.storage = storage
    let tokens = Self.fullTextModules.contains(module) ? SQLTokens(parsing: sql) : SQLTokens([])
    contentTable = tokens.option("content")
    contentRowID = tokens.option("content_rowid")
    let words = sql.lowercased()
    indexesEveryText = !words.contains("notindexed") && !words.contains("separators")
  }

  /// The modules that find words in texts.
  private static let fullTextModules: Set<Name> = ["fts3", "fts4", "fts5"]

  /// Whether it finds words in texts.
  package var isFullText: Bool { Self.fullTextModules.contains(module) }

  /// Whether it is an R-tree whose columns are numbers.
  package var isRegions: Bool { module == "rtree" || module == "rtree_i32" }

  /// Whether SQLite has a check of its own for it.
  package var canBeAsked: Bool { !parts.isEmpty && module != "geopoly" }

  /// The tables that store it.
  package var parts: [Part] {
    if case .parts(let parts) = storage { parts } else { [] }
  }

  /// The part that has a suffix in the place of the virtual table's name.
  package func part(_ suffix: String) -> Part? {
    let name = Name("\(name)_\(suffix)")
    return parts.first { $0.name == name }
  }

  /// Whether it keeps its texts itself, so that its index can be made of them.
  package var hasOwnContent: Bool { part("content") != nil }

  /// Whether its texts are kept somewhere: by itself, or in the table that it names.
  package var hasTexts: Bool { hasOwnContent || contentTable != nil }
}

extension SQLTokens {
  /// What a full-text table says of itself behind a word and `=`, such as the table with its texts;
  /// nil where that is empty.
  fileprivate func option(_ word: String) -> Name? {
    for place in tokens.indices.dropLast(2)
    where tokens[place].isWord(word) && tokens[place + 1] == .symbol("=") {
      return tokens[place + 2].asName.flatMap { $0.text.isEmpty ? nil : $0 }
    }
    return nil
  }
}
