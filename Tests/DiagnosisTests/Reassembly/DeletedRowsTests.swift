// SPDX-License-Identifier: Apache-2.0
// Pages of deleted rows that could be taken for those of their table.

import DatabaseRescue
@testable import Diagnosis
import RescueTestSupport
import SQLiteFormat
import Testing

@Suite struct DeletedRowsTests {
  private static let filled: DatabaseBuilder.Step = """
    CREATE TABLE item (id INTEGER PRIMARY KEY, label TEXT);
    CREATE INDEX labels ON item (label);
    WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 600)
    INSERT INTO item SELECT i, printf('%05d', i * 7919 % 10007) || ' label' FROM n;
    """
  private static let deleted: DatabaseBuilder.Step = "DELETE FROM item WHERE id BETWEEN 200 AND 400"
  private static let left = 399

  /// How many rows the table has, and the rowids of those on whole pages that were deleted.
  private func rows(in rebuilt: Reconstruction) throws -> (found: Int, revived: [Int64]) {
    let tree = try #require(rebuilt.survey.tree(named: "item"))
    let image = try #require(rebuilt.survey.image)
    let position = try #require(rebuilt.survey.position(of: tree))
    let pages = rebuilt.reassembly.assignments[position]?.pages ?? []
    let rowIDs = pages.flatMap { page in
      (try? image.btreePage(page))?.soundCells?.compactMap(\.rowID) ?? []
    }
    return (rebuilt.rowsFound(in: tree), rowIDs.filter { (200...400).contains($0) })
  }

  @Test func `pages of the free list to which an older root leads stay out of the table`() throws {
    let older = try Specimen(Self.filled)
    var specimen = try Specimen(Self.filled, Self.deleted)
    let root = try specimen.root(of: "item")
    #expect(try older.root(of: "item") == root)
    specimen.bytes.replaceSubrange(older[page: root], with: older.bytes[older[page: root]])
    let damaged = specimen.with(.zeroPage(specimen.pages(of: "labels", "leaf")[2]))
    let (found, revived) = try rows(in: Reconstruction(main: damaged.bytes))
    #expect(revived == [])
    #expect((Self.left - 30...Self.left).contains(found))
  }

  @Test func `the free list is found that the header of an earlier time does not know`() throws {
    let specimen = try Specimen(
      """
      CREATE TABLE item (id INTEGER PRIMARY KEY, label TEXT);
      WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 600)
      INSERT INTO item SELECT i, i || ' label' FROM n;
      """, Self.deleted)
    var bytes = specimen.with(.zeroPage(try specimen.root(of: "item"))).bytes
    // It counts fewer pages, and none of them is free.
    let pageCount = try #require(bytes.big32(at: 28))
    bytes.replaceSubrange(28..<32, with: [0, 0, 0, UInt8(pageCount / 2)])
    bytes.replaceSubrange(32..<40, with: Bytes(repeating: 0, count: 8))
    let (found, revived) = try rows(in: Reconstruction(main: bytes))
    #expect(revived == [])
    #expect(found == Self.left)
  }

  @Test
  func `the free list is found that nothing leads to, and of whose numbers a few are damaged`()
    throws
  {
    var specimen = try Specimen(
      """
      CREATE TABLE item (id INTEGER PRIMARY KEY, label TEXT);
      WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 6000)
      INSERT INTO item SELECT i, i || ' label' FROM n;
      """, "DELETE FROM item WHERE id BETWEEN 2000 AND 4000")
    let trunk = Int(try #require(specimen.bytes.big32(at: 32)))
    // One bit of where the list begins, and one of a page that it names.
    specimen.bytes[33] ^= 4
    specimen.bytes[specimen[page: trunk].lowerBound + 8 + 1] ^= 4
    specimen = specimen.with(.zeroPage(try specimen.root(of: "item")))
    let rebuilt = Reconstruction(main: specimen.bytes)
    let placed = try placedRows(in: "item", of: specimen.bytes).compactMap(\.rowID)
    #expect(placed.count { !(2000...4000).contains($0) } == 3999)
    let revived = placed.count { (2000...4000).contains($0) }
    #expect(revived < 200, "of the page that is not named")
    #expect(rebuilt.survey.freelist?.count == 0)
  }

  @Test func `pages of deleted rows stay out of a table whose index does not know them`() throws {
    var specimen = try Specimen(Self.filled, Self.deleted)
    let trunk = try #require(specimen.bytes.big32(at: 32))
    for page in [
      Int(trunk), try specimen.root(of: "item"), specimen.pages(of: "labels", "leaf")[2],
    ] {
      specimen = specimen.with(.zeroPage(page))
    }
    let (found, revived) = try rows(in: Reconstruction(main: specimen.bytes))
    #expect(revived == [])
    // A page that was freed has some of the rows that moved to another one: both stay out.
    #expect((Self.left - 40...Self.left).contains(found))
  }
}
