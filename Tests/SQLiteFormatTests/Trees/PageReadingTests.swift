// SPDX-License-Identifier: Apache-2.0
// Reading pages whose header, pointers or bytes are damaged: what is proven, what is doubtful.

import Foundation
import RescueTestSupport
import SQLiteFormat
import Testing

/// A page of a small file, read after a change.
struct DamagedPage {
  var maker: PageMaker
  /// What stands for the pages behind it, so that links can lead somewhere.
  var others = Array(repeating: Bytes(repeating: 0, count: 512), count: 40)

  init(_ maker: PageMaker) {
    self.maker = maker
  }

  /// Rows 1 to `count`, each of another length.
  static func leaf(_ count: Int, pageSize: Int = 512) -> DamagedPage {
    DamagedPage(
      PageMaker(
        pageSize: pageSize,
        cells: (1...Int64(count)).map { rowID in
          .tableCell(
            rowID: rowID, .record(text: String(repeating: "x", count: Int(rowID * 7 % 11) + 3)))
        }))
  }

  /// The image of a file of one page behind the first.
  func image(_ change: (inout Bytes) -> Void) throws -> Image {
    var bytes = maker.bytes
    change(&bytes)
    var file = Bytes(repeating: 0, count: maker.pageSize) + bytes
    for _ in others { file += Bytes(repeating: 0, count: maker.pageSize) }
    return Image(
      FileSet(main: MemorySource(file)), geometry: try .of(maker.pageSize, reserved: maker.reserved)
    )
  }

  func read(
    as kind: BTreePage.Kind? = .tableLeaf, _ change: (inout Bytes) -> Void
  ) throws -> PageReading {
    try image(change).reading(of: 2.page, expecting: kind)
  }
}

extension PageReading {
  var certain: [Int64] { content.cells.compactMap(\.rowID) }
  var doubtful: [Int64] { content.doubtful.compactMap(\.rowID) }
  var listed: [Int64] { content.listed.compactMap(\.rowID) }
}

@Suite struct PageHeaderRepairTests {
  private let page = DamagedPage.leaf(20)
  private let rows = Array<Int64>(1...20)

  private func expectAll(_ reading: PageReading) {
    #expect(reading.certain == rows)
    #expect(reading.doubtful.isEmpty && reading.content.faults.isEmpty)
    #expect(reading.content.layoutFault != nil, "a page that was put right is still a finding")
    #expect(reading.page.kind == .tableLeaf && reading.page.cellCount == rows.count)
  }

  @Test func `a sound page is what it says`() throws {
    let reading = try page.read(as: nil) { _ in }
    #expect(reading.certain == rows)
    #expect(reading.content.layoutFault == nil)
  }

  @Test(arguments: [2, 5, 10, 0, 7, 255] as [UInt8], [.tableLeaf, nil] as [BTreePage.Kind?])
  func `another type byte costs nothing`(_ type: UInt8, _ kind: BTreePage.Kind?) throws {
    expectAll(try page.read(as: kind) { $0[0] = type })
  }

  @Test(arguments: [0, 1, 10, 19, 21, 25, 83, 300, 65535])
  func `another cell count costs nothing`(_ count: Int) throws {
    expectAll(try page.read { $0.setBig16(count, at: 3) })
  }

  @Test(arguments: [0, 1, 100, 490, 511, 512, 60000])
  func `another start of the content costs nothing`(_ start: Int) throws {
    expectAll(try page.read { $0.setBig16(start, at: 5) })
  }

  @Test(arguments: [1, 60, 255] as [UInt8])
  func `another count of fragments costs nothing`(_ count: UInt8) throws {
    expectAll(try page.read { $0[7] = count })
  }

  @Test(arguments: [1, 8, 300, 511, 512, 65535])
  func `another first freeblock costs nothing`(_ start: Int) throws {
    expectAll(try page.read { $0.setBig16(start, at: 1) })
  }

