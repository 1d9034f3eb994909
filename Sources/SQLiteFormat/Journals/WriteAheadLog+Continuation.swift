// SPDX-License-Identifier: Apache-2.0
// The frames of a log behind a break that were written in one go with those before it.
//
// The checksum in a frame's header is that of everything before it and of its own content. So each
// frame also proves what stood in the header of the one before, and the chain can be taken up again
// behind a frame that was damaged later:
//
//   frame 6       frame 7 (damaged)   frame 8             frame 9, commit
//   checksum 6 ─> checksum 7     ───> checksum 8     ───> checksum 9
//                 content ≠           holds from 7's      holds from 8's

extension WriteAheadLog {
  /// The log with the frames behind its break for which there is proof that they were committed.
  ///
  /// SQLite stops at the break. What a crash leaves there of a transaction that was lost, and that
  /// others have partly written over, looks alike but for this: it follows a commit, and its first
  /// frame is whole or lost altogether. There the log is taken to end.
  func continued(in source: some PageSource, _ geometry: Geometry) -> WriteAheadLog {
    switch ending {
    case .complete, .olderGeneration, .cutOff: return self
    case .saltsChanged, .checksumBroken: break
    }
    if let log = reordered(in: source, geometry) { return log }
    var links = FrameLinks(source, geometry, isBigEndian: isBigEndian, salts: salts)
    guard links.start(at: committed.count + uncommitted.count, header: header) else { return self }
    return taking(links)
  }

  /// The log whose header is lost, as far as its frames prove each other; nil where they do not.
  static func headless(_ source: some PageSource, _ geometry: Geometry) -> WriteAheadLog? {
    guard
      let headerless = try? headerlessFrames(
        of: source, pageSize: geometry.pageSize, pageMax: Int(Int32.max))
    else { return nil }
    for isBigEndian in [false, true] {
      guard let salts = FrameLinks.salts(of: source, geometry, isBigEndian: isBigEndian) else {
        continue
      }
      var links = FrameLinks(source, geometry, isBigEndian: isBigEndian, salts: salts)
      guard links.start(at: 0, header: nil) else { return nil }
      let log = WriteAheadLog(
        pageSize: geometry.pageSize, salts: salts, unverified: headerless, isBigEndian: isBigEndian
      ).taking(links)
      return log.continued.isEmpty ? nil : log
    }
    return nil
  }

  /// The log with what follows its break, as far as that goes.
  private func taking(_ links: FrameLinks) -> WriteAheadLog {
    var links = links
    var open = uncommitted.map { (frame: $0, isDamaged: false) }
    var taken: [(frame: Frame, isDamaged: Bool)] = []
    reading: while let link = links.next() {
      let isAfterCommit = open.isEmpty && !(committed.isEmpty && taken.isEmpty)
      switch link {
      case .whole(let frame):
        open.append((frame, false))
        guard frame.commitPageCount != nil else { continue }
        taken += open
        open = []
      case .damaged(let frame, let looksWhole):
        if isAfterCommit, looksWhole { break reading }
        open.append((frame, true))
      case .unknown:
        if isAfterCommit { break reading }
      case .foreign: break reading
      }
    }
    if taken.contains(where: \.isDamaged), open.endsInCommit { taken += open }
    guard !taken.isEmpty else { return self }
    let indexes = Set(taken.map(\.frame.index))
    var log = self
    log.continued = taken.map(\.frame)
    log.damaged = taken.filter(\.isDamaged).map(\.frame)
    log.uncommitted.removeAll { indexes.contains($0.index) }
    log.unverified.removeAll { indexes.contains($0.index) }
    log.commitsAfterBreak = log.unverified.count { $0.commitPageCount != nil }
    return log
  }
}

extension [(frame: WriteAheadLog.Frame, isDamaged: Bool)] {
  /// Whether the header of the last frame says that it commits the ones before, although its content
  /// was lost.
  ///
  /// Behind a break it is as good as a commit only where frames of a proven commit were damaged, too:
  /// elsewhere the same is left by a crash that cut the transaction off. Where most of its frames are
  /// gone, what was before it is of more use.
  fileprivate var endsInCommit: Bool {
    last?.frame.commitPageCount != nil && 2 * count(where: \.isDamaged) < count
  }
}

