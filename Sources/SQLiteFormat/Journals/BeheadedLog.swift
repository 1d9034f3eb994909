// SPDX-License-Identifier: Apache-2.0
// A log whose beginning is lost: its header, and as many of its first bytes as may be.
//
//   lies          … │ frame 8 │ frame 9 │ frame 10 │
//   read   (header) │ frame 8 │ frame 9 │ frame 10 │
//
// All frames have the salts of their log, each lies a frame behind the one before, and the checksum of
// each follows from the one that the frame before it states. Section 4.2.

/// A log with its first frame that another one proves where the first frame of a log lies.
package struct BeheadedLog: PageSource {
  /// How far from its beginning the first frame is searched for.
  private static let searchMax = 1 << 18
  /// How many frames are summed up in the search, at most: bytes that repeat themselves look like one
  /// anywhere.
  private static let sumsMax = 1 << 12

  private let source: any PageSource
  /// Where the first frame lies.
  private let first: Int
  /// The bytes of a page.
  package let pageSize: Int

  /// Looks for the frames of a log with pages of one of these sizes, in bytes; nil where none
  /// of them proves another.
  package init?(_ source: any PageSource, pageSizes: [Int] = Geometry.pageSizes) {
    let sizes = pageSizes.map { WriteAheadLog.frameHeaderSize + $0 }
    guard let most = sizes.max(),
      let bytes = try? source.read(at: 0, count: Self.searchMax + 2 * most)
    else { return nil }
    var sumsLeft = Self.sumsMax
    for frameSize in sizes {
      for place in bytes.indices.prefix(Self.searchMax)
      where Self.looksLikeFrame(in: bytes, at: place, followedAt: place + frameSize) {
        sumsLeft -= 1
        guard sumsLeft >= 0 else { return nil }
        guard Self.isProven(in: bytes, at: place, followedAt: place + frameSize) else { continue }
        self.source = source
        first = place
        pageSize = frameSize - WriteAheadLog.frameHeaderSize
        return
      }
    }
    return nil
  }

  /// The length of the log with its first frame in its place.
  package var byteCount: Int { source.byteCount - first + WriteAheadLog.headerSize }

  /// Reads up to `count` bytes from `offset`; zeros in the place of the header.
  ///
  /// - Throws: ``ReadFailure`` when the log cannot be read.
  package func read(at offset: Int, count: Int) throws(ReadFailure) -> Bytes {
    guard offset >= 0, offset < byteCount, count > 0 else { return [] }
    let header = min(count, max(0, WriteAheadLog.headerSize - offset))
    let rest = try source.read(
      at: max(first, offset - WriteAheadLog.headerSize + first), count: count - header)
    return Bytes(repeating: 0, count: header) + rest
  }

  /// Whether a frame may lie at a place: the one behind it at another has its salts.
  private static func looksLikeFrame(in bytes: Bytes, at place: Int, followedAt next: Int) -> Bool {
    guard next + (next - place) <= bytes.count, bytes[place + 8] == bytes[next + 8],
      let salts = bytes.span.big64(at: place + 8), salts != 0
    else { return false }
    return bytes.span.big64(at: next + 8) == salts
      && bytes.big32(at: place).flatMap { PageNumber($0) } != nil
  }

  /// Whether the frame at one place follows from the checksum that the one at another states.
  private static func isProven(in bytes: Bytes, at place: Int, followedAt next: Int) -> Bool {
    let frame = bytes.slice(next..<(next + next - place))
    return [false, true].contains { isBigEndian in
      WriteAheadLog.Checksum(stated: bytes, at: place + 16, bigEndian: isBigEndian).holds(frame)
    }
  }
}
