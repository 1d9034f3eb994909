// SPDX-License-Identifier: Apache-2.0
// A file that was saved as HTTP sends it in chunks: before each of them stands how long it is.
//
// 2000 CR LF <8,192 bytes> CR LF 2000 CR LF <8,192 bytes> CR LF … 0 CR LF CR LF

import SQLiteFormat

/// A database with the lengths of the chunks in which it was transferred, and how it is read without
/// them.
///
/// HTTP/1.1 (RFC 9112), section 7.1.
struct ChunkedTransfer {
  /// How much of the beginning may be the header of the answer.
  private static let headerMax = 1 << 16
  /// How many chunks there are, at most: a file may be made to take long.
  private static let chunksMax = 1 << 20
  /// The longest line with a length.
  private static let lineMax = 256
  private static let lineEnd: Bytes = [0x0D, 0x0A]

  /// The file without the lengths.
  let file: RejoinedFile
  /// How many chunks there are.
  let count: Int

  /// Finds the chunks of a file; nil where it does not begin with one that begins as a database does.
  ///
  /// The last chunk may be cut off; what is no chunk ends them.
  ///
  /// - Throws: ``ReadFailure`` when the file cannot be read.
  init?(_ source: any PageSource) throws(ReadFailure) {
    var parts: [RejoinedFile.Part] = []
    var place = 0
    var offset = try Self.endOfHeader(source)
    while let chunk = try Self.chunk(at: offset, of: source) {
      let byteCount = min(chunk.byteCount, source.byteCount - chunk.start)
      if parts.isEmpty {
        let head = try source.read(at: chunk.start, count: DatabaseHeader.magic.count)
        guard head.matches(DatabaseHeader.magic) else { return nil }
      }
      parts.append(.init(place: place, offset: chunk.start, byteCount: byteCount))
      place += byteCount
      offset = chunk.start + chunk.byteCount
      let end = try source.read(at: offset, count: Self.lineEnd.count)
      guard Self.lineEnd.starts(with: end), parts.count <= Self.chunksMax else { return nil }
      offset += Self.lineEnd.count
    }
    guard !parts.isEmpty else { return nil }
    file = RejoinedFile(source, parts)
    count = parts.count
  }

  /// Where the lines end that an answer begins with; 0 where there are none.
  private static func endOfHeader(_ source: any PageSource) throws(ReadFailure) -> Int {
    let version = Bytes("HTTP/1".utf8)
    guard try source.read(at: 0, count: version.count) == version else { return 0 }
    let head = try source.read(at: 0, count: headerMax)
    return head.indices.first { head.matches(lineEnd + lineEnd, at: $0) }.map { $0 + 4 } ?? 0
  }

  /// Where the bytes of a chunk begin, and how many it says that they are; nil where none begins.
  private static func chunk(
    at offset: Int, of source: any PageSource
  ) throws(ReadFailure) -> (start: Int, byteCount: Int)? {
    let bytes = try source.read(at: offset, count: lineMax)
    guard let end = bytes.indices.first(where: { bytes.matches(lineEnd, at: $0) }) else {
      return nil
    }
    let digits = bytes[..<end].prefix { $0 != UInt8(ascii: ";") && $0 != UInt8(ascii: " ") }
    guard (1...8).contains(digits.count),
      let byteCount = Int(String(decoding: digits, as: UTF8.self), radix: 16), byteCount > 0,
      offset + end + 2 < source.byteCount
    else { return nil }
    return (offset + end + 2, byteCount)
  }
}
