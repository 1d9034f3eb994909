// SPDX-License-Identifier: Apache-2.0
// Pages and cells: what is read, what is refused, and what the layout of a page proves.

import RescueTestSupport
import SQLiteFormat
import Testing

@Suite struct BTreePageTests {
  private func problem(_ body: () throws -> Void) -> FormatError.Problem? {
    do {
      try body()
      return nil
    } catch let error as FormatError {
      return error.problem
    } catch {
      return nil
    }
  }

  @Test func `a leaf gives its header and its cells`() throws {
    let page = try PageMaker.leaf([3, -7, .max]).read()
    #expect(page.kind == .tableLeaf)
    #expect(page.cellCount == 3)
    #expect(page.pointerArrayOffset == 8)
    #expect(page.pointerArrayEnd == 14)
    #expect(page.rightChild == nil)
    #expect(try (0..<3).map { try page.cell($0).rowID } == [3, -7, .max])
    let cell = try page.cell(0)
    #expect(cell.end == 512)
    #expect(cell.leftChild == 0)
    #expect(cell.overflow == nil)
    #expect(cell.local.count == cell.payloadSize)
    #expect(page.layoutFaults.isEmpty)
  }

  @Test func `page 1 has its header behind the file's`() throws {
    var maker = PageMaker.leaf([1, 2])
    maker.start = 100
    let page = try maker.read()
    #expect(page.headerOffset == 100)
    #expect(page.cellCount == 2)
    #expect(page.layoutFaults.isEmpty)
  }

  @Test func `an interior page gives its children`() throws {
    let page = try PageMaker.interior([(5, 10), (6, -1)], last: 9).read()
    #expect(page.rightChild == 9.page)
    #expect(try page.cell(0).leftChild == 5)
    #expect(try page.cell(1).rowID == -1)
    #expect(page.layoutFaults.isEmpty)
  }

  @Test func `a cell that spills names its first overflow page`() throws {
    // 600 bytes in a page of 512: 39 + (600 − 39) mod 508 = 92 stay.
    let payload = Bytes.varint(600) + Bytes.varint(rowID: 1) + Bytes(repeating: 0, count: 92)
    let cell = try PageMaker(cells: [payload + .big32(77)]).read().cell(0)
    #expect(cell.payloadSize == 600)
    #expect(cell.local.count == 92)
    #expect(cell.overflow == 77)
    #expect(cell.end == 512)
  }

  @Test func `a cell of three bytes takes four`() throws {
    let page = try PageMaker(cells: [[0x01, 0x05, 0x01], [0x01, 0x06, 0x01]]).read()
    #expect(try page.cell(0).size == 4)
    #expect(page.contentStart == 504)
    #expect(page.layoutFaults.isEmpty)
  }

  @Test(arguments: [0, 1, 3, 4, 9, 14, 255] as [UInt8])
  func `another first byte is no b-tree page`(_ type: UInt8) {
    #expect(problem { _ = try PageMaker().read { $0[0] = type } } == .notABTreePage(type: type))
  }

  @Test func `more cells than fit are refused`() {
    // 84 pointers of two bytes with cells of four fill 504 bytes.
    #expect(problem { _ = try PageMaker().read { $0.setBig16(84, at: 3) } } == nil)
    #expect(
      problem { _ = try PageMaker().read { $0.setBig16(85, at: 3) } } == .cellCountTooLarge(85))
    #expect(
      problem { _ = try PageMaker().read { $0.setBig16(65535, at: 3) } }
        == .cellCountTooLarge(65535))
  }

  @Test func `a page of which only a part is there gives the cells that are there`() throws {
    let whole = try PageMaker.leaf([1, 2, 3]).read()
    let end = try whole.cell(1).end
    let geometry = try Geometry.of(512)
    let cut = try BTreePage(Bytes(whole.bytes.prefix(end)), number: 2.page, geometry: geometry)
    #expect(try cut.cell(2) == whole.cell(2))
    #expect(try cut.cell(1) == whole.cell(1))
    #expect(problem { _ = try cut.cell(0) } == .cellCutOff)
    #expect(cut.layoutFaults.map(\.problem) == [.pageIncomplete])
    #expect(
      problem { _ = try BTreePage([13, 0, 0], number: 2.page, geometry: geometry) }
        == .pageIncomplete)
  }

  @Test(arguments: [0, 13, 509, 510, 65535])
  func `a pointer outside the content is refused`(_ pointer: Int) throws {
    let page = try PageMaker.leaf([1, 2, 3]).read { $0.setBig16(pointer, at: 10) }
    #expect(problem { _ = try page.cell(1) } == .cellPointerOutside(pointer))
    #expect(problem { _ = try page.cell(0) } == nil)
    #expect(page.layoutFaults.map(\.problem) == [.cellPointerOutside(pointer)])
  }

  @Test func `a cell that does not end in its page is refused`() throws {
    let page = try PageMaker.leaf([1, 2]).read { bytes in bytes[bytes.bigEndian16(at: 8)] = 0x7F }
    #expect(problem { _ = try page.cell(0) } == .cellCutOff)
    let huge = try PageMaker.leaf([1, 2]).read { bytes in
      bytes.set([0xFF, 0xFF, 0xFF, 0xFF, 0x7F], at: bytes.bigEndian16(at: 8))
    }
    #expect(problem { _ = try huge.cell(0) } == .payloadTooLarge)
  }
}

