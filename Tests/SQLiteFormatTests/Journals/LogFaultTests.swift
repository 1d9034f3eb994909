// SPDX-License-Identifier: Apache-2.0
// Faults of one byte in a frame's header, frames that have moved, and frames that are missing.

import RescueTestSupport
import SQLiteFormat
import Testing

@Suite struct LogFaultTests {
  private static let frameSize = 24 + 512
  private static let pageCount = 40

  private static func offset(ofFrame index: Int) -> Int { 32 + index * frameSize }

  /// A page that is like no other, in one of its versions: these differ in a few bytes.
  private static func page(_ number: Int, _ version: UInt8 = 0) -> Bytes {
    var random = SeededRandom(seed: UInt64(number))
    var bytes = Bytes((0..<512).map { _ in UInt8.random(in: 1...255, using: &random) })
    for index in 100..<108 { bytes[index] = version }
    guard number == 1 else { return bytes }
    bytes.replaceSubrange(0..<18, with: Bytes("SQLite format 3\0".utf8) + [2, 0])
    for (offset, value) in [(24, 5), (28, pageCount), (92, 5)] {
      bytes.setBigEndian(UInt32(value), at: offset)
    }
    return bytes
  }

  /// Three transactions of three pages each.
  private static let frames: [(page: Int, version: UInt8)] = [
    (2, 1), (3, 1), (4, 1), (5, 1), (22, 1), (7, 1), (8, 1), (9, 1), (10, 1),
  ]

  private static func log(bigEndian: Bool = false) -> Bytes {
    var wal = WALMaker(bigEndian: bigEndian, salts: (7, 2))
    for (index, frame) in frames.enumerated() {
      wal.add(
        UInt32(frame.page), page(frame.page, frame.version),
        commit: index % 3 == 2 ? UInt32(pageCount) : 0)
    }
    return wal.bytes
  }

  private func image(_ wal: Bytes) throws -> Image {
    let main = (1...Self.pageCount).reduce(Bytes()) { $0 + Self.page($1) }
    return Image(
      FileSet(main: MemorySource(main), wal: MemorySource(wal)), geometry: try .of(512))
  }

  /// The pages that an image has in the version of the log.
  private func newPages(of image: Image) throws -> [Int] {
    try Self.frames.map(\.page).filter {
      try image.bytes(of: #require(PageNumber($0))) == Self.page($0, 1)
    }
  }

  private static let all = frames.map(\.page)

  /// Page number, size of the database and checksum; of the last frame, the second sum and the end of
  /// its page are one fault.
  @Test(arguments: [false, true], [0, 4, 8])
  func `a changed bit in the header of a frame is found and put right`(
    _ bigEndian: Bool, _ frame: Int
  ) throws {
    for byte in [2, 3, 6, 7, 17, 18] + (frame < 8 ? [20, 22] : []) {
      var bytes = Self.log(bigEndian: bigEndian)
      bytes[Self.offset(ofFrame: frame) + byte] ^= 0x10
      let image = try image(bytes)
      let log = try image.appliedLog
      #expect(log.applied.map(\.page.number) == Self.all, "byte \(byte)")
      #expect(log.damaged.isEmpty && !log.missesFrames && log.commitsAfterBreak == 0)
      #expect(try newPages(of: image) == Self.all, "byte \(byte)")
    }
  }

  @Test func `a fault in the last checksum or in the page before it costs no transaction`() throws {
    for byte in [20, 22, Self.frameSize - 1, Self.frameSize - 3] {
      var bytes = Self.log()
      bytes[Self.offset(ofFrame: 8) + byte] ^= 0x10
      let log = try image(bytes).appliedLog
      #expect(log.applied.map(\.page.number) == Self.all)
      #expect(log.damaged.allSatisfy { $0.index == 8 })
    }
  }

  @Test(arguments: [22, frameSize - 3], [UInt8(0x10), 0x01, 0x03])
  func `which of the two it was, the end of the page before tells`(
    _ byte: Int, _ mask: UInt8
  ) throws {
    var bytes = Self.log()
    bytes[Self.offset(ofFrame: 8) + byte] ^= mask
    let image = try image(bytes)
    #expect(try image.appliedLog.damaged.isEmpty)
    #expect(try newPages(of: image) == Self.all)
  }

  @Test func `of a page that ended otherwise before, it is known to be damaged`() throws {
    var wal = WALMaker(salts: (7, 2))
    for (index, number) in Self.all.enumerated() {
      var content = Self.page(number, 1)
      content[508] ^= 0x55
      wal.add(UInt32(number), content, commit: index % 3 == 2 ? UInt32(Self.pageCount) : 0)
    }
    wal.bytes[Self.offset(ofFrame: 8) + Self.frameSize - 1] ^= 0x10
    #expect(try image(wal.bytes).damagedPages == [try #require(PageNumber(10))])
  }

  @Test(arguments: [1, 8, 700, -1, -8, -500], [3, 4])
  func `frames behind bytes that were put in or left out are read where they lie`(
    _ count: Int, _ frame: Int
  ) throws {
    var bytes = Self.log()
    let place = Self.offset(ofFrame: frame) + 30
    if count > 0 {
      bytes.insert(contentsOf: Bytes(repeating: 0x78, count: count), at: place)
    } else {
      bytes.removeSubrange(place..<(place - count))
    }
    let image = try image(bytes)
    let log = try image.appliedLog
    #expect(log.applied.last?.page.number == 10)
    #expect(log.damaged.map(\.page.number) == [Self.all[frame]])
    #expect(try newPages(of: image) == Self.all.filter { $0 != Self.all[frame] })
    #expect(image.pageCount == Self.pageCount)
  }

  @Test func `a log may have several such places`() throws {
    var bytes = Self.log()
    bytes.remove(at: Self.offset(ofFrame: 6) + 300)
    bytes.insert(0x78, at: Self.offset(ofFrame: 1) + 300)
    let image = try image(bytes)
    #expect(try image.appliedLog.damaged.map(\.index) == [1, 6])
    #expect(try newPages(of: image) == [2, 4, 5, 22, 7, 9, 10])
  }

  @Test func `of a frame that was left out, it is known that one is missing`() throws {
    // What follows is the page of a tree, and looks whole.
    var wal = WALMaker(salts: (7, 2))
    for (index, frame) in Self.frames.enumerated() {
      let content = index == 5 ? PageMaker.leaf([1]).bytes : Self.page(frame.page, 1)
      wal.add(UInt32(frame.page), content, commit: index % 3 == 2 ? UInt32(Self.pageCount) : 0)
    }
    var bytes = wal.bytes
    let place = Self.offset(ofFrame: 4)
    bytes.removeSubrange(place..<(place + Self.frameSize))
    let log = try image(bytes).appliedLog
    #expect(log.applied.map(\.page.number) == Self.all.filter { $0 != 22 })
    #expect(log.missesFrames)
  }

  @Test func `of frames of zeros, it is known that they are missing`() throws {
    var bytes = Self.log()
    for index in 0..<Self.frameSize { bytes[Self.offset(ofFrame: 4) + index] = 0 }
    let log = try image(bytes).appliedLog
    #expect(log.applied.map(\.page.number) == Self.all.filter { $0 != 22 })
    #expect(log.missesFrames)
  }

  @Test func `a log that is whole misses nothing`() throws {
    let log = try image(Self.log()).appliedLog
    #expect(log.committed.count == 9 && !log.missesFrames)
  }
}
