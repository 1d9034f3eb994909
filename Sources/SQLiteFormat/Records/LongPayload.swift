// SPDX-License-Identifier: Apache-2.0
// A payload too long for memory: it stays on its pages and is read piece by piece.

/// A long payload on its pages: what its cell holds, and the pages of its proven chain.
final class LongPayload: Sendable {
  /// The length of the whole payload.
  let byteCount: Int
  private let image: Image
  private let local: Bytes
  private let chain: OverflowChain

  /// A payload that starts with `local` and goes on in `chain`.
  init(_ image: Image, local: Bytes, chain: OverflowChain, byteCount: Int) {
    self.image = image
    self.local = local
    self.chain = chain
    self.byteCount = byteCount
  }

  /// Reads a part of the payload.
  ///
  /// - Throws: ``FormatError`` when a page can no longer be read as it was.
  func read(_ range: Range<Int>) throws(FormatError) -> Bytes {
    var bytes = local.slice(range)
    bytes.reserveCapacity(range.count)
    let capacity = image.geometry.overflowCapacity
    var position = max(range.lowerBound, local.count)
    while position < range.upperBound {
      let (index, skipped) = (position - local.count).quotientAndRemainder(dividingBy: capacity)
      guard index < chain.pages.count else {
        throw FormatError(.chainTooShort, page: chain.pages.last)
      }
      let page = chain.pages[index]
      let content = try image.bytes(of: page)
      let count = min(capacity - skipped, range.upperBound - position)
      guard content.count >= 4 + skipped + count else {
        throw FormatError(.pageIncomplete, page: page)
      }
      bytes.append(contentsOf: content[(4 + skipped)..<(4 + skipped + count)])
      position += count
    }
    return bytes
  }
}

extension Record {
  /// The bytes of one field, piece by piece: one piece where they are in memory already.
  package struct Pieces: Sendable {
    /// A run of bytes that lies somewhere in others.
    package typealias Piece = (bytes: Bytes, range: Range<Int>)

    /// The length of a piece that is read from pages; a multiple of eight.
    static let byteCount = 1 << 18

    private let record: Record
    private let end: Int
    private var offset: Int

    fileprivate init(_ record: Record, _ field: Field) {
      self.record = record
      offset = field.offset
      end = field.offset + field.length
    }

    /// The next piece; nil behind the last one.
    ///
    /// - Throws: ``FormatError`` when the pages of a long value can no longer be read.
    package mutating func next() throws(FormatError) -> Piece? {
      guard offset < end else { return nil }
      let start = offset
      guard end > record.bytes.count else {
        offset = end
        return (record.bytes, start..<end)
      }
      offset = min(end, start + Self.byteCount)
      let piece = try record.read(start..<offset)
      return (piece, piece.indices)
    }
  }

  /// The longest value that is fetched whole when it lies behind the bytes in memory.
  private static var fetchedMax: Int { 1 << 16 }

  /// Bytes in which a field can be read, and where it lies in them.
  ///
  /// Those of a long record may be fetched for it; a long value stays where it is.
  ///
  /// - Throws: ``FormatError`` when the pages of a long record can no longer be read.
  @inline(__always)
  func fetch(_ field: Field) throws(FormatError) -> (bytes: Bytes, field: Field) {
    guard !holds(field), !isLong(field) else { return (bytes, field) }
    let fetched = try read(field.offset..<field.end)
    return (fetched, Field(serialType: field.serialType, offset: 0, length: field.length))
  }

  /// Whether a value is too long to be held in memory, and is there in pieces only.
  package func isLong(_ field: Field) -> Bool {
    !holds(field) && field.length > Self.fetchedMax
  }

  /// The bytes of a field, piece by piece.
  package func pieces(of field: Field) -> Pieces { Pieces(self, field) }

  /// A part of the bytes, of a long record perhaps behind those in memory.
  ///
  /// - Throws: ``FormatError`` when the pages of a long value can no longer be read.
  func read(_ range: Range<Int>) throws(FormatError) -> Bytes {
    guard range.upperBound > bytes.count, let payload else { return bytes.slice(range) }
    return try payload.read(range)
  }

  /// Whether the bytes of a field are in ``bytes``.
  package func holds(_ field: Field) -> Bool { field.end <= bytes.count }
}
