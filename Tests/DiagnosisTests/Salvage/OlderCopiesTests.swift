// SPDX-License-Identifier: Apache-2.0
// Rows of a destroyed page that older copies of other pages still have.

import DatabaseRescue
import RescueTestSupport
import SQLiteFormat
import Testing

@testable import Diagnosis

@Suite struct OlderCopiesTests {
  private static let pageSize = 512

  /// A database of rows with even ids, and a log in which leaves are divided by rows between them;
  /// rows elsewhere are deleted.
  private func build(_ columns: String) throws -> (main: Bytes, log: Bytes) {
    let scratch = try ScratchFolder()
    let path = scratch["app.db"]
    func insert(_ ids: String) -> String {
      """
      WITH RECURSIVE n (i) AS (SELECT 2 UNION ALL SELECT i + 1 FROM n WHERE i < 800)
      INSERT INTO note SELECT i, 'body ' || i FROM n WHERE \(ids)
      """
    }
    try DatabaseBuilder(
      pageSize: Self.pageSize, journal: .wal,
      ["CREATE TABLE note (\(columns)", "\(insert("i % 2 = 0"))"],
      leftover: .wal([
        "\(insert("i % 2 = 1 AND i BETWEEN 300 AND 400"))",
        "DELETE FROM note WHERE id BETWEEN 602 AND 606",
      ])
    ).build(at: path)
    return (try path.contents(), try path.adding(suffix: "-wal").contents())
  }

  /// The key of a row.
  private func key(_ row: StoredRecord) -> Int64? {
    if let rowID = row.rowID { return rowID }
    guard case .integer(let key)? = row.record.value(0) else { return nil }
    return key
  }

  @Test(arguments: [
    "id INTEGER PRIMARY KEY, body TEXT)", "id INT PRIMARY KEY, body TEXT) WITHOUT ROWID",
  ])
  func `rows that moved to a page that is destroyed are found where they were before`(
    _ columns: String
  ) throws {
    let main: Bytes
    var log: Bytes
    (main, log) = try build(columns)
    let whole = try #require(Survey(main: main, wal: log).image)
    let added = (main.count / Self.pageSize + 1)...whole.pageCount
    let first: (page: Int, keys: [Int64])? =
      added.firstResult { number -> (page: Int, keys: [Int64])? in
        guard let page = PageNumber(number).flatMap({ try? whole.btreePage($0) }),
          page.kind.isLeaf
        else { return nil }
        let keys = whole.cells(of: page).cells.compactMap { cell -> Int64? in
          guard let record = try? whole.record(of: cell, on: page).record else { return nil }
          return key(StoredRecord(rowID: cell.rowID, record: record, page: page.number, offset: 0))
        }.filter { $0 % 2 == 0 }
        return keys.isEmpty ? nil : (number, keys)
      }
    let moved = try #require(first)
    for frame in stride(from: 32, to: log.count, by: 24 + Self.pageSize)
    where log.big32(at: frame).map(Int.init) == moved.page {
      log.replaceSubrange(
        (frame + 24)..<(frame + 24 + Self.pageSize), with: Bytes(repeating: 0, count: Self.pageSize)
      )
    }
    let reader = try #require(SalvageReader(Reconstruction(main: main, wal: log)))
    var found: Set<Int64> = []
    reader.readReplicas { replica in
      if replica.table?.entry.name == "note", let key = key(replica.stored) { found.insert(key) }
    }
    #expect(found.isSuperset(of: moved.keys))
    // Where nothing is missing, what is not there any more was deleted.
    #expect(found.allSatisfy { (250...450).contains($0) })
  }

  @Test(arguments: [
    "id INTEGER PRIMARY KEY, body TEXT)", "id INT PRIMARY KEY, body TEXT) WITHOUT ROWID",
  ])
  func `rows of older copies are found where nothing tells any more whose the page was`(
    _ columns: String
  ) throws {
    var (main, log) = try build(columns)
    let older = try #require(Survey(main: main).image)
    let root = try #require(PageNumber(2))
    func blank(_ bytes: inout Bytes, at offset: Int) {
      bytes.replaceSubrange(
        offset..<(offset + Self.pageSize), with: Bytes(repeating: 0, count: Self.pageSize))
    }
    // The root is lost in both, and what the log has of some leaves.
    var covered: Set<Int64> = []
    for frame in stride(from: 32, to: log.count, by: 24 + Self.pageSize) {
      guard let number = log.big32(at: frame).map(Int.init).flatMap({ PageNumber($0) }),
        number == root || number.number.isMultiple(of: 4), log.big32(at: frame + 4) == 0
      else { continue }
      blank(&log, at: frame + 24)
      guard number != root, let page = try? older.btreePage(number), page.kind.isLeaf else {
        continue
      }
      covered.formUnion(
        older.cells(of: page).cells.compactMap { cell in
          (try? older.record(of: cell, on: page).record).flatMap { record in
            key(StoredRecord(rowID: cell.rowID, record: record, page: number, offset: 0))
          }
        })
    }
    blank(&main, at: Self.pageSize)
    try #require(covered.count > 10)
    let reader = try #require(SalvageReader(Reconstruction(main: main, wal: log)))
    var found: Set<Int64> = []
    reader.readReplicas { replica in
      if let key = key(replica.stored) { found.insert(key) }
    }
    #expect(covered.subtracting(found) == [])
  }
}
