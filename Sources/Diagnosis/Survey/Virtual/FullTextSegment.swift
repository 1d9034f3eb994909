// SPDX-License-Identifier: Apache-2.0
// How FTS5 stores its index: a record that lists segments, and the pages of these.
//
// id of a page: segment << 37 | of an index over a long list << 36 | height << 31 | page number
// structure: cookie (4) [· FF 00 00 01] · levels · segments · writes · levels × level
// level: segments that are merged · segments · segments × (id · first page · last page …)
// page: offset of the first rowid (2) · size of the content (2) · content · offsets of terms

import SQLiteFormat

/// A segment of an FTS5 index, with the numbers of its pages; none where there is no last one.
struct FullTextSegment: Hashable, Sendable {
  /// The id of the record that counts documents and words.
  static let averagesID: Int64 = 1
  /// The id of the record that lists the segments.
  static let structureID: Int64 = 10
  /// Where the number of the segment starts in the id of a page.
  static let idShift: Int64 = 37

  /// The segment's number.
  let id: Int64
  /// Its pages.
  let pages: ClosedRange<Int64>

  /// The ids of its pages; nil where it has none yet.
  var ids: ClosedRange<Int64>? {
    guard pages.upperBound > 0 else { return nil }
    let base = id << Self.idShift
    return (base + pages.lowerBound)...(base + pages.upperBound)
  }

  /// Whether an id is that of a page of terms: neither one of an index over a long list, nor one of
  /// rows that were deleted.
  static func isTermPage(_ id: Int64) -> Bool {
    (id >> 31) & 0x3F == 0 && (id >> idShift) < 1 << 16
  }

  /// Reads the record that lists the segments; nil where it is none.
  static func all(in bytes: Bytes) -> [FullTextSegment]? {
    var cursor = VarintCursor(bytes, at: 4)
    let isLong = bytes.matches([0xFF, 0, 0, 1], at: 4)
    if isLong { cursor.offset += 4 }
    guard bytes.count >= 4, let levels = cursor.next(), let count = cursor.next(),
      cursor.next() != nil, levels <= 64, count <= 1 << 16
    else { return nil }
    var segments: [FullTextSegment] = []
    for _ in 0..<levels {
      guard cursor.next() != nil, let number = cursor.next(), number <= count else { return nil }
      for _ in 0..<number {
        guard let id = cursor.next(), let first = cursor.next(), let last = cursor.next(),
          id > 0, id < 1 << 16, first <= last, last < 1 << 31
        else { return nil }
        if isLong { for _ in 0..<5 where cursor.next() == nil { return nil } }
        segments.append(FullTextSegment(id: Int64(id), pages: Int64(first)...Int64(last)))
      }
    }
    return segments.count == count && cursor.isAtEnd ? segments : nil
  }
}

/// Numbers of varying length, one after the other.
private struct VarintCursor {
  var offset: Int
  private let bytes: Bytes

  init(_ bytes: Bytes, at offset: Int) {
    self.bytes = bytes
    self.offset = offset
  }

  var isAtEnd: Bool { offset == bytes.count }

  /// The next number; nil behind the last one.
  mutating func next() -> UInt64? {
    guard let (value, length) = bytes.varint(at: offset, limit: bytes.count) else { return nil }
    offset += length
    return value
  }
}

extension ContiguousArray where Element == UInt8 {
  /// Whether these bytes can be a page of terms of FTS5: each offset in it leads into its content,
  /// and its first term is one.
  var isTermPage: Bool {
    guard let firstRowID = big16(at: 0), let size = big16(at: 2), size >= 4, size <= count,
      firstRowID == 0 || (4..<size).contains(firstRowID)
    else { return false }
    var cursor = VarintCursor(self, at: size)
    var term = 0
    while !cursor.isAtEnd {
      guard let step = cursor.next(), step > 0, step < UInt64(size - term) else { return false }
      if term == 0 {
        guard step >= 4, let (length, width) = varint(at: Int(step), limit: size),
          length > 0, length <= UInt64(size - Int(step) - width)
        else { return false }
      }
      term += Int(step)
    }
    return true
  }
}
