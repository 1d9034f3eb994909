// SPDX-License-Identifier: Apache-2.0
// Reading numbers from bytes nobody vouches for: every read names its offset and may find nothing.

extension Span where Element == UInt8 {
  /// A big-endian number of two bytes; nil where the bytes end.
  @inline(__always)
  func big16(at offset: Int) -> Int? {
    guard offset >= 0, offset <= count - 2 else { return nil }
    return Int(self[offset]) << 8 | Int(self[offset + 1])
  }

  /// A big-endian number of four bytes; nil where the bytes end.
  @inline(__always)
  func big32(at offset: Int) -> UInt32? {
    guard offset >= 0, offset <= count - 4 else { return nil }
    return UInt32(self[offset]) << 24 | UInt32(self[offset + 1]) << 16
      | UInt32(self[offset + 2]) << 8 | UInt32(self[offset + 3])
  }

  /// A big-endian number of eight bytes; nil where the bytes end.
  @inline(__always)
  func big64(at offset: Int) -> UInt64? {
    guard let high = big32(at: offset), let low = big32(at: offset + 4) else { return nil }
    return UInt64(high) << 32 | UInt64(low)
  }

  /// A big-endian two's-complement number of `width` bytes, 1...8; nil where the bytes end.
  @inline(__always)
  func signed(at offset: Int, width: Int) -> Int64? {
    guard width >= 1, width <= 8, offset >= 0, offset <= count - width else { return nil }
    var value = Int64(Int8(bitPattern: self[offset]))
    var index = offset + 1
    while index < offset + width {
      value = value << 8 | Int64(self[index])
      index += 1
    }
    return value
  }

  /// A varint and its length in bytes, 1...9; nil where the bytes before `limit` end.
  ///
  /// Seven bits a byte, most significant first; the ninth byte gives all eight.
  /// Longer encodings than needed are legal. File format, section 1.6.
  @inline(__always)
  func varint(at offset: Int, limit: Int) -> (value: UInt64, length: Int)? {
    let end = Swift.min(limit, count)
    guard offset >= 0, offset < end else { return nil }
    let first = self[offset]
    if first < 0x80 { return (UInt64(first), 1) }
    return longVarint(at: offset, end: end)
  }

  /// A varint of two bytes or more.
  private func longVarint(at offset: Int, end: Int) -> (value: UInt64, length: Int)? {
    var value = UInt64(self[offset] & 0x7F)
    var length = 1
    while length < 8 {
      guard offset + length < end else { return nil }
      let byte = self[offset + length]
      value = value << 7 | UInt64(byte & 0x7F)
      length += 1
      if byte < 0x80 { return (value, length) }
    }
    guard offset + 8 < end else { return nil }
    return (value << 8 | UInt64(self[offset + 8]), 9)
  }
}

extension ContiguousArray where Element == UInt8 {
  /// A big-endian number of two bytes; nil where the bytes end.
  @inline(__always)
  package func big16(at offset: Int) -> Int? { span.big16(at: offset) }

  /// A big-endian number of four bytes; nil where the bytes end.
  @inline(__always)
  package func big32(at offset: Int) -> UInt32? { span.big32(at: offset) }

  /// A big-endian two's-complement number of `width` bytes, 1...8; nil where the bytes end.
  @inline(__always)
  package func signed(at offset: Int, width: Int) -> Int64? {
    span.signed(at: offset, width: width)
  }

  /// A varint and its length in bytes, 1...9; nil where the bytes before `limit` end.
  @inline(__always)
  package func varint(at offset: Int, limit: Int) -> (value: UInt64, length: Int)? {
    span.varint(at: offset, limit: limit)
  }

  /// The bytes of a range, as far as they exist.
  package func slice(_ range: Range<Int>) -> Bytes {
    Bytes(self[range.clamped(to: 0..<count)])
  }

  /// Whether the bytes at an offset are these.
  package func matches(_ expected: some Collection<UInt8>, at offset: Int = 0) -> Bool {
    guard offset >= 0, offset <= count - expected.count else { return false }
    return self[offset..<(offset + expected.count)].elementsEqual(expected)
  }

  /// Whether every byte is zero.
  package var isZero: Bool { allSatisfy { $0 == 0 } }
}
