// SPDX-License-Identifier: Apache-2.0
// A file of which parts lie in the wrong place, read as if each lay where it belongs.

/// A file whose parts were moved, with that undone.
///
/// What is in no part reads as zeros, like a hole.
package struct RejoinedFile: PageSource {
  /// A part of the file.
  package struct Part: Hashable, Sendable {
    /// Where it belongs.
    package let place: Int
    /// Where it lies.
    package let offset: Int
    /// How many bytes it has.
    package let byteCount: Int

    /// Makes a part.
    package init(place: Int, offset: Int, byteCount: Int) {
      self.place = place
      self.offset = offset
      self.byteCount = byteCount
    }

    fileprivate var range: Range<Int> { place..<(place + byteCount) }
  }

  /// The number of bytes up to the end of the last part.
  package let byteCount: Int

  /// The file as it lies.
  let base: any PageSource
  /// The parts by their places, none over another.
  private let parts: [Part]

  /// Joins parts of a file, which are in the order of their places and do not overlap there.
  package init(_ base: any PageSource, _ parts: [Part]) {
    self.base = base
    self.parts = parts
    byteCount = parts.last?.range.upperBound ?? 0
  }

  /// Reads up to `count` bytes from `offset`; fewer where the last part ends.
  ///
  /// - Throws: ``ReadFailure`` when the file cannot be read.
  package func read(at offset: Int, count: Int) throws(ReadFailure) -> Bytes {
    guard offset >= 0, count > 0, offset < byteCount else { return [] }
    let wanted = offset..<min(byteCount, offset + count)
    var result = Bytes()
    result.reserveCapacity(wanted.count)
    for part in parts[indexOfPart(endingAfter: offset)...] {
      let range = part.range.clamped(to: wanted)
      guard !range.isEmpty else { break }
      result.append(
        contentsOf: repeatElement(0, count: range.lowerBound - wanted.lowerBound - result.count))
      result += try base.read(
        at: part.offset + range.lowerBound - part.place, count: range.count)
      let end = range.upperBound - wanted.lowerBound
      result.append(contentsOf: repeatElement(0, count: max(0, end - result.count)))
    }
    result.append(contentsOf: repeatElement(0, count: wanted.count - result.count))
    return result
  }

  /// The next bytes of a part, from an offset on, that may be something else than zeros.
  package func dataRange(from offset: Int) -> Range<Int>? {
    for part in parts[indexOfPart(endingAfter: offset)...] {
      let from = max(offset, part.place)
      let shift = part.offset - part.place
      guard let data = base.dataRange(from: from + shift) else { continue }
      let range = (data.lowerBound - shift)..<(data.upperBound - shift)
      let known = range.clamped(to: part.range)
      if !known.isEmpty { return known }
    }
    return nil
  }

  /// The first part that ends behind an offset.
  private func indexOfPart(endingAfter offset: Int) -> Int {
    parts.partitioningIndex { $0.range.upperBound > offset }
  }
}