  @Test func `a pointer among others that leads to free bytes has lost a row`() throws {
    let reading = try page.read { bytes in
      // The header is of before the second row was freed, or the free bytes are of after that.
      let cells = (0..<20).compactMap { bytes.big16(at: 8 + 2 * $0) }
      let freed = cells[1]
      let end = cells.filter { $0 > freed }.min() ?? bytes.count
      bytes.setBig16(freed, at: 1)
      bytes.setBig16(0, at: freed)
      bytes.setBig16(end - freed, at: freed + 2)
    }
    #expect(reading.content.faults.count + reading.content.doubtful.count > 0)
    #expect(reading.certain.contains(1) && !reading.certain.contains(2))
  }

  @Test func `type and cell count together cost nothing`() throws {
    expectAll(
      try page.read {
        $0[0] = 99; $0.setBig16(3, at: 3)
      })
  }

  @Test(arguments: [0, 0xFF, 0x41] as [UInt8])
  func `pointers that are gone cost nothing`(_ byte: UInt8) throws {
    expectAll(try page.read { $0.set(Bytes(repeating: byte, count: 40), at: 8) })
  }

  @Test func `pointers that lead to the wrong cells change no order`() throws {
    expectAll(
      try page.read { bytes in
        let (first, last) = (bytes.bigEndian16(at: 8), bytes.bigEndian16(at: 8 + 2 * 19))
        bytes.set(Bytes(repeating: 0, count: 40), at: 8)
        bytes.setBig16(last, at: 10)
        bytes.setBig16(first, at: 20)
      })
  }

  @Test func `pointers and the cell count together cost nothing`() throws {
    expectAll(
      try page.read {
        $0.set(Bytes(repeating: 0, count: 40), at: 8); $0.setBig16(0, at: 3)
      })
  }

  @Test func `pointers that lead to another's cell or into one hide no row`() throws {
    expectAll(try page.read { $0.setBig16($0.bigEndian16(at: 8), at: 10) })
    for offset in 1...9 {
      expectAll(try page.read { $0.setBig16($0.bigEndian16(at: 14) + offset, at: 14) })
    }
  }

  @Test func `without its header, a page gives its rows as doubtful`() throws {
    for kind in [BTreePage.Kind.tableLeaf, nil] {
      let reading = try page.read(as: kind) { $0.set(Bytes(repeating: 0, count: 8), at: 0) }
      #expect(reading.certain.isEmpty)
      #expect(reading.doubtful == rows)
    }
    // A type byte of an interior page, without an entry, says nothing against them.
    for kind in [BTreePage.Kind.tableLeaf, nil] {
      let reading = try page.read(as: kind) { $0.set([5] + Bytes(repeating: 0, count: 15), at: 0) }
      #expect(reading.doubtful == rows)
    }
    let both = try page.read { $0.set(Bytes(repeating: 0, count: 48), at: 0) }
    #expect(both.certain.isEmpty)
    #expect(both.doubtful == rows)
  }

  @Test func `an index page is read like any other`() throws {
    func entry(_ number: UInt8) -> Bytes { [4, 2, 16, 65, number] }
    let index = DamagedPage(PageMaker(kind: .indexLeaf, cells: (1...30).map(entry)))
    let sound = try index.read(as: .indexLeaf) { _ in }
    for change: (inout Bytes) -> Void in [
      { $0[0] = 13 }, { $0[0] = 0 }, { $0.setBig16(4, at: 3) }, { $0.setBig16(9000, at: 3) },
      { $0.set(Bytes(repeating: 0, count: 20), at: 8) },
    ] {
      let reading = try index.read(as: .indexLeaf, change)
      #expect(Set(reading.content.cells) == Set(sound.content.cells))
      #expect(reading.content.doubtful.isEmpty && reading.content.faults.isEmpty)
    }
  }

  @Test func `children are found under another type, count or pointer`() throws {
    let cells = (1...20).map { Bytes.interiorCell(child: UInt32($0 + 2), rowID: Int64($0 * 10)) }
    let interior = DamagedPage(PageMaker(kind: .tableInterior, rightChild: 30, cells: cells))
    for change: (inout Bytes) -> Void in [
      { _ in }, { $0[0] = 13 }, { $0[0] = 2 }, { $0[0] = 77 }, { $0.setBig16(2, at: 3) },
      { $0.setBig16(0, at: 3) }, { $0.set(Bytes(repeating: 0, count: 40), at: 12) },
    ] {
      let reading = try interior.image(change).reading(
        of: 2.page, as: [.tableLeaf, .tableInterior])
      #expect(reading.content.cells.map(\.leftChild) == (3...22).map(UInt32.init))
      #expect(reading.page.rightChild == 30.page)
    }
  }

