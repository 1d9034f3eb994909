// SPDX-License-Identifier: Apache-2.0
// Roots of an earlier time: what is left in them is no row, and pages that they did not know come
// back by what indexes know.

import RescueTestSupport
import SQLiteFormat
import Testing

@testable import Diagnosis

@Suite struct OutgrownRootTests {
  private static let table: DatabaseBuilder.Step = """
    PRAGMA secure_delete = 0;
    CREATE TABLE item (id INTEGER PRIMARY KEY, title TEXT, sort INT);
    CREATE INDEX sorts ON item (sort, title);
    """

  private static func filled(_ ids: ClosedRange<Int>) -> DatabaseBuilder.Step {
    .init(
      """
      WITH RECURSIVE n (i) AS (SELECT \(ids.lowerBound) UNION ALL SELECT i + 1 FROM n
        WHERE i < \(ids.upperBound))
      INSERT INTO item SELECT i, 'title ' || (i * i), i % 60 FROM n
      """, [])
  }

  private func placed(_ bytes: Bytes) throws -> [Int64] {
    try placedRows(in: "item", of: bytes).compactMap(\.rowID).sorted()
  }

  @Test(arguments: [0x00, 0xFF] as [UInt8])
  func `what is left in a root of the time when it was a leaf is no row`(_ fill: UInt8) throws {
    let specimen = try Specimen(
      Self.table, Self.filled(1...1200), "DELETE FROM item WHERE id % 5 = 2")
    var bytes = specimen.bytes
    for tree in ["item", "sorts"] {
      let start = specimen[page: try specimen.root(of: tree)].lowerBound
      bytes.replaceSubrange(start..<(start + 100), with: Bytes(repeating: fill, count: 100))
    }
    #expect(try placed(bytes) == (1...1200).filter { $0 % 5 != 2 }.map(Int64.init))
  }

  @Test func `pages that an older root did not know come back where a sound index has their rows`()
    throws
  {
    let older = try Specimen(Self.table, Self.filled(1...300))
    let specimen = try Specimen(
      Self.table, Self.filled(1...300), "DELETE FROM item WHERE id % 7 = 3",
      Self.filled(301...1500),
      "DELETE FROM item WHERE id % 11 = 3")
    let root = try specimen.root(of: "item")
    #expect(try older.root(of: "item") == root)
    var bytes = specimen.bytes
    bytes.replaceSubrange(specimen[page: root], with: older.bytes[older[page: root]])
    let live = (1...1500).filter { ($0 > 300 || $0 % 7 != 3) && $0 % 11 != 3 }
    #expect(try placed(bytes) == live.map(Int64.init))
  }

  @Test func `rows of before a split drive no sound page out of its place`() throws {
    let ids = Set((1...900).map(Int64.init))
    let specimen = try Specimen(
      Self.table, "DROP INDEX sorts",
      """
      WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 900)
      INSERT INTO item SELECT i, 'title ' || (i * i), 1 FROM n ORDER BY i * 7919 % 907
      """)
    for leaf in specimen.pages(of: "item", "leaf") {
      let number = try #require(PageNumber(leaf))
      var bytes = specimen.bytes
      let start = specimen[page: leaf].lowerBound
      bytes.replaceSubrange(start..<(start + 100), with: Bytes(repeating: 0xFF, count: 100))
      let own = try placedRows(in: "item", of: specimen.bytes).filter { $0.page == number }
      let others = ids.subtracting(own.compactMap(\.rowID))
      #expect(others.subtracting(try placed(bytes)) == [], "page \(leaf)")
    }
  }

  @Test func `a freeblock with a wrong size takes no row that the pointers lead to`() throws {
    let specimen = try Specimen(Self.table, Self.filled(1...600), "DELETE FROM item WHERE id = 200")
    var bytes = specimen.bytes
    let leaf = try #require(
      specimen.pages(of: "item", "leaf").first {
        bytes.big16(at: specimen[page: $0].lowerBound + 1) != 0
      })
    let start = specimen[page: leaf].lowerBound
    let block = start + (bytes.big16(at: start + 1) ?? 0)
    bytes.replaceSubrange((block + 2)..<(block + 4), with: [0, 200])
    #expect(try placed(bytes) == (1...600).filter { $0 != 200 }.map(Int64.init))
  }
}
