// SPDX-License-Identifier: Apache-2.0
// The copies of a page beside the one in the image, with what each is worth.

import RescueTestSupport
import SQLiteFormat
import Testing

@Suite struct GenerationTests {
  private func image(_ pages: Int, wal: Bytes? = nil, journal: Bytes? = nil) throws -> Image {
    let main = (0..<pages).reduce(Bytes()) { $0 + Bytes.page(UInt8($1 + 1)) }
    return Image(
      FileSet(
        main: MemorySource(main), wal: wal.map { MemorySource($0) },
        journal: journal.map { MemorySource($0) }), geometry: try .of(512))
  }

  private func wal(_ frames: [(UInt32, UInt8, UInt32)], salts: (UInt32, UInt32) = (7, 2)) -> Bytes {
    var wal = WALMaker(salts: salts)
    for (page, content, commit) in frames { wal.add(page, .page(content), commit: commit) }
    return wal.bytes
  }

  private func offset(ofFrame index: Int) -> Int { 32 + index * 536 }

  @Test func `without journals every page is there once`() throws {
    #expect(try image(3).replicas(of: .first).isEmpty)
  }

  @Test func `a page under the log and frames that others supersede are older copies`() throws {
    let image = try image(2, wal: wal([(1, 50, 0), (2, 51, 2), (1, 52, 2), (2, 53, 0)]))
    #expect(try image.bytes(of: .first).first == 52)
    #expect(image.replicas(of: .first).map(\.source) == [.supersededFrame(0), .main])
    #expect(image.replicas(of: 2.page).map(\.source) == [.uncommittedFrame(3), .main])
    let bytes = try image.replicas(of: .first).map { try image.bytes(of: $0).first }
    #expect(bytes == [50, 1])
  }

  @Test func `each state is read as the files have it`() throws {
    let image = try image(2, wal: wal([(1, 50, 0), (2, 51, 2), (1, 52, 2), (2, 53, 2)]))
    let states = try Generations(image).map { generation in
      try generation.image.pages.map { try generation.image.bytes(of: $0).first }
    }
    #expect(states.suffix(4) == [[1, 2], [50, 51], [52, 51], [52, 53]])
  }

