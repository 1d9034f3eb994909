// SPDX-License-Identifier: Apache-2.0
// What is known of a database before a frame of its log, where the frame's own header is in doubt.

/// The state of a database before a frame of its log.
struct FrameHistory {
  /// How many pages the next commit has to count; nil where nothing tells.
  ///
  /// Only page 1 can change it, which counts them. File format, section 1.3.7.
  private var pageCount: Int?
  /// The last version of a page before the frames that are in doubt.
  private let version: (PageNumber) -> Bytes?

  /// The state after frames of a log, which lies over a database file.
  init(
    of frames: [WriteAheadLog.Frame], in log: any PageSource, over main: any PageSource,
    _ geometry: Geometry
  ) {
    let last = Dictionary(frames.map { ($0.page, $0) }) { $1 }
    version = { page in
      guard let frame = last[page] else {
        return try? main.read(
          at: (page.number - 1) * geometry.pageSize, count: geometry.pageSize)
      }
      return try? log.read(at: frame.offset, count: geometry.pageSize)
    }
    let counting = frames.last { $0.commitPageCount != nil || $0.page == .first }
    pageCount =
      counting?.commitPageCount
      ?? version(.first).flatMap { DatabaseHeader($0)?.countedPages }
  }

  /// Goes on behind a frame that is whole.
  mutating func add(_ frame: WriteAheadLog.Frame, _ bytes: Bytes) {
    let content = bytes.slice(WriteAheadLog.frameHeaderSize..<bytes.count)
    if frame.page == .first { pageCount = DatabaseHeader(content)?.pageCount ?? pageCount }
    pageCount = frame.commitPageCount ?? pageCount
  }

  /// Whether a frame can be one of this database, by the numbers of pages that it states.
  func allows(_ frame: WriteAheadLog.Frame) -> Bool {
    max(frame.page.number, frame.commitPageCount ?? 0) <= (pageCount ?? 0) + Self.growthMax
  }

  /// By how many pages a database grows unseen, at most.
  private static let growthMax = 1 << 16

  /// Whether one header of a frame fits what is known, and another one does not.
  ///
  /// A page is like the one that it was made from.
  func prefers(
    _ frame: WriteAheadLog.Frame, over other: WriteAheadLog.Frame?, _ bytes: Bytes
  ) -> Bool {
    guard let other else { return true }
    if frame.page != other.page {
      return likeness(of: bytes, to: frame.page) > 2 * likeness(of: bytes, to: other.page)
    }
    guard let pageCount else { return false }
    func fits(_ frame: WriteAheadLog.Frame) -> Bool {
      frame.commitPageCount ?? pageCount == pageCount
    }
    return fits(frame) && !fits(other)
  }

  /// The one fault whose repair makes the page end as its previous version did; nil where none does,
  /// or several do.
  ///
  /// The checksum fits every one of these repairs. The first rows of a page lie at its end, and stay
  /// where they are (section 1.6).
  func fault(
    among faults: [FrameFault], of frame: WriteAheadLog.Frame, _ bytes: Bytes
  ) -> FrameFault? {
    let content = bytes.slice(WriteAheadLog.frameHeaderSize..<bytes.count)
    guard let before = version(frame.page), before.count == content.count else { return nil }
    let fitting = faults.filter { fault in
      let meant = if case .page(let flip) = fault { content.flipping(flip) } else { content }
      return meant.suffix(4) == before.suffix(4)
    }
    return fitting.count == 1 ? fitting[0] : nil
  }

  /// How many bytes of a frame's page, but for zeros, stand at the same places in a version of a page.
  private func likeness(of bytes: Bytes, to page: PageNumber) -> Int {
    let content = bytes.dropFirst(WriteAheadLog.frameHeaderSize)
    return version(page).map { zip($0, content).count { $0 == $1 && $0 != 0 } } ?? 0
  }
}
