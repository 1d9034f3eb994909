// SPDX-License-Identifier: Apache-2.0
// Older, newer and unproven copies of pages: everything that the files hold beside the image.
//
// A page may lie several times in a file set: in the database file under the log, in frames that
// later ones supersede, in frames that were never committed or that no checksum vouches for, in
// a rollback journal. The image has one copy; the others are replicas.

/// A copy of a page other than the one in the image.
package struct PageReplica: Hashable, Sendable {
  /// Where a copy lies, and what it is worth.
  package enum Source: Hashable, Sendable {
    /// In the database file, under the copy in a journal or log.
    case main
    /// In a rollback journal: the page before the transaction.
    case journal(record: Int)
    /// In a hot rollback journal, in a record that does not hold.
    case unprovenRecord(offset: Int)
    /// In the log, in a frame left over from before the log began anew.
    case olderFrame(Int)
    /// In a committed frame of the log that a later one supersedes.
    case supersededFrame(Int)
    /// In a frame of a transaction that was not committed.
    case uncommittedFrame(Int)
    /// In a frame that no checksum vouches for.
    case unverifiedFrame(Int)
  }

  /// The page's number.
  package let page: PageNumber
  /// Where it lies.
  package let source: Source
  /// Where the page starts in its file, in bytes.
  package let offset: Int
  /// The one byte of it that is wrong.
  var flip: BitFlip?

  fileprivate var located: Image.Located {
    switch source {
    case .main: Image.Located(origin: .main, offset: offset)
    case .journal, .unprovenRecord: Image.Located(origin: .journal, offset: offset)
    case .olderFrame, .supersededFrame, .uncommittedFrame, .unverifiedFrame:
      Image.Located(origin: .wal, offset: offset, flip: flip)
    }
  }
}

/// A state of the database other than the image: as it was once, or as unproven frames have it.
package struct Generation: Sendable {
  /// The database in that state.
  package let image: Image
  /// Its pages that the image has another copy of.
  package let replicas: [PageReplica]
}

