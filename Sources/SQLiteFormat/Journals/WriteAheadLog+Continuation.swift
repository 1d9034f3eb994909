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
  /// frame is whole or lost altogether. There the log is taken to end, unless what follows was made from
  /// what that commit wrote.
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
    let heirs = FrameHeirs(source, over: main, geometry, salts: salts)
    var patience = Self.breaksMax
    return taking(links) { before in
      guard !hasMovedFrames else { return false }
      patience -= 1
      return patience < 0 || !heirs.goOn(after: before())
    }
  }

  /// At how many breaks it is found out whether the log goes on there, at most.
  private static let breaksMax = 64

  /// The log whose header is lost, as far as its frames prove each other; nil where they do not.
  ///
  /// Where its frames have moved, those in front of them may be lost.
  static func headless(
    _ source: some PageSource, _ geometry: Geometry, over main: any PageSource,
    hasMovedFrames: Bool
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
      var log = WriteAheadLog(
        pageSize: geometry.pageSize, salts: salts, unverified: headerless, isBigEndian: isBigEndian
      ).taking(links)
      log.missesFrames = log.missesFrames || hasMovedFrames
      return log.continued.isEmpty ? nil : log
    }
    return nil
  }

  /// The log with what follows its break, as far as that goes; `canEnd` tells whether it may end behind
  /// a commit, with what gives the frames up to that, and is asked once for each.
  private func taking(
    _ links: FrameLinks, canEnd: (() -> [Frame]) -> Bool = { _ in true }
  ) -> WriteAheadLog {
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
    func ends() -> Bool {
      guard open.isEmpty, !isOpenIncomplete, !committed.isEmpty || !taken.isEmpty else {
        return false
      }
      return canEnd { committed + taken.map(\.frame) }
    }
    reading: while let link = links.next() {
      let isFirst = open.isEmpty && committed.isEmpty && taken.isEmpty
      switch link {
      case .whole(let frame):
        open.append((frame, false))
        if frame.commitPageCount != nil { take() }
      case .unsummed(let frame):
        open.append((frame, false))
      case .doubtful(let frame):
        open.append((frame, true))
        if frame.commitPageCount != nil { take() }
      case .damaged(let frame, let looksWhole):
        if looksWhole, ends() { break reading }
        // What is whole and does not follow the one before follows one that is missing.
        if looksWhole, !isFirst || header != nil { isOpenIncomplete = true }
        open.append((frame, true))
      case .unknown:
        if ends() { break reading }
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
