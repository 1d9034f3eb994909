// SPDX-License-Identifier: Apache-2.0
// Rows without an entry in an index, and entries without a row, although the leaf is there that would
// hold them: table and index are of different moments, also where pages of both are missing.
//
//   leaf of the index    ant · bee · fly          leaves behind it are missing
//   rows                 ant · bee · cat · fly    'cat' would be on that leaf

import SQLiteFormat

/// Rows and entries without each other, on leaves that are there.
struct MissingPartners {
  /// The pages of each that was found: that of the row or entry, and the leaf that lacks the other.
  private(set) var pages: [(PageNumber, PageNumber)] = []
  /// Those of them that are the table's.
  private(set) var tablePages: Set<PageNumber> = []
  /// Those of them that are the index's.
  private(set) var indexPages: Set<PageNumber> = []

  /// How many prove it.
  private static let enough = 3

  /// The rows or entries of a tree as far as they can be read, and its leaves, each from its first
  /// to its last.
  private struct Content<Key> {
    var keys: Set<KeyHash> = []
    var leaves: [(page: PageNumber, first: Key, last: Key)] = []

    /// The leaf that begins before a place and ends behind it.
    func leaf(from isBefore: (Key) -> Bool, to isBehind: (Key) -> Bool) -> PageNumber? {
      let next = leaves.partitioningIndex { !isBefore($0.first) }
      return next > 0 && isBehind(leaves[next - 1].last) ? leaves[next - 1].page : nil
    }
  }

  /// Compares an index with its table, and looks for so many; nil where its entries cannot be
  /// computed from the rows, or there are very many.
  init?(of index: TreeSurvey, in survey: Survey, upTo most: Int = Self.enough) {
    guard let pair = IndexAndTable(index, in: survey), pair.table.isRowIDTable,
      let order = survey.keyOrder(of: index)
    else { return nil }
    let shape = pair.shape
    let entries = Self.content(of: pair, .entries) { stored in
      (try? stored.record.values).map { (KeyHash(stored.record), $0) }
    }
    let rows = Self.content(of: pair, .rows) { stored in
      stored.rowID.map { (shape.key(of: stored), $0) }
    }
    pair.forEach(.rows) { stored in
      if !entries.keys.contains(shape.key(of: stored)) {
        let key = shape.values(of: stored)
        let leaf = entries.leaf {
          order.compare($0, key) < 0
        } to: {
          order.compare(key, $0) < 0
        }
        if let leaf {
          pages.append((stored.page, leaf))
          tablePages.insert(stored.page)
          indexPages.insert(leaf)
        }
      }
      return pages.count < most
    }
    pair.forEach(.entries) { stored in
      // The last field of an entry is the rowid: file format, section 2.4.
      if !rows.keys.contains(KeyHash(stored.record)),
        let rowID = (try? stored.record.values)?.last?.integerValue,
        let leaf = rows.leaf(from: { $0 < rowID }, to: { rowID < $0 })
      {
        pages.append((stored.page, leaf))
        tablePages.insert(leaf)
        indexPages.insert(stored.page)
      }
      return pages.count < most
    }
  }

  /// Whether there are enough to prove that index and table are of different moments.
  var isProof: Bool { pages.count >= Self.enough }

  private static func content<Key>(
    of pair: IndexAndTable, _ side: IndexAndTable.Side,
    key: (StoredRecord) -> (hash: KeyHash, place: Key)?
  ) -> Content<Key> {
    var content = Content<Key>()
    pair.forEach(side) { stored in
      guard let (hash, place) = key(stored) else { return true }
      content.keys.insert(hash)
      if content.leaves.last?.page == stored.page {
        content.leaves[content.leaves.count - 1].last = place
      } else {
        content.leaves.append((stored.page, place, place))
      }
      return true
    }
    // Between the entries of an interior page lie those of others, which may be missing.
    content.leaves.removeAll { (try? pair.image.btreePage($0.page))?.kind.isLeaf != true }
    return content
  }
}

extension IndexShape {
  /// The entry that the index should have for a row.
  func values(of stored: StoredRecord) -> [Value] {
    fields.map { field in
      switch field {
      case .rowID: .integer(stored.rowID ?? 0)
      case .stored(let place, let defaultValue): stored.record.value(place) ?? defaultValue
      }
    }
  }
}
