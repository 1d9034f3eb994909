// SPDX-License-Identifier: Apache-2.0
// Raw deflate data (RFC 1951) and CRC-32, by zlib; the only file that calls it.

internal import CZlib
internal import SQLiteFormat

/// Compression of runs of bytes that fit in memory.
enum Deflate {
  /// The version of zlib, such as `1.3.1`, as it says itself at run time.
  static let version = unsafe String(cString: zlibVersion())

  /// The deflate data that holds nothing.
  static let nothing: Bytes = [0x03, 0x00]

  /// The most bytes that one byte of deflate data can stand for.
  static let ratioMax = 1032

  /// Inflates data that stands for exactly `count` bytes; nil when it does not.
  static func inflate(_ data: Bytes, in range: Range<Int>, to count: Int) -> Bytes? {
    guard let inflater = Inflater() else { return nil }
    let result = inflater.inflate(data, in: range, max: count, isAll: true)
    guard result.state == .ended, result.bytes.count == count,
      result.consumed == range.count
    else { return nil }
    return result.bytes
  }
}

/// A compressor that is used again and again: making one takes as long as compressing a page.
///
/// Not safe on several threads at once, which is why whoever needs one takes it out of a ``Pool``.
@safe final class Deflater: @unchecked Sendable {
  /// On the heap, since zlib keeps the address of its stream.
  private let stream: UnsafeMutablePointer<z_stream>
  private let level: Int32

  /// Makes a compressor; nil when memory is short.
  init?(level: Int) {
    self.level = Int32(clamping: level)
    unsafe stream = .allocate(capacity: 1)
    unsafe stream.initialize(to: z_stream())
    guard unsafe dbrescue_deflate_init_raw(stream, self.level) == Z_OK else {
      unsafe stream.deallocate()
      return nil
    }
  }

  deinit {
    unsafe deflateEnd(stream)
    unsafe stream.deallocate()
  }

  /// Compresses bytes; nil when zlib cannot.
  func compress(_ bytes: Bytes) -> Bytes? {
    guard unsafe deflateReset(stream) == Z_OK else { return nil }
    // zlib's bound is for one level; a change of it ends a block early.
    let changesMax = bytes.count / Self.pieceByteCount + 1
    let bound = Int(unsafe deflateBound(stream, UInt(bytes.count))) + 32 * changesMax
    var ended = false
    let data = unsafe Bytes(unsafeUninitializedCapacity: bound) { output, filled in
      unsafe bytes.withUnsafeBufferPointer { input in
        // zlib does not write through next_in; its declaration merely predates const.
        unsafe stream.pointee.next_in = UnsafeMutablePointer(mutating: input.baseAddress)
        unsafe stream.pointee.next_out = output.baseAddress
        unsafe stream.pointee.avail_out = UInt32(clamping: bound)
        ended = unsafe deflateRuns(of: input)
        filled = unsafe bound - Int(stream.pointee.avail_out)
      }
    }
    return ended ? data : nil
  }

  /// How much is stored or compressed by one look at it: as much as most pages hold.
  private static let pieceByteCount = 4096
  /// Every how many bytes one is looked at.
  private static let sampleStride = 4

  /// Gives the stream its input in runs of pieces that are alike; false when it does not end.
  ///
  /// Looking for repetitions takes most of the time. In what looks random, such as photos, there
  /// are hardly any, and giving frequent bytes shorter codes gains little: it is only stored.
  @unsafe private func deflateRuns(of input: UnsafeBufferPointer<UInt8>) -> Bool {
    var start = 0
    var isRandom = unsafe looksRandom(input, at: 0)
    while true {
      var end = min(start + Self.pieceByteCount, input.count)
      var nextIsRandom = isRandom
      while end < input.count {
        nextIsRandom = unsafe looksRandom(input, at: end)
        guard nextIsRandom == isRandom else { break }
        end = min(end + Self.pieceByteCount, input.count)
      }
      guard unsafe deflateParams(stream, isRandom ? 0 : level, Z_DEFAULT_STRATEGY) == Z_OK else {
        return false
      }
      unsafe stream.pointee.avail_in = UInt32(clamping: end - start)
      if end == input.count { return unsafe deflate(stream, Z_FINISH) == Z_STREAM_END }
      guard unsafe deflate(stream, Z_NO_FLUSH) == Z_OK else { return false }
      (start, isRandom) = (end, nextIsRandom)
    }
  }