  @Test func `entries whose children a file that was cut off lacks are entries`() throws {
    let cells = (UInt8(1)...9).map { number in
      let child: UInt32 = number % 2 == 0 ? 1 + UInt32(number) : 100 + UInt32(number)
      return Bytes.big32(child) + Bytes([4, 2, 16, 65, number])
    }
    var page = PageMaker(kind: .indexInterior, rightChild: 4, cells: cells).bytes
    page.setBig16(9000, at: 12 + 2 * 4)
    var maker = FileMaker([page] + (1...8).map { _ in Bytes(repeating: 0, count: 512) })
    func entries() throws -> Int {
      try maker.image().reading(of: 2.page, as: [.indexInterior, .indexLeaf]).content.cells.count
    }
    #expect(try entries() < 9, "nothing tells that there were more pages")
    maker.header = [24: 7, 28: 200, 92: 7]
    #expect(try entries() == 9)
  }

  @Test func `a freeblock that states another size takes in no cell that a pointer leads to`()
    throws
  {
    let maker = page.maker
    let freed = maker.cells[9]
    let reading = try DamagedPage(maker).read { bytes in
      let place = bytes.bigEndian16(at: 8 + 2 * 9)
      for position in 9..<19 {
        bytes.setBig16(bytes.bigEndian16(at: 8 + 2 * (position + 1)), at: 8 + 2 * position)
      }
      bytes.setBig16(19, at: 3)
      bytes.setBig16(place, at: 1)
      // The cells of rows 9, 8 and 7 lie behind it.
      let size = freed.count + maker.cells[6...8].reduce(0) { $0 + $1.count }
      bytes.set([0, 0, UInt8(size >> 8), UInt8(size & 0xFF)], at: place)
      // Besides, a pointer leads to the cell of another.
      bytes.setBig16(bytes.bigEndian16(at: 8), at: 10)
    }
    #expect(Set(reading.certain + reading.doubtful).isSuperset(of: [1, 3, 4, 5, 6, 7, 8, 9]))
    #expect(!reading.certain.contains(10) && !reading.doubtful.contains(10))
  }

  @Test func `bytes of a row that a chain of freeblocks leads into take in no cell`() throws {
    let maker = page.maker
    let reading = try DamagedPage(maker).read { bytes in
      // From within row 18 on, what looks like a freeblock goes on over the rows before it.
      let place = bytes.bigEndian16(at: 8 + 2 * 17)
      bytes.setBig16(place, at: 1)
      let size = maker.cells[10...17].reduce(0) { $0 + $1.count } + 5
      bytes.set([0x17, 0x63, UInt8(size >> 8), UInt8(size & 0xFF)], at: place)
    }
    #expect(Set(reading.certain + reading.doubtful).isSuperset(of: rows.filter { $0 != 18 }))
  }

  @Test func `cells that a header of an earlier time does not know are in doubt, and not gone`()
    throws
  {
    let maker = page.maker
    let reading = try DamagedPage(maker).read { bytes in
      // As many rows as there were, and where the last of them starts.
      bytes.setBig16(12, at: 3)
      bytes.setBig16(bytes.bigEndian16(at: 8 + 2 * 11), at: 5)
      for position in 12..<20 { bytes.setBig16(0, at: 8 + 2 * position) }
      // One of them was written since.
      let changed = bytes.bigEndian16(at: 8 + 2 * 4)
      bytes.set(Bytes(repeating: 0xFF, count: maker.cells[4].count), at: changed)
    }
    #expect(Set(reading.certain).isSubset(of: 1...12))
    #expect(Set(reading.doubtful).isSuperset(of: 13...20))
  }
}

@Suite struct PageKindTests {
  private func problem(_ body: () throws -> PageReading) -> FormatError.Problem? {
    do {
      _ = try body()
      return nil
    } catch {
      return (error as? FormatError)?.problem
    }
  }