/// The frames of a log from a break on, each asked whether it follows the one before.
private struct FrameLinks {
  /// What a frame is.
  enum Link {
    /// Its checksum holds from the one before.
    case whole(WriteAheadLog.Frame)
    /// It says that it belongs here, and its checksum does not hold.
    case damaged(WriteAheadLog.Frame, looksWhole: Bool)
    /// Nothing of its header can be believed.
    case unknown
    /// It belongs to a generation before.
    case foreign
  }

  private typealias Sum = WriteAheadLog.Checksum

  private let source: any PageSource
  private let geometry: Geometry
  private let isBigEndian: Bool
  private var salts: [UInt32]
  private var index = 0
  /// The checksums from which the next frame's may hold: the one that the last frame states, and
  /// the one that it should.
  private var before: [Sum] = []
  private var isPreviousTrusted = true
  /// The bytes around the next frame that lie in no hole, as far as they were looked for.
  private var data = 0..<0

  init(_ source: any PageSource, _ geometry: Geometry, isBigEndian: Bool, salts: [UInt32]) {
    self.source = source
    self.geometry = geometry
    self.isBigEndian = isBigEndian
    self.salts = salts
  }

  private var frameSize: Int { WriteAheadLog.frameHeaderSize + geometry.pageSize }

  /// Goes to the frame at `index`; false where there is nothing to go on from.
  ///
  /// Where the first frame's salts give the header a checksum from which that frame holds, it is
  /// the header's that were damaged.
  mutating func start(at index: Int, header: Bytes?) -> Bool {
    self.index = index
    if index > 0 {
      guard let last = bytes(at: index - 1) else { return false }
      before = [Sum(stated: last, at: 16, bigEndian: isBigEndian)]
      return true
    }
    guard let first = bytes(at: 0) else { return false }
    guard let header, header.count >= WriteAheadLog.headerSize else { return true }
    before = [Sum(ofHeader: header, bigEndian: isBigEndian)]
    var mended = header
    mended.replaceSubrange(16..<24, with: first[8..<16])
    let sum = Sum(ofHeader: mended, bigEndian: isBigEndian)
    if sum.holds(first) {
      salts = Self.salts(of: first)
      before = [sum]
    }
    return true
  }

  /// What the next frame is; nil after the last whole one.
  mutating func next() -> Link? {
    if let link = passHole() { return link }
    guard let bytes = bytes(at: index) else { return nil }
    let position = index
    index += 1
    let stated = Sum(stated: bytes, at: 16, bigEndian: isBigEndian)
    let isLinked = before.contains { $0.holds(bytes) }
    let hasSalts = Self.salts(of: bytes) == salts
    defer {
      before = [stated] + before.prefix(1).map { $0.adding(bytes) }
    }
    let read = WriteAheadLog.Frame(head: bytes, index: position, pageSize: geometry.pageSize)
    guard let frame = read, isLinked || hasSalts else {
      isPreviousTrusted = false
      return isOlder(bytes) ? .foreign : .unknown
    }
    if isLinked, hasSalts || isPreviousTrusted {
      isPreviousTrusted = true
      return .whole(frame)
    }
    defer { isPreviousTrusted = hasSalts }
    guard hasSalts else { return .unknown }
    if isPreviousTrusted, let flip = before.first?.flip(in: bytes) {
      var mended = frame
      mended.flip = flip
      return .whole(mended)
    }
    return .damaged(frame, looksWhole: looksWhole(bytes, frame.page))
  }

  /// Goes on to the first frame behind a hole, where there is one: nothing in it can be believed.
  private mutating func passHole() -> Link? {
    let offset = WriteAheadLog.headerSize + index * frameSize
    if data.contains(offset) { return nil }
    data = source.dataRange(from: offset) ?? source.byteCount..<source.byteCount
    guard data.lowerBound >= offset + frameSize else { return nil }
    index += (data.lowerBound - offset) / frameSize
    before = []
    isPreviousTrusted = false
    return .unknown
  }

  /// The salts of the first frame that the next one follows.
  static func salts(
    of source: any PageSource, _ geometry: Geometry, isBigEndian: Bool
  ) -> [UInt32]? {
    let links = Self(source, geometry, isBigEndian: isBigEndian, salts: [])
    for index in 0..<framesSearched {
      guard let first = links.bytes(at: index), let second = links.bytes(at: index + 1) else {
        return nil
      }
      let stated = Sum(stated: first, at: 16, bigEndian: isBigEndian)
      if stated.holds(second), salts(of: first) == salts(of: second) { return salts(of: first) }
    }
    return nil
  }

