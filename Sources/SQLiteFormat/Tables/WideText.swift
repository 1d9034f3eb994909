// SPDX-License-Identifier: Apache-2.0
// Text in UTF-16 as SQLite compares it where a collation looks at characters: as if it were UTF-8.

/// The characters of text in UTF-16, one by one, as SQLite takes them for UTF-8: what has the form of
/// the first half of a pair takes the next unit for the other half, whatever that is.
private struct WideCharacters {
  private let range: Range<Int>
  private let isBig: Bool
  private var offset: Int

  init(_ range: Range<Int>, _ encoding: TextEncoding) {
    // SQLite drops half a unit.
    self.range = range.lowerBound..<(range.upperBound - range.count % 2)
    isBig = encoding == .utf16be
    offset = range.lowerBound
  }

  mutating func next(in bytes: Span<UInt8>) -> UInt32? {
    guard let unit = nextUnit(in: bytes) else { return nil }
    guard (0xD800..<0xE000).contains(unit), let other = nextUnit(in: bytes) else { return unit }
    return (other & 0x3FF) + (unit & 0x3F) << 10 + ((unit & 0x3C0) + 0x40) << 10
  }

  /// How many bytes the rest takes in UTF-8.
  mutating func countOfUTF8(in bytes: Span<UInt8>) -> Int {
    var count = 0
    while let character = next(in: bytes) {
      count += character < 0x80 ? 1 : character < 0x800 ? 2 : character < 0x10000 ? 3 : 4
    }
    return count
  }

  private mutating func nextUnit(in bytes: Span<UInt8>) -> UInt32? {
    guard offset < range.upperBound else { return nil }
    let (first, second) = (UInt32(bytes[offset]), UInt32(bytes[offset + 1]))
    offset += 2
    return isBig ? first << 8 | second : second << 8 | first
  }
}

extension Span where Element == UInt8 {
  /// Compares a range with one of other bytes, both text in UTF-16, as a collation does.
  func compareWide(
    _ range: Range<Int>, with other: Span<UInt8>, _ otherRange: Range<Int>,
    _ text: KeyOrder.TextOrder
  ) -> Int {
    let isTrimmed = text.collation == .trimmed
    let range = isTrimmed ? trimmedWide(range, text.encoding) : range
    let otherRange = isTrimmed ? other.trimmedWide(otherRange, text.encoding) : otherRange
    var left = WideCharacters(range, text.encoding)
    var right = WideCharacters(otherRange, text.encoding)
    while true {
      let (first, second) = (left.next(in: self), right.next(in: other))
      guard var first, var second else {
        return first == second ? 0 : first == nil ? -1 : 1
      }
      if text.collation == .noCase { (first, second) = (first.lowercased, second.lowercased) }
      if first != second { return first < second ? -1 : 1 }
      // NOCASE looks at nothing behind a NUL but the length.
      if first == 0, text.collation == .noCase {
        return left.countOfUTF8(in: self) - right.countOfUTF8(in: other)
      }
    }
  }

  /// A range without the spaces at its end.
  private func trimmedWide(_ range: Range<Int>, _ encoding: TextEncoding) -> Range<Int> {
    let (high, low) = encoding == .utf16be ? (2, 1) : (1, 2)
    var end = range.upperBound - range.count % 2
    while end > range.lowerBound, self[end - low] == 0x20, self[end - high] == 0 { end -= 2 }
    return range.lowerBound..<end
  }
}

extension UInt32 {
  fileprivate var lowercased: UInt32 { (0x41...0x5A).contains(self) ? self + 0x20 : self }
}
