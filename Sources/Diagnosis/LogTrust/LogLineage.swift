// SPDX-License-Identifier: Apache-2.0
// Whether a write-ahead log is that of the database file which it lies beside.
//
// SQLite cannot tell: a log whose checksums hold is applied to whatever it lies beside. What ties a
// log to its file is page 1. A checkpoint copies it from the log to the file byte for byte, and the
// first one that is written to a new log is made from the file's:
//
//   file              log
//   page 1, counter n  ─>  page 1, counter n or n + 1  ─>  page 1 …   before the first checkpoint
//   page 1, counter m  ══════════════════════════════════  page 1, counter m   after one

package import SQLiteFormat

/// How a log relates to the database file beside it, as far as page 1 tells.
enum LogLineage {
  /// Page 1 of the log was made from that of the file, or is the same.
  case proven
  /// The log has no page 1, or too much of it is damaged.
  case unknown
  /// No writer of this file has made the log.
  case broken
}

extension Image {
  /// Whether page 1 proves that the log, where one is applied, is that of the database file.
  package var isLogProven: Bool {
    guard case .applied = wal else { return false }
    return logLineage(beside: Image(files, geometry: geometry, leavingOutLog: .foreign)) == .proven
  }

  /// How the log that this image has applied relates to the database file, which is `bare`.
  func logLineage(beside bare: Image) -> LogLineage {
    guard case .applied(let log) = wal, start == 0, journal.isUnused,
      let file = bare.header, file.hasMagic, file.isPageCountValid
    else { return .unknown }
    // Of a log that was damaged since, what it began with can refute it, and proves nothing.
    guard log.isAsWritten else {
      return log.intactBeginning.map { isNext($0, to: file, of: bare) } == false
        ? .broken : .unknown
    }
    let copies = log.committed.filter { $0.page == .first }
    // A commit that changes the number of pages writes page 1, which counts them.
    let newest = header.map { $0.isPageCountValid ? $0.pageCount : log.pageCount } ?? nil
    guard newest == log.pageCount, file.isWAL else { return .broken }
    guard let first = copies.first, let next = headerOfFrame(first) else { return .unknown }
    // Only auto-vacuum and VACUUM, which changes the cookie, make a database smaller.
    let isLarger =
      next.schemaCookie == file.schemaCookie && !file.isAutoVacuum && next.isPageCountValid
      && next.pageCount < file.pageCount
    if copies.contains(where: { isFirstPage(of: bare, file, in: $0) }) {
      return isLarger && hasStrangePages(bare, log, in: next.pageCount + 1...file.pageCount)
        ? .broken : .proven
    }
    return !isLarger && isNext(first, to: file, of: bare) ? .proven : .broken
  }

  /// Whether a frame, which is the first of its page in the log, was made from page 1 of the file.
  private func isNext(
    _ frame: WriteAheadLog.Frame, to file: DatabaseHeader, of bare: Image
  ) -> Bool {
    guard let next = headerOfFrame(frame) else { return false }
    // Where the schema is the same, a cookie that is not has been damaged since.
    let isSchemaNext = Int32(bitPattern: next.schemaCookie &- file.schemaCookie) > 0
    return [0, 1].contains(next.changeCounter &- file.changeCounter)
      && (isSchemaNext || hasSameSchemaPage(as: bare, in: frame))
  }

  /// Whether the log that this image has applied ends before a state that the database file is
  /// already in: it was left behind by an older generation of the database.
  ///
  /// Every change of page 1 adds one to the change counter. What a checkpoint copies to the file
  /// is in the log too, so that the file is never ahead of its own log. A header that came from
  /// another database, as the size of the pages tells, counts other changes.
  func isLogOutdated(beside bare: Image) -> Bool {
    guard origin(of: .first) == .wal, let ours = header, let file = bare.header,
      ours.hasMagic, file.hasMagic, ours.isPageCountValid, file.isPageCountValid,
      file.geometry == bare.geometry
    else { return false }
    return Int32(bitPattern: file.changeCounter &- ours.changeCounter) > 0
  }

  /// Whether a page 1 in the log has a header, as that has which a checkpoint has written in part.
  func logHasHeader(_ header: DatabaseHeader) -> Bool {
    guard case .applied(let log) = wal else { return false }
    return log.committed.contains { $0.page == .first && headerOfFrame($0) == header }
  }

  /// Whether no page of the database file, of those that were not there before the log, was copied from
  /// it: twins with as many pages have the same page 1.
  private func hasStrangePages(
    _ bare: Image, _ log: WriteAheadLog, in numbers: ClosedRange<Int>
  ) -> Bool {
    let frames = Dictionary(grouping: log.committed, by: \.page)
    let pages = numbers.prefix(Self.comparedMax).compactMap { PageNumber($0) }
    let contents = pages.compactMap { page in
      (try? bare.bytes(of: page)).flatMap { $0.isZero ? nil : (page: page, bytes: $0) }
    }
    return !contents.isEmpty
      && !contents.contains { page, bytes in
        (frames[page] ?? []).reversed().contains { content($0) == bytes }
      }
  }

  /// How many pages are compared with the frames of a log at most.
  private static var comparedMax: Int { 64 }

  /// The page in a frame of the log.
  private func content(_ frame: WriteAheadLog.Frame) -> Bytes? {
    (try? files.wal?.read(at: frame.offset, count: geometry.pageSize)) ?? nil
  }

  private func headerOfFrame(_ frame: WriteAheadLog.Frame) -> DatabaseHeader? {
    (try? files.wal?.read(at: frame.offset, count: DatabaseHeader.byteCount))
      .flatMap { $0 }.flatMap { DatabaseHeader($0) }
  }

  /// Whether a frame is the page 1 of the database file, byte for byte.
  private func isFirstPage(
    of bare: Image, _ file: DatabaseHeader, in frame: WriteAheadLog.Frame
  ) -> Bool {
    guard headerOfFrame(frame) == file, let page = try? bare.bytes(of: .first) else { return false }
    return page == content(frame)
  }

  /// Whether a frame has the schema of the database file's page 1, but for a few of its bytes that may
  /// be damaged: without a change of the schema, SQLite writes to nothing but the header.
  private func hasSameSchemaPage(as bare: Image, in frame: WriteAheadLog.Frame) -> Bool {
    let start = DatabaseHeader.byteCount
    guard let page = try? bare.bytes(of: .first), let copy = content(frame),
      page.count == copy.count, page.count > start
    else { return false }
    let pairs = zip(page[start...], copy[start...])
    let different = pairs.count { $0 != $1 }
    // A short statement has fewer bytes than may be damaged of a full page.
    let held = pairs.count { $0 != 0 || $1 != 0 }
    return different <= min(page.count / 64, held / 8)
  }
}

extension WriteAheadLog {
  /// The first frame of page 1, where it and all before it are as they were written.
  var intactBeginning: Frame? {
    let first = applied.enumerated().first { $0.element.page == .first }
    guard let (position, frame) = first, frame.index == position, frame.flip == nil,
      damaged.allSatisfy({ $0.index > position })
    else { return nil }
    return frame
  }

  /// Whether nothing of the log was damaged since it was written.
  var isAsWritten: Bool {
    guard continued.isEmpty, commitsAfterBreak == 0, !committed.isEmpty else { return false }
    return committed.allSatisfy { $0.flip == nil }
  }
}

extension Image.JournalState {
  var isUnused: Bool {
    if case .applied = self { false } else { true }
  }
}
