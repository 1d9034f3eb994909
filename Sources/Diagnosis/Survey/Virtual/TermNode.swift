// SPDX-License-Identifier: Apache-2.0
// How FTS3 and FTS4 store their index: nodes of terms, in blocks and in the roots of segments.
//
// leaf: 0 · term · length · list of documents, then (shared · rest · term · length · list) …
// interior: height · leftmost child · term, then (shared · rest · term) …
// Numbers are little-endian, seven bits a byte.

import SQLiteFormat

extension ContiguousArray where Element == UInt8 {
  /// Whether these bytes are a leaf with at least one term, whose lists fill it exactly.
  var isTermLeaf: Bool {
    guard first == 0 else { return false }
    var cursor = TermCursor(self, at: 1)
    var isFirst = true
    while !cursor.isAtEnd || isFirst {
      guard cursor.skipTerm(isFirst: isFirst), cursor.skipList() else { return false }
      isFirst = false
    }
    return true
  }

  /// Whether these bytes are a node above leaves.
  var isTermNode: Bool {
    var cursor = TermCursor(self, at: 0)
    guard let height = cursor.next(), height > 0, height < 64, cursor.next() != nil else {
      return false
    }
    var isFirst = true
    while !cursor.isAtEnd {
      guard cursor.skipTerm(isFirst: isFirst) else { return false }
      isFirst = false
    }
    return true
  }
}

/// A place in a node of terms.
private struct TermCursor {
  private var offset: Int
  /// How long the last term is.
  private var termLength = 0
  private let bytes: Bytes

  init(_ bytes: Bytes, at offset: Int) {
    self.bytes = bytes
    self.offset = offset
  }

  var isAtEnd: Bool { offset == bytes.count }

  /// The next number; nil where it is none, or larger than any length.
  mutating func next() -> UInt64? {
    var value: UInt64 = 0
    for place in 0..<10 {
      guard offset < bytes.count else { return nil }
      let byte = bytes[offset]
      offset += 1
      value |= UInt64(byte & 0x7F) << UInt64(7 * place)
      if byte < 0x80 { return value }
    }
    return nil
  }

  /// Passes a term, which shares its start with the one before; false where there is none.
  mutating func skipTerm(isFirst: Bool) -> Bool {
    var shared: UInt64 = 0
    if !isFirst {
      guard let count = next(), count <= UInt64(termLength) else { return false }
      shared = count
    }
    guard let rest = next(), rest > 0, rest <= UInt64(bytes.count - offset) else { return false }
    offset += Int(rest)
    termLength = Int(shared + rest)
    return true
  }

  /// Passes a list of documents, which a zero ends; false where there is none.
  mutating func skipList() -> Bool {
    guard let length = next(), length > 0, length <= UInt64(bytes.count - offset) else {
      return false
    }
    offset += Int(length)
    return bytes[offset - 1] == 0
  }
}
