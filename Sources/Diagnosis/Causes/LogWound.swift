// SPDX-License-Identifier: Apache-2.0
// What stands in a log where a frame should begin, among frames that prove themselves.
//
//   written     │ frame 7 │ frame 8 │ frame 9 │ frame 10 │
//   text        │ frame 7 │ fra line⏎ line⏎ l │ frame 10 │
//   a sector    │ frame 7 │ 000000000 frame 9 │ frame 10 │

import SQLiteFormat

/// What stands in a log in the place of frames.
enum LogWound: Hashable {
  /// So many bytes of text, where a frame begins.
  case text(Int)
  /// Nothing but 0 or 255: in the header, over the beginning of a frame, or in whole sectors of one.
  case blank(isHeader: Bool)

  /// The most frames that are looked at.
  private static let framesMax = 64
  /// The fewest bytes of text that tell.
  private static let textMin = 64

  /// Looks at the log of a database; nil where nothing of the kind is in it.
  init?(in image: Image) {
    guard case .applied(let log) = image.wal, let file = image.files.wal else { return nil }
    let head = (try? file.read(at: 0, count: WriteAheadLog.headerSize)) ?? []
    if head.count == WriteAheadLog.headerSize, head.isBlank {
      self = .blank(isHeader: true)
      return
    }
    let size = WriteAheadLog.frameHeaderSize + log.pageSize
    for index in Self.damagedFrames(of: log).prefix(Self.framesMax) {
      let start = WriteAheadLog.headerSize + index * size
      guard let frame = try? file.read(at: start, count: size), frame.count == size else {
        continue
      }
      let beginning = frame.prefix(WriteAheadLog.frameHeaderSize)
      if beginning.allSatisfy(\.isOfLines) {
        let count = Self.textCount(around: start, within: size, of: file)
        guard count >= Self.textMin else { continue }
        self = .text(count)
        return
      }
      if beginning.isBlank || Self.hasBlankSector(frame, at: start) {
        self = .blank(isHeader: false)
        return
      }
    }
    return nil
  }

  /// The places of the frames that nothing proves, before the last one of which something does.
  private static func damagedFrames(of log: WriteAheadLog) -> [Int] {
    let damaged = Set(log.damaged.map(\.index))
    let known = Set((log.applied + log.uncommitted + log.older).map(\.index))
      .subtracting(damaged)
    guard let last = (log.applied + log.unverified).map(\.index).max() else { return [] }
    return (0...last).filter { !known.contains($0) }
  }

  /// How many bytes of text stand around a place, up to so many to either side.
  private static func textCount(
    around place: Int, within count: Int, of file: any PageSource
  ) -> Int {
    let start = max(0, place - count)
    let before = (try? file.read(at: start, count: place - start)) ?? []
    let behind = (try? file.read(at: place, count: count)) ?? []
    return before.reversed().prefix(while: \.isOfLines).count
      + behind.prefix(while: \.isOfLines).count
  }

  /// Whether a frame has a run of zeros, or of 255, of at least a sector that begins or ends with one:
  /// what a page leaves free begins and ends anywhere.
  private static func hasBlankSector(_ frame: Bytes, at offset: Int) -> Bool {
    var start = 0
    for index in frame.indices
    where index + 1 == frame.count || frame[index + 1] != frame[index] {
      let isBlank = frame[index] == 0 || frame[index] == 0xFF
      let isAligned =
        (offset + start) % Scar.sector == 0 || (offset + index + 1) % Scar.sector == 0
      if isBlank, isAligned, index + 1 - start >= Scar.sector { return true }
      start = index + 1
    }
    return false
  }
}

extension Collection<UInt8> {
  /// Whether it holds nothing but zeros, or nothing but 255.
  fileprivate var isBlank: Bool {
    guard let first, first == 0 || first == 0xFF else { return false }
    return allSatisfy { $0 == first }
  }
}

extension UInt8 {
  /// Whether it is printable ASCII or belongs to a line end.
  fileprivate var isOfLines: Bool {
    (0x20...0x7E).contains(self) || [0x09, 0x0A, 0x0D].contains(self)
  }
}
