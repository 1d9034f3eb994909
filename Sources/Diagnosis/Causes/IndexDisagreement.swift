// SPDX-License-Identifier: Apache-2.0
// An index and its table that are whole and do not fit one another: on which pages they differ.

import SQLiteFormat

/// On which pages an index and its table differ.
struct IndexDisagreement {
  /// The pages of the table with rows that the index does not have as they are.
  private let rowPages: Set<PageNumber>
  /// The pages of the index with entries that no row of the table gives.
  private let entryPages: Set<PageNumber>

  /// Compares an index with its table; nil where its keys cannot be computed from the rows, or there
  /// are very many.
  init?(of index: TreeSurvey, in survey: Survey) {
    guard let pair = IndexAndTable(index, in: survey) else { return nil }
    var rows: [KeyHash: PageNumber] = [:]
    pair.forEach(.rows) { stored in
      rows[pair.shape.key(of: stored)] = stored.page
      return true
    }
    var entryPages: Set<PageNumber> = []
    pair.forEach(.entries) { stored in
      if rows.removeValue(forKey: KeyHash(stored.record)) == nil { entryPages.insert(stored.page) }
      return true
    }
    self.entryPages = entryPages
    rowPages = Set(rows.values)
  }

  /// Whether the index is wrong, and not the table: what differs lies on few pages of the index, and
  /// its rows on many of the table, each of which would have to be of another moment.
  ///
  /// The other way round tells nothing: a program that writes rows without their index leaves their
  /// old entries all over it.
  var isOfIndex: Bool { rowPages.count >= 4 && entryPages.count * 4 <= rowPages.count }
}
