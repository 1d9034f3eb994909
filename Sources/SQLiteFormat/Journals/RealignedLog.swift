// SPDX-License-Identifier: Apache-2.0
// A log with its frames back in their places, into which bytes were put or of which some were left
// out.
//
//   lies   │ frame 7 │ frame 8 with a byte more │ frame 9 │ frame 10 │
//   read   │ frame 7 │ frame 8 (damaged)       │ frame 9 │ frame 10 │
//
// The frames behind such a place have the salts of the log, each a frame behind the one before, and
// the checksum of each follows from the one that the frame before it states. Section 4.2.

/// A log in which all frames lie a whole number of frames behind its header.
struct RealignedLog: PageSource {
  /// Where a stretch of the log is read, and where it lies.
  private struct Piece {
    let start: Int
    let offset: Int
  }

  /// How far behind a break frames are searched for.
  private static let searchMax = 1 << 18
  /// How many such places a log may have.
  private static let piecesMax = 64

  private let source: any PageSource
  private let pieces: [Piece]
  /// The length of the log with all frames in their places.
  let byteCount: Int

  /// Puts the frames of a log back; nil where none has moved.
  init?(_ source: any PageSource, _ log: WriteAheadLog) {
    let breakOffset: Int
    switch log.ending {
    case .saltsChanged(let offset), .checksumBroken(let offset): breakOffset = offset
    case .complete, .olderGeneration, .cutOff: return nil
    }
    var search = MovedFrames(source, log)
    let frameSize = search.frameSize
    var pieces = [Piece(start: 0, offset: 0)]
    var end = breakOffset
    while pieces.count < Self.piecesMax, let last = pieces.last,
      let found = search.first(in: (end + 1)..<(end + 1 + Self.searchMax), behind: end)
    {
      let distance = found - end
      if distance % frameSize != 0 {
        let isNext = search.follows(found, behind: end)
        let frames = isNext ? 1 : max(1, (distance + frameSize / 2) / frameSize)
        let start = end - last.offset + last.start + frames * frameSize
        pieces.append(Piece(start: start, offset: found))
      }
      end = search.end(from: found)
    }
    guard pieces.count > 1, let last = pieces.last else { return nil }
    self.source = source
    self.pieces = pieces
    byteCount = source.byteCount - last.offset + last.start
  }

  /// Reads up to `count` bytes from `offset`; zeros where bytes of a frame were left out.
  ///
  /// - Throws: ``ReadFailure`` when the log cannot be read.
  func read(at offset: Int, count: Int) throws(ReadFailure) -> Bytes {
    guard offset >= 0, offset < byteCount, count > 0 else { return [] }
    let end = offset + min(count, byteCount - offset)
    var bytes = Bytes()
    for (index, piece) in pieces.enumerated() {
      let isLast = index + 1 == pieces.count
      let (from, to) = (
        max(offset, piece.start), min(end, isLast ? byteCount : pieces[index + 1].start)
      )
      guard from < to else { continue }
      let place = piece.offset + from - piece.start
      // What lies behind the next piece is read there.
      let limit = isLast ? to - from : min(to - from, pieces[index + 1].offset - place)
      let part = limit > 0 ? try source.read(at: place, count: limit) : []
      bytes += part + repeatElement(0, count: to - from - part.count)
    }
    return bytes
  }
}

/// The search for frames of a log behind a place where it breaks.
private struct MovedFrames {
  private let source: any PageSource
  private let salts: Bytes
  private let isBigEndian: Bool
  let frameSize: Int
  /// How many frames may still be summed up of which the salts alone are known to be right.
  private var patience = 1 << 12

  init(_ source: any PageSource, _ log: WriteAheadLog) {
    self.source = source
    isBigEndian = log.isBigEndian
    frameSize = WriteAheadLog.frameHeaderSize + log.pageSize
    salts = log.header?.slice(16..<24) ?? []
  }

  /// Where the first frame lies that begins in a range and that the one at `before`, or the next
  /// one, proves; nil where there is none.
  mutating func first(in range: Range<Int>, behind before: Int) -> Int? {
    guard salts.count == 8,
      let bytes = try? source.read(at: range.lowerBound + 8, count: range.count)
    else { return nil }
    let (first, last) = (salts[0], salts[7])
    var index = 0
    while index + 8 <= bytes.count {
      defer { index += 1 }
      guard bytes[index] == first, bytes[index + 7] == last,
        bytes[index..<(index + 8)].elementsEqual(salts)
      else { continue }
      patience -= 1
      guard patience >= 0 else { return nil }
      let place = range.lowerBound + index
      if follows(place, behind: before) || follows(place + frameSize, behind: place) {
        return place
      }
    }
    return nil
  }

  /// Where the frames end of which each follows the one before, from the one at `place` on.
  func end(from place: Int) -> Int {
    var place = place
    while follows(place + frameSize, behind: place) { place += frameSize }
    return place + frameSize
  }

  /// Whether the frame at a place follows from the checksum that another one states.
  func follows(_ place: Int, behind other: Int) -> Bool {
    guard let header = try? source.read(at: other, count: WriteAheadLog.frameHeaderSize),
      header.count == WriteAheadLog.frameHeaderSize,
      let frame = try? source.read(at: place, count: frameSize), frame.count == frameSize
    else { return false }
    return WriteAheadLog.Checksum(stated: header, at: 16, bigEndian: isBigEndian).holds(frame)
  }
}
