// SPDX-License-Identifier: Apache-2.0
// What is read of a rollback journal behind damage, and what is not.

import RescueTestSupport
import SQLiteFormat
import Testing

@Suite struct JournalWalkTests {
  /// Three segments of three records each, with nonces of their own.
  private static func journal() -> Bytes {
    (0..<3).reduce(into: Bytes()) { bytes, segment in
      bytes += Bytes(repeating: 0, count: (512 - bytes.count % 512) % 512)
      var maker = JournalMaker(nonce: 0x1000_0000 + UInt32(segment))
      maker.addHeader(count: 3, pageCount: 20)
      for page in 1...3 { maker.add(UInt32(3 * segment + page), .page(UInt8(page))) }
      bytes += maker.bytes
    }
  }

  /// Where the header of a segment begins: in front of it are 512 and 3 times 520 bytes, padded.
  private static func header(_ segment: Int) -> Int { segment * 2560 }

  private func read(_ bytes: Bytes) throws -> RollbackJournal {
    try RollbackJournal(MemorySource(bytes), databasePageSize: 512)
  }

  private func headless(_ bytes: Bytes, pageCount: Int? = nil) throws -> RollbackJournal? {
    try RollbackJournal(headless: MemorySource(bytes), pageSize: 512) { _ in pageCount }
  }

  @Test func `a record that does not hold costs itself alone`() throws {
    var bytes = Self.journal()
    bytes[512 + 520 + 4 + 312] ^= 1
    let journal = try read(bytes)
    #expect(journal.records.map(\.page.number) == [1])
    #expect(journal.continued.map(\.page.number) == [3, 4, 5, 6, 7, 8, 9])
    #expect(journal.unproven.map(\.page.number) == [2])
    #expect(journal.isBroken && journal.isCut)
    #expect(journal.withoutContinuation.continued.isEmpty)
  }

  @Test(arguments: [UInt8(0), 0x5A]) func `a header that is destroyed costs no record`(
    _ filler: UInt8
  ) throws {
    var bytes = Self.journal()
    bytes.set(.page(filler, 28), at: Self.header(1))
    let journal = try read(bytes)
    #expect(journal.records.map(\.page.number) == [1, 2, 3])
    #expect(journal.continued.map(\.page.number) == [4, 5, 6, 7, 8, 9])
    #expect(journal.isBroken && !journal.isCut)
  }

  @Test func `a header that SQLite has not completed ends the journal, and nothing is lost`() throws
  {
    var bytes = Self.journal()
    bytes.set(.page(0, 12), at: Self.header(2))
    let journal = try read(bytes)
    #expect(journal.records.map(\.page.number) == [1, 2, 3, 4, 5, 6])
    #expect(journal.continued.isEmpty && !journal.isBroken && !journal.isCut)
  }

  @Test
  func `a header that SQLite has not completed ends the journal before what an earlier one left`()
    throws
  {
    var bytes = Self.journal()
    // One record, and then, at the next sector, a header with records of another nonce.
    var open = JournalMaker(nonce: 0x2000_0000)
    open.addHeader(count: 0, pageCount: 20)
    open.add(10, .page(10))
    bytes.set(open.bytes + Bytes(repeating: 0, count: 1536 - open.bytes.count), at: Self.header(1))
    bytes.set(.page(0, 12), at: Self.header(1))
    var earlier = JournalMaker(nonce: 0x3000_0000)
    earlier.addHeader(count: 2, pageCount: 20)
    for page: UInt32 in [11, 12] { earlier.add(page, .page(3)) }
    bytes.set(earlier.bytes, at: Self.header(1) + 1536)
    let journal = try read(bytes)
    #expect(journal.records.map(\.page.number) == [1, 2, 3])
    #expect(journal.continued.isEmpty && !journal.isBroken && !journal.isCut)
  }

  @Test(arguments: [0, 1, 2])
  func `an uncounted journal ends at a record that was being written over an earlier one`(
    _ count: Int
  ) throws {
    // Nothing is synchronized: the records of an earlier transaction are where they were.
    var earlier = JournalMaker(nonce: 0x3000_0000)
    earlier.addHeader(count: nil, pageCount: 20)
    for page: UInt32 in 1...6 { earlier.add(page, .page(UInt8(page))) }
    var maker = JournalMaker(nonce: 0x1000_0000)
    maker.addHeader(count: nil, pageCount: 20)
    for page in 0..<count { maker.add(UInt32(10 + page), .page(7)) }
    let torn = Bytes.big32(15)
    let bytes = maker.bytes + torn + earlier.bytes.dropFirst(maker.bytes.count + torn.count)
    let journal = try read(bytes)
    #expect(journal.records.map(\.page.number) == (0..<count).map { 10 + $0 })
    #expect(journal.continued.isEmpty && !journal.isBroken && !journal.isCut)
  }

  @Test func `the header of an earlier transaction, as SQLite marks it, ends the journal`() throws {
    var bytes = Self.journal()
    bytes[Self.header(1)] = 0
    let journal = try read(bytes)
    #expect(journal.records.map(\.page.number) == [1, 2, 3])
    #expect(journal.continued.isEmpty && !journal.isBroken)
  }

  @Test func `a page that comes again is of an earlier transaction`() throws {
    var bytes = Bytes(Self.journal().prefix(Self.header(1)))
    bytes += Bytes(Self.journal().prefix(512 + 3 * 520))
    bytes.set(.page(0, 28), at: Self.header(1))
    let journal = try read(bytes)
    #expect(journal.continued.isEmpty && !journal.isBroken)
  }

  @Test func `a count that is too large costs nothing`() throws {
    var bytes = Self.journal()
    bytes.set(Bytes.big32(4), at: Self.header(1) + 8)
    let journal = try read(bytes)
    #expect(journal.records.map(\.page.number) == [1, 2, 3, 4, 5, 6])
    #expect(journal.continued.map(\.page.number) == [7, 8, 9])
    #expect(journal.isBroken && !journal.isCut)
  }

  @Test func `what was cut off is lost`() throws {
    let journal = try read(Bytes(Self.journal().prefix(Self.header(2) + 512 + 600)))
    #expect(journal.records.count == 7)
    #expect(journal.isBroken && journal.isCut)
  }

  @Test func `without its first header it is told by its records`() throws {
    var bytes = Self.journal()
    bytes.set(.page(0, 28), at: 0)
    let journal = try #require(try headless(bytes))
    #expect(journal.records.isEmpty && journal.continued.count == 9)
    #expect(journal.pageCount == 20 && !journal.isCut)
    // One segment alone does not say how many pages there were.
    let first = Bytes(bytes.prefix(Self.header(1)))
    #expect(try headless(first) == nil)
    #expect(try headless(first, pageCount: 12)?.pageCount == 12)
    #expect(try headless(Bytes.page(0x20, 4096), pageCount: 12) == nil)
  }
}
