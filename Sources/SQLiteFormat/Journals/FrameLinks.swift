// SPDX-License-Identifier: Apache-2.0
// The frames of a log behind a break, one after the other: whether each follows the one before, which
// of them have one fault that can be put right, and which belong to an earlier generation.

/// The frames of a log from a break on, each asked whether it follows the one before.
struct FrameLinks {
  /// What a frame is.
  enum Link {
    /// Its checksum holds from the one before, or does with the one fault put right that it has.
    case whole(WriteAheadLog.Frame)
    /// It follows the one before, and has one fault somewhere in its page or its checksum.
    case doubtful(WriteAheadLog.Frame)
    /// It says that it belongs here, and its checksum does not hold.
    case damaged(WriteAheadLog.Frame, looksWhole: Bool)
    /// It was not summed up: it follows those before it if what follows does.
    case unsummed(WriteAheadLog.Frame)
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
    guard var bytes = bytes(at: index) else { return nil }
    let position = index
    index += 1
    if let header = lostHeader(of: bytes) { bytes.replaceSubrange(..<header.count, with: header) }
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
    if let read, !isLinked, WriteAheadLog.isUnsummed(bytes) { return .unsummed(read) }
    guard let frame = read, isLinked && !isOlder(bytes) || hasSalts else {
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
    let areAtEnd = !faults.isEmpty && faults.allSatisfy { $0.isAtEnd(ofPage: geometry.pageSize) }
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

  /// The header of a frame as it was written, where nothing of it can be believed; nil where the
  /// checksum of the next frame, and that of the one before, do not tell.
  ///
  /// The two numbers that it has to state then follow from the two sums.
  private func lostHeader(of bytes: Bytes) -> Bytes? {
    guard isPreviousTrusted, let sum = before.first, Self.salts(of: bytes) != salts,
      !before.contains(where: { $0.holds(bytes) }), let next = self.bytes(at: index),
      Self.salts(of: next) == salts
    else { return nil }
    var stated = Sum(stated: next, at: 16, bigEndian: isBigEndian)
    stated.remove(next)
    let header = sum.header(of: bytes, salts: salts, upTo: stated)
    guard let frame = WriteAheadLog.Frame(head: header, index: index, pageSize: geometry.pageSize),
      history.allows(frame)
    else { return nil }
    return header
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
