// SPDX-License-Identifier: Apache-2.0
// The checksum that ties each frame of a log to all before it.

extension WriteAheadLog {
  /// The cumulative checksum of a log.
  ///
  /// File format, section 4.2.
  struct Checksum {
    private var first: UInt32 = 0
    private var second: UInt32 = 0
    let isBigEndian: Bool

    init(bigEndian: Bool) {
      isBigEndian = bigEndian
    }

    /// The checksum of a header.
    init(ofHeader header: Bytes, bigEndian: Bool) {
      self.init(bigEndian: bigEndian)
      add(header, 0..<24)
    }

    /// The checksum that is stored at an offset.
    init(stated bytes: Bytes, at offset: Int, bigEndian: Bool) {
      self.init(bigEndian: bigEndian)
      first = bytes.big32(at: offset) ?? 0
      second = bytes.big32(at: offset + 4) ?? 0
    }

    /// The checksum with that of a frame.
    func adding(_ frame: Bytes) -> Self {
      var sum = self
      sum.add(frame, 0..<8)
      sum.add(frame, WriteAheadLog.frameHeaderSize..<frame.count)
      return sum
    }

    /// Whether the checksum of a frame is the next one.
    func holds(_ frame: Bytes) -> Bool { adding(frame).matches(frame, at: 16) }

    /// The two sums.
    typealias Sums = (UInt32, UInt32)

    /// The sums so far.
    var sums: Sums { (first, second) }

    /// What the two sums lack to be the checksum stored at an offset.
    func missing(to bytes: Bytes, at offset: Int) -> Sums {
      ((bytes.big32(at: offset) ?? 0) &- first, (bytes.big32(at: offset + 4) ?? 0) &- second)
    }

    /// The number at an offset, as the checksum adds it.
    func number(in bytes: Bytes, at offset: Int) -> UInt32? {
      bytes.big32(at: offset).map { isBigEndian ? $0 : $0.byteSwapped }
    }

    /// Adds bytes, whose number is a multiple of eight.
    mutating func add(_ bytes: Bytes, _ range: Range<Int>) {
      var index = range.lowerBound
      while index < range.upperBound {
        guard let left = number(in: bytes, at: index), let right = number(in: bytes, at: index + 4)
        else { return }
        first &+= left &+ second
        second &+= right &+ first
        index += 8
      }
    }

    /// Takes a frame away again: the checksum before it.
    mutating func remove(_ frame: Bytes) {
      remove(frame, WriteAheadLog.frameHeaderSize..<frame.count)
      remove(frame, 0..<8)
    }

    /// Takes bytes away again, whose number is a multiple of eight.
    private mutating func remove(_ bytes: Bytes, _ range: Range<Int>) {
      var index = range.upperBound
      while index > range.lowerBound {
        index -= 8
        guard let left = number(in: bytes, at: index), let right = number(in: bytes, at: index + 4)
        else { return }
        second &-= right &+ first
        first &-= left &+ second
      }
    }

    /// The header with which a frame leads from this checksum to another one.
    func header(of frame: Bytes, salts: [UInt32], upTo end: Self) -> Bytes {
      var behind = end
      behind.remove(frame, WriteAheadLog.frameHeaderSize..<frame.count)
      let left = behind.first &- first &- second
      let right = behind.second &- second &- behind.first
      let numbers = [left, right].map { isBigEndian ? $0 : $0.byteSwapped }
      return (numbers + salts + [end.first, end.second]).reduce(into: Bytes()) { header, number in
        header += [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: number >> $0) }
      }
    }

    /// Whether the checksum stored at an offset, always big-endian, is this one.
    func matches(_ bytes: Bytes, at offset: Int) -> Bool {
      missing(to: bytes, at: offset) == (0, 0)
    }
  }
}