  @Test func `a sound page of another kind is not read as what is expected`() {
    let index = DamagedPage(PageMaker(kind: .indexLeaf, cells: [[2, 1, 9], [2, 1, 8]]))
    #expect(problem { try index.read { _ in } } == .wrongTree(.indexLeaf))
  }

  @Test func `a leaf without one readable record is a leaf`() throws {
    let page = DamagedPage.leaf(8)
    let reading = try page.image { bytes in
      for position in 0..<8 {
        let cell = bytes.bigEndian16(at: 8 + 2 * position)
        bytes.set([0, 0, 0, 30], at: cell + 2)
      }
    }.reading(of: 2.page, as: [.tableLeaf, .tableInterior])
    #expect(reading.page.kind == .tableLeaf)
    #expect(reading.content.cells.count + reading.content.faults.count == 8)
  }

  @Test func `bytes that are no page are not read as one`() throws {
    #expect(problem { try DamagedPage.leaf(1).read(as: nil) { $0 = .page(0) } } != nil)
    var random = SeededRandom(seed: 11)
    for seed in 0..<200 {
      let bytes = random.bytes(512)
      let reading = try? DamagedPage.leaf(1).read(as: nil) { $0 = bytes }
      #expect(reading?.content.cells.isEmpty ?? true, "page \(seed)")
    }
    let text = Bytes(String(repeating: "The quick brown fox. ", count: 30).utf8.prefix(512))
    #expect(problem { try DamagedPage.leaf(1).read(as: nil) { $0 = text } } != nil)
  }
}

@Suite struct DeletedRowTests {
  /// Rows 1 to 6; the last one, which lies lowest, is deleted as SQLite does: the content starts
  /// behind it, its bytes and its pointer stay.
  private static func deleteLast(_ bytes: inout Bytes) {
    let lowest = bytes.bigEndian16(at: 5)
    bytes.setBig16(5, at: 3)
    bytes.setBig16(bytes.bigEndian16(at: 8 + 2 * 4), at: 5)
    #expect(bytes.bigEndian16(at: 8 + 2 * 5) == lowest)
  }

  /// Rows 2 and 3 are deleted: one freeblock, in which row 2 is whole.
  private static func deleteInside(_ bytes: inout Bytes) {
    let (second, third) = (bytes.bigEndian16(at: 10), bytes.bigEndian16(at: 12))
    let end = bytes.bigEndian16(at: 8)
    for position in 1...3 {
      bytes.setBig16(bytes.bigEndian16(at: 8 + 2 * (position + 2)), at: 8 + 2 * position)
    }
    bytes.setBig16(4, at: 3)
    bytes.setBig16(third, at: 1)
    bytes.setBig16(0, at: third)
    bytes.setBig16(end - third, at: third + 2)
    #expect(second > third)
  }

  static let damages: [@Sendable (inout Bytes) -> Void] = [
    { _ in }, { $0[0] = 0 }, { $0.setBig16(0, at: 3) }, { $0.setBig16(2, at: 3) },
    { $0.setBig16(6, at: 3) }, { $0.setBig16(10, at: 3) }, { $0.setBig16(0, at: 5) },
    { $0.setBig16(300, at: 5) }, { $0.setBig16(0, at: 1) }, { $0.setBig16(77, at: 1) },
    { $0[7] = 9 }, { $0.set(Bytes(repeating: 0, count: 12), at: 8) },
    { $0.set(Bytes(repeating: 0, count: 8), at: 0) },
    { $0.set(Bytes(repeating: 0, count: 20), at: 0) },
    { $0.setBig16($0.bigEndian16(at: 10) + 2, at: 10) },
    {
      $0.setBig16(6, at: 3); $0[7] = 7
    },
    {
      $0.set(Bytes(repeating: 0, count: 12), at: 8); $0.setBig16(6, at: 3)
    },
    {
      $0.set(Bytes(repeating: 0, count: 12), at: 8); $0[7] = 3
    },
    {
      $0.set(Bytes(repeating: 0, count: 12), at: 8); $0.setBig16(0, at: 1)
    },
  ]

