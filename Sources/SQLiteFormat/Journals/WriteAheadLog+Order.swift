// SPDX-License-Identifier: Apache-2.0
// The frames of a log behind a break that lie in another order than the one in which they were
// written.
//
// written   frame 5   frame 6   frame 7   frame 8
// lying     frame 5   frame 8   frame 7   frame 6
//
// The checksum in a frame's header is that of everything before it and of the frame itself: it holds
// behind one frame alone. Where it holds behind another one than the one before, it tells which.

extension WriteAheadLog {
  /// The log with frames behind its break in the order that their checksums prove; nil where they
  /// prove none up to a commit.
  func reordered(in source: some PageSource, _ geometry: Geometry) -> WriteAheadLog? {
    guard let header, header.count >= Self.headerSize else { return nil }
    var search = FrameSearch(
      source, geometry, salts, after: committed.count + uncommitted.count,
      Checksum(ofHeader: header, bigEndian: isBigEndian))
    var open = uncommitted
    var taken: [Frame] = []
    while let frame = search.next() {
      open.append(frame)
      guard frame.commitPageCount != nil else { continue }
      taken += open
      open = []
    }
    guard !taken.isEmpty else { return nil }
    let indexes = Set((taken + open).map(\.index))
    var log = self
    log.continued = taken
    log.uncommitted = open
    log.unverified.removeAll { indexes.contains($0.index) }
    log.commitsAfterBreak = log.unverified.count { $0.commitPageCount != nil }
    return log
  }
}

/// A search for the frame that follows the ones before, wherever it lies.
private struct FrameSearch {
  /// How often frames are tried, for each that there is.
  private static let triesMax = 16

  private let source: any PageSource
  private let pageSize: Int
  private let frameSize: Int
  private let salts: [UInt32]
  /// How many frames there are before those that are looked for.
  private let start: Int
  /// Which of these have their place.
  private var isPlaced: [Bool]
  /// Where among them the next one should be.
  private var place = 0
  private var checksum: WriteAheadLog.Checksum
  private var patience: Int

  /// A search for what follows the first `count` frames.
  init(
    _ source: some PageSource, _ geometry: Geometry, _ salts: [UInt32], after count: Int,
    _ header: WriteAheadLog.Checksum
  ) {
    (self.source, self.salts, pageSize) = (source, salts, geometry.pageSize)
    frameSize = WriteAheadLog.frameHeaderSize + geometry.pageSize
    let all = max(0, source.byteCount - WriteAheadLog.headerSize) / frameSize
    start = count
    isPlaced = Array(repeating: false, count: max(0, all - count))
    patience = Self.triesMax * isPlaced.count
    checksum = header
    guard count > 0, let last = bytes(at: count - 1) else { return }
    checksum = .init(stated: last, at: 16, bigEndian: header.isBigEndian)
  }

  /// The next frame; nil where none follows.
  mutating func next() -> WriteAheadLog.Frame? {
    for step in isPlaced.indices {
      let position = (place + step) % isPlaced.count
      guard !isPlaced[position] else { continue }
      patience -= 1
      guard patience > 0 else { return nil }
      let index = start + position
      guard let head = head(at: index), salts == [head.big32(at: 8), head.big32(at: 12)],
        let frame = WriteAheadLog.Frame(head: head, index: index, pageSize: pageSize),
        let bytes = bytes(at: index), checksum.holds(bytes)
      else { continue }
      checksum = checksum.adding(bytes)
      isPlaced[position] = true
      place = position + 1
      return frame
    }
    return nil
  }

  private func offset(of index: Int) -> Int { WriteAheadLog.headerSize + index * frameSize }

  private func head(at index: Int) -> Bytes? {
    try? source.read(at: offset(of: index), count: WriteAheadLog.frameHeaderSize)
  }

  private func bytes(at index: Int) -> Bytes? {
    guard let bytes = try? source.read(at: offset(of: index), count: frameSize),
      bytes.count == frameSize
    else { return nil }
    return bytes
  }
}
