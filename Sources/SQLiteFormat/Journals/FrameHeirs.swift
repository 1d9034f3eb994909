// SPDX-License-Identifier: Apache-2.0
// Whether what lies behind a break of a log goes on from the last transaction before it.
//
// A transaction that was lost in a crash, and partly written over by another one, was made from pages
// as they were before that one. Where a page of the last transaction before the break is written again
// behind it, its new version has kept what that transaction had changed, or does not know of it:
//
//   before     transaction before the break     behind the break
//   1 2 3      1 - 3 4                          1 - 3 4 5   made from it: the log goes on
//                                               1 2 3 5     not: left over from before the crash

/// The pages that the last transaction before a break changed, as they were before it and behind it.
struct FrameHeirs {
  /// How many rows that came have to be there still, at least, and how many times as many as of those
  /// that went may be there again.
  private static let (keptMin, factor) = (8, 8)
  /// How many frames behind the break are looked at, at most.
  private static let framesMax = 1024

  private let source: any PageSource
  private let main: any PageSource
  private let geometry: Geometry
  private let salts: [UInt32]

  /// A look at a log that lies over a database file.
  init(
    _ source: any PageSource, over main: any PageSource, _ geometry: Geometry, salts: [UInt32]
  ) {
    self.source = source
    self.main = main
    self.geometry = geometry
    self.salts = salts
  }

  /// Whether the frames behind these were made from what the last transaction of these has changed.
  func goOn(after frames: [WriteAheadLog.Frame]) -> Bool {
    guard let index = frames.last.map({ $0.index + 1 }) else { return false }
    let earlier = frames.dropLast().lastIndex { $0.commitPageCount != nil }.map { $0 + 1 } ?? 0
    var changed = Dictionary(frames[earlier...].map { ($0.page, $0) }) { $1 }
    let earlierVersions = Dictionary(frames[..<earlier].map { ($0.page, $0) }) { $1 }
    var (kept, gone, back) = (0, 0, 0)
    for position in index..<(index + Self.framesMax) where !changed.isEmpty {
      let start =
        WriteAheadLog.headerSize + position * (WriteAheadLog.frameHeaderSize + geometry.pageSize)
      guard let head = try? source.read(at: start, count: WriteAheadLog.frameHeaderSize),
        let frame = WriteAheadLog.Frame(head: head, index: position, pageSize: geometry.pageSize)
      else { break }
      guard [head.big32(at: 8) ?? 0, head.big32(at: 12) ?? 0] == salts,
        let last = changed.removeValue(forKey: frame.page)
      else { continue }
      let (now, then) = (cells(content(frame), frame.page), cells(content(last), frame.page))
      let before = earlierVersions[frame.page].map(content) ?? pageOfMain(frame.page)
      let old = cells(before, frame.page)
      let removed = old.subtracting(then)
      kept += then.subtracting(old).intersection(now).count
      gone += removed.count
      back += removed.intersection(now).count
    }
    return kept >= Self.keptMin && back * Self.factor <= kept + gone
  }

  /// The entries of a leaf, as they are stored; none of another page.
  private func cells(_ bytes: Bytes?, _ number: PageNumber) -> Set<Bytes> {
    guard let bytes, let page = try? BTreePage(bytes, number: number, geometry: geometry),
      page.kind.isLeaf
    else { return [] }
    return Set(page.readableCells.map { bytes.slice($0.offset..<$0.end) })
  }

  private func pageOfMain(_ number: PageNumber) -> Bytes? {
    try? main.read(at: (number.number - 1) * geometry.pageSize, count: geometry.pageSize)
  }

  private func content(_ frame: WriteAheadLog.Frame) -> Bytes? {
    try? source.read(at: frame.offset, count: geometry.pageSize)
  }
}
