// SPDX-License-Identifier: Apache-2.0
// Cells of pages without their beginning: what can still be read is kept, also where other cells
// seem to lie there.

import RescueTestSupport
import SQLiteFormat
import Testing

@Suite struct DoubtfulCellTests {
  /// Overwrites the header of a leaf, and so many pointers, with zeros.
  private static func behead(_ page: inout Bytes, _ pointers: Int) {
    page.set(Bytes(repeating: 0, count: 8 + 2 * pointers), at: 0)
  }

  @Test func `a short cell alone between freeblocks is kept`() throws {
    let page = DamagedPage(
      PageMaker(cells: (1...9).map { .tableCell(rowID: $0, .record(text: "\($0)")) }))
    let reading = try page.read { page in
      let (upper, lower) = (page.bigEndian16(at: 8 + 2 * 3), page.bigEndian16(at: 8 + 2 * 5))
      for (block, next) in [(lower, upper), (upper, 0)] {
        page.setBig16(next, at: block)
        page.setBig16(5, at: block + 2)
      }
      Self.behead(&page, 9)
    }
    #expect(reading.doubtful.sorted() == [1, 2, 3, 5, 7, 8, 9])
  }

  @Test(arguments: [0, 3])
  func `of two cells that share bytes, both are kept`(_ fragment: Int) throws {
    let rows = (1...8).map { rowID in
      Bytes.tableCell(rowID: rowID, .record(text: "row \(rowID)"))
    }
    let page = DamagedPage(PageMaker(cells: rows))
    let older = Bytes.tableCell(rowID: 99, .record(text: String(repeating: "long ago ", count: 9)))
    let reading = try page.read { page in
      // The older row was where the newest one is now, and fragments of fewer than four bytes.
      let newest = page.bigEndian16(at: 8 + 2 * 7)
      let end = newest + rows[7].count
      page.set(Bytes(older.dropLast(end - newest)), at: end - older.count)
      page.set(rows[7], at: newest)
      if fragment > 0 {
        page.set(Bytes(page[newest..<end]), at: newest - fragment)
        page.set(Bytes(repeating: 0x61, count: fragment), at: end - fragment)
      }
      Self.behead(&page, 8)
    }
    #expect(Set(reading.doubtful).isSuperset(of: [1, 2, 3, 4, 5, 6, 7, 99]))
    #expect(reading.doubtful.contains(8) == (fragment == 0), "nothing begins where it ends")
  }

  @Test func `where a start leads into the content, what lies before it is kept`() throws {
    let reading = try DamagedPage.leaf(20).read { page in
      let middle = page.bigEndian16(at: 8 + 2 * 9)
      page.set(Bytes("xxxxx".utf8), at: 0)
      page.setBig16(middle, at: 5)
    }
    #expect(reading.doubtful.sorted() == Array(1...20))
  }

  @Test func `a cell over which the start lies is kept`() throws {
    var maker = DamagedPage.leaf(20).maker
    // The text of row 10 ends with what can be a cell.
    maker.cells[9] = .tableCell(rowID: 10, .record(text: "begins\u{3}\u{1}\u{2}\u{F}a"))
    let reading = try DamagedPage(maker).read { page in
      let inner = page.bigEndian16(at: 8 + 2 * 9) + maker.cells[9].count - 5
      page.set(Bytes("xxxxx".utf8), at: 0)
      page.setBig16(inner, at: 5)
      page.setBig16(inner, at: 8 + 2 * 20)
    }
    #expect(Set(reading.doubtful).isSuperset(of: 1...20))
  }

  @Test func `entries of an interior page are kept where it looks like a leaf of before`() throws {
    let older = Bytes.record(text: String(repeating: "old", count: 30))
    let maker = PageMaker(kind: .indexLeaf, cells: [Bytes.varint(UInt64(older.count)) + older])
    let entries = ["first key", "second key"].map { Bytes.record(text: $0) }
    let reading = try DamagedPage(maker).read(as: .indexLeaf) { page in
      var end = page.count
      for entry in entries {
        let cell = Bytes.big32(7) + Bytes.varint(UInt64(entry.count)) + entry
        end -= cell.count
        page.set(cell, at: end)
      }
      Self.behead(&page, 1)
    }
    let sizes = reading.content.doubtful.map(\.payloadSize)
    #expect(Set(sizes).isSuperset(of: entries.map(\.count)))
  }
}

@Suite struct HeadlessTrunkTests {
  private func listed(_ header: [Int: UInt32]) throws -> [Int64] {
    var page = PageMaker.leaf(Array(1...20)).bytes
    page.set(Bytes(repeating: 0, count: 8), at: 0)
    let other = Bytes.big32(0) + Bytes.big32(1) + Bytes.big32(4) + Bytes(repeating: 0, count: 500)
    var file = FileMaker([page, other, Bytes(repeating: 0, count: 512)])
    file.header = header
    return try file.image().reading(of: 2.page, expecting: .tableLeaf).listed
  }

  @Test(arguments: [[:], [32: 3, 36: 2]] as [[Int: UInt32]])
  func `a leaf that the whole free list does not have is no trunk`(_ header: [Int: UInt32]) throws {
    #expect(try listed(header) == Array(1...19))
  }

  @Test(arguments: [[32: 2, 36: 1], [36: 1], [32: 3, 36: 3], [32: 3, 36: 1], [32: 9, 36: 2]])
  func `what may be a trunk of the free list is none of a table`(_ header: [Int: UInt32]) throws {
    #expect(try listed(header) == [])
  }
}
