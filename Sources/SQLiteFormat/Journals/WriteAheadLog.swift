// SPDX-License-Identifier: Apache-2.0
// The write-ahead log beside a database: which of its frames count.
//
// header               frame
// offset size          offset size
//      0    4 magic         0    4 page number
//      4    4 version       4    4 database size in pages after a commit, else 0
//      8    4 page size     8    8 salts, equal to the header's
//     12    4 sequence     16    8 checksum of everything up to and with this frame
//     16    8 salts        24      the page
//     24    8 checksum

/// What a write-ahead log holds.
///
/// File format, section 4.
public struct WriteAheadLog: Sendable {
  /// One frame: a page as some transaction left it.
  public struct Frame: Hashable, Sendable {
    /// Its place in the log, from 0.
    public let index: Int
    /// The page's number.
    public let page: PageNumber
    /// The size of the database in pages, on the last frame of a transaction.
    public let commitPageCount: Int?
    /// Where the page starts in the log.
    public let offset: Int
  }

  /// Why the log is not followed to its end.
  public enum Ending: Hashable, Sendable {
    /// The log was read to its end.
    case complete
    /// The salts change to those of a generation before: what follows was left by a restart.
    case olderGeneration
    /// The salts change at the frame at this offset, to some that no restart explains.
    case saltsChanged(offset: Int)
    /// The checksum breaks at the frame at this offset.
    case checksumBroken(offset: Int)
    /// The last frame is cut off.
    case cutOff(offset: Int)
  }

  /// The page size that the log states.
  public let pageSize: Int
  /// The salts that the log states.
  public let salts: [UInt32]
  /// The frames up to the last commit whose checksums hold, oldest first.
  public let committed: [Frame]
  /// Frames after it whose checksums hold but that were never committed.
  public let uncommitted: [Frame]
  /// Frames after a break, whose checksums say nothing: replicas, never the state.
  public let unverified: [Frame]
  /// Frames that are left over from a generation before: what they hold was copied to the
  /// database file before the log began anew.
  public let older: [Frame]
  /// How the valid frames end.
  public let ending: Ending
  /// Transactions of this generation that end after a break: they were committed once.
  public let commitsAfterBreak: Int

  /// The size of the database in pages after the last commit; nil without one.
  public var pageCount: Int? { committed.last?.commitPageCount }
  /// The length of the log's header.
  public static let headerSize = 32
  /// The length of a frame's header.
  public static let frameHeaderSize = 24
  /// The first of the two magic numbers; the second, for big-endian checksums, is one more.
  public static let magic: UInt32 = 0x377F_0682
  /// The version of the format: there is only this one.
  public static let version: UInt32 = 3_007_000
}

extension WriteAheadLog {
  /// Reads a log.
  ///
  /// - Throws: ``FormatError`` when the header is not that of a log or its
  ///   checksum does not hold; then no frame of it counts.
  public init(_ source: some PageSource) throws(FormatError) {
    let header = try Self.read(source, at: 0, count: Self.headerSize)
    guard header.count == Self.headerSize, let magic = header.big32(at: 0),
      magic & ~1 == Self.magic, header.big32(at: 4) == Self.version,
      let size = header.big32(at: 8), Geometry.pageSizes.contains(Int(size)),
      let salt1 = header.big32(at: 16), let salt2 = header.big32(at: 20)
    else { throw FormatError(.notABTreePage(type: header.first ?? 0), offset: 0) }
    var checksum = Checksum(bigEndian: magic & 1 == 1)
    checksum.add(header, 0..<24)
    guard checksum.matches(header, at: 24) else { throw FormatError(.recordHeader, offset: 24) }
    pageSize = Int(size)
    salts = [salt1, salt2]

    var valid: [Frame] = []
    var commits = 0
    var unverified: [Frame] = []
    var older: [Frame] = []
    var ending = Ending.complete
    var commitsAfterBreak = 0
    var offset = Self.headerSize
    let frameSize = Self.frameHeaderSize + Int(size)
    // Frames are read in runs of about 256 KiB.
    let run = max(1, (256 << 10) / frameSize)
    reading: while offset < source.byteCount {
      let bytes = try Self.read(source, at: offset, count: run * frameSize)
      guard !bytes.isEmpty else { break }
      var start = 0
      while start < bytes.count {
        guard start + frameSize <= bytes.count else {
          if ending == .complete, start + Self.frameHeaderSize < bytes.count {
            ending = .cutOff(offset: offset + start)
          }
          break reading
        }
        let number = PageNumber(bytes.big32(at: start) ?? 0)
        let commit = Int(bytes.big32(at: start + 4) ?? 0)
        let afterBreak = ending != .complete
        let isOlder = Self.areOlder(bytes, at: start + 8, than: (salt1, salt2))
        if ending == .complete {
          checksum.add(bytes, start..<(start + 8))
          checksum.add(
            bytes, (start + Self.frameHeaderSize)..<(start + frameSize))
          let sameSalts =
            bytes.big32(at: start + 8) == salt1 && bytes.big32(at: start + 12) == salt2
          if !sameSalts {
            ending = isOlder ? .olderGeneration : .saltsChanged(offset: offset + start)
          } else if number == nil || !checksum.matches(bytes, at: start + 16) {
            ending = .checksumBroken(offset: offset + start)
          }
        }
        if let number {
          let place = offset + start
          let frame = Frame(
            index: (place - Self.headerSize) / frameSize, page: number,
            commitPageCount: commit > 0 ? commit : nil, offset: place + Self.frameHeaderSize)
          if ending == .complete {
            valid.append(frame)
            if commit > 0 { commits = valid.count }
          } else if isOlder {
            older.append(frame)
          } else {
            unverified.append(frame)
            if afterBreak, commit > 0 { commitsAfterBreak += 1 }
          }
        }
        start += frameSize
      }
      offset += bytes.count
    }
    committed = Array(valid[..<commits])
    uncommitted = Array(valid[commits...])
    self.unverified = unverified
    self.older = older
    self.ending = ending
    self.commitsAfterBreak = commitsAfterBreak
  }

