// SPDX-License-Identifier: Apache-2.0
// What is left of the generation before behind the frames of a log that was begun anew.
//
//   frame 0   frame 1   frame 2   frame 3 …   last commit
//   new       new       before    before      before       salt 1 of those before: one less

extension WriteAheadLog {
  /// The most frames that are read.
  private static let beforeMax = 1 << 14

  /// The frames of the generation before that the log has not written over yet, up to the last
  /// commit among them, oldest first; none where they do not follow one another.
  ///
  /// The checksum of each but the first proves it.
  package func generationBefore(in source: any PageSource) -> [Frame] {
    var frames: [Frame] = []
    var (sum, second): (Checksum?, UInt32?) = (nil, nil)
    var commits = 0
    for frame in older.prefix(Self.beforeMax) {
      let start = frame.offset - Self.frameHeaderSize
      guard let bytes = try? source.read(at: start, count: Self.frameHeaderSize + pageSize),
        bytes.count == Self.frameHeaderSize + pageSize, bytes.big32(at: 8) == salts[0] &- 1,
        second == nil || bytes.big32(at: 12) == second, sum?.holds(bytes) != false,
        frames.last.map({ $0.index + 1 == frame.index }) != false
      else { break }
      second = bytes.big32(at: 12)
      sum = Checksum(stated: bytes, at: 16, bigEndian: isBigEndian)
      frames.append(frame)
      if frame.commitPageCount != nil { commits = frames.count }
    }
    return Array(frames[..<commits])
  }
}
