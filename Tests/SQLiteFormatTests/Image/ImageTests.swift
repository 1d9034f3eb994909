// SPDX-License-Identifier: Apache-2.0
// The pages that a file set stands for, whichever file they lie in.

import RescueTestSupport
import SQLiteFormat
import Testing

@Suite struct ImageTests {
  /// A file of pages that are filled with their own number.
  private static func main(_ count: Int) -> Bytes {
    (0..<count).reduce(Bytes()) { $0 + Bytes.page(UInt8($1 + 1)) }
  }

  private static func image(
    _ main: Bytes, wal: Bytes? = nil, journal: Bytes? = nil, start: Int = 0,
    superJournalExists: @escaping @Sendable (Bytes) -> Bool = { _ in false }
  ) throws -> Image {
    Image(
      FileSet(
        main: MemorySource(main), wal: wal.map { MemorySource($0) },
        journal: journal.map { MemorySource($0) }, superJournalExists: superJournalExists),
      geometry: try .of(512), start: start)
  }

  private func firstBytes(_ image: Image) throws -> [UInt8] {
    try image.pages.map { try #require(image.bytes(of: $0).first) }
  }

  private static func journal(pageCount: UInt32, _ pages: [UInt32]) -> JournalMaker {
    var journal = JournalMaker()
    journal.addHeader(count: UInt32(pages.count), pageCount: pageCount)
    for page in pages { journal.add(page, .page(UInt8(100 + page))) }
    return journal
  }

  @Test func `a file alone is its pages`() throws {
    let image = try Self.image(Self.main(3))
    #expect(try firstBytes(image) == [1, 2, 3])
    #expect(image.origin(of: 2.page) == .main)
    #expect(throws: FormatError.self) { try image.bytes(of: 4.page) }
    #expect(try Self.image([]).pageCount == 0)
  }

  @Test func `a last page that is cut off is given as far as it goes`() throws {
    let image = try Self.image(Bytes(Self.main(3).dropLast(500)))
    #expect(image.pageCount == 3)
    #expect(try image.bytes(of: 3.page).count == 12)
  }

  @Test func `a database may start behind something else`() throws {
    let image = try Self.image(Bytes.page(9, 700) + Self.main(2), start: 700)
    #expect(try firstBytes(image) == [1, 2])
  }

  @Test func `a hot journal takes pages back and cuts the file`() throws {
    let image = try Self.image(Self.main(5), journal: Self.journal(pageCount: 3, [2, 1]).bytes)
    #expect(try firstBytes(image) == [101, 102, 3])
    #expect(image.origin(of: 2.page) == .journal)
    #expect(throws: FormatError.self) { try image.bytes(of: 4.page) }
  }

  @Test func `a hot journal gives back pages that the transaction cut off`() throws {
    let image = try Self.image(Self.main(2), journal: Self.journal(pageCount: 4, [3, 4]).bytes)
    #expect(try firstBytes(image) == [1, 2, 103, 104])
    #expect(image.missingPages == 0)
  }

  @Test func `records beyond the first size are no pages, and the later of two copies counts`()
    throws
  {
    var journal = JournalMaker()
    journal.addHeader(count: 3, pageCount: 2)
    journal.add(2, .page(50))
    journal.add(7, .page(60))
    journal.add(2, .page(70))
    let image = try Self.image(Self.main(2), journal: journal.bytes)
    #expect(try firstBytes(image) == [1, 70])
  }

  @Test func `a first transaction that was cut off leaves no pages`() throws {
    let image = try Self.image(Self.main(3), journal: Self.journal(pageCount: 0, []).bytes)
    #expect(image.pageCount == 0)
  }

  @Test func `a journal of a finished transaction is stale`() throws {
    var zeroed = Self.journal(pageCount: 3, [2]).bytes
    zeroed.set(.page(0, 28), at: 0)
    let image = try Self.image(Self.main(3), journal: zeroed)
    guard case .stale = image.journal else {
      Issue.record("\(image.journal)")
      return
    }
    #expect(try firstBytes(image) == [1, 2, 3])
  }

  @Test func `a journal beside an empty file, or of other pages, is stale`() throws {
    let journal = Self.journal(pageCount: 3, [2])
    #expect(try Self.image([], journal: journal.bytes).pageCount == 0)
    var other = JournalMaker(pageSize: 1024)
    other.addHeader(count: 1, pageCount: 1)
    other.add(1, .page(9, 1024))
    #expect(try firstBytes(Self.image(Self.main(2), journal: other.bytes)) == [1, 2])
  }

  @Test func `a journal counts only while its super-journal exists`() throws {
    var journal = Self.journal(pageCount: 3, [2])
    journal.addSuperJournal("super")
    let gone = try Self.image(Self.main(3), journal: journal.bytes)
    #expect(try firstBytes(gone) == [1, 2, 3])
    let there = try Self.image(Self.main(3), journal: journal.bytes) { $0 == Bytes("super".utf8) }
    #expect(try firstBytes(there) == [1, 102, 3])
  }

  private static func wal(_ frames: [(UInt32, UInt8, UInt32)]) -> Bytes {
    var wal = WALMaker()
    for (page, byte, commit) in frames { wal.add(page, .page(byte), commit: commit) }
    return wal.bytes
  }

  @Test func `committed frames lie over the file, the newest on top`() throws {
    let wal = Self.wal([(2, 50, 0), (2, 51, 3), (3, 60, 3), (1, 70, 0)])
    let image = try Self.image(Self.main(3), wal: wal)
    #expect(try firstBytes(image) == [1, 51, 60])
    #expect(image.origin(of: 2.page) == .wal)
    #expect(image.origin(of: 1.page) == .main)
  }

  @Test func `a log makes the file longer`() throws {
    let image = try Self.image(Self.main(1), wal: Self.wal([(2, 50, 0), (3, 51, 3)]))
    #expect(try firstBytes(image) == [1, 50, 51])
  }

  @Test func `a log makes the file shorter, whatever its older frames hold`() throws {
    let image = try Self.image(Self.main(5), wal: Self.wal([(5, 50, 5), (1, 51, 2)]))
    #expect(try firstBytes(image) == [51, 2])
    #expect(throws: FormatError.self) { try image.bytes(of: 5.page) }
  }

  @Test func `an empty file may have everything in its log`() throws {
    let image = try Self.image([], wal: Self.wal([(1, 50, 0), (2, 51, 2)]))
    #expect(try firstBytes(image) == [50, 51])
  }

  @Test func `a log of other pages is foreign, one without a commit is applied to nothing`() throws
  {
    var other = WALMaker(pageSize: 1024)
    other.add(1, .page(9, 1024), commit: 1)
    let foreign = try Self.image(Self.main(2), wal: other.bytes)
    guard case .foreign = foreign.wal else {
      Issue.record("\(foreign.wal)")
      return
    }
    #expect(try firstBytes(foreign) == [1, 2])
    #expect(try firstBytes(Self.image(Self.main(2), wal: Self.wal([(1, 9, 0)]))) == [1, 2])
    #expect(try firstBytes(Self.image(Self.main(2), wal: [])) == [1, 2])
    #expect(try firstBytes(Self.image(Self.main(2), wal: Bytes.page(0, 100))) == [1, 2])
  }

  @Test func `pages that are in none of the files are counted, not conjured up`() throws {
    let log = try Self.image(Self.main(2), wal: Self.wal([(4_000_000_000, 9, .max)]))
    #expect(log.pageCount == 2)
    #expect(log.missingPages == 4_294_967_293)
    let journal = try Self.image(Self.main(2), journal: Self.journal(pageCount: .max, [1]).bytes)
    #expect(journal.pageCount == 2)
    #expect(journal.missingPages == 4_294_967_293)
    #expect(try Self.image(Self.main(2), wal: Self.wal([(3, 9, 3)])).missingPages == 0)
  }

  @Test func `pages of a log count although those between were cut off with the file`() throws {
    let image = try Self.image(Self.main(2), wal: Self.wal([(9, 9, 0), (40, 9, 44)]))
    #expect(image.pageCount == 40)
    #expect(image.missingInside == 36)
    #expect(image.missingPages == 40)
    #expect(image.firstMissingPage?.number == 3)
    #expect(image.dataPages.map(\.number) == [1, 2, 9, 40])
  }

  @Test func `a page that cannot be read is an error of its own`() throws {
    let source = FailingSource(byteCount: 1024)
    let image = Image(FileSet(main: source), geometry: try .of(512))
    #expect(throws: FormatError(.unreadable("gone"), page: 2.page)) {
      try image.bytes(of: 2.page)
    }
  }
}

