// SPDX-License-Identifier: Apache-2.0
// Reading a log from its header to its end: which frames are valid, and what the others are.

extension WriteAheadLog {
  /// Reads a log.
  ///
  /// - Throws: ``FormatError`` when the header is not that of a log or its
  ///   checksum does not hold; then no frame of it counts.
  package init(_ source: some PageSource) throws(FormatError) {
    let header = try source.bytes(at: 0, count: Self.headerSize)
    guard header.count == Self.headerSize, let magic = header.big32(at: 0),
      magic & ~1 == Self.magic, header.big32(at: 4) == Self.version,
      let size = header.big32(at: 8), Geometry.pageSizes.contains(Int(size)),
      let salt1 = header.big32(at: 16), let salt2 = header.big32(at: 20)
    else { throw FormatError(.notALog, offset: 0) }
    let checksum = Checksum(ofHeader: header, bigEndian: magic & 1 == 1)
    guard checksum.matches(header, at: 24) else { throw FormatError(.logChecksum, offset: 24) }
    pageSize = Int(size)
    salts = [salt1, salt2]
    self.header = header
    isBigEndian = magic & 1 == 1

    var sorting = FrameSorting(salts: (salt1, salt2), checksum: checksum)
    var runs = FrameRuns(source, pageSize: Int(size))
    while try runs.next(passingHoles: sorting.ending != .complete) { sorting.take(runs) }
    if sorting.ending == .complete, let offset = runs.cutOff {
      sorting.ending = .cutOff(offset: offset)
    }
    committed = Array(sorting.valid[..<sorting.commits])
    uncommitted = Array(sorting.valid[sorting.commits...])
    unverified = sorting.unverified
    older = sorting.older
    ending = sorting.ending
    commitsAfterBreak = sorting.commitsAfterBreak
    hasHeadless = sorting.hasHeadless
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
      let bytes = try source.bytes(at: offset, count: 8)
      guard let frame = Frame(head: bytes, index: index, pageSize: pageSize),
        frame.page.number <= pageMax + count
      else {
        let data = source.dataRange(from: offset)?.lowerBound ?? source.byteCount
        next = max(next, min(count, index + (data - offset) / frameSize))
        continue
      }
      frames.append(frame)
    }
    return frames.count * 10 >= count * 9 ? frames : []
  }
}

/// The frames of a log as they lie there, read in runs of about 256 KiB.
private struct FrameRuns {
  private let source: any PageSource
  private let frameSize: Int
  /// The bytes of a page.
  let pageSize: Int
  /// Where the run begins in the log.
  private var offset = WriteAheadLog.headerSize
  /// The run.
  private(set) var bytes = Bytes()
  /// Where the frame begins in it.
  private(set) var start = 0
  /// Where the last frame begins, if not all of it is there; nil where it is whole, or has no page.
  private(set) var cutOff: Int?

  init(_ source: any PageSource, pageSize: Int) {
    self.source = source
    self.pageSize = pageSize
    frameSize = WriteAheadLog.frameHeaderSize + pageSize
  }

  /// Where the frame begins in the log.
  var place: Int { offset + start }
  /// Its number, from 0.
  var index: Int { (place - WriteAheadLog.headerSize) / frameSize }
  /// The bytes of the frame in the run.
  var frame: Range<Int> { start..<(start + frameSize) }

  /// Goes on to the next frame; false behind the last whole one.
  ///
  /// What lies in a hole is no frame.
  mutating func next(passingHoles: Bool) throws(FormatError) -> Bool {
    start += frameSize
    if start >= bytes.count {
      offset += bytes.count
      guard try readRun(passingHoles: passingHoles) else { return false }
    }
    guard frame.upperBound > bytes.count else { return true }
    if start + WriteAheadLog.frameHeaderSize < bytes.count { cutOff = place }
    return false
  }

  private mutating func readRun(passingHoles: Bool) throws(FormatError) -> Bool {
    start = 0
    bytes = []
    guard offset < source.byteCount else { return false }
    if passingHoles {
      guard let data = source.dataRange(from: offset) else { return false }
      offset += max(0, data.lowerBound - offset) / frameSize * frameSize
    }
    let run = max(1, (256 << 10) / frameSize)
    bytes = try source.bytes(at: offset, count: run * frameSize)
    return !bytes.isEmpty
  }
}

/// The frames of a log, sorted by what they are.
private struct FrameSorting {
  /// The salts of the log.
  let salts: (UInt32, UInt32)
  /// The checksum of all valid frames so far.
  var checksum: WriteAheadLog.Checksum
  var valid: [WriteAheadLog.Frame] = []
  /// How many of the valid frames are committed.
  var commits = 0
  var unverified: [WriteAheadLog.Frame] = []
  var older: [WriteAheadLog.Frame] = []
  var ending = WriteAheadLog.Ending.complete
  var commitsAfterBreak = 0
  /// Whether a frame that is not empty names no page.
  var hasHeadless = false

  /// Takes in the frame that is read.
  mutating func take(_ runs: FrameRuns) {
    let frame = WriteAheadLog.Frame(
      head: runs.bytes, at: runs.start, index: runs.index, pageSize: runs.pageSize)
    let isAfterBreak = ending != .complete
    let isOlder = WriteAheadLog.areOlder(runs.bytes, at: runs.start + 8, than: salts)
    if !isAfterBreak { follow(runs, isOlder: isOlder, hasPage: frame != nil) }
    guard let frame else {
      hasHeadless = hasHeadless || !runs.bytes.slice(runs.frame).isZero
      return
    }
    let isCommit = frame.commitPageCount != nil
    if ending == .complete {
      valid.append(frame)
      if isCommit { commits = valid.count }
    } else if isOlder {
      older.append(frame)
    } else {
      unverified.append(frame)
      if isAfterBreak, isCommit { commitsAfterBreak += 1 }
    }
  }

  /// Goes on with the checksum; where it breaks, the valid frames end.
  private mutating func follow(_ runs: FrameRuns, isOlder: Bool, hasPage: Bool) {
    let (bytes, frame) = (runs.bytes, runs.frame)
    let start = frame.lowerBound
    checksum.add(bytes, start..<(start + 8))
    checksum.add(bytes, (start + WriteAheadLog.frameHeaderSize)..<frame.upperBound)
    if bytes.big32(at: start + 8) != salts.0 || bytes.big32(at: start + 12) != salts.1 {
      ending = isOlder ? .olderGeneration : .saltsChanged(offset: runs.place)
    } else if !hasPage || !checksum.matches(bytes, at: start + 16) {
      ending = .checksumBroken(offset: runs.place)
    }
  }
}
