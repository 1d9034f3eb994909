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
  /// What moved frames has broken it, and no crash: there the log goes on. `main` is the database file.
  func continued(
    in source: some PageSource, _ geometry: Geometry, over main: any PageSource,
    hasMovedFrames: Bool
  ) -> WriteAheadLog {
    switch ending {
    case .complete, .olderGeneration, .cutOff: return self
    case .saltsChanged, .checksumBroken: break
    }
    if let log = reordered(in: source, geometry) { return log }
    let history = FrameHistory(of: committed + uncommitted, in: source, over: main, geometry)
    var links = FrameLinks(source, geometry, history, isBigEndian: isBigEndian, salts: salts)
    guard links.start(at: committed.count + uncommitted.count, header: header) else { return self }
    return taking(links, brokenByCrash: !hasMovedFrames)
  }

  /// The log whose header is lost, as far as its frames prove each other; nil where they do not.
  static func headless(
    _ source: some PageSource, _ geometry: Geometry, over main: any PageSource
  ) -> WriteAheadLog? {
    guard
      let headerless = try? headerlessFrames(
        of: source, pageSize: geometry.pageSize, pageMax: Int(Int32.max))
    else { return nil }
    for isBigEndian in [false, true] {
      guard let salts = FrameLinks.salts(of: source, geometry, isBigEndian: isBigEndian) else {
        continue
      }
      let history = FrameHistory(of: [], in: source, over: main, geometry)
      var links = FrameLinks(source, geometry, history, isBigEndian: isBigEndian, salts: salts)
      guard links.start(at: 0, header: nil) else { return nil }
      let log = WriteAheadLog(
        pageSize: geometry.pageSize, salts: salts, unverified: headerless, isBigEndian: isBigEndian
      ).taking(links)
      return log.continued.isEmpty ? nil : log
    }
    return nil
  }

  /// The log with what follows its break, as far as that goes.
  private func taking(_ links: FrameLinks, brokenByCrash: Bool = true) -> WriteAheadLog {
    var links = links
    var open = uncommitted.map { (frame: $0, isDamaged: false) }
    var taken: [(frame: Frame, isDamaged: Bool)] = []
    /// Whether frames are missing among those that are taken, and among those that are open.
    var (isIncomplete, isOpenIncomplete) = (false, false)
    func take() {
      taken += open
      isIncomplete = isIncomplete || isOpenIncomplete
      (open, isOpenIncomplete) = ([], false)
    }
    reading: while let link = links.next() {
      let isFirst = open.isEmpty && committed.isEmpty && taken.isEmpty
      let canEnd = brokenByCrash && open.isEmpty && !isFirst
      switch link {
      case .whole(let frame):
        open.append((frame, false))
        if frame.commitPageCount != nil { take() }
      case .doubtful(let frame):
        open.append((frame, true))
        if frame.commitPageCount != nil { take() }
      case .damaged(let frame, let looksWhole):
        if canEnd, looksWhole { break reading }
        // What is whole and does not follow the one before follows one that is missing.
        if looksWhole, !isFirst || header != nil { isOpenIncomplete = true }
        open.append((frame, true))
      case .unknown:
        if canEnd { break reading }
        isOpenIncomplete = true
      case .foreign: break reading
      }
    }
    if taken.contains(where: \.isDamaged), open.endsInCommit { take() }
    guard !taken.isEmpty else { return self }
    let indexes = Set(taken.map(\.frame.index))
    var log = self
    log.continued = taken.map(\.frame)
    log.damaged = taken.filter(\.isDamaged).map(\.frame)
    log.missesFrames = isIncomplete
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
    /// Its checksum holds from the one before, or does with the one fault put right that it has.
    case whole(WriteAheadLog.Frame)
    /// It follows the one before, and has one fault somewhere in its page or its checksum.
    case doubtful(WriteAheadLog.Frame)
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
  private var history: FrameHistory
  private let isBigEndian: Bool
  private var salts: [UInt32]
  private var index = 0
  /// The checksums from which the next frame's may hold: the one that the last frame states, and
  /// the one that it should.
  private var before: [Sum] = []
  private var isPreviousTrusted = true
  /// The bytes around the next frame that lie in no hole, as far as they were looked for.
  private var data = 0..<0

  init(
    _ source: any PageSource, _ geometry: Geometry, _ history: FrameHistory, isBigEndian: Bool,
    salts: [UInt32]
  ) {
    self.source = source
    self.geometry = geometry
    self.history = history
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
    let link = link(of: bytes, at: position)
    if case .whole(let frame) = link { history.add(frame, bytes) }
    let stated = Sum(stated: bytes, at: 16, bigEndian: isBigEndian)
    before = [stated] + before.prefix(1).map { $0.adding(bytes) }
    return link
  }

  /// What a frame is; those behind it begin at `index`.
  private mutating func link(of bytes: Bytes, at position: Int) -> Link {
    let isLinked = before.contains { $0.holds(bytes) }
    let hasSalts = Self.salts(of: bytes) == salts
    if !isLinked, hasSalts, isPreviousTrusted, let link = mended(bytes, at: position) {
      return link
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
    isPreviousTrusted = hasSalts
    return hasSalts ? .damaged(frame, looksWhole: looksWhole(bytes, frame.page)) : .unknown
  }

  /// A frame that has one fault, by its checksum, that of the next frame and what is known of its
  /// page; nil where it has none that can be told, or more.
  private func mended(_ bytes: Bytes, at position: Int) -> Link? {
    func frame(_ bytes: Bytes) -> WriteAheadLog.Frame? {
      WriteAheadLog.Frame(head: bytes, index: position, pageSize: geometry.pageSize)
    }
    guard let sum = before.first else { return nil }
    let (read, next) = (frame(bytes), self.bytes(at: index))
    // The next frame tells what the checksum of this one was.
    if let next, sum.adding(bytes).holds(next) { return read.map { .whole($0) } }
    let stated = Sum(stated: bytes, at: 16, bigEndian: isBigEndian)
    var faults = sum.faults(in: bytes, isSumProven: next.map { stated.holds($0) } ?? false)
    for case .header(let flip) in faults {
      guard let other = frame(bytes.flipping(flip)) else { continue }
      if faults.count == 1 || history.prefers(other, over: read, bytes) { return .whole(other) }
      if let read, history.prefers(read, over: other, bytes) {
        faults.removeAll { $0 == .header(flip) }
      }
    }
    guard var whole = read else { return nil }
    let areAtEnd = faults.allSatisfy { $0.isAtEnd(ofPage: geometry.pageSize) }
    let likely = areAtEnd ? history.fault(among: faults, of: whole, bytes) : nil
    let fault = faults.count == 1 ? faults[0] : likely
    switch fault {
    case .page(let flip):
      whole.flip = flip
      return .whole(whole)
    case .checksum: return .whole(whole)
    case .header: return nil
    // Any of them is proof that it follows.
    case nil: return faults.allSatisfy(\.isBehindHeader) && !faults.isEmpty ? .doubtful(whole) : nil
    }
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
    let history = FrameHistory(of: [], in: source, over: source, geometry)
    let links = Self(source, geometry, history, isBigEndian: isBigEndian, salts: [])
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
