// SPDX-License-Identifier: Apache-2.0
// Which frames behind a break in a log are taken, and which are not.

import RescueTestSupport
import SQLiteFormat
import Testing

@Suite struct LogContinuationTests {
  private static let frameSize = 24 + 512

  private static func offset(ofFrame index: Int) -> Int { 32 + index * frameSize }

  /// A page of a tree without a fault: a leaf with one row.
  private static func leaf(_ row: Int64) -> Bytes { PageMaker.leaf([row]).bytes }

  /// Three transactions, of pages 1 and 2, of page 2, and of page 3.
  private static func log(bigEndian: Bool = false) -> Bytes {
    var wal = WALMaker(bigEndian: bigEndian, salts: (7, 2))
    wal.add(1, .page(10))
    wal.add(2, leaf(1), commit: 2)
    wal.add(2, leaf(2), commit: 2)
    wal.add(3, leaf(3), commit: 3)
    return wal.bytes
  }

  private func image(_ wal: Bytes) throws -> Image {
    let main = (1...3).reduce(Bytes()) { $0 + Bytes.page(UInt8($1)) }
    return Image(
      FileSet(main: MemorySource(main), wal: MemorySource(wal)), geometry: try .of(512))
  }

  @Test(arguments: [false, true], [24, 27, 100, 203, 301, 535 - 8])
  func `a changed byte of a frame is found and put right`(_ bigEndian: Bool, _ byte: Int) throws {
    let isHighest = byte % 4 == (bigEndian ? 0 : 3)
    for mask: UInt8 in [0x10, 0xFF, 0x55, 0x81] {
      var bytes = Self.log(bigEndian: bigEndian)
      bytes[Self.offset(ofFrame: 0) + byte] ^= mask
      let image = try image(bytes)
      let log = try image.appliedLog
      #expect(log.committed.isEmpty)
      #expect(log.continued.map(\.page.number) == [1, 2, 2, 3])
      #expect(image.pageCount == 3)
      #expect(try image.bytes(of: 3.page) == Self.leaf(3))
      // Of the highest byte of a number the checksum tells too little: another may do as well.
      if let flip = log.continued.first?.flip {
        #expect(flip.offset == byte - 24 && flip.mask == mask)
        #expect(try image.bytes(of: .first) == .page(10))
      } else {
        #expect(isHighest && log.damaged.map(\.index) == [0])
      }
    }
  }

  @Test func `the frames behind a destroyed one go on, and it is known to be damaged`() throws {
    var bytes = Self.log()
    for index in 24..<Self.frameSize { bytes[Self.offset(ofFrame: 2) + index] = 0 }
    let image = try image(bytes)
    let log = try image.appliedLog
    #expect(log.committed.count == 2)
    #expect(log.continued.map(\.page.number) == [2, 3])
    #expect(log.damaged.map(\.index) == [2])
    #expect(image.damagedPages == [2.page])
    #expect(try image.bytes(of: 2.page) == .page(0), "the newest copy is gone, and not the older")
    #expect(try image.bytes(of: 3.page) == Self.leaf(3))
    #expect(image.replicas(of: 2.page).map(\.source) == [.supersededFrame(1), .main])
  }

  @Test func `a damaged frame that a later one supersedes is not missed`() throws {
    var bytes = Self.log()
    for index in 30..<60 { bytes[Self.offset(ofFrame: 1) + index] ^= 0xFF }
    let image = try image(bytes)
    #expect(try image.appliedLog.damaged.map(\.index) == [1])
    #expect(image.damagedPages.isEmpty)
    #expect(try image.bytes(of: 2.page) == Self.leaf(2))
  }

  @Test func `a frame whose header is lost is left out`() throws {
    var bytes = Self.log()
    for index in 0..<Self.frameSize { bytes[Self.offset(ofFrame: 1) + index] = 0 }
    let image = try image(bytes)
    // What follows it holds from nothing that is left, and only its own follower from it.
    #expect(try image.appliedLog.continued.map(\.page.number) == [1, 2, 3])
    #expect(try image.bytes(of: 3.page) == Self.leaf(3))
  }

