// SPDX-License-Identifier: Apache-2.0
// Following the list of free pages, past everything that can be wrong with it.

import RescueTestSupport
import SQLiteFormat
import Testing

@Suite struct FreelistTests {
  private static func trunk(next: UInt32, count: UInt32? = nil, _ leaves: [UInt32]) -> Bytes {
    var page = Bytes(repeating: 0, count: 512)
    page.set(Bytes.big32(next) + Bytes.big32(count ?? UInt32(leaves.count)), at: 0)
    for (index, leaf) in leaves.enumerated() { page.set(.big32(leaf), at: 8 + 4 * index) }
    return page
  }

  private static func list(_ pages: [Bytes], first: Int? = 2, pageCount: Int = 10) throws
    -> Freelist
  {
    let filler = Array(
      repeating: Bytes(repeating: 0, count: 512), count: pageCount - 1 - pages.count)
    return Freelist(try FileMaker(pages + filler).image(), first: first?.page)
  }

  private static func problems(_ list: Freelist) -> [FormatError.Problem] {
    list.faults.map(\.problem)
  }

  @Test func `trunks and leaves are found in order`() throws {
    let list = try Self.list([
      Self.trunk(next: 3, [5, 4]), Self.trunk(next: 0, [7]),
    ])
    #expect(list.trunks == [2.page, 3.page])
    #expect(list.leaves == [5.page, 4.page, 7.page])
    #expect(list.count == 5)
    #expect(list.faults.isEmpty)
    #expect(try Self.list([], first: nil).count == 0)
  }

  @Test func `a trunk without leaves is a free page`() throws {
    let list = try Self.list([Self.trunk(next: 0, [])])
    #expect(list.count == 1)
    #expect(list.faults.isEmpty)
  }

  @Test func `a trunk that leads to itself is left after one turn`() throws {
    let list = try Self.list([Self.trunk(next: 2, [5])])
    #expect(list.trunks == [2.page])
    #expect(list.leaves == [5.page])
    #expect(Self.problems(list) == [.claimedTwice])
  }

  @Test func `a longer circle is left as well`() throws {
    let list = try Self.list([
      Self.trunk(next: 3, []), Self.trunk(next: 4, []), Self.trunk(next: 2, []),
    ])
    #expect(list.trunks.count == 3)
    #expect(Self.problems(list) == [.claimedTwice])
  }

  @Test func `a trunk beyond the file ends the list`() throws {
    let list = try Self.list([Self.trunk(next: 11, [5])])
    #expect(list.count == 2)
    #expect(Self.problems(list) == [.pageMissing])
    #expect(Self.problems(try Self.list([], first: 4_000_000_000)) == [.pageMissing])
  }

  @Test func `a leaf that cannot be is passed over`() throws {
    let list = try Self.list([Self.trunk(next: 0, [5, 0, 11, 5, 2, 6])])
    #expect(list.leaves == [5.page, 6.page])
    #expect(Self.problems(list) == Array(repeating: .chainAstray, count: 4))
    #expect(list.faults.map(\.offset) == [12, 16, 20, 24])
  }

  @Test func `more leaves than fit in a trunk are a fault, and only those that fit are read`()
    throws
  {
    // 512 / 4 − 2 = 126.
    let full = try Self.list([Self.trunk(next: 0, (3...128).map { $0 })], pageCount: 200)
    #expect(full.leaves.count == 126)
    #expect(full.faults.isEmpty)
    let tooMany = try Self.list([Self.trunk(next: 0, count: 127, [5])])
    #expect(Self.problems(tooMany).first == .listCount)
    #expect(tooMany.leaves == [5.page])
    let absurd = try Self.list([Self.trunk(next: 0, count: .max, [5])])
    #expect(absurd.faults.count == 126)
  }
}

@Suite struct PointerMapTests {
  private func image(_ entries: [(UInt8, UInt32)]) throws -> (Image, Bytes) {
    var map = Bytes(repeating: 0, count: 512)
    for (index, entry) in entries.enumerated() {
      map.set(Bytes([entry.0]) + Bytes.big32(entry.1), at: 5 * index)
    }
    let image = try FileMaker([map]).image()
    return (image, try image.bytes(of: 2.page))
  }

  @Test func `an entry says what a page is and who points to it`() throws {
    let (image, map) = try image([(1, 0), (2, 0), (3, 9), (4, 5), (5, 3), (0, 1), (6, 1)])
    func entry(_ page: Int) -> PointerMapEntry? { image.pointerMapEntry(of: page.page, in: map) }
    #expect(entry(3) == PointerMapEntry(.root))
    #expect(entry(4) == PointerMapEntry(.free))
    #expect(entry(5) == PointerMapEntry(.firstOverflow, parent: 9.page))
    #expect(entry(6) == PointerMapEntry(.laterOverflow, parent: 5.page))
    #expect(entry(7) == PointerMapEntry(.child, parent: 3.page))
    #expect(entry(8) == nil)
    #expect(entry(9) == nil)
  }

  @Test func `pages without an entry have none`() throws {
    let (image, map) = try image([(1, 0)])
    #expect(image.pointerMapEntry(of: 1.page, in: map) == nil)
    #expect(image.pointerMapEntry(of: 2.page, in: map) == nil)
    #expect(image.pointerMapEntry(of: 3.page, in: []) == nil)
    // The last entry of a map of 512 bytes is that of page 104: 102 entries of 5 bytes.
    var full = map
    full.set(Bytes([5]) + Bytes.big32(7), at: 505)
    #expect(image.pointerMapEntry(of: 104.page, in: full)?.parent == 7.page)
    #expect(image.pointerMapEntry(of: 105.page, in: full) == nil)
  }
}