  @Test(arguments: damages.indices)
  func `a deleted row is never certain`(_ index: Int) throws {
    let page = DamagedPage.leaf(6)
    let lowest = try page.read {
      Self.deleteLast(&$0); Self.damages[index](&$0)
    }
    #expect(!lowest.certain.contains(6))
    let inside = try page.read {
      Self.deleteInside(&$0); Self.damages[index](&$0)
    }
    #expect(!inside.certain.contains(2) && !inside.certain.contains(3))
  }

  @Test(arguments: [1, 2, 3, 4, 5, 6, 7, 8, 9, 10])
  func `one damaged field of the header costs no live row`(_ index: Int) throws {
    let page = DamagedPage.leaf(6)
    let lowest = try page.read {
      Self.deleteLast(&$0); Self.damages[index](&$0)
    }
    #expect(lowest.certain == [1, 2, 3, 4, 5])
    let inside = try page.read {
      Self.deleteInside(&$0); Self.damages[index](&$0)
    }
    #expect(inside.certain == [1, 4, 5, 6])
  }
}

@Suite struct DamagedContentTests {
  private let page = DamagedPage.leaf(150, pageSize: 4096)

  /// The rows whose cells lie wholly outside a range of the page.
  private func rows(outside range: Range<Int>) throws -> [Int64] {
    try page.read { _ in }.content.cells.filter { cell in
      !(cell.offset..<cell.end).overlaps(range)
    }.compactMap(\.rowID)
  }

  @Test(arguments: [512, 1024, 2048, 3072, 3584])
  func `a sector of zeros costs the rows in it alone`(_ start: Int) throws {
    let sector = start..<(start + 512)
    let intact = try rows(outside: sector)
    var random = SeededRandom(seed: UInt64(start))
    for bytes in [Bytes(repeating: 0, count: 512), random.bytes(512)] {
      let reading = try page.read { $0.set(bytes, at: start) }
      #expect(Set(reading.certain).isSuperset(of: intact))
      #expect(
        reading.content.cells.count + reading.content.doubtful.count
          + reading.content.faults.count == 150)
    }
  }

  @Test func `a page that ends early gives the rows before its end`() throws {
    let file = try page.image { _ in }.bytes(of: 2.page)
    let image = Image(
      FileSet(main: MemorySource(Bytes(repeating: 0, count: 4096) + file.prefix(3000))),
      geometry: try .of(4096))
    let reading = try image.reading(of: 2.page, expecting: .tableLeaf)
    #expect(reading.certain == (try rows(outside: 3000..<4096)))
  }

  @Test func `the first half of a page gives its rows, the second one doubtful ones`() throws {
    let first = try page.read { $0.set(Bytes(repeating: 0, count: 2048), at: 2048) }
    #expect(first.certain == (try rows(outside: 2048..<4096)))
    let second = try page.read { $0.set(Bytes(repeating: 0, count: 2048), at: 0) }
    #expect(second.certain.isEmpty)
    #expect(second.doubtful.sorted() == (try rows(outside: 0..<2048)))
  }

  @Test func `of the rows of lost pointers, those that fill what is left are certain`() throws {
    // Pointers 20 to 39 are gone, and so is one row far from theirs.
    let lost = try page.read { _ in }.content.cells[100]
    let reading = try page.read { bytes in
      bytes.set(Bytes(repeating: 0, count: 40), at: 8 + 40)
      bytes.set(Bytes(repeating: 0xFF, count: lost.size), at: lost.offset)
    }
    #expect(Set(reading.certain) == Set(1...150).subtracting([101]))
  }

  @Test func `a pointer that leads into a row's text invents none`() throws {
    // The text of row 1 holds what looks like a cell of row 99.
    let inner = Bytes.tableCell(rowID: 99, .record(text: "inner"))
    let text = Bytes("before ".utf8) + inner + Bytes(" behind".utf8)
    var maker = PageMaker.leaf([1, 2, 3])
    maker.cells[0] = .tableCell(rowID: 1, .record([(UInt64(13 + 2 * text.count), text)]))
    let reading = try DamagedPage(maker).read { bytes in
      bytes.setBig16(bytes.bigEndian16(at: 8) + 4 + 7, at: 10)
    }
    #expect(!reading.certain.contains(99))
    #expect(reading.certain == [1, 2, 3])
  }

  @Test func `where accounts contradict each other, pointers that hold are followed`() throws {
    let reading = try DamagedPage(.leaf([1, 2, 3])).read { bytes in
      bytes.setBig16(0, at: 10)
      bytes[7] = 9
    }
    #expect(reading.certain == [1, 2, 3])
    #expect(reading.content.layoutFault != nil)
  }
}

