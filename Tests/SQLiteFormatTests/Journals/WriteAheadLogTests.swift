// SPDX-License-Identifier: Apache-2.0
// Which frames of a write-ahead log count, wherever it breaks.

import RescueTestSupport
import SQLiteFormat
import Testing

@Suite struct WriteAheadLogTests {
  private static let frameSize = 24 + 512

  /// Two transactions: frames for pages 1, 2 and again 2, 3.
  private static func twoTransactions(bigEndian: Bool = false) -> WALMaker {
    var wal = WALMaker(bigEndian: bigEndian)
    wal.add(1, .page(1))
    wal.add(2, .page(2), commit: 2)
    wal.add(2, .page(3))
    wal.add(3, .page(4), commit: 3)
    return wal
  }

  private static func offset(ofFrame index: Int) -> Int { 32 + index * frameSize }

  private func read(_ bytes: Bytes) throws -> WriteAheadLog {
    try WriteAheadLog(MemorySource(bytes))
  }

  @Test(arguments: [false, true])
  func `committed frames count, in either order of bytes`(_ bigEndian: Bool) throws {
    let log = try read(Self.twoTransactions(bigEndian: bigEndian).bytes)
    #expect(log.pageSize == 512)
    #expect(log.salts == [1, 2])
    #expect(log.committed.map(\.page.number) == [1, 2, 2, 3])
    #expect(log.committed.map(\.commitPageCount) == [nil, 2, nil, 3])
    #expect(log.committed.map(\.offset) == (0..<4).map { Self.offset(ofFrame: $0) + 24 })
    #expect(log.pageCount == 3)
    #expect(log.ending == .complete)
    #expect(log.uncommitted.isEmpty && log.unverified.isEmpty)
  }

  @Test func `frames after the last commit do not count`() throws {
    var wal = Self.twoTransactions()
    wal.add(1, .page(9))
    let log = try read(wal.bytes)
    #expect(log.committed.count == 4)
    #expect(log.uncommitted.map(\.page.number) == [1])
    #expect(log.ending == .complete)
  }

  @Test(arguments: 0..<4)
  func `a checksum that breaks ends the log there`(_ frame: Int) throws {
    for byte in [0, 5, 17, 24, Self.frameSize - 1] {
      var bytes = Self.twoTransactions().bytes
      bytes[Self.offset(ofFrame: frame) + byte] ^= 0x40
      let log = try read(bytes)
      #expect(log.committed.count == (frame < 2 ? 0 : 2), "byte \(byte)")
      #expect(log.uncommitted.count == frame % 2, "byte \(byte)")
      #expect(log.unverified.count == 4 - frame, "byte \(byte)")
      #expect(log.ending == .checksumBroken(offset: Self.offset(ofFrame: frame)), "byte \(byte)")
      #expect(log.commitsAfterBreak == (frame < 3 ? (frame < 1 ? 2 : 1) : 0), "byte \(byte)")
    }
  }

  @Test func `a frame for page 0 ends the log`() throws {
    var wal = WALMaker()
    wal.add(1, .page(1), commit: 1)
    wal.add(0, .page(2), commit: 1)
    let log = try read(wal.bytes)
    #expect(log.committed.count == 1)
    #expect(log.ending == .checksumBroken(offset: Self.offset(ofFrame: 1)))
  }

  @Test func `what is left from before a restart is an older generation`() throws {
    var young = WALMaker(salts: (2, 77))
    young.add(1, .page(7), commit: 2)
    let old = Self.twoTransactions().bytes
    let log = try read(young.bytes + old[young.bytes.count...])
    #expect(log.committed.count == 1)
    #expect(log.pageCount == 2)
    #expect(log.ending == .olderGeneration)
    #expect(log.unverified.isEmpty)
    #expect(log.older.count == 3)
    #expect(log.commitsAfterBreak == 0, "they belong to another generation")
  }

  @Test(arguments: [1, 23, 24, 25, 535])
  func `a frame that is cut off does not count`(_ count: Int) throws {
    let whole = Self.twoTransactions().bytes
    let log = try read(Bytes(whole.prefix(Self.offset(ofFrame: 3) + count)))
    #expect(log.committed.count == 2)
    #expect(log.uncommitted.count == 1)
    #expect(log.ending == (count > 24 ? .cutOff(offset: Self.offset(ofFrame: 3)) : .complete))
  }

  @Test func `a log longer than one run of reading is read to its end`() throws {
    var wal = WALMaker(pageSize: 65536)
    for number in 1...12 {
      wal.add(UInt32(number), .page(UInt8(number), 65536), commit: UInt32(number))
    }
    let log = try read(wal.bytes)
    #expect(log.committed.count == 12)
    #expect(log.pageCount == 12)
  }

  @Test func `a header that does not hold makes no frame count`() {
    let whole = Self.twoTransactions().bytes
    #expect(throws: FormatError(.notALog, offset: 0)) { try read([]) }
    #expect(throws: FormatError(.notALog, offset: 0)) { try read(Bytes(whole.prefix(31))) }
    // Magic, version, page size, salts and checksum.
    for byte in [0, 3, 5, 10, 16, 20, 24, 31] {
      var bytes = whole
      bytes[byte] ^= 0x10
      let error =
        byte < 16 ? FormatError(.notALog, offset: 0) : FormatError(.logChecksum, offset: 24)
      #expect(throws: error, "byte \(byte)") { try read(bytes) }
    }
  }

  @Test func `a header alone is a log without frames`() throws {
    let log = try read(WALMaker().bytes)
    #expect(log.committed.isEmpty)
    #expect(log.pageCount == nil)
    #expect(log.ending == .complete)
  }
}
