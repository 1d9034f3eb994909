// SPDX-License-Identifier: Apache-2.0
// Several versions of one row: the pages of a table keep what an update left behind.
//
// An index proves that a row is there, and not which version of it, where what was changed is in no
// index. A version that its page vouches for is the one; where none is, none is.

import SQLiteFormat

extension SalvageReader {
  /// The rowids of rows that an index proves and their pages do not, and of which the pages of the
  /// table have another version.
  func contestedRows(of assignment: Reassembly.Assignment) -> Set<Int64> {
    let pages = pages
    var versions: [Int64: UInt64] = [:]
    var contested: Set<Int64> = []
    forEachLeaf(of: assignment, in: pages) { leaf in
      let listed = Set(leaf.content.listed)
      for cell in leaf.content.doubtful where !listed.contains(cell) {
        guard let rowID = cell.rowID, let record = pages.record(of: cell, on: leaf.page),
          assignment.proves(StoredRecord(record, of: cell, on: leaf.page))
        else { continue }
        let version = KeyHash(record).digest
        if versions[rowID, default: version] != version { contested.insert(rowID) }
        versions[rowID] = version
      }
    }
    guard !versions.isEmpty else { return [] }
    forEachLeaf(of: assignment, in: pages) { leaf in
      let vouched = (leaf.content.cells + leaf.content.listed).compactMap(\.rowID)
      contested.formUnion(vouched.filter { versions[$0] != nil })
    }
    return contested
  }

  private func forEachLeaf(
    of assignment: Reassembly.Assignment, in pages: PageReader, _ body: (PageReading) -> Void
  ) {
    for number in assignment.pages {
      guard let reading = pages.reading(of: number, isTable: true),
        reading.page.kind == .tableLeaf
      else { continue }
      body(reading)
    }
  }
}
