// SPDX-License-Identifier: Apache-2.0
// Spans of an image on their way into a backup: read, compared with an earlier one, compressed.

internal import SQLiteFormat
internal import Synchronization

#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Musl)
  internal import Musl
#else
  internal import Darwin
#endif

/// One span of an image, with what an earlier backup has in its place.
struct ImageSpan: Sendable {
  /// A member of an earlier backup as its file holds it.
  struct Earlier: Sendable {
    var member: DataMember
    var stored: Bytes
  }

  /// Which bytes of the image it is.
  var range: Range<Int>
  /// Those bytes.
  var bytes: Bytes
  /// Their SHA-256, where that of the whole image is taken, too.
  var digest: Digest?
  /// The member of the earlier backup for the same bytes of its image; nil when there is none.
  var earlier: Earlier?
}

/// A span as a data member holds it.
struct EncodedSpan: Sendable {
  /// Which bytes of the image it is.
  var range: Range<Int>
  /// Their SHA-256.
  var digest: Digest
  /// Their CRC-32.
  var checksum: UInt32
  /// The deflate data that inflates to them.
  var data: Bytes
  /// Whether the data was taken over from an earlier backup.
  var isReused = false
  /// Which of them are not as in the earlier backup.
  var changes: [Range<Int>] = []
}

/// Compresses spans, on several threads at once.
final class SpanEncoder: Sendable {
  private let deflaters: Pool<Deflater>
  /// A span of zeros, as free pages are: many are alike, and one is compressed.
  private let zeros: Bytes
  private let zerosChecksum: UInt32
  private let zerosData = Mutex<Bytes?>(nil)

  /// Makes an encoder for spans of so many bytes.
  init(level: Int, spanByteCount: Int) {
    deflaters = Pool { Deflater(level: level) }
    zeros = Bytes(repeating: 0, count: spanByteCount)
    zerosChecksum = CRC32.checksum(of: zeros)
  }

  /// The CRC-32 of a span.
  fileprivate func checksum(of span: ImageSpan) -> UInt32 {
    span.bytes.isSame(as: zeros) ? zerosChecksum : CRC32.checksum(of: span.bytes)
  }

  /// Deflate data, after it was inflated again and compared with the span.
  ///
  /// - Throws: ``RescueError`` when memory is short, or when the data does not inflate to the span.
  fileprivate func deflate(_ span: ImageSpan) throws(RescueError) -> Bytes {
    let isZeros = span.bytes.isSame(as: zeros)
    if isZeros, let data = zerosData.withLock(\.self) { return data }
    guard let data = deflaters.with({ $0.compress(span.bytes) }) else {
      throw RescueError(.internal, "memory is short", advice: "close other programs")
    }
    guard let back = Deflate.inflate(data, in: 0..<data.count, to: span.bytes.count),
      back.isSame(as: span.bytes)
    else {
      throw .differs("bytes \(span.range.lowerBound) to \(span.range.upperBound) of the database")
    }
    if isZeros { zerosData.withLock { $0 = data } }
    return data
  }
}

extension ImageSpan {
  /// Finds or makes the deflate data that inflates to the span.
  ///
  /// - Throws: ``RescueError`` when memory is short, or when the data does not inflate to the span.
  func encoded(by encoder: SpanEncoder) throws(RescueError) -> EncodedSpan {
    let checksum = encoder.checksum(of: self)
    let old = earlier.flatMap {
      Deflate.inflate($0.stored, in: $0.member.deflated, to: bytes.count)
    }
    // Equal bytes, and not just equal digests: an earlier file may have rotted since it was proven.
    if let earlier, let old, old.isSame(as: bytes) {
      return EncodedSpan(
        range: range, digest: earlier.member.digest, checksum: checksum,
        data: Bytes(earlier.stored[earlier.member.deflated]), isReused: true)
    }
    return EncodedSpan(
      range: range, digest: digest ?? SHA256.digest(of: bytes), checksum: checksum,
      data: try encoder.deflate(self),
      changes: old.map { ImageChanges.differences(of: bytes, from: $0, at: range.lowerBound) }
        ?? [range])
  }
}