  /// Whether all bytes of the piece from `start` are about equally frequent, by a sample of them.
  ///
  /// The squares of the counts then add up to the square of their number over 256, and that number
  /// besides; photos reach up to twice that, base64 three times, text ten times.
  @unsafe private func looksRandom(_ input: UnsafeBufferPointer<UInt8>, at start: Int) -> Bool {
    unsafe withUnsafeTemporaryAllocation(of: UInt32.self, capacity: 256) { counts in
      unsafe counts.initialize(repeating: 0)
      let end = min(start + Self.pieceByteCount, input.count)
      var index = start
      while index < end {
        unsafe counts[Int(input[index])] &+= 1
        index += Self.sampleStride
      }
      var squares: UInt32 = 0
      for value in 0..<256 { unsafe squares &+= counts[value] &* counts[value] }
      let count = (end - start + Self.sampleStride - 1) / Self.sampleStride
      return Int(squares) * 2 < (count * count / 256 + count) * 5
    }
  }
}

/// One run of raw deflate data being inflated piece by piece.
@safe final class Inflater {
  /// Where an inflation stands.
  enum State {
    /// More input or more room is needed.
    case more
    /// The last block has ended.
    case ended
    /// The data is not deflate data.
    case damaged
  }

  /// On the heap, since zlib keeps the address of its stream.
  private let stream: UnsafeMutablePointer<z_stream>

  /// Starts an inflation; nil when memory is short.
  init?() {
    unsafe stream = .allocate(capacity: 1)
    unsafe stream.initialize(to: z_stream())
    guard unsafe dbrescue_inflate_init_raw(stream) == Z_OK else {
      unsafe stream.deallocate()
      return nil
    }
  }

  deinit {
    unsafe inflateEnd(stream)
    unsafe stream.deallocate()
  }

  /// Inflates the next piece of input to at most `max` bytes.
  ///
  /// With `isAll`, the piece is the whole input: nothing has to be kept for a next one.
  func inflate(
    _ input: Bytes, in range: Range<Int>, max: Int, isAll: Bool = false
  ) -> (bytes: Bytes, consumed: Int, state: State) {
    var state = State.damaged
    var consumed = 0
    let bytes = unsafe Bytes(unsafeUninitializedCapacity: Swift.max(max, 1)) { output, filled in
      unsafe input.withUnsafeBufferPointer { input in
        let piece = unsafe UnsafeBufferPointer(rebasing: input[range])
        unsafe stream.pointee.next_in = UnsafeMutablePointer(mutating: piece.baseAddress)
        unsafe stream.pointee.avail_in = UInt32(clamping: piece.count)
        unsafe stream.pointee.next_out = output.baseAddress
        unsafe stream.pointee.avail_out = UInt32(clamping: max)
        state =
          switch unsafe CZlib.inflate(stream, isAll ? Z_FINISH : Z_NO_FLUSH) {
          case Z_STREAM_END: .ended
          case Z_OK, Z_BUF_ERROR: .more
          default: .damaged
          }
        consumed = unsafe piece.count - Int(stream.pointee.avail_in)
        filled = unsafe max - Int(stream.pointee.avail_out)
      }
    }
    return (bytes, consumed, state)
  }
}

/// The checksum of gzip (RFC 1952): finds accidents, proves nothing.
enum CRC32 {
  /// The checksum of `bytes`, or of what came before with them.
  static func checksum(of bytes: Bytes, after checksum: UInt32 = 0) -> UInt32 {
    // zlib takes "no address" for "give me the initial value".
    guard !bytes.isEmpty else { return checksum }
    return unsafe bytes.withUnsafeBufferPointer { buffer in
      UInt32(truncatingIfNeeded: unsafe crc32_z(UInt(checksum), buffer.baseAddress, buffer.count))
    }
  }
}