  @Test(arguments: [false, true], [0, 1, 2])
  func `a frame that lost no more than its header is what the checksums around it say`(
    _ bigEndian: Bool, _ index: Int
  ) throws {
    for fill: UInt8 in [0, 0xA5] {
      var bytes = Self.log(bigEndian: bigEndian)
      for byte in 0..<24 { bytes[Self.offset(ofFrame: index) + byte] = fill }
      let image = try image(bytes)
      let log = try image.appliedLog
      #expect(log.applied.map(\.page.number) == [1, 2, 2, 3])
      #expect(log.applied.map(\.commitPageCount) == [nil, 2, 2, 3])
      #expect(!log.missesFrames && log.damaged.isEmpty)
      // With a byte of its page changed, too, nothing tells what it was.
      bytes[Self.offset(ofFrame: index) + 100] ^= 0x10
      #expect(try self.image(bytes).appliedLog.applied.count < 4)
    }
  }

  /// The log with neither salts nor a checksum in some of its frames.
  private static func unsummed(_ frames: Range<Int>) -> Bytes {
    var bytes = log()
    for frame in frames {
      for byte in 8..<24 { bytes[offset(ofFrame: frame) + byte] = 0 }
    }
    return bytes
  }

  @Test func `bytes that repeat themselves are no log, and not summed up everywhere`() {
    #expect(BeheadedLog(MemorySource(Bytes(repeating: 1, count: 400_000))) == nil)
  }

  @Test func `a transaction whose frames were not summed up never ended`() throws {
    let log = try image(Self.unsummed(1..<4)).appliedLog
    #expect(log.applied.isEmpty && log.commitsAfterBreak == 0)
  }

  @Test func `frames that were not summed up are of the transaction that goes on behind them`()
    throws
  {
    // SQLite goes on from the checksum that is not there.
    var bytes = Self.unsummed(2..<3)
    let tail = Self.leaf(3)
    var sums: (UInt32, UInt32) = (0, 0)
    for start in stride(from: 0, to: 8 + tail.count, by: 8) {
      let both = Bytes.big32(3) + Bytes.big32(3) + tail
      sums.0 &+= both.bigEndian(at: start).byteSwapped &+ sums.1
      sums.1 &+= both.bigEndian(at: start + 4).byteSwapped &+ sums.0
    }
    bytes.set(Bytes.big32(sums.0) + Bytes.big32(sums.1), at: Self.offset(ofFrame: 3) + 16)
    let image = try image(bytes)
    #expect(try image.appliedLog.applied.map(\.page.number) == [1, 2, 2, 3])
    #expect(try image.bytes(of: 2.page) == Self.leaf(2))
  }

  @Test func `a frame of a generation before is none of this one, whatever its checksum`() throws {
    var bytes = Self.log()
    // As a header that was written by half leaves it: this frame's salts, and the checksum of before.
    bytes[Self.offset(ofFrame: 2) + 40] ^= 0xFF
    bytes[Self.offset(ofFrame: 2) + 90] ^= 0xFF
    bytes.set(Bytes.big32(5) + Bytes.big32(9), at: Self.offset(ofFrame: 3) + 8)
    let log = try image(bytes).appliedLog
    #expect(log.applied.map(\.page.number) == [1, 2])
  }

  @Test(arguments: [false, true], [32, 33, 100, 32 + 536, 32 + 536 + 7])
  func `a log that has lost its first bytes is read from the first frame that another one proves`(
    _ bigEndian: Bool, _ count: Int
  ) throws {
    let image = try image(Bytes(Self.log(bigEndian: bigEndian).dropFirst(count)))
    #expect(try image.appliedLog.missesFrames)
    #expect(try image.bytes(of: 2.page) == Self.leaf(2))
    #expect(try image.bytes(of: 3.page) == Self.leaf(3))
  }

  @Test(arguments: [0, 1, 3])
  func `frames with other salts count where their checksums go on`(_ first: Int) throws {
    var bytes = Self.log()
    for frame in first..<4 {
      for byte in 8..<16 { bytes[Self.offset(ofFrame: frame) + byte] = 0xA5 }
    }
    let image = try image(bytes)
    #expect(try image.appliedLog.applied.map(\.page.number) == [1, 2, 2, 3])
    #expect(try image.bytes(of: 3.page) == Self.leaf(3))
  }

