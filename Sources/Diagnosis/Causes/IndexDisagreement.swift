// SPDX-License-Identifier: Apache-2.0
// An index and its table that can be read and do not fit one another: in which rows, and on which
// pages.
//
//   a leaf of the index is older      few pages of the index, rows of many pages of the table
//   a leaf of the table is older      few pages of the table, entries of many pages of the index
//
// Of an index whose keys follow the rowids, neither is seen.

import SQLiteFormat

/// Where an index and its table differ.
struct IndexDisagreement {
  /// The index.
  let index: Name
  /// The table.
  let table: Name
  /// The rows that the two do not have alike.
  let rowIDs: Set<Int64>
  /// How many entries no row of the table gives.
  let entryCount: Int
  /// The columns in which they differ, by their places in a record, of each row that both have.
  private let changes: [Set<Int>]
  /// How many pages the index has.
  private let indexPageCount: Int
  /// The pages of the table with rows that the index does not have as they are, and those that would
  /// hold the rows of its entries.
  private var tablePages: Set<PageNumber>
  /// The pages of the index with entries that no row of the table gives, and those that would hold
  /// the entries of its rows.
  private var indexPages: Set<PageNumber>

  /// The most rows and entries without each other for which pages are looked for.
  private static let partnersMax = 1 << 12

  /// Compares an index with its table; nil where its keys cannot be computed from the rows, or the
  /// table has no rowids, or there are very many.
  init?(of index: TreeSurvey, in survey: Survey) {
    guard let pair = IndexAndTable(index, in: survey), pair.table.isRowIDTable else { return nil }
    self.index = index.entry.name
    table = pair.table.entry.name
    let shape = pair.shape
    var rows: [KeyHash: (page: PageNumber, rowID: Int64)] = [:]
    pair.forEach(.rows) { stored in
      rows[shape.key(of: stored)] = (stored.page, stored.rowID ?? 0)
      return true
    }
    var entries: [Int64: [Value]] = [:]
    var (count, entryPages): (Int, Set<PageNumber>) = (0, [])
    pair.forEach(.entries) { stored in
      guard rows.removeValue(forKey: KeyHash(stored.record)) == nil else { return true }
      count += 1
      entryPages.insert(stored.page)
      // The last field of an entry is the rowid: file format, section 2.4.
      if let values = try? stored.record.values, let rowID = values.last?.integerValue {
        entries[rowID] = values
      }
      return true
    }
    let unknown = Set(rows.values.map(\.rowID))
    var changes: [Set<Int>] = []
    if !entries.isEmpty {
      pair.forEach(.rows) { stored in
        guard let rowID = stored.rowID, unknown.contains(rowID), let entry = entries[rowID] else {
          return true
        }
        changes.append(shape.places(in: shape.values(of: stored), otherThan: entry))
        return true
      }
    }
    self.changes = changes
    indexPageCount = index.pages
    entryCount = count
    rowIDs = unknown.union(entries.keys)
    tablePages = Set(rows.values.map(\.page))
    indexPages = entryPages
    if let partners = MissingPartners(of: index, in: survey, upTo: Self.partnersMax) {
      tablePages.formUnion(partners.tablePages)
      indexPages.formUnion(partners.indexPages)
    } else {
      // Where the entries would be that are missing is not known.
      indexPages.removeAll()
    }
  }

  /// Whether the index is wrong, and not the table: what differs lies on few pages of the index, and
  /// on many of the table, each of which would have to be of another moment.
  var isOfIndex: Bool {
    !indexPages.isEmpty && tablePages.count >= 4 && indexPages.count * 4 <= tablePages.count
  }

  /// Whether the index does not differ nearly everywhere.
  ///
  /// That an index of few pages has fewer than its table tells nothing where its own are a mixture.
  var isLocal: Bool { indexPages.count == 1 || indexPages.count * 2 <= indexPageCount }

  /// Whether it is the table that may be older: what differs lies on few of its pages, and on many of
  /// the index.
  var isOfTable: Bool {
    !tablePages.isEmpty && indexPages.count >= 4 && tablePages.count * 4 <= indexPages.count
  }

  /// Whether an index that agrees with the table would not, were the table the one that is wrong: it
  /// has a column of each row in which the two differ.
  func isRefuted(by other: IndexShape) -> Bool {
    let places = Set(
      other.fields.compactMap { field in
        if case .stored(let place, _) = field { place } else { nil }
      })
    return changes.allSatisfy { !$0.isDisjoint(with: places) }
  }
}

extension IndexShape {
  /// The places in a record of the values in which an entry differs from another one.
  fileprivate func places(in values: [Value], otherThan entry: [Value]) -> Set<Int> {
    var places: Set<Int> = []
    for (field, pair) in zip(fields, zip(values, entry)) where pair.0 != pair.1 {
      if case .stored(let place, _) = field { places.insert(place) }
    }
    return places
  }
}
