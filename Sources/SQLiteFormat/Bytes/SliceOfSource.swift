// SPDX-License-Identifier: Apache-2.0
// A part of a file as if it were a file.

/// A part of a source as a source.
package struct SliceOfSource: PageSource {
  /// Where the part begins in the source.
  package let start: Int
  /// The number of bytes of the part.
  package let byteCount: Int

  private let base: any PageSource

  /// Makes a source of the bytes of another in a range; where that ends, the part ends.
  package init(_ base: any PageSource, _ range: Range<Int>) {
    let range = range.clamped(to: 0..<max(0, base.byteCount))
    (self.base, start, byteCount) = (base, range.lowerBound, range.count)
  }

  /// Reads up to `count` bytes from `offset`; fewer where the part ends.
  ///
  /// - Throws: ``ReadFailure``, with the place in the part.
  package func read(at offset: Int, count: Int) throws(ReadFailure) -> Bytes {
    guard offset >= 0, offset < byteCount, count > 0 else { return [] }
    do {
      return try base.read(at: start + offset, count: min(count, byteCount - offset))
    } catch {
      throw error.isStop
        ? .stopped(at: offset)
        : ReadFailure(offset: max(0, error.offset - start), reason: error.reason)
    }
  }

  /// The next bytes, from an offset on, that may be something else than zeros.
  package func dataRange(from offset: Int) -> Range<Int>? {
    guard offset < byteCount, let range = base.dataRange(from: start + max(0, offset)) else {
      return nil
    }
    let part = (max(range.lowerBound - start, 0)..<max(range.upperBound - start, 0))
      .clamped(to: 0..<byteCount)
    return part.isEmpty ? nil : part
  }
}