  /// Whether the salts of a frame are those of a generation before.
  ///
  /// Each restart of a log adds one to the first salt and draws the second anew. Section 4.1.
  private static func areOlder(
    _ bytes: Bytes, at offset: Int, than salts: (UInt32, UInt32)
  ) -> Bool {
    guard let first = bytes.big32(at: offset), let second = bytes.big32(at: offset + 4) else {
      return false
    }
    return second != salts.1 && (1...4096).contains(salts.0 &- first)
  }

  /// The frames of a log whose header is lost, as far as their page numbers can be; none unless
  /// nearly all can.
  ///
  /// Nothing proves them. `pageMax` is the largest number that a page can have.
  ///
  /// - Throws: ``FormatError`` when the log cannot be read.
  public static func strayFrames(
    of source: some PageSource, pageSize: Int, pageMax: Int
  ) throws(FormatError) -> [Frame] {
    let frameSize = frameHeaderSize + pageSize
    let count = max(0, source.byteCount - headerSize) / frameSize
    var frames: [Frame] = []
    for index in 0..<count {
      let offset = headerSize + index * frameSize
      let bytes = try read(source, at: offset, count: 8)
      guard let page = PageNumber(bytes.big32(at: 0) ?? 0), page.number <= pageMax + count
      else { continue }
      let commit = Int(bytes.big32(at: 4) ?? 0)
      frames.append(
        Frame(
          index: index, page: page, commitPageCount: commit > 0 ? commit : nil,
          offset: offset + frameHeaderSize))
    }
    return frames.count * 10 >= count * 9 ? frames : []
  }

  private static func read(
    _ source: some PageSource, at offset: Int, count: Int
  ) throws(FormatError) -> Bytes {
    do {
      return try source.read(at: offset, count: count)
    } catch {
      throw FormatError(.unreadable(error.reason), offset: offset)
    }
  }
}

/// The cumulative checksum of a log.
///
/// File format, section 4.2.
private struct Checksum {
  private var first: UInt32 = 0
  private var second: UInt32 = 0
  private let bigEndian: Bool

  init(bigEndian: Bool) {
    self.bigEndian = bigEndian
  }

  /// Adds bytes, whose number is a multiple of eight.
  mutating func add(_ bytes: Bytes, _ range: Range<Int>) {
    var index = range.lowerBound
    while index < range.upperBound {
      guard let left = bytes.big32(at: index), let right = bytes.big32(at: index + 4) else {
        return
      }
      first &+= (bigEndian ? left : left.byteSwapped) &+ second
      second &+= (bigEndian ? right : right.byteSwapped) &+ first
      index += 8
    }
  }

  /// Whether the checksum stored at an offset, always big-endian, is this one.
  func matches(_ bytes: Bytes, at offset: Int) -> Bool {
    bytes.big32(at: offset) == first && bytes.big32(at: offset + 4) == second
  }
}