  @Test func `frames after a broken checksum are unverified copies`() throws {
    var bytes = wal([(1, 50, 1), (1, 51, 1), (2, 52, 0), (1, 53, 0)])
    for byte in [100, 200] { bytes[offset(ofFrame: 1) + byte] ^= 0x55 }
    let image = try image(2, wal: bytes)
    #expect(try image.bytes(of: .first).first == 50)
    #expect(
      image.replicas(of: .first).map(\.source)
        == [.unverifiedFrame(3), .unverifiedFrame(1), .main])
  }

  @Test func `salts that no restart explains, with other checksums, are unverified copies`() throws
  {
    var bytes = wal([(1, 50, 1), (1, 51, 1), (2, 52, 2)])
    for frame in 1...2 {
      for byte in 8..<20 { bytes[offset(ofFrame: frame) + byte] = 0xA5 }
    }
    let image = try image(2, wal: bytes)
    guard case .applied(let log) = image.wal else {
      Issue.record("\(image.wal)")
      return
    }
    #expect(log.ending == .saltsChanged(offset: offset(ofFrame: 1)))
    #expect(log.commitsAfterBreak == 1)
    #expect(image.replicas(of: 2.page).map(\.source) == [.unverifiedFrame(2)])
  }

  @Test func `frames from before a restart are older than the file`() throws {
    let young = wal([(1, 60, 2)], salts: (8, 99))
    let old = wal([(1, 50, 0), (2, 51, 2), (1, 52, 2)])
    let image = try image(2, wal: young + old[young.count...])
    guard case .applied(let log) = image.wal else {
      Issue.record("\(image.wal)")
      return
    }
    #expect(log.ending == .olderGeneration)
    #expect(log.unverified.isEmpty)
    #expect(image.replicas(of: .first).map(\.source) == [.main, .olderFrame(2)])
    #expect(image.replicas(of: 2.page).map(\.source) == [.olderFrame(1)])
  }

  @Test(arguments: [0, 10, 16, 24])
  func `the frames of a log that nothing vouches for are found by their size`(_ byte: Int) throws {
    var bytes = wal([(1, 50, 0), (2, 51, 2), (3, 52, 3)])
    bytes[byte] ^= 0x20
    for frame in 0..<3 { bytes[offset(ofFrame: frame) + 17] ^= 0x20 }
    let image = try image(2, wal: bytes)
    guard case .unusable = image.wal else {
      Issue.record("\(image.wal)")
      return
    }
    #expect(try image.bytes(of: .first).first == 1)
    #expect(image.replicas(of: .first).map(\.source) == [.unverifiedFrame(0)])
    #expect(image.replicas(of: 3.page).map(\.source) == [.unverifiedFrame(2)])
  }

  @Test func `bytes that are no log have no frames`() throws {
    let junk = Bytes((0..<5000).map { UInt8(truncatingIfNeeded: $0 &* 167 &+ 13) })
    #expect(try image(2, wal: junk).replicas(of: .first).isEmpty)
  }

  @Test(arguments: [512, 4096])
  func `a journal whose header was zeroed holds older copies`(_ sector: Int) throws {
    var journal = JournalMaker(sector: sector)
    journal.addHeader(count: 3, pageCount: 3)
    for page in [2, 1, 3] as [UInt32] { journal.add(page, .page(UInt8(100 + page))) }
    for byte in 0..<28 { journal.bytes[byte] = 0 }
    let image = try image(3, journal: journal.bytes)
    #expect(try image.bytes(of: 2.page).first == 2)
    #expect(image.replicas(of: 2.page).map(\.source) == [.journal(record: 0)])
    let replica = try #require(image.replicas(of: 3.page).first)
    #expect(try image.bytes(of: replica).first == 103)
  }

  @Test func `under a hot journal lies what the transaction had written`() throws {
    var journal = JournalMaker()
    journal.addHeader(count: 1, pageCount: 3)
    journal.add(2, .page(102))
    let image = try image(3, journal: journal.bytes)
    #expect(try image.bytes(of: 2.page).first == 102)
    #expect(image.replicas(of: 2.page).map(\.source) == [.main])
  }

  @Test func `a record of a hot journal that does not hold is a copy that nothing proves`() throws {
    var journal = JournalMaker()
    journal.addHeader(count: 3, pageCount: 3)
    for page in [1, 2, 3] as [UInt32] { journal.add(page, .page(UInt8(100 + page))) }
    // The checksum of the second record.
    let place = 512 + 520 + 4
    journal.bytes[place + 512] ^= 1
    let image = try image(3, journal: journal.bytes)
    #expect(try image.bytes(of: 2.page).first == 2)
    #expect(image.replicas(of: 2.page).map(\.source) == [.unprovenRecord(offset: place)])
    #expect(try image.bytes(of: #require(image.replicas(of: 2.page).first)).first == 102)
    #expect(image.replicas(of: 3.page).map(\.source) == [.main])
  }

  @Test(arguments: [512, 100, 700, 1536])
  func `a database may have lost its head`(_ cut: Int) throws {
    let whole = (1...4).reduce(Bytes()) { $0 + Bytes.page(UInt8($1)) }
    let image = Image(
      FileSet(main: MemorySource(Bytes(whole.dropFirst(cut)))), geometry: try .of(512), start: -cut)
    #expect(image.pageCount == 4)
    #expect(image.pages.map(\.number) == Array((cut / 512 + 1)...4))
    #expect(try image.bytes(of: 4.page) == .page(4))
    // Of a page that is partly there, what is missing is zero.
    let first = try image.bytes(of: #require(PageNumber(cut / 512 + 1)))
    #expect(first.count == 512)
    #expect(first.prefix(cut % 512).allSatisfy { $0 == 0 })
    #expect(first.dropFirst(cut % 512).allSatisfy { $0 == UInt8(cut / 512 + 1) })
    if cut >= 512 { #expect(throws: FormatError.self) { try image.bytes(of: .first) } }
  }
}

extension Image {
  /// The copies of a page other than the one in the image, newest first.
  func replicas(of page: PageNumber) -> [PageReplica] {
    Generations(self).flatMap { generation in generation.replicas.filter { $0.page == page } }
      .reversed()
  }

  /// The bytes of a copy of a page: those that the state has which it is a page of.
  func bytes(of replica: PageReplica) throws -> Bytes {
    let state = try #require(Generations(self).first { $0.replicas.contains(replica) })
    return try state.image.bytes(of: replica.page)
  }
}
