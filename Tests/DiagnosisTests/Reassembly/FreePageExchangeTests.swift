// SPDX-License-Identifier: Apache-2.0
// Leaves that have changed places with free pages.

import RescueTestSupport
import SQLiteFormat
import Testing

@testable import Diagnosis

struct FreePageExchangeTests {
  private static let rows = 600
  private static func filled(_ more: DatabaseBuilder.Step) -> [DatabaseBuilder.Step] {
    [
      "PRAGMA secure_delete = 0", "CREATE TABLE item (id INTEGER PRIMARY KEY, label TEXT)", more,
      """
      CREATE TABLE other (id INTEGER PRIMARY KEY, label TEXT);
      WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 600)
      INSERT INTO item SELECT i, printf('%05d', i * 7919 % 10007) || ' label' FROM n;
      INSERT INTO other SELECT id + 5000, label FROM item;
      DELETE FROM other WHERE id > 5100;
      """,
    ]
  }

  /// How many rows a table has, and how many have none, when a leaf of it has changed places with a
  /// page of the free list.
  private func rows(
    _ more: DatabaseBuilder.Step, swaps: Bool = true
  ) throws -> (found: Int, aside: Int, strange: Int) {
    let steps = Self.filled(more)
    var specimen = try Specimen(steps[0], steps[1], steps[2], steps[3])
    let leaf = specimen.pages(of: "item", "leaf")[4]
    let freelist = try #require(Survey(main: specimen.bytes).freelist)
    let free = try #require(freelist.leaves.last?.number)
    specimen = specimen.with(swaps ? .swapPages(leaf, free) : .zeroPage(leaf))
    let rebuilt = Reconstruction(main: specimen.bytes)
    let tree = try #require(rebuilt.survey.tree(named: "item"))
    let position = try #require(rebuilt.survey.position(of: tree))
    let image = try #require(rebuilt.survey.image)
    let rowIDs = (rebuilt.reassembly.assignments[position]?.pages ?? []).flatMap { page in
      (try? image.btreePage(page))?.soundCells?.compactMap(\.rowID) ?? []
    }
    return (
      rebuilt.rowsFound(in: tree), rebuilt.rowsWithoutTable.rows,
      rowIDs.count { !(1...600).contains($0) }
    )
  }

  @Test(arguments: [true, false], [true, false])
  func `an emptied table does not get rows back that stand in the place of another root`(
    isIndexed: Bool, bySwap: Bool
  ) throws {
    let specimen = try Specimen(
      "PRAGMA secure_delete = 0",
      """
      CREATE TABLE a (id INTEGER PRIMARY KEY, name TEXT, n INT);
      CREATE TABLE b (k TEXT, v BLOB, w REAL, x TEXT);
      """, isIndexed ? "CREATE INDEX names ON a (name)" : "CREATE TABLE c (x)",
      """
      WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 9)
      INSERT INTO a SELECT i, 'name ' || i, i * 5 FROM n;
      INSERT INTO b SELECT 'key ' || id, zeroblob(900), id / 2.0, 'x' FROM a;
      DELETE FROM b;
      """)
    let freelist = try #require(Survey(main: specimen.bytes).freelist)
    let image = try #require(Survey(main: specimen.bytes).image)
    let free = try #require(
      freelist.leaves.first { (try? image.btreePage($0))?.kind == .tableLeaf }
    ).number
    let root = specimen.pages(of: "a", "leaf")[0]
    let rebuilt = Reconstruction(
      main: specimen.with(bySwap ? .swapPages(root, free) : .copyPage(from: free, to: root)).bytes)
    let emptied = try #require(rebuilt.survey.tree(named: "b"))
    #expect(rebuilt.rowsFound(in: emptied) == 0)
    #expect(rebuilt.survey.verdict != .healthy)
  }

  @Test func `a leaf whose rows an index has comes back from the free list`() throws {
    let (found, _, strange) = try rows("CREATE INDEX labels ON item (label)")
    #expect(found == Self.rows)
    #expect(strange == 0)
  }

  @Test func `a leaf that only its keys speak for is set aside, and not lost`() throws {
    let (found, aside, strange) = try rows("CREATE TABLE lone (a)")
    #expect(found < Self.rows)
    // Rows that were deleted from another table are on the page that stands in its place.
    #expect(aside >= Self.rows - found)
    #expect(strange == 0)
  }

  @Test func `deleted rows of another table are not set aside where a leaf was destroyed`() throws {
    let (found, aside, _) = try rows("CREATE TABLE lone (a)", swaps: false)
    #expect(found < Self.rows)
    #expect(aside == 0)
  }
}
