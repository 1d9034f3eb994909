// SPDX-License-Identifier: Apache-2.0
// A file into which bytes were put at even distances, read without them.

/// A file with bytes of something else after each so many of its own, read without those.
///
/// file    block | added | block | added | …
/// view    block | block | …
package struct InterleavedView: PageSource {
  /// How many bytes stand together.
  package let block: Int
  /// How many bytes stand after each block that are left out.
  package let added: Int
  /// The number of bytes without them.
  package private(set) var byteCount: Int

  private let base: any PageSource

  /// Makes the view of a file.
  package init(_ base: any PageSource, block: Int, added: Int) {
    (self.base, self.block, self.added) = (base, block, added)
    let (blocks, rest) = base.byteCount.quotientAndRemainder(dividingBy: block + added)
    byteCount = blocks * block + min(rest, block)
  }

  /// The same up to so many bytes: what was put in behind the last block, which may be shorter, is none
  /// of them.
  package func prefix(_ count: Int) -> InterleavedView {
    var view = self
    view.byteCount = min(byteCount, count)
    return view
  }

  /// Reads up to `count` bytes from `offset`; fewer where the view ends.
  ///
  /// - Throws: ``ReadFailure`` when the file cannot be read.
  package func read(at offset: Int, count: Int) throws(ReadFailure) -> Bytes {
    guard offset >= 0, count > 0, offset < byteCount else { return [] }
    let wanted = offset..<offset + min(count, byteCount - offset)
    let (first, step) = (offset / block, block + added)
    let blocks = (wanted.upperBound - 1) / block - first + 1
    let bytes = try base.read(at: first * step, count: blocks * step)
    var result = Bytes()
    result.reserveCapacity(wanted.count)
    for index in 0..<blocks {
      let own = wanted.clamped(to: (first + index) * block..<(first + index + 1) * block)
      let start = own.lowerBound - (first + index) * block + index * step
      result += bytes[min(start, bytes.count)..<min(start + own.count, bytes.count)]
    }
    return result
  }
}
