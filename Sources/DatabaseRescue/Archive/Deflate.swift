// SPDX-License-Identifier: Apache-2.0
// Raw deflate data (RFC 1951) and CRC-32, by zlib; the only file that calls it.

internal import CZlib
internal import SQLiteFormat

/// Compression of runs of bytes that fit in memory.
enum Deflate {
  /// The deflate data that holds nothing.
  static let nothing: Bytes = [0x03, 0x00]

  /// The most bytes that one byte of deflate data can stand for.
  static let ratioMax = 1032

  /// Compresses bytes; equal bytes, level and zlib give equal data.
  ///
  /// - Parameters:
  ///   - bytes: What to compress, at most a few spans.
  ///   - level: From 1, fast, to 9, small.
  /// - Returns: The deflate data; nil when memory is short.
  static func compress(_ bytes: Bytes, level: Int) -> Bytes? {
    var stream = unsafe z_stream()
    return unsafe withUnsafeMutablePointer(to: &stream) { stream in
      guard unsafe dbrescue_deflate_init_raw(stream, Int32(clamping: level)) == Z_OK else {
        return nil
      }
      defer { unsafe deflateEnd(stream) }
      // zlib's bound is for one strategy; a change of it ends a block early.
      let changesMax = bytes.count / pieceByteCount + 1
      let bound = Int(unsafe deflateBound(stream, UInt(bytes.count))) + 32 * changesMax
      var ended = false
      let data = unsafe Bytes(unsafeUninitializedCapacity: bound) { output, filled in
        unsafe bytes.withUnsafeBufferPointer { input in
          // zlib does not write through next_in; its declaration merely predates const.
          unsafe stream.pointee.next_in = UnsafeMutablePointer(mutating: input.baseAddress)
          unsafe stream.pointee.next_out = output.baseAddress
          unsafe stream.pointee.avail_out = UInt32(clamping: bound)
          ended = unsafe deflatePieces(of: input, level: Int32(clamping: level), stream)
          filled = unsafe bound - Int(stream.pointee.avail_out)
        }
      }
      return ended ? data : nil
    }
  }

  /// How much is looked at to see whether it can be compressed: as much as most pages hold.
  private static let pieceByteCount = 4096

  /// Gives a stream its input piece by piece; false when it does not come to its end.
  ///
  /// Looking for repetitions takes most of the time, and in what looks random, such as photos,
  /// there are none. A strategy that cannot be changed costs time and nothing else.
  @unsafe private static func deflatePieces(
    of input: UnsafeBufferPointer<UInt8>, level: Int32, _ stream: UnsafeMutablePointer<z_stream>
  ) -> Bool {
    var start = 0
    while true {
      let piece = unsafe UnsafeBufferPointer(
        rebasing: input[start..<min(start + pieceByteCount, input.count)])
      let strategy = unsafe looksRandom(piece) ? Z_HUFFMAN_ONLY : Z_DEFAULT_STRATEGY
      unsafe deflateParams(stream, level, strategy)
      unsafe stream.pointee.avail_in = UInt32(clamping: piece.count)
      start += piece.count
      if start == input.count { return unsafe deflate(stream, Z_FINISH) == Z_STREAM_END }
      guard unsafe deflate(stream, Z_NO_FLUSH) == Z_OK else { return false }
    }
  }

  /// Whether all bytes are about equally frequent.
  ///
  /// The squares of the counts then add up to little more than the least that they can, which
  /// is the square of the length over 256; text reaches ten times that.
  @unsafe private static func looksRandom(_ piece: UnsafeBufferPointer<UInt8>) -> Bool {
    unsafe withUnsafeTemporaryAllocation(of: Int.self, capacity: 256) { counts in
      unsafe counts.initialize(repeating: 0)
      for index in piece.indices { unsafe counts[Int(piece[index])] &+= 1 }
      var squares = 0
      for value in 0..<256 { unsafe squares &+= counts[value] &* counts[value] }
      return squares * 256 * 4 < piece.count * piece.count * 5
    }
  }

  /// Inflates data that stands for exactly `count` bytes; nil when it does not.
  static func inflate(_ data: Bytes, in range: Range<Int>, to count: Int) -> Bytes? {
    guard let inflater = Inflater() else { return nil }
    let result = inflater.inflate(data, in: range, max: count)
    guard result.state == .ended, result.bytes.count == count,
      result.consumed == range.count
    else { return nil }
    return result.bytes
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
  func inflate(
    _ input: Bytes, in range: Range<Int>, max: Int
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
          switch unsafe CZlib.inflate(stream, Z_NO_FLUSH) {
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