@Suite struct HeadlessLeafTests {
  private let page = DamagedPage.leaf(20)

  private func listed(_ change: (inout Bytes) -> Void) throws -> [Int64] {
    let reading = try page.read(change)
    #expect(reading.certain.isEmpty && Set(reading.doubtful).isSuperset(of: reading.listed))
    return reading.listed
  }

  @Test(arguments: 2...19)
  func `pointers that are left list the cells of a leaf without its header`(_ lost: Int) throws {
    let rows = try listed { $0.set(Bytes(repeating: 0, count: 8 + 2 * lost), at: 0) }
    #expect(rows == Array(1...19), "the last one lies where the content starts")
  }

  @Test(arguments: [4, 19])
  func `a cell before the content that is in use was deleted`(_ lost: Int) throws {
    let rows = try listed { page in
      let cell = Bytes.tableCell(rowID: 0, .record(text: "deleted long ago"))
      page.set(cell, at: page.bigEndian16(at: 8 + 2 * 19) - cell.count)
      page.set(Bytes(repeating: 0, count: 8 + 2 * lost), at: 0)
    }
    #expect(rows == Array(1...19))
  }

  @Test(arguments: [[0, 0], [0, 1, 9], [7, 2, 9, 30]] as [[UInt32]])
  func `a trunk of the freelist lists no cells of the leaf that it was`(_ head: [UInt32]) throws {
    let rows = try listed { $0.set(Bytes(head.flatMap { Bytes.big32($0) }), at: 0) }
    #expect(rows.isEmpty)
  }

  /// Deletes row 11 of the page, as SQLite does; the freeblock goes on over so many bytes more.
  private static func delete(from page: inout Bytes, andMore more: Int = 0) {
    let deleted = page.bigEndian16(at: 8 + 2 * 10)
    for position in 10..<19 {
      page.setBig16(page.bigEndian16(at: 8 + 2 * (position + 1)), at: 8 + 2 * position)
    }
    page.setBig16(0, at: deleted)
    page.setBig16(2 + 5 + more, at: deleted + 2)
  }

  @Test func `where a row was deleted, one more row at the start of the content is in doubt`()
    throws
  {
    let rows = try listed { page in
      Self.delete(from: &page)
      page.set(Bytes(repeating: 0, count: 16), at: 0)
    }
    #expect(rows == Array(1...10) + Array(12...18))
  }

  @Test func `a row that a freeblock takes in is not listed, though nothing of it is overwritten`()
    throws
  {
    let rows = try listed { page in
      // Row 10 lies behind row 11, and was deleted after it.
      let other = page.bigEndian16(at: 8 + 2 * 9)
      Self.delete(from: &page, andMore: page.bigEndian16(at: 8 + 2 * 8) - other)
      for position in 9..<18 {
        page.setBig16(page.bigEndian16(at: 8 + 2 * (position + 1)), at: 8 + 2 * position)
      }
      page.set(Bytes(repeating: 0, count: 16), at: 0)
    }
    #expect(rows == Array(1...9) + Array(12...18))
  }

  @Test func `a freeblock ends where it says, though a cell seems to begin in it`() throws {
    // The text of row 11 holds what looks like a cell that goes on to the end of row 10.
    var maker = page.maker
    let other = maker.cells[9].count
    let text =
      Bytes("before".utf8) + [UInt8(4 + other), 3, 2, UInt8(13 + 2 * (2 + other))] + [0, 0]
    maker.cells[10] = .tableCell(rowID: 11, .record([(UInt64(13 + 2 * text.count), text)]))
    let reading = try DamagedPage(maker).read { page in
      let deleted = page.bigEndian16(at: 8 + 2 * 10)
      for position in 10..<19 {
        page.setBig16(page.bigEndian16(at: 8 + 2 * (position + 1)), at: 8 + 2 * position)
      }
      page.set(Bytes.big32(UInt32(maker.cells[10].count)), at: deleted)
      page.set(Bytes(repeating: 0, count: 8 + 2 * 10), at: 0)
    }
    #expect(reading.doubtful.filter { $0 == 3 }.count == 2, "the cell that there is none is one")
    #expect(reading.listed == Array(1...10) + Array(12...18))
  }