@Suite struct LockBytePageTests {
  /// A database of pages of 1024 bytes that reaches beyond one gigabyte: a table's tree has a leaf
  /// on each side of the lock-byte page.
  private static let lock = 1_048_577

  private static func source() -> SparseSource {
    func page(_ kind: BTreePage.Kind, _ cells: [Bytes], last: UInt32 = 0) -> Bytes {
      PageMaker(kind: kind, pageSize: 1024, rightChild: last, cells: cells).bytes
    }
    let long = Bytes.record([(UInt64(12 + 2 * 2000), Bytes(repeating: 7, count: 2000))])
    // 103 + (2003 − 103) mod 1020 = 983 bytes stay, one page holds the other 1020.
    let kept = 983
    let spilled =
      Bytes.varint(UInt64(long.count)) + Bytes.varint(rowID: 3) + Bytes(long[..<kept])
    return SparseSource(
      pageSize: 1024, pageCount: lock + 3,
      pages: [
        2: page(.tableInterior, [.interiorCell(child: UInt32(lock - 1), rowID: 1)], last: 3),
        3: page(
          .tableInterior, [.interiorCell(child: UInt32(lock + 1), rowID: 2)], last: UInt32(lock)),
        lock - 1: page(.tableLeaf, [.tableCell(rowID: 1, .record(text: "before"))]),
        // Whatever the lock-byte page holds, it is no content.
        lock: page(.tableLeaf, [.tableCell(rowID: 3, .record(text: "never"))]),
        lock + 1: page(.tableLeaf, [.tableCell(rowID: 2, .record(text: "after"))]),
        lock + 2: page(.tableLeaf, [spilled + Bytes.big32(UInt32(lock))]),
      ])
  }

