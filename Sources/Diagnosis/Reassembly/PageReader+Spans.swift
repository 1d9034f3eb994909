// SPDX-License-Identifier: Apache-2.0
// Where the rows of a page stand, and which pages are copies of others.

import SQLiteFormat

extension PageReader {
  /// The span of a page of rows; nil when none can be read.
  func span(of page: PageNumber, isTable: Bool) -> LeafSpan? {
    let rows = rows(on: page, isTable: isTable)
    let rowIDs = rows.compactMap(\.rowID)
    if !rowIDs.isEmpty {
      // A few damaged rowids must not stretch the page over the whole table.
      let ascent = rowIDs.longestAscent(by: <)
      guard let first = ascent.first, let last = ascent.last else { return nil }
      return LeafSpan(
        page: page, first: .rowID(rowIDs[first]), last: .rowID(rowIDs[last]), rows: rows.count)
    }
    guard let first = rows.first, let last = rows.last else { return nil }
    let isSound = reading(of: page, isTable: isTable)?.content.layoutFault == nil
    return LeafSpan(
      page: page, first: KeyPlace(first), last: KeyPlace(last), rows: rows.count,
      unordered: isSound ? [] : rows.ofOneForm.map { KeyPlace($0) })
  }

  /// Those of some pages that are copies of other ones, byte by byte: what was written to the
  /// wrong place also stands in the right one.
  func copies(among pages: [PageNumber]) -> Set<PageNumber> {
    guard !pages.isEmpty else { return [] }
    var suspects: [Int: [PageNumber]] = [:]
    // Few other pages are worth being hashed whole.
    var glances: Set<UInt64> = []
    for page in pages {
      if let bytes = try? image.bytes(of: page) {
        suspects[bytes.hashValue, default: []].append(page)
        glances.insert(bytes.glance)
      }
    }
    var copies: Set<PageNumber> = []
    let suspected = Set(pages)
    for page in image.dataPages where !suspected.contains(page) {
      guard let bytes = try? image.bytes(of: page), glances.contains(bytes.glance),
        let alike = suspects[bytes.hashValue]
      else { continue }
      // What is known to be a copy is not looked at again: whole files are of one content.
      let found = alike.filter { (try? image.bytes(of: $0)) == bytes }
      guard !found.isEmpty else { continue }
      copies.formUnion(found)
      suspects[bytes.hashValue] = alike.filter { !copies.contains($0) }
    }
    return copies
  }
}

extension [StoredRecord] {
  /// Those with as many fields as most of them have: a few bytes may look like a row.
  fileprivate var ofOneForm: [StoredRecord] {
    let counts = Dictionary(grouping: self, by: \.record.fieldCount)
    return counts.max { ($0.value.count, $0.key) < ($1.value.count, $1.key) }?.value ?? []
  }
}