/// Where the spans of an image come from.
struct SpanInput: Sendable {
  let image: any PageSource
  /// What the image is called in an error.
  let name: FilePath
  /// An earlier backup.
  let earlier: Archive?
  let spanByteCount: Int

  /// The next batch of spans from a place in the image, whose bytes are added to `hash` if that is
  /// wanted; none at its end.
  func spans(from start: Int, addingTo hash: inout SHA256?) throws(RescueError) -> [ImageSpan] {
    let end = min(start + Parallel.batchCount * spanByteCount, image.byteCount)
    var spans: [ImageSpan] = []
    for start in stride(from: start, to: end, by: spanByteCount) {
      let range = start..<min(start + spanByteCount, end)
      let bytes = try bytes(range)
      spans.append(
        ImageSpan(range: range, bytes: bytes, digest: hash?.add(bytes), earlier: earlier(range)))
    }
    return spans
  }

  /// The SHA-256 of some bytes of the image, which can be added to.
  func hash(of range: Range<Int>) throws(RescueError) -> SHA256 {
    var hash = SHA256()
    for start in stride(from: range.lowerBound, to: range.upperBound, by: spanByteCount) {
      hash.update(try bytes(start..<min(start + spanByteCount, range.upperBound)))
    }
    return hash
  }

  private func bytes(_ range: Range<Int>) throws(RescueError) -> Bytes {
    let bytes: Bytes
    do { bytes = try image.read(at: range.lowerBound, count: range.count) } catch {
      throw RescueError(error, in: name)
    }
    guard bytes.count == range.count else {
      throw RescueError(
        .busy, "'\(name)' became shorter while it was read",
        meaning: "something else is writing to it; nothing was stored",
        advice: "close the app that uses the database, and try again")
    }
    return bytes
  }

  /// What the earlier backup has for exactly these bytes of its image.
  private func earlier(_ range: Range<Int>) -> ImageSpan.Earlier? {
    guard let earlier, let index = earlier.index(ofMemberWith: range.lowerBound),
      earlier.members[index].span == range,
      // What cannot be read is made anew.
      let stored = try? earlier.file.read(
        at: earlier.members[index].position, count: earlier.members[index].byteCount),
      stored.count == earlier.members[index].byteCount
    else { return nil }
    return ImageSpan.Earlier(member: earlier.members[index], stored: stored)
  }
}

/// Where an image differs from that of an earlier backup.
package struct ImageChanges: Hashable, Sendable {
  /// How finely differences are told apart: no page is smaller.
  static let byteCount = 512

  /// The bytes that differ, in order.
  package private(set) var ranges: [Range<Int>] = []

  /// Whether nothing differs.
  package var isEmpty: Bool { ranges.isEmpty }

  /// Adds differences behind those that are known.
  mutating func add(_ more: [Range<Int>]) {
    for range in more {
      if let last = ranges.last, last.upperBound == range.lowerBound {
        ranges[ranges.count - 1] = last.lowerBound..<range.upperBound
      } else {
        ranges.append(range)
      }
    }
  }

  /// The pieces of equally long bytes that differ, counted from `start`.
  static func differences(of bytes: Bytes, from old: Bytes, at start: Int) -> [Range<Int>] {
    var changes = ImageChanges()
    for first in stride(from: 0, to: bytes.count, by: byteCount) {
      let piece = first..<min(first + byteCount, bytes.count)
      if !bytes[piece].elementsEqual(old[piece]) {
        changes.add([(start + piece.lowerBound)..<(start + piece.upperBound)])
      }
    }
    return changes.ranges
  }
}

extension Bytes {
  /// Whether both hold the same; `==` looks at one byte at a time.
  func isSame(as other: Bytes) -> Bool {
    guard count == other.count, count > 0 else { return count == other.count }
    return unsafe withUnsafeBytes { own in
      unsafe other.withUnsafeBytes { others in
        guard let own = own.baseAddress, let others = others.baseAddress else { return false }
        return unsafe memcmp(own, others, count) == 0
      }
    }
  }
}
