// SPDX-License-Identifier: Apache-2.0
// Leaves without their beginning to which no tree leads any more, and roots that were leaves once.

import DatabaseRescue
@testable import Diagnosis
import RescueTestSupport
import SQLiteFormat
import Testing

@Suite struct HeadlessOrphanTests {
  private static let items: DatabaseBuilder.Step = """
    PRAGMA secure_delete = 0;
    CREATE TABLE item (id INTEGER PRIMARY KEY, title TEXT, sort INT);
    WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 300)
    INSERT INTO item SELECT i, 'title ' || (i * i), i % 60 FROM n;
    """

  /// The rows that a salvage puts into `item`, and those that it sets aside, by rowid.
  private func rows(_ bytes: Bytes) throws -> (placed: [Int64], aside: [Int64]) {
    let survey = Survey(main: bytes)
    let reader = try #require(SalvageReader(Reconstruction(survey)))
    var claims = reader.startingClaims
    var (placed, aside): ([Int64], [Int64]) = ([], [])
    func take(_ item: SalvagedItem) {
      switch item {
      case .row(_, let row): placed += [row.rowID].compactMap(\.self)
      case .doubtful(_, let row, _): aside += [row.rowID].compactMap(\.self)
      default: break
      }
    }
    reader.read(try #require(survey.tree(named: "item")), &claims, take)
    reader.readOrphans(&claims, take)
    return (placed.sorted(), aside)
  }

  /// Overwrites the beginning of a page.
  private func overwrite(_ bytes: inout Bytes, _ page: Range<Int>, _ head: Bytes) {
    bytes.replaceSubrange(page.prefix(head.count), with: head)
  }

  @Test(arguments: ["\u{1}\u{2}garbage that was written over it", "\u{FF}\u{FF}", "{\"json\": 1}"])
  func `a leaf without its head is looked at although no root leads to it`(_ text: String) throws {
    let specimen = try Specimen(Self.items)
    let root = try specimen.root(of: "item")
    let leaf = specimen.pages(of: "item", "leaf")[3]
    var bytes = specimen.with(.zeroPage(root)).bytes
    overwrite(&bytes, specimen[page: leaf], Bytes(text.utf8))
    let (placed, aside) = try rows(bytes)
    #expect(Set(placed + aside).isSuperset(of: 1...300))
    #expect(placed.count > 260)
  }

  @Test func `a leaf whose rows nothing proves drives no others out`() throws {
    // The title of row 200 ends with what can be a row of rowid 1.
    let specimen = try Specimen(
      Self.items, "UPDATE item SET sort = x'7878030102016F' WHERE id = 200")
    let number = try #require(
      try placedRows(in: "item", of: specimen.bytes).first { $0.rowID == 200 }?.page.number)
    var bytes = specimen.with(.zeroPage(try specimen.root(of: "item"))).bytes
    overwrite(&bytes, specimen[page: number], Bytes(repeating: 0xFF, count: 100))
    let (placed, aside) = try rows(bytes)
    #expect(placed.count > 260 && Set(placed + aside).isSuperset(of: 1...300))
  }

  /// Items and files of which one has a long value, without the roots of either, and without a free
  /// list; and the last page of that value.
  private func lost(_ change: (inout Bytes, Range<Int>, Specimen) throws -> Void) throws -> Bytes {
    let specimen = try Specimen(
      Self.items,
      """
      CREATE TABLE file (id INTEGER PRIMARY KEY, body);
      WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 80)
      INSERT INTO file SELECT i, iif(i = 40, zeroblob(3000), 'file ' || i) FROM n;
      """)
    let last = try #require(
      specimen.pages(of: "file", "overflow").map { specimen[page: $0] }
        .first { specimen.bytes[$0].prefix(4).allSatisfy { $0 == 0 } })
    var bytes = specimen.with(.zeroPage(try specimen.root(of: "item")))
      .with(.zeroPage(try specimen.root(of: "file"))).bytes
    // The free list begins with a leaf.
    let leaf = specimen.pages(of: "item", "leaf")[3]
    bytes.replaceSubrange(32..<40, with: [0, 0, UInt8(leaf >> 8), UInt8(leaf & 0xFF), 0, 0, 0, 2])
    try change(&bytes, last, specimen)
    return bytes
  }

  @Test func `the end of a long value is no free list`() throws {
    let bytes = try lost { bytes, last, specimen in
      let leaf = specimen.pages(of: "item", "leaf")[1]
      bytes.replaceSubrange(
        last.dropFirst(4).prefix(8), with: [0, 0, 0, 1, 0, 0, UInt8(leaf >> 8), UInt8(leaf & 0xFF)])
    }
    let (placed, aside) = try rows(bytes)
    #expect(Set(placed + aside).isSuperset(of: 1...300))
  }

  @Test func `the end of a long value is no leaf without its head`() throws {
    let bytes = try lost { bytes, last, specimen in
      // What stands in it was a leaf of such a table in another file.
      let leaf = specimen[page: specimen.pages(of: "item", "leaf")[1]]
      bytes.replaceSubrange(last.dropFirst(8), with: specimen.bytes[leaf.dropFirst(8)])
      for place in last.dropFirst(8) where bytes[place...].starts(with: Bytes("title ".utf8)) {
        bytes[place] = UInt8(ascii: "T")
      }
    }
    let (placed, aside) = try rows(bytes)
    #expect((placed + aside).filter { $0 <= 300 }.count <= 380)
    #expect(Set(placed + aside).isSuperset(of: 1...300))
  }

  @Test(arguments: [0x00, 0xFF] as [UInt8], [8, 18])
  func `a root that pointers of before list is no leaf where a leaf has its cells`(
    _ fill: UInt8, _ count: Int
  ) throws {
    let specimen = try Specimen(
      """
      PRAGMA secure_delete = 0;
      CREATE TABLE item (id INTEGER PRIMARY KEY, title TEXT);
      WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 60)
      INSERT INTO item SELECT i, 'title ' || (i * i) FROM n;
      """, "DELETE FROM item WHERE id IN (7, 11, 12)")
    let root = try specimen.root(of: "item")
    var bytes = specimen.bytes
    overwrite(&bytes, specimen[page: root], Bytes(repeating: fill, count: count))
    #expect(try rows(bytes).placed == (1...60).filter { ![7, 11, 12].contains($0) })
  }

  @Test func `leaves of a table WITHOUT ROWID come back where its root was a leaf once`() throws {
    let specimen = try Specimen()
    let root = try specimen.root(of: "word")
    let whole = try placedRows(in: "word", of: specimen.bytes)
    var bytes = specimen.bytes
    overwrite(&bytes, specimen[page: root], Bytes(repeating: 0, count: 8))
    let placed = try placedRows(in: "word", of: bytes)
    #expect(placed.count == whole.count(where: { $0.page.number != root }))
    #expect(placed.allSatisfy { $0.page.number != root })
  }
}