  @Test func `pages on both sides of it are read, and it is never content`() throws {
    let image = Image(FileSet(main: Self.source()), geometry: try .of(1024))
    #expect(image.pageCount == Self.lock + 3)
    let lock = try #require(image.geometry.lockBytePage)
    #expect(lock.number == Self.lock)
    var claims = PageClaims(pageCount: image.pageCount)
    let isFree = claims.claim(lock, for: .reserved)
    #expect(isFree)
    var rows: [Int64?] = []
    var faults: [FormatError] = []
    var scan = TreeScan(image, root: 2.page, isTable: true, owner: .tree(0))
    scan.run(&claims) { event in
      switch event {
      case .record(let stored): rows.append(stored.rowID)
      case .pageFault(let error, _): faults.append(error)
      default: break
      }
      return true
    }
    #expect(rows == [1, 2])
    #expect(faults == [FormatError(.claimedTwice, page: lock)])
  }

  @Test func `no chain leads through it`() throws {
    let image = Image(FileSet(main: Self.source()), geometry: try .of(1024))
    let page = try image.btreePage((Self.lock + 2).page)
    let cell = try page.cell(0)
    #expect(cell.overflow == UInt32(Self.lock))
    #expect(throws: FormatError(.chainAstray, page: page.number)) {
      try image.overflowChain(of: cell, on: page.number)
    }
  }
}

/// A source that is mostly zeros: only the pages that are given exist in memory.
private struct SparseSource: PageSource {
  let pageSize: Int
  let pageCount: Int
  let pages: [Int: Bytes]
  var byteCount: Int { pageSize * pageCount }

  func read(at offset: Int, count: Int) -> Bytes {
    guard offset < byteCount else { return [] }
    guard offset % pageSize == 0, count == pageSize, let page = pages[offset / pageSize + 1] else {
      return Bytes(repeating: 0, count: min(count, byteCount - offset))
    }
    return page
  }
}

/// A source on a disk that does not hand out its bytes.
private struct FailingSource: PageSource {
  let byteCount: Int

  func read(at offset: Int, count: Int) throws(ReadFailure) -> Bytes {
    throw ReadFailure(offset: offset, reason: "gone")
  }
}