@Suite struct PageLayoutTests {
  private static func withHole(_ change: (inout Bytes) -> Void = { _ in }) throws -> BTreePage {
    // The middle one of three equal cells becomes a freeblock.
    try PageMaker.leaf([1, 2, 3]).read { bytes in
      let hole = bytes.bigEndian16(at: 10)
      let size = bytes.bigEndian16(at: 8) - hole
      bytes.setBig16(bytes.bigEndian16(at: 12), at: 10)
      bytes.setBig16(2, at: 3)
      bytes.setBig16(hole, at: 1)
      bytes.setBig16(0, at: hole)
      bytes.setBig16(size, at: hole + 2)
      change(&bytes)
    }
  }

  @Test func `cells, freeblocks and fragments tile the content area`() throws {
    let page = try Self.withHole()
    #expect(page.freeblocks?.count == 1)
    #expect(page.layoutFaults.isEmpty)
  }

  @Test func `a gap is a fault unless it is counted as fragments`() throws {
    let gap: (inout Bytes) -> Void = { bytes in
      // The freeblock is three bytes shorter than the hole.
      let hole = bytes.bigEndian16(at: 1)
      bytes.setBig16(bytes.bigEndian16(at: hole + 2) - 3, at: hole + 2)
    }
    #expect(try !Self.withHole(gap).layoutFaults.isEmpty)
    let counted = try Self.withHole { bytes in
      gap(&bytes)
      bytes[7] = 3
    }
    #expect(counted.layoutFaults.isEmpty)
    #expect(try !Self.withHole { $0[7] = 3 }.layoutFaults.isEmpty)
  }

  @Test func `two cells that share bytes are a fault`() throws {
    let page = try PageMaker.leaf([1, 2, 3]).read { $0.setBig16($0.bigEndian16(at: 8), at: 10) }
    #expect(page.layoutFaults.map(\.problem) == [.cellCutOff])
  }

  @Test func `a freeblock over a cell is a fault`() throws {
    let page = try Self.withHole { bytes in
      let hole = bytes.bigEndian16(at: 1)
      bytes.setBig16(bytes.bigEndian16(at: hole + 2) + 1, at: hole + 2)
    }
    #expect(!page.layoutFaults.isEmpty)
  }

  @Test(arguments: [1, 13, 509, 512, 65535])
  func `a freeblock that starts outside the content is a fault`(_ start: Int) throws {
    let page = try Self.withHole { $0.setBig16(start, at: 1) }
    #expect(page.freeblocks == nil)
    #expect(page.layoutFaults.map(\.problem) == [.listCount])
    #expect(try page.cell(0).rowID == 1, "bad freeblocks cost no cells")
  }

  @Test(arguments: [0, 3, 400])
  func `a freeblock of an impossible size is a fault`(_ size: Int) throws {
    let page = try Self.withHole { $0.setBig16(size, at: $0.bigEndian16(at: 1) + 2) }
    #expect(page.freeblocks == nil)
  }

  @Test func `freeblocks that run in a circle or backwards are a fault`() throws {
    let circle = try Self.withHole { bytes in
      let hole = bytes.bigEndian16(at: 1)
      bytes.setBig16(hole, at: hole)
    }
    #expect(circle.freeblocks == nil)
    let backwards = try Self.withHole { bytes in
      let hole = bytes.bigEndian16(at: 1)
      bytes.setBig16(hole - 8, at: hole)
    }
    #expect(backwards.freeblocks == nil)
  }

  @Test(arguments: [10, 513, 300])
  func `a content area that starts in the wrong place is a fault`(_ start: Int) throws {
    #expect(try !PageMaker.leaf([1, 2]).read { $0.setBig16(start, at: 5) }.layoutFaults.isEmpty)
  }

  @Test func `a stored start of 0 is 65536, for an empty page of that size`() throws {
    let page = try PageMaker(pageSize: 65536).read()
    #expect(page.contentStart == 65536)
    #expect(page.layoutFaults.isEmpty)
    #expect(try !PageMaker().read { $0.setBig16(0, at: 5) }.layoutFaults.isEmpty)
  }
}
