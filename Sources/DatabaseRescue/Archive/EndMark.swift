// SPDX-License-Identifier: Apache-2.0
// The end mark of a backup file, from which everything else in it is found.

internal import SQLiteFormat

/// What the end mark says.
struct EndMark: Hashable, Sendable {
  /// A document: where it begins in the file, its length, its digest.
  struct Document: Hashable, Sendable {
    var position: Int
    var byteCount: Int
    var digest: Digest
  }

  /// The size of the payload.
  static let byteCount = 128
  /// The size of the whole member.
  static let memberByteCount =
    MemberHead.byteCount + byteCount + Deflate.nothing.count + MemberHead.trailerByteCount
  private static let words = Bytes("end of backup\n\0\0".utf8)

  var manifest: Document
  var index: Document
  var imageByteCount: Int
  var memberCount: Int

  /// The payload.
  var encoded: Bytes {
    var bytes = Bytes()
    for document in [manifest, index] {
      bytes += document.digest.bytes
      bytes.appendNumber(UInt64(truncatingIfNeeded: document.position))
      bytes.appendNumber(UInt64(truncatingIfNeeded: document.byteCount))
    }
    bytes.appendNumber(UInt64(truncatingIfNeeded: imageByteCount))
    bytes.appendNumber(UInt64(truncatingIfNeeded: memberCount))
    return bytes + Self.words
  }
}

extension EndMark {
  /// Reads a payload; nil when it is not one.
  init?(_ bytes: Bytes) {
    guard bytes.count == Self.byteCount, bytes[112...].elementsEqual(Self.words),
      let manifest = Document(bytes, at: 0), let index = Document(bytes, at: 48),
      let imageByteCount = bytes.number(at: 96, count: 8),
      let memberCount = bytes.number(at: 104, count: 8)
    else { return nil }
    self.init(
      manifest: manifest, index: index, imageByteCount: imageByteCount, memberCount: memberCount)
  }
}

extension EndMark.Document {
  fileprivate init?(_ bytes: Bytes, at start: Int) {
    guard let digest = Digest(bytes: bytes[start..<(start + 32)]),
      let position = bytes.number(at: start + 32, count: 8),
      let byteCount = bytes.number(at: start + 40, count: 8)
    else { return nil }
    self.init(position: position, byteCount: byteCount, digest: digest)
  }
}
