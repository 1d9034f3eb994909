// SPDX-License-Identifier: Apache-2.0
// Reads any gzip file from start to end, in pieces, as `gunzip -c` does.

internal import SQLiteFormat

/// Bytes that come in pieces.
protocol PieceStream: AnyObject {
  /// The next piece, never empty; nil at the end.
  ///
  /// - Throws: ``GunzipStream/Failure`` once all that can be had before it was handed out.
  func next() throws(GunzipStream.Failure) -> Bytes?
}

/// A gzip file being read from start to end.
final class GunzipStream: PieceStream {
  /// Why a file cannot be read on.
  enum Failure: Error, Hashable {
    /// The disk does not hand out some bytes.
    case unreadable(ReadFailure)
    /// The file does not begin like gzip.
    case notGzip
    /// The file ends before its data does.
    case cut
    /// The data is damaged at or before this byte of the file.
    case damaged(Int)
    /// There is not enough memory.
    case memory
  }

  /// The most bytes that one piece holds, of the file and of what it stands for.
  static let pieceByteCount = 256 * 1024

  private let file: any PageSource
  /// Where in the file the next unread byte is.
  private(set) var position = 0
  /// Whether bytes follow the last member that are not gzip; like `gunzip`, we ignore them.
  private(set) var hasTrailingBytes = false
  /// The member being read; nil between members.
  private var inflater: Inflater?
  /// Whether all bytes of the member were handed out.
  private var hasMemberEnded = false
  private var checksum: UInt32 = 0
  private var byteCount: UInt32 = 0
  private var window = Bytes()
  private var used = 0

  init(_ file: any PageSource) {
    self.file = file
  }

  func next() throws(Failure) -> Bytes? {
    while true {
      if hasMemberEnded { try endMember() }
      if inflater == nil { inflater = try nextMember() }
      guard let inflater else { return nil }
      if used == window.count {
        (window, used) = (try read(at: position, count: Self.pieceByteCount), 0)
      }
      let result = inflater.inflate(window, in: used..<window.count, max: Self.pieceByteCount)
      used += result.consumed
      position += result.consumed
      checksum = CRC32.checksum(of: result.bytes, after: checksum)
      byteCount &+= UInt32(truncatingIfNeeded: result.bytes.count)
      switch result.state {
      case .damaged where result.bytes.isEmpty: throw .damaged(position)
      case .ended: hasMemberEnded = true
      case .more where result.bytes.isEmpty && result.consumed == 0: throw .cut
      case .more, .damaged: break
      }
      if !result.bytes.isEmpty { return result.bytes }
    }
  }

  /// Reads the header of the next member; nil at the end of the file.
  private func nextMember() throws(Failure) -> Inflater? {
    (window, used, checksum, byteCount) = ([], 0, 0, 0)
    guard try !isAtEnd() else { return nil }
    var count = 512
    while true {
      let bytes = try read(at: position, count: count)
      switch Result(catching: { () throws(GzipHeader.Failure) in try GzipHeader(bytes) }) {
      case .success(let header):
        position += header.byteCount
        guard let inflater = Inflater() else { throw .memory }
        return inflater
      case .failure(.notGzip): throw .notGzip
      case .failure(.damaged):
        // The header may only be longer than what was read of it.
        if bytes.count < count { throw .cut }
        if count >= GzipHeader.byteCountMax { throw .damaged(position) }
        count *= 8
      }
    }
  }

  /// Whether no further member follows.
  private func isAtEnd() throws(Failure) -> Bool {
    let start = try read(at: position, count: 2)
    if position > 0, start != [0x1F, 0x8B] {
      hasTrailingBytes = !start.isEmpty
      return true
    }
    return start.isEmpty && position > 0
  }

  /// Checks what stands after the data of a member.
  private func endMember() throws(Failure) {
    let trailer = try read(at: position, count: 8)
    guard trailer.count == 8 else { throw .cut }
    guard trailer.number(at: 0, count: 4) == Int(checksum),
      trailer.number(at: 4, count: 4) == Int(byteCount)
    else { throw .damaged(position) }
    position += 8
    (inflater, hasMemberEnded) = (nil, false)
  }

  private func read(at offset: Int, count: Int) throws(Failure) -> Bytes {
    do { return try file.read(at: offset, count: count) } catch { throw .unreadable(error) }
  }
}
