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
package struct WriteAheadLog: Sendable {
  /// One frame: a page as some transaction left it.
  package struct Frame: Hashable, Sendable {
    /// Its place in the log, from 0.
    package let index: Int
    /// The page's number.
    package let page: PageNumber
    /// The size of the database in pages, on the last frame of a transaction.
    package let commitPageCount: Int?
    /// Where the page starts in the log.
    package let offset: Int
    /// The one bit of the page that is wrong, as the checksum proves; nil where none is.
    package internal(set) var flip: BitFlip?
  }

  /// Why the log is not followed to its end.
  package enum Ending: Hashable, Sendable {
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
  package let pageSize: Int
  /// The salts that the log states.
  package let salts: [UInt32]
  /// The frames up to the last commit whose checksums hold, oldest first.
  package let committed: [Frame]
  /// Frames behind a break that go on where it interrupts, up to the last commit among them,
  /// oldest first; SQLite does not read them.
  ///
  /// With them come the frames before the break that the last commit there leaves open.
  package internal(set) var continued: [Frame] = []
  /// Those of the continued frames whose own content was damaged, in more than one bit.
  package internal(set) var damaged: [Frame] = []
  /// Frames after them whose checksums hold but that were never committed.
  package internal(set) var uncommitted: [Frame]
  /// Frames after a break, whose checksums say nothing: replicas, never the state.
  package internal(set) var unverified: [Frame]
  /// Frames that are left over from a generation before: what they hold was copied to the
  /// database file before the log began anew.
  package let older: [Frame]
  /// How the valid frames end.
  package let ending: Ending
  /// Transactions that end after a break and of which nothing proves that they go on there.
  package internal(set) var commitsAfterBreak: Int
  /// The header; nil where it is lost.
  let header: Bytes?
  /// Whether the checksums add numbers with the high byte first.
  let isBigEndian: Bool

  /// The frames that make up the state of the database, oldest first.
  package var applied: [Frame] { committed + continued }
  /// The size of the database in pages after the last commit; nil without one.
  package var pageCount: Int? { applied.last?.commitPageCount }
  /// The length of the log's header.
  package static let headerSize = 32
  /// The length of a frame's header.
  package static let frameHeaderSize = 24
  /// The first of the two magic numbers; the second, for big-endian checksums, is one more.
  package static let magic: UInt32 = 0x377F_0682
  /// The version of the format: there is only this one.
  package static let version: UInt32 = 3_007_000
}

extension WriteAheadLog {
  /// Reads a log.
  ///
  /// - Throws: ``FormatError`` when the header is not that of a log or its
  ///   checksum does not hold; then no frame of it counts.
  package init(_ source: some PageSource) throws(FormatError) {
    let header = try Self.read(source, at: 0, count: Self.headerSize)
    guard header.count == Self.headerSize, let magic = header.big32(at: 0),
      magic & ~1 == Self.magic, header.big32(at: 4) == Self.version,
      let size = header.big32(at: 8), Geometry.pageSizes.contains(Int(size)),
      let salt1 = header.big32(at: 16), let salt2 = header.big32(at: 20)
    else { throw FormatError(.notABTreePage(type: header.first ?? 0), offset: 0) }
    var checksum = Checksum(ofHeader: header, bigEndian: magic & 1 == 1)
    guard checksum.matches(header, at: 24) else { throw FormatError(.recordHeader, offset: 24) }
    pageSize = Int(size)
    salts = [salt1, salt2]
    self.header = header
    isBigEndian = magic & 1 == 1

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
      if ending != .complete {
        // What lies in a hole is no frame.
        guard let data = source.dataRange(from: offset) else { break }
        offset += max(0, data.lowerBound - offset) / frameSize * frameSize
      }
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
  static func areOlder(
    _ bytes: Bytes, at offset: Int, than salts: (UInt32, UInt32)
  ) -> Bool {
    guard let first = bytes.big32(at: offset), let second = bytes.big32(at: offset + 4) else {
      return false
    }
    return second != salts.1 && (first, second) != (0, 0) && (1...4096).contains(salts.0 &- first)
  }

  /// The frames of a log whose header is lost, as far as their page numbers can be; none unless
  /// nearly all can.
  ///
  /// Nothing proves them. `pageMax` is the largest number that a page can have.
  ///
  /// - Throws: ``FormatError`` when the log cannot be read.
  package static func headerlessFrames(
    of source: some PageSource, pageSize: Int, pageMax: Int
  ) throws(FormatError) -> [Frame] {
    let frameSize = frameHeaderSize + pageSize
    let count = max(0, source.byteCount - headerSize) / frameSize
    var frames: [Frame] = []
    var next = 0
    while next < count {
      // When a tenth of them are none, it is over.
      guard (next - frames.count) * 10 <= count else { return [] }
      let index = next
      let offset = headerSize + index * frameSize
      next += 1
      let bytes = try read(source, at: offset, count: 8)
      guard let page = PageNumber(bytes.big32(at: 0) ?? 0), page.number <= pageMax + count
      else {
        let data = source.dataRange(from: offset)?.lowerBound ?? source.byteCount
        next = max(next, min(count, index + (data - offset) / frameSize))
        continue
      }
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

extension WriteAheadLog {
  /// A log of whose frames nothing is proven.
  init(pageSize: Int, salts: [UInt32], unverified: [Frame], isBigEndian: Bool) {
    self.pageSize = pageSize
    self.salts = salts
    self.unverified = unverified
    self.isBigEndian = isBigEndian
    header = nil
    committed = []
    uncommitted = []
    older = []
    ending = .checksumBroken(offset: 0)
    commitsAfterBreak = unverified.count { $0.commitPageCount != nil }
  }

  /// The cumulative checksum of a log.
  ///
  /// File format, section 4.2.
  struct Checksum {
    private var first: UInt32 = 0
    private var second: UInt32 = 0
    let isBigEndian: Bool

    init(bigEndian: Bool) {
      isBigEndian = bigEndian
    }

    /// The checksum of a header.
    init(ofHeader header: Bytes, bigEndian: Bool) {
      self.init(bigEndian: bigEndian)
      add(header, 0..<24)
    }

    /// The checksum that is stored at an offset.
    init(stated bytes: Bytes, at offset: Int, bigEndian: Bool) {
      self.init(bigEndian: bigEndian)
      first = bytes.big32(at: offset) ?? 0
      second = bytes.big32(at: offset + 4) ?? 0
    }

    /// The checksum with that of a frame.
    func adding(_ frame: Bytes) -> Self {
      var sum = self
      sum.add(frame, 0..<8)
      sum.add(frame, WriteAheadLog.frameHeaderSize..<frame.count)
      return sum
    }

    /// Whether the checksum of a frame is the next one.
    func holds(_ frame: Bytes) -> Bool { adding(frame).matches(frame, at: 16) }

    /// The two sums.
    typealias Sums = (UInt32, UInt32)

    /// The sums so far.
    var sums: Sums { (first, second) }

    /// What the two sums lack to be the checksum stored at an offset.
    func missing(to bytes: Bytes, at offset: Int) -> Sums {
      ((bytes.big32(at: offset) ?? 0) &- first, (bytes.big32(at: offset + 4) ?? 0) &- second)
    }

    /// The number at an offset, as the checksum adds it.
    func number(in bytes: Bytes, at offset: Int) -> UInt32? {
      bytes.big32(at: offset).map { isBigEndian ? $0 : $0.byteSwapped }
    }

    /// Adds bytes, whose number is a multiple of eight.
    mutating func add(_ bytes: Bytes, _ range: Range<Int>) {
      var index = range.lowerBound
      while index < range.upperBound {
        guard let left = number(in: bytes, at: index), let right = number(in: bytes, at: index + 4)
        else { return }
        first &+= left &+ second
        second &+= right &+ first
        index += 8
      }
    }

    /// Whether the checksum stored at an offset, always big-endian, is this one.
    func matches(_ bytes: Bytes, at offset: Int) -> Bool {
      missing(to: bytes, at: offset) == (0, 0)
    }
  }
}