  @Test func `other salts in the header with a checksum that holds are put right`() throws {
    let other = WALMaker(salts: (9000, 1234)).bytes
    let image = try image(other + Self.log()[other.count...])
    #expect(try image.appliedLog.applied.map(\.page.number) == [1, 2, 2, 3])
  }

  @Test(arguments: [false, true])
  func `a log without its header is read by what its frames prove`(_ bigEndian: Bool) throws {
    var bytes = Self.log(bigEndian: bigEndian)
    for index in 0..<32 { bytes[index] = 0 }
    let image = try image(bytes)
    #expect(try image.appliedLog.applied.map(\.page.number) == [1, 2, 2, 3])
    #expect(try image.bytes(of: 3.page) == Self.leaf(3))
  }

  @Test(arguments: [(0, 1), (1, 2), (0, 3), (2, 3)])
  func `frames that have changed places are read in the order of their checksums`(
    _ first: Int, _ second: Int
  ) throws {
    var bytes = Self.log()
    let places = [first, second].map { index in
      Self.offset(ofFrame: index)..<(Self.offset(ofFrame: index) + Self.frameSize)
    }
    let frames = places.map { Bytes(bytes[$0]) }
    bytes.replaceSubrange(places[0], with: frames[1])
    bytes.replaceSubrange(places[1], with: frames[0])
    let image = try image(bytes)
    let log = try image.appliedLog
    #expect(log.applied.map(\.page.number) == [1, 2, 2, 3])
    #expect(!log.continued.isEmpty && log.damaged.isEmpty && log.unverified.isEmpty)
    #expect(try image.bytes(of: 2.page) == Self.leaf(2))
    #expect(try image.bytes(of: 3.page) == Self.leaf(3))
  }

  @Test func `what an older and longer log left behind a commit is not taken`() throws {
    // After a crash the log is written on from its last commit, with the same salts.
    var young = WALMaker(salts: (7, 2))
    young.add(1, .page(60), commit: 3)
    let image = try image(young.bytes + Self.log()[young.bytes.count...])
    let log = try image.appliedLog
    #expect(log.committed.count == 1)
    #expect(log.continued.isEmpty)
    #expect(log.unverified.count == 3)
    #expect(try image.bytes(of: 3.page) == .page(3))
  }

  @Test func `frames behind a break that were never committed are not taken`() throws {
    var wal = WALMaker(salts: (7, 2))
    wal.add(1, .page(10), commit: 3)
    wal.add(2, .page(20))
    wal.add(3, .page(30))
    var bytes = wal.bytes
    for byte in 100..<104 { bytes[Self.offset(ofFrame: 1) + byte] ^= 0x55 }
    let image = try image(bytes)
    #expect(try image.appliedLog.continued.isEmpty)
    #expect(try image.bytes(of: 3.page) == .page(3))
  }

  /// Two transactions, the second of which has lost the content of its commit frame.
  private func logEndingInLostCommit(damagingFirst: Bool) -> Bytes {
    var wal = WALMaker(salts: (7, 2))
    wal.add(1, .page(10))
    wal.add(2, Self.leaf(1), commit: 3)
    wal.add(1, .page(20))
    wal.add(3, Self.leaf(3))
    wal.add(2, Self.leaf(2), commit: 3)
    var bytes = wal.bytes
    for frame in damagingFirst ? [0, 4] : [4] {
      for index in 24..<Self.frameSize { bytes[Self.offset(ofFrame: frame) + index] = 0 }
    }
    return bytes
  }

  @Test func `the header of a commit frame counts where frames before it were damaged, too`() throws
  {
    let image = try image(logEndingInLostCommit(damagingFirst: true))
    let log = try image.appliedLog
    #expect(log.continued.map(\.page.number) == [1, 2, 1, 3, 2])
    #expect(log.damaged.map(\.index) == [0, 4])
    #expect(try image.bytes(of: 3.page) == Self.leaf(3))
  }

  @Test func `a commit frame without its content is no commit where nothing else is wrong`() throws
  {
    let image = try image(logEndingInLostCommit(damagingFirst: false))
    #expect(try image.appliedLog.applied.map(\.page.number) == [1, 2])
    #expect(try image.bytes(of: 3.page) == .page(3))
  }
}
