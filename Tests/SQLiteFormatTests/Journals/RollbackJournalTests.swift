// SPDX-License-Identifier: Apache-2.0
// Which pages of a rollback journal count.

import RescueTestSupport
import SQLiteFormat
import Testing

@Suite struct RollbackJournalTests {
  private func read(_ bytes: Bytes, databasePageSize: Int? = 512) throws -> RollbackJournal {
    try RollbackJournal(MemorySource(bytes), databasePageSize: databasePageSize)
  }

  private static func journal(count: UInt32?, records: Int = 3) -> JournalMaker {
    var journal = JournalMaker()
    journal.addHeader(count: count, pageCount: 9)
    for page in 0..<records { journal.add(UInt32(page + 1), .page(UInt8(page))) }
    return journal
  }

  @Test func `records are found with their places`() throws {
    let journal = try read(Self.journal(count: 3).bytes)
    #expect(journal.pageSize == 512)
    #expect(journal.pageCount == 9)
    #expect(journal.records.map(\.page.number) == [1, 2, 3])
    #expect(journal.records.map(\.offset) == [516, 1036, 1556])
    #expect(!journal.isBroken)
    #expect(journal.superJournal == nil)
  }

  @Test func `a count of −1 reaches to the end of the file`() throws {
    let journal = try read(Self.journal(count: nil).bytes)
    #expect(journal.records.count == 3)
    #expect(!journal.isBroken)
  }

  @Test func `a count of 0 has no records`() throws {
    let journal = try read(Self.journal(count: 0).bytes)
    #expect(journal.records.isEmpty)
    #expect(journal.pageCount == 9)
    #expect(!journal.isBroken)
  }

  @Test func `records beyond the count are not taken`() throws {
    #expect(try read(Self.journal(count: 2).bytes).records.count == 2)
  }

  @Test func `a header of zeros is no journal`() {
    var bytes = Self.journal(count: 3).bytes
    bytes.set(.page(0, 28), at: 0)
    for bytes in [bytes, [], Bytes(RollbackJournal.magic)] {
      #expect(throws: FormatError(.notAJournal, offset: 0)) { try read(bytes) }
    }
  }

  @Test(arguments: 0..<3)
  func `a checksum that breaks ends the journal there`(_ record: Int) throws {
    // Bytes 112 and 312 count, counted from the start of the page.
    for byte in [4 + 112, 4 + 312, 4 + 512 + 3] {
      var bytes = Self.journal(count: 3).bytes
      bytes[512 + record * 520 + byte] ^= 1
      let journal = try read(bytes)
      #expect(journal.records.count == record)
      #expect(journal.isBroken)
    }
    var unnoticed = Self.journal(count: 3).bytes
    unnoticed[512 + record * 520 + 4 + 113] ^= 1
    #expect(try read(unnoticed).records.count == 3)
  }

  @Test func `a record for page 0 ends the journal`() throws {
    var maker = JournalMaker()
    maker.addHeader(count: 2, pageCount: 9)
    maker.add(1, .page(1))
    maker.add(0, .page(1))
    let journal = try read(maker.bytes)
    #expect(journal.records.count == 1)
    #expect(journal.isBroken)
  }

  @Test func `a journal that is cut off is broken`() throws {
    let whole = Self.journal(count: 3).bytes
    let journal = try read(Bytes(whole.dropLast(10)))
    #expect(journal.records.count == 2)
    #expect(journal.isBroken)
    #expect(try read(Bytes(whole.prefix(512))).records.isEmpty)
    #expect(try read(Bytes(whole.prefix(512))).isBroken)
  }

  @Test func `several headers follow each other at sectors`() throws {
    var maker = JournalMaker()
    maker.addHeader(count: 2, pageCount: 9)
    maker.add(1, .page(1))
    maker.add(2, .page(2))
    maker.addHeader(count: 1, pageCount: 9)
    maker.add(3, .page(3))
    maker.addHeader(count: nil, pageCount: 9)
    maker.add(4, .page(4))
    maker.add(5, .page(5))
    let journal = try read(maker.bytes)
    #expect(journal.records.map(\.page.number) == [1, 2, 3, 4, 5])
    #expect(!journal.isBroken)
  }

  @Test func `a sector larger than a page pads the header`() throws {
    var maker = JournalMaker(sector: 4096)
    maker.addHeader(count: 1, pageCount: 9)
    maker.add(3, .page(3))
    maker.addHeader(count: 1, pageCount: 9)
    maker.add(4, .page(4))
    #expect(try read(maker.bytes).records.map(\.offset) == [4100, 12292])
  }

  @Test func `a super-journal is named at the end`() throws {
    var maker = Self.journal(count: nil)
    maker.addSuperJournal("/tmp/name-mj0123")
    let journal = try read(maker.bytes)
    #expect(journal.superJournal == Bytes("/tmp/name-mj0123".utf8))
    #expect(journal.records.count == 3)
    var broken = maker.bytes
    broken[broken.count - 12] ^= 1
    #expect(try read(broken).superJournal == nil)
  }

  @Test func `a page size of 0 is the database's, an impossible one is refused`() throws {
    var maker = JournalMaker(pageSize: 1024)
    maker.addHeader(count: 1, pageCount: 1, statedPageSize: 0)
    maker.add(1, .page(1, 1024))
    #expect(try read(maker.bytes, databasePageSize: 1024).records.count == 1)
    let error = FormatError(.journalSizes, offset: 20)
    #expect(throws: error) { try read(maker.bytes, databasePageSize: nil) }
    for (offset, value) in [(24, 1000), (24, 1 << 20), (20, 16), (20, 513), (20, 1 << 20), (20, 0)]
    {
      var bytes = Self.journal(count: 3).bytes
      bytes.set(.big32(UInt32(value)), at: offset)
      #expect(throws: error, "\(value) at \(offset)") { try read(bytes) }
    }
  }
}
