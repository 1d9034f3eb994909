// SPDX-License-Identifier: Apache-2.0
// Walking trees that run in circles, share pages, lose children or mix kinds.

import RescueTestSupport
import SQLiteFormat
import Testing

@Suite struct TreeWalkTests {
  /// What a scan met.
  private struct Result {
    var pages: [Int] = []
    var depths: [Int] = []
    var rows: [Int64] = []
    var misplaced: [Int64] = []
    var doubtful: [Int64] = []
    var cellFaults: [FormatError.Problem] = []
    var pageFaults: [FormatError.Problem] = []
  }

  private func scan(
    _ pages: [Bytes], root: Int = 2, isTable: Bool = true, claimed: [Int] = []
  ) throws -> Result {
    let image = try FileMaker(pages).image()
    var claims = PageClaims(pageCount: image.pageCount)
    for page in claimed {
      let isFree = claims.claim(page.page, for: .tree(99))
      #expect(isFree)
    }
    var result = Result()
    var scan = TreeScan(image, root: root.page, isTable: isTable, owner: .tree(7))
    scan.run(&claims) { event in
      switch event {
      case .page(let visit):
        result.pages.append(visit.page.number.number)
        result.depths.append(visit.depth)
      case .record(let stored): result.rows.append(stored.rowID ?? 0)
      case .misplaced(let stored): result.misplaced.append(stored.rowID ?? 0)
      case .doubtful(let stored, _): result.doubtful.append(stored.rowID ?? 0)
      case .cellFault(let error): result.cellFaults.append(error.problem)
      case .pageFault(let error, _): result.pageFaults.append(error.problem)
      }
      return true
    }
    return result
  }

  private let leaves = [[1, 2], [3, 4], [5, 6]].map { PageMaker.leaf($0).bytes }

  @Test func `leaves are visited from left to right`() throws {
    let result = try scan([PageMaker.interior([(3, 2), (4, 4)], last: 5).bytes] + leaves)
    #expect(result.pages == [2, 3, 4, 5])
    #expect(result.depths == [0, 1, 1, 1])
    #expect(result.rows == [1, 2, 3, 4, 5, 6])
    #expect(result.misplaced.isEmpty && result.pageFaults.isEmpty && result.cellFaults.isEmpty)
  }

  @Test func `a scan stops where it is told to`() throws {
    let image = try FileMaker([PageMaker.interior([(3, 2), (4, 4)], last: 5).bytes] + leaves)
      .image()
    var claims = PageClaims(pageCount: image.pageCount)
    var rows = 0
    var scan = TreeScan(image, root: 2.page, isTable: true, owner: .tree(0))
    scan.run(&claims) { event in
      if case .record = event { rows += 1 }
      return rows < 3
    }
    #expect(rows == 3)
  }

  @Test func `a tree that leads to itself is left`() throws {
    let result = try scan([PageMaker.interior([(2, 0), (3, 2)], last: 2).bytes] + leaves)
    #expect(result.rows == [1, 2])
    #expect(result.pageFaults == [.claimedTwice, .claimedTwice])
  }

  @Test func `a page that has an owner is not taken`() throws {
    let pages = [PageMaker.interior([(3, 2), (4, 4)], last: 5).bytes] + leaves
    let result = try scan(pages, claimed: [4])
    #expect(result.rows == [1, 2, 5, 6])
    #expect(result.pageFaults == [.claimedTwice])
  }

  @Test func `children that cannot be are faults of their own`() throws {
    let root = PageMaker.interior([(0, 2), (99, 4), (4, 8)], last: 1_000_000).bytes
    let result = try scan([root] + leaves)
    // Page 4 has rows up to 4, and its place demands rows above 4.
    #expect(result.rows.isEmpty)
    #expect(result.misplaced == [3, 4])
    #expect(Set(result.pageFaults) == [.noChild, .pageMissing])
    #expect(result.pageFaults.count == 3)
  }

  @Test func `a page of the wrong kind is not read`() throws {
    let index = PageMaker(kind: .indexLeaf, cells: [[2, 1, 9]]).bytes
    let result = try scan([PageMaker.interior([(3, 2)], last: 4).bytes, index, leaves[1]])
    #expect(result.rows == [3, 4])
    #expect(result.pageFaults == [.wrongTree(.indexLeaf)])
    let zeros = try scan([Bytes(repeating: 0, count: 512)])
    #expect(zeros.pageFaults == [.notABTreePage(type: 0)])
  }

  @Test(arguments: [5, 10, 2, 0, 99] as [UInt8])
  func `a page with another type byte is read as what its place demands`(_ type: UInt8) throws {
    var pages = [PageMaker.interior([(3, 2), (4, 4)], last: 5).bytes] + leaves
    pages[2][0] = type
    let leaf = try scan(pages)
    #expect(leaf.rows == [1, 2, 3, 4, 5, 6])
    #expect(leaf.pageFaults.isEmpty && leaf.cellFaults.isEmpty)
    pages[0][0] = type == 5 ? 13 : type
    #expect(try scan(pages).rows == [1, 2, 3, 4, 5, 6])
  }

  @Test func `rows of a page without a header are doubtful`() throws {
    var pages = [PageMaker.interior([(3, 2), (4, 4)], last: 5).bytes] + leaves
    pages[2].set(Bytes(repeating: 0, count: 8), at: 0)
    let result = try scan(pages)
    #expect(result.rows == [1, 2, 5, 6])
    #expect(result.doubtful == [3, 4])
    #expect(result.pageFaults == [.pageHeader], "how many rows it had is not known")
    #expect(result.cellFaults.isEmpty)
  }