  /// Rows 1 to 4 were written last and lie first; a header and their pointers are gone.
  private static func listed(withFirstRowsLast change: (inout Bytes, _ start: Int) -> Void) throws
    -> [Int64]
  {
    let rotated = DamagedPage(.leaf(Array(5...20) + Array(1...4)))
    return try rotated.read { page in
      let pointers = (0..<20).map { page.bigEndian16(at: 8 + 2 * $0) }
      for (position, pointer) in (pointers[16...] + pointers[..<16]).enumerated() {
        page.setBig16(pointer, at: 8 + 2 * position)
      }
      change(&page, page.bigEndian16(at: 5))
      page.set(Bytes(repeating: 0, count: 8 + 2 * 4), at: 0)
    }.listed
  }

  @Test func `cells whose pointers are gone may be those where the content starts`() throws {
    let rows = try Self.listed { page, start in
      // Before them lies a row that was deleted long ago.
      let cell = Bytes.tableCell(rowID: 0, .record(text: "deleted long ago"))
      page.set(cell, at: start - cell.count)
    }
    #expect(rows == Array(1...20))
  }

  @Test func `of a cell and a deleted one that goes on over it, neither is listed`() throws {
    let rows = try Self.listed { page, start in
      // What is left of row 0 begins before row 4, and ends where that does.
      let size = Bytes.tableCell(rowID: 4, .record(text: "row 4")).count
      page.set([UInt8(size + 4), 0, 2, UInt8(13 + 2 * (size + 2)), 1, 1], at: start - 6)
    }
    #expect(rows == Array(1...3) + Array(5...20))
  }

  @Test func `a deleted cell that goes on over cells in use costs none of them`() throws {
    let rows = try listed { page in
      let (start, end) = (page.bigEndian16(at: 5), page.bigEndian16(at: 8 + 2 * 17))
      let size = end - start
      page.set(
        [UInt8(size + 18), 0, 2, UInt8(13 + 2 * (size + 16))] + Bytes(repeating: 1, count: 16),
        at: start - 20)
      page.set(Bytes(repeating: 0, count: 8 + 2 * 4), at: 0)
    }
    #expect(rows == Array(1...19))
  }

  @Test func `no cell is listed where bytes are left that are no freeblock`() throws {
    let rows = try listed { page in
      Self.delete(from: &page, andMore: 1)
      page.set(Bytes(repeating: 0, count: 16), at: 0)
    }
    #expect(rows.isEmpty)
  }

  @Test func `pointers that do not account for the cells before them list nothing`() throws {
    let rows = try listed { page in
      let second = page.bigEndian16(at: 8 + 2)
      page.set(Bytes(repeating: 0, count: 16), at: 0)
      // Of the four cells before the pointers that are left, one cannot be read.
      page[second] = 0xFF
    }
    #expect(rows.isEmpty)
  }
}

@Suite struct PageReadingEffortTests {
  @Test func `a page full of what looks like cells takes as long as it is large`() throws {
    let efforts = try [8192, 65536].map { size in
      let page = Bytes((0..<size).map { $0 % 2 == 0 ? 2 : 8 })
      let file = Bytes(repeating: 0, count: size) + page + Bytes(repeating: 0, count: size)
      let image = Image(
        FileSet(main: MemorySource(file)), geometry: try .of(size, reserved: 0))
      return try (0..<3).map { _ in
        try measured { try image.reading(of: 2.page, expecting: .tableLeaf) }.effort
      }.min() ?? .zero
    }
    #expect(efforts[1] < efforts[0] * 20)
  }
}

extension Image {
  /// Reads a page as what its place demands, or, where that is not known, as what it is.
  func reading(
    of number: PageNumber, expecting kind: BTreePage.Kind?
  ) throws(FormatError) -> PageReading {
    try reading(of: number, as: kind.map { [$0] } ?? BTreePage.Kind.allCases)
  }
}
