// SPDX-License-Identifier: Apache-2.0
// The index of a write-ahead log, the -shm: a cache that SQLite makes anew when the first process
// opens the database. No page comes from it; it tells of what log it was made.
//
// offset size
//      0    4  version, 3007000
//     12    1  1 when it is filled in
//     14    2  page size; 1 for 65536
//     16    4  number of valid frames
//     32    8  salts of the log, as its header has them
//     40    8  checksum of the 40 bytes before it
//     48   48  the same again
//     96    4  number of frames that were copied to the database file
//
// Numbers are in the order of the machine that wrote them, but for the salts.

/// What the index of a log tells of its log.
///
/// File format, section 4.6 ("The WAL-Index File Format").
package struct LogIndex: Hashable, Sendable {
  /// How many bytes are to be read of it.
  package static let byteCount = 136

  /// How many frames the log had.
  package let frameCount: Int
  /// How many of them were in the database file.
  package let copiedCount: Int
  /// The size of the log's pages in bytes.
  package let pageSize: Int
  /// The salts of the log.
  package let salts: [UInt32]
  /// Whether its checksum holds.
  package let isProven: Bool

  /// Reads the beginning of the index; nil where it holds nothing that can be believed.
  package init?(_ bytes: Bytes) {
    guard bytes.count >= 100 else { return nil }
    let isBigEndian = bytes[3] != 0 || bytes[0] == 0
    func number(_ offset: Int) -> UInt32 {
      let big = bytes.big32(at: offset) ?? 0
      return isBigEndian ? big : big.byteSwapped
    }
    // Both copies of the header are the same while nobody writes.
    guard number(0) == WriteAheadLog.version, bytes[12] == 1,
      bytes[0..<48].elementsEqual(bytes[48..<96])
    else { return nil }
    frameCount = Int(number(16))
    copiedCount = Int(number(96))
    guard copiedCount <= frameCount else { return nil }
    let size = Int(isBigEndian ? number(12) & 0xFFFF : number(12) >> 16)
    pageSize = size == 1 ? 65536 : size
    salts = [bytes.big32(at: 32) ?? 0, bytes.big32(at: 36) ?? 0]
    var checksum = WriteAheadLog.Checksum(bigEndian: isBigEndian)
    checksum.add(bytes, 0..<40)
    isProven = checksum.sums == (number(40), number(44))
  }

  /// Reads the index from its file; nil where there is none that can be believed.
  package init?(_ source: some PageSource) {
    guard let bytes = try? source.read(at: 0, count: Self.byteCount) else { return nil }
    self.init(bytes)
  }
}

extension LogIndex {
  /// Whether it can have been made of a log, in one of its generations.
  ///
  /// One without frames says nothing of its log: SQLite resets the index before the log.
  package func canBe(of log: WriteAheadLog) -> Bool {
    frameCount == 0 || pageSize == log.pageSize && isOfSeries(of: log.salts)
  }

  /// Whether its salts are those of a log, or of the same log some restarts before or after: each
  /// adds one to the first salt.
  private func isOfSeries(of others: [UInt32]) -> Bool {
    guard others.count == 2 else { return true }
    let steps = Int32(bitPattern: others[0] &- salts[0])
    return salts == others || steps != 0 && (-4096...4096).contains(steps)
  }
}
