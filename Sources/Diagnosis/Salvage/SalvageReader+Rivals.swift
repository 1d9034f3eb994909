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
    var versions: [Int64: UInt64] = [:]
    var contested: Set<Int64> = []
    forEachRow(of: assignment, isVouched: false) { row in
      guard let rowID = row.rowID, assignment.proves(row) else { return }
      let version = KeyHash(row.record).digest
      if versions[rowID, default: version] != version { contested.insert(rowID) }
      versions[rowID] = version
    }
    guard !versions.isEmpty else { return [] }
    forEachRow(of: assignment, isVouched: true) { row in
      guard let rowID = row.rowID, versions[rowID] != nil else { return }
      contested.insert(rowID)
    }
    return contested
  }

  /// The rows of the pages of a table that their pages vouch for, or the others.
  private func forEachRow(
    of assignment: Reassembly.Assignment, isVouched: Bool, _ body: (StoredRecord) -> Void
  ) {
    // In a hostile file, every cell may lead into the same long chain.
    var patience = image.pageCount
    for number in assignment.pages {
      guard let reading = try? image.reading(of: number, as: [.tableLeaf, .tableInterior]),
        reading.page.kind == .tableLeaf
      else { continue }
      let content = reading.content
      let listed = Set(content.listed)
      let others = content.doubtful.filter { !listed.contains($0) }
      for cell in isVouched ? content.cells + content.listed : others where patience > 0 {
        patience -= image.pagesToFollow(for: cell)
        guard let record = try? image.record(of: cell, on: reading.page).record else { continue }
        body(StoredRecord(rowID: cell.rowID, record: record, page: number, offset: cell.offset))
      }
    }
  }
}
