// SPDX-License-Identifier: Apache-2.0
// A file that went through a text transfer, read as it was before.

/// A file in which every line feed became carriage return and line feed, with that undone.
///
/// Taking out the carriage return before each line feed gives the bytes before the transfer
/// exactly. Only where blocks of the file start is kept in memory.
package struct LineFeedView: PageSource {
  /// How many bytes of the file one step of the index stands for.
  private static let blockSize = 1 << 14

  /// The number of bytes before the transfer.
  package let byteCount: Int
  /// How many carriage returns are taken out.
  package var removedCount: Int { base.byteCount - byteCount }

  private let base: any PageSource
  /// Where in the view each block of the file starts.
  private let starts: [Int]

  /// Makes the view of a file; nil when a line feed follows no carriage return: then it was not
  /// transferred so.
  ///
  /// - Throws: ``ReadFailure`` when the file cannot be read.
  package init?(_ base: any PageSource) throws(ReadFailure) {
    var starts: [Int] = []
    var kept = 0
    var previous: UInt8 = 0
    for offset in stride(from: 0, to: base.byteCount, by: Self.blockSize) {
      // The carriage return of a pair over the border belongs to the block before it.
      let bytes = try base.read(at: offset, count: Self.blockSize + 1)
      let length = min(bytes.count, Self.blockSize)
      starts.append(kept)
      kept += length
      for index in 0..<length {
        let byte = bytes[index]
        if byte == 0x0A, previous != 0x0D { return nil }
        if byte == 0x0D, index + 1 < bytes.count, bytes[index + 1] == 0x0A { kept -= 1 }
        previous = byte
      }
    }
    self.base = base
    self.starts = starts
    byteCount = kept
  }

  /// Reads up to `count` bytes from `offset`; fewer where the view ends.
  ///
  /// - Throws: ``ReadFailure`` when the file cannot be read.
  package func read(at offset: Int, count: Int) throws(ReadFailure) -> Bytes {
    guard offset >= 0, count > 0, offset < byteCount else { return [] }
    let wanted = min(count, byteCount - offset)
    var block = blockHolding(offset)
    var skipped = offset - starts[block]
    var result = Bytes()
    result.reserveCapacity(wanted)
    while result.count < wanted, block < starts.count {
      let bytes = try base.read(at: block * Self.blockSize, count: Self.blockSize + 1)
      for index in 0..<min(bytes.count, Self.blockSize) {
        if bytes[index] == 0x0D, index + 1 < bytes.count, bytes[index + 1] == 0x0A { continue }
        if skipped > 0 {
          skipped -= 1
        } else {
          result.append(bytes[index])
          if result.count == wanted { break }
        }
      }
      block += 1
    }
    return result
  }

  /// The last block that starts at an offset of the view or before it.
  private func blockHolding(_ offset: Int) -> Int {
    max(0, starts.partitioningIndex { $0 > offset } - 1)
  }
}