  /// How many frames are looked at to learn the salts of a log without a header.
  private static let framesSearched = 64

  private static func salts(of frame: Bytes) -> [UInt32] {
    [frame.big32(at: 8) ?? 0, frame.big32(at: 12) ?? 0]
  }

  private func isOlder(_ frame: Bytes) -> Bool {
    guard salts.count == 2 else { return false }
    return WriteAheadLog.areOlder(frame, at: 8, than: (salts[0], salts[1]))
  }

  /// Whether the content of a frame is a page of a tree without a fault.
  private func looksWhole(_ frame: Bytes, _ number: PageNumber) -> Bool {
    let content = frame.slice(WriteAheadLog.frameHeaderSize..<frame.count)
    let page = try? BTreePage(content, number: number, geometry: geometry)
    return page?.layoutFaults.isEmpty ?? false
  }

  private func bytes(at index: Int) -> Bytes? {
    let offset = WriteAheadLog.headerSize + index * frameSize
    guard let bytes = try? source.read(at: offset, count: frameSize), bytes.count == frameSize
    else { return nil }
    return bytes
  }
}

/// The bits of one byte of a page that are the opposite of what was written.
package struct BitFlip: Hashable, Sendable {
  /// The byte, from the start of the page.
  package let offset: Int
  /// The bits in the byte.
  package let mask: UInt8
}

extension WriteAheadLog.Checksum {
  /// The byte in the page of a frame with which its checksum would be the next one; nil where there
  /// is none, or more than one, or where it is as well a byte of the frame's header.
  ///
  /// Each number of a page has a weight of its own in the two sums, one of which is odd: so one sum
  /// tells what the number lacks, were it the damaged one, and the other has to agree. Of the highest
  /// byte of a number little is left in a sum: there some other byte often does as well. The last
  /// number is left out: in its place the stored checksum can be the one that is wrong.
  fileprivate func flip(in frame: Bytes) -> BitFlip? {
    let missing = adding(frame).missing(to: frame, at: 16)
    guard missing.0 != 0, missing.1 != 0 else { return nil }
    var found: BitFlip?
    // The weights of the two numbers of a step: what one more in them adds to the two sums.
    var left: Sums = (1, 1)
    var right: Sums = (0, 1)
    let pageStart = WriteAheadLog.frameHeaderSize
    // The first two numbers of the header are summed before the page, and the others are not.
    for offset in Array(stride(from: frame.count - 8, through: pageStart, by: -8)) + [0] {
      for (place, weight) in [(offset, left), (offset + 4, right)]
      where place + 4 < frame.count {
        guard let number = number(in: frame, at: place) else { return nil }
        let change = Self.change(missing, weight)
        guard change &* weight.0 == missing.0, change &* weight.1 == missing.1,
          let flip = BitFlip(from: number, to: number &+ change)
        else { continue }
        guard found == nil, place >= pageStart else { return nil }
        let byte = isBigEndian ? 3 - flip.offset : flip.offset
        found = BitFlip(offset: place + byte - pageStart, mask: flip.mask)
      }
      left = (left.0 &+ left.1, left.0 &+ 2 &* left.1)
      right = (right.0 &+ right.1, right.0 &+ 2 &* right.1)
    }
    return found
  }

  /// What a number would have to be more for a sum whose weight is odd.
  private static func change(_ missing: Sums, _ weight: Sums) -> UInt32 {
    let (sum, weight) = weight.0 & 1 == 1 ? (missing.0, weight.0) : (missing.1, weight.1)
    // Each step doubles the bits of the inverse that are right; the number itself has three.
    var inverse = weight
    for _ in 0..<4 { inverse = inverse &* (2 &- weight &* inverse) }
    return sum &* inverse
  }
}

extension BitFlip {
  /// The byte, from the lowest, in which two numbers differ; nil where that is not one.
  fileprivate init?(from number: UInt32, to other: UInt32) {
    let difference = number ^ other
    let byte = difference.trailingZeroBitCount / 8
    guard difference != 0, difference >> (8 * byte) <= 0xFF else { return nil }
    (offset, mask) = (byte, UInt8(truncatingIfNeeded: difference >> (8 * byte)))
  }
}