/// The states of the database that its files hold beside the image, oldest first.
package struct Generations: Sequence, IteratorProtocol {
  private struct Step {
    var pages: [PageReplica] = []
    /// Whether the pages lie directly over the database file, and not over those before.
    var isBase = false
  }

  private let image: Image
  private var steps: ArraySlice<Step> = []
  private var overlay: [PageNumber: Image.Located] = [:]
  private var pageCount: Int

  /// The states beside an image, or the last of them; with what a journal takes back that was left out,
  /// where that is `doubted` and may count.
  package init(_ image: Image, last count: Int = .max, doubted journal: RollbackJournal? = nil) {
    self.image = image
    pageCount = image.pagesInFile
    var steps = [
      Step(pages: Self.retired(image), isBase: true),
      Step(pages: Self.olderFrames(image), isBase: true),
      Step(pages: Self.covered(image), isBase: true),
    ]
    if case .applied(let journal) = image.journal {
      steps.append(
        Step(
          pages: journal.allRecords.enumerated().map { index, record in
            PageReplica(
              page: record.page, source: .journal(record: index), offset: record.offset)
          }))
      steps.append(Step(pages: Self.unproven(journal.unproven)))
    }
    if let journal { steps.append(Step(pages: Self.unproven(journal.allRecords))) }
    for group in Self.transactions(image) { steps.append(Step(pages: group)) }
    self.steps = steps.filter { $0.isBase || !$0.pages.isEmpty }[...]
    while self.steps.count > count, let step = self.steps.popFirst() { cover(step) }
  }

  /// Lays the pages of a step over those before.
  private mutating func cover(_ step: Step) {
    if step.isBase { (overlay, pageCount) = ([:], image.pagesInFile) }
    for replica in step.pages {
      overlay[replica.page] = replica.located
      let number = replica.page.number
      if number <= Image.pageMax(image.pagesInFile, overlay.count) {
        pageCount = Swift.max(pageCount, number)
      }
    }
  }

  /// The next state; nil after the last.
  package mutating func next() -> Generation? {
    guard let step = steps.popFirst() else { return nil }
    cover(step)
    let replicas = step.pages.filter { replica in
      // Of two frames for one page in one transaction, only the later one was ever a state.
      overlay[replica.page] == replica.located
        && image.location(of: replica.page) != replica.located
    }
    return Generation(
      image: Image(image, overlay: overlay, pageCount: pageCount), replicas: replicas)
  }

  /// The pages of a journal that is not hot.
  private static func retired(_ image: Image) -> [PageReplica] {
    switch image.journal {
    case .stale, .otherPageSize: break
    case .absent, .applied, .contradictory: return []
    }
    guard let source = image.files.journal else { return [] }
    let pageSize = image.geometry.pageSize
    let whole = try? RollbackJournal(source, databasePageSize: pageSize)
    let records =
      whole.map { $0.pageSize == pageSize ? $0.records : [] }
      ?? (try? RollbackJournal.retiredRecords(of: source, pageSize: pageSize)) ?? []
    return records.enumerated().map { index, record in
      PageReplica(page: record.page, source: .journal(record: index), offset: record.offset)
    }
  }

  private static func unproven(_ records: [RollbackJournal.Record]) -> [PageReplica] {
    records.map {
      PageReplica(page: $0.page, source: .unprovenRecord(offset: $0.offset), offset: $0.offset)
    }
  }

  private static func olderFrames(_ image: Image) -> [PageReplica] {
    let log: WriteAheadLog
    switch image.wal {
    case .applied(let applied), .outdated(let applied): log = applied
    case .absent, .empty, .foreign, .contradictory, .unusable: return []
    }
    return log.older.map {
      PageReplica(page: $0.page, source: .olderFrame($0.index), offset: $0.offset)
    }
  }

  /// The pages of the database file that a journal or log has other copies of, and those behind the
  /// end to which a journal takes the database back.
  private static func covered(_ image: Image) -> [PageReplica] {
    var pages = image.overlay.keys.sorted()
    if case .applied = image.journal, image.pageCount < image.pagesInFile {
      pages += ((image.pageCount + 1)...image.pagesInFile).compactMap { PageNumber($0) }
    }
    return pages.compactMap { page in
      let offset = image.start + (page.number - 1) * image.geometry.pageSize
      guard offset >= 0, offset < image.files.main.byteCount else { return nil }
      return PageReplica(page: page, source: .main, offset: offset)
    }
  }

  /// The frames of the log, transaction by transaction: those that count, then those that do not.
  private static func transactions(_ image: Image) -> [[PageReplica]] {
    let pageSize = image.geometry.pageSize
    var proven: [WriteAheadLog.Frame] = []
    var uncommitted: [WriteAheadLog.Frame] = []
    var unverified: [WriteAheadLog.Frame] = []
    switch image.wal {
    case .absent, .empty: break
    case .applied(let log), .outdated(let log):
      (proven, uncommitted, unverified) = (log.applied, log.uncommitted, log.unverified)
      // Without a commit, what lies behind the break is of no transaction that ended: one that wrote a
      // page twice breaks the chain itself, and one that was taken back leaves its frames.
      if log.continued.isEmpty, !log.hasHeadless,
        unverified.allSatisfy({ $0.commitPageCount == nil })
      {
        uncommitted += unverified
        unverified = []
      }
    case .foreign(let log), .contradictory(let log):
      guard log.pageSize == pageSize else { break }
      unverified = log.applied + log.uncommitted + log.unverified
    case .unusable:
      unverified =
        image.files.wal.flatMap {
          try? WriteAheadLog.headerlessFrames(of: $0, pageSize: pageSize, pageMax: image.pageCount)
        } ?? []
    }
    return grouped(proven) { .supersededFrame($0) } + grouped(uncommitted) { .uncommittedFrame($0) }
      + grouped(unverified) { .unverifiedFrame($0) }
  }

  private static func grouped(
    _ frames: [WriteAheadLog.Frame], _ source: (Int) -> PageReplica.Source
  ) -> [[PageReplica]] {
    var groups: [[PageReplica]] = []
    var group: [PageReplica] = []
    for frame in frames {
      group.append(
        PageReplica(
          page: frame.page, source: source(frame.index), offset: frame.offset, flip: frame.flip))
      if frame.commitPageCount != nil {
        groups.append(group)
        group = []
      }
    }
    return groups + (group.isEmpty ? [] : [group])
  }
}

extension Image {
  /// Where the image's own copy of a page lies; nil where it has none.
  fileprivate func location(of page: PageNumber) -> Located? {
    guard page.number <= pageCount else { return nil }
    return overlay[page]
      ?? Located(origin: .main, offset: start + (page.number - 1) * geometry.pageSize)
  }
}