  @Test func `rows outside the interval of their page are misplaced`() throws {
    let swapped = [leaves[1], leaves[0], leaves[2]]
    let result = try scan([PageMaker.interior([(3, 2), (4, 4)], last: 5).bytes] + swapped)
    #expect(result.misplaced == [3, 4, 1, 2])
    #expect(result.rows == [5, 6])
  }

  @Test func `rows that do not ascend are misplaced`() throws {
    let result = try scan([PageMaker.leaf([5, 3, 5, 9]).bytes])
    #expect(result.rows == [5, 9])
    #expect(result.misplaced == [3, 5])
  }

  @Test func `a tree deeper than any is not followed to its end`() throws {
    let chain = (3...40).map { PageMaker.interior([], last: $0).bytes } + [leaves[0]]
    let result = try scan(chain)
    #expect(result.pageFaults == [.tooDeep])
    #expect(result.pages.count == TreeWalk.depthMax)
    #expect(result.rows.isEmpty)
  }

  @Test func `a root beyond the file is a fault`() throws {
    #expect(try scan([], root: 2).pageFaults == [.pageMissing])
    #expect(try scan([], root: 4_294_967_295).pageFaults == [.pageMissing])
  }

  @Test func `a record that does not hold costs its row alone`() throws {
    var leaf = PageMaker.leaf([1, 2, 3]).bytes
    leaf[leaf.bigEndian16(at: 10) + 3] = 11
    let result = try scan([leaf])
    #expect(result.rows == [1, 3])
    #expect(result.cellFaults == [.reservedSerialType])
  }

  @Test func `interior pages of an index carry records themselves`() throws {
    func entry(_ number: UInt8) -> Bytes { [3, 2, 1, number] }
    let root = PageMaker(
      kind: .indexInterior, rightChild: 4, cells: [Bytes.big32(3) + entry(5)]
    ).bytes
    let leaf = PageMaker(kind: .indexLeaf, cells: [entry(1)]).bytes
    let other = PageMaker(kind: .indexLeaf, cells: [entry(9)]).bytes
    #expect(try scan([root, leaf, other], isTable: false).rows.count == 3)
  }
}

@Suite struct OverflowTests {
  private static func link(_ next: UInt32, _ content: Bytes.SubSequence) -> Bytes {
    Bytes.big32(next) + Bytes(content) + Bytes(repeating: 0, count: 508 - content.count)
  }

  /// Page 2 is the leaf, pages 3 and 4 the chain.
  private static func image(
    first: UInt32 = 3, second: UInt32 = 4, last: UInt32 = 0
  ) throws -> Image {
    // 1293 bytes, of which 39 + (1293 − 39) mod 508 = 277 stay.
    let payload = Bytes.record([(UInt64(2 * 1290 + 12), Bytes(repeating: 0x5A, count: 1290))])
    let kept = try Geometry.of(512).localPayload(total: payload.count, tableLeaf: true)
    let cell =
      Bytes.varint(UInt64(payload.count)) + Bytes.varint(rowID: 1) + Bytes(payload[..<kept])
      + Bytes.big32(first)
    return try FileMaker([
      PageMaker(cells: [cell]).bytes, link(second, payload[kept..<(kept + 508)]),
      link(last, payload[(kept + 508)...]), Bytes(repeating: 0, count: 512),
    ]).image()
  }

  private static func read(_ image: Image) throws -> Record {
    let page = try image.btreePage(2.page)
    return try image.record(of: page.cell(0), on: page).record
  }

  private func problem(_ image: Image) -> FormatError.Problem? {
    do {
      _ = try Self.read(image)
      return nil
    } catch {
      return (error as? FormatError)?.problem
    }
  }

  @Test func `a chain gives the whole payload`() throws {
    let image = try Self.image()
    #expect(try Self.read(image).values == [.blob(Bytes(repeating: 0x5A, count: 1290))])
    let page = try image.btreePage(2.page)
    let chain = try image.overflowChain(of: page.cell(0), on: 2.page)
    #expect(chain.pages == [3.page, 4.page])
  }

  @Test func `a chain that breaks gives nothing`() throws {
    #expect(problem(try Self.image(first: 0)) == .chainTooShort)
    #expect(problem(try Self.image(second: 0)) == .chainTooShort)
    #expect(problem(try Self.image(last: 5)) == .chainTooLong)
    #expect(problem(try Self.image(second: 3)) == .chainAstray)
    #expect(problem(try Self.image(first: 1)) == .chainAstray)
    #expect(problem(try Self.image(second: 6)) == .chainAstray)
    #expect(problem(try Self.image(second: .max)) == .chainAstray)
  }

  @Test func `a payload larger than the file is refused before it is followed`() throws {
    let cell = Bytes.varint(0x7FFF_FFFF) + Bytes.varint(rowID: 1) + Bytes(repeating: 0, count: 480)
    var page = PageMaker(cells: [Bytes(cell.prefix(500))]).bytes
    page.set(.big32(3), at: 508)
    let image = try FileMaker([page, Bytes(repeating: 0, count: 512)]).image()
    #expect(problem(image) == .payloadTooLarge)
  }

  @Test func `a chain that another row owns is not read twice`() throws {
    let image = try Self.image()
    var claims = PageClaims(pageCount: image.pageCount)
    let isFree = claims.claim(4.page, for: .tree(1))
    #expect(isFree)
    var faults: [FormatError] = []
    var scan = TreeScan(image, root: 2.page, isTable: true, owner: .tree(0))
    scan.run(&claims) { event in
      if case .cellFault(let error) = event { faults.append(error) }
      return true
    }
    #expect(faults.map(\.problem) == [.claimedTwice])
    #expect(faults.map(\.page) == [4.page])
  }
}
