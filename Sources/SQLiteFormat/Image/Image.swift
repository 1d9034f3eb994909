// SPDX-License-Identifier: Apache-2.0
// The logical database that a file set stands for: every page, and where it came from.

/// The logical database that a file set stands for.
///
/// Pages of the main file, overlaid by the committed frames of a write-ahead log
/// or by the before-images of a hot rollback journal. Every page knows its origin.
package struct Image: Sendable {
  /// Whether some of its pages come from a log or journal.
  package var hasOverlay: Bool { !overlay.isEmpty }

  /// Where a page came from.
  package enum Origin: Hashable, Sendable {
    /// The database file.
    case main
    /// A committed frame of the write-ahead log.
    case wal
    /// A before-image of a hot rollback journal.
    case journal
  }

  /// What became of the write-ahead log.
  package enum WALState: Sendable {
    /// There is none.
    case absent
    /// It has no bytes, or holds no commit.
    case empty
    /// Its committed frames are part of the image, and those that go on behind a break.
    case applied(WriteAheadLog)
    /// It cannot belong to this database and is not applied.
    case foreign(WriteAheadLog)
    /// It ends before a state that the database file is already in, and is not applied.
    case outdated(WriteAheadLog)
    /// The database contradicts itself with it and is sound without it; it is not applied.
    case contradictory(WriteAheadLog)
    /// Its header cannot be read; no frame of it counts.
    case unusable(FormatError)

    /// The log, whether it counts or not; nil where there is none, or none that can be read.
    package var log: WriteAheadLog? {
      switch self {
      case .applied(let log), .foreign(let log), .outdated(let log), .contradictory(let log): log
      case .absent, .empty, .unusable: nil
      }
    }
  }

  /// What became of the rollback journal.
  package enum JournalState: Sendable {
    /// There is none, or it has no bytes.
    case absent
    /// It is hot, and its before-images are part of the image.
    case applied(RollbackJournal)
    /// It is not hot: its header is zeroed or its super-journal is gone.
    case stale
    /// It is hot by its header, and has pages of another size, and is not applied: SQLite would
    /// write them over the database.
    case otherPageSize(RollbackJournal)
    /// It is hot by its header, and the database is sound without it; it is of another state, or
    /// the database contradicts itself with it, and it is not applied: SQLite would write its pages
    /// over the database.
    case contradictory(RollbackJournal)
  }

  /// How much of a rollback journal is played back.
  package enum JournalUse: Hashable, Sendable {
    /// All that is proven to be of its transaction, where it is hot.
    case whole
    /// What SQLite would play back.
    case asSQLite
    /// All of it although its first header is gone, which tells that it is not hot.
    case headless
    /// Nothing.
    case none
    /// All of it although the database file has no bytes: SQLite deletes it there.
    case besideNothing
  }

  /// Why a log is left out although its checksums hold.
  package enum LogDoubt: Hashable, Sendable {
    /// It belongs to another database.
    case foreign
    /// It is older than the database file.
    case outdated
    /// The database is sound without it, and not with it.
    case contradictory
  }

  /// How the database is cut into pages.
  package let geometry: Geometry
  /// The number up to which there may be pages; some below it may be in none of the files.
  package let pageCount: Int
  /// How many pages the database has, by the journal or log, or else by the length of the file.
  package let statedPageCount: Int
  /// Where the database starts in the main file, in bytes; negative where its beginning is missing.
  package let start: Int
  /// Whether the numbers by which pages refer to each other are those of the image.
  ///
  /// Where they are not, nothing that needs them can be read: no child, no overflow page.
  package let hasPageNumbers: Bool
  /// What became of the write-ahead log.
  package let wal: WALState
  /// What became of the rollback journal.
  package let journal: JournalState
  /// The files.
  package let files: FileSet
  /// How many bytes of a character of a text may be the same as those of a sector beside it.
  ///
  /// That is the half of one in UTF-16. Every long row asks for it, and the header is read once.
  private(set) var slackOfCharacters = 0

  /// The pages that do not come from the main file.
  let overlay: [PageNumber: Located]

  /// Where in which file a page lies.
  struct Located: Hashable, Sendable {
    let origin: Origin
    let offset: Int
    var flip: BitFlip?
  }
}

extension Image {
  /// The smallest part of a file that a disk loses or keeps as a whole.
  package static let sectorSize = 512

  /// Assembles the image of a file set, cut into pages as `geometry` says.
  ///
  /// As SQLite does: a hot journal is applied first, then the log; of two copies of a page in
  /// one of them, the later one counts. A log or journal that others have reason to doubt is left
  /// out.
  package init(
    _ files: FileSet, geometry: Geometry, start: Int = 0, hasPageNumbers: Bool = true,
    leavingOutLog doubt: LogDoubt? = nil, journal use: JournalUse = .whole
  ) {
    var overlay: [PageNumber: Located] = [:]
    let pagesInFile = files.pageCount(geometry, from: start)
    var stated = pagesInFile
    let journal = Self.journalState(of: files, geometry: geometry, use)
    if case .applied(let applied) = journal {
      for record in applied.allRecords where record.page.number <= applied.pageCount {
        overlay[record.page] = Located(origin: .journal, offset: record.offset)
      }
      stated = applied.pageCount
    }
    let found = Self.walState(of: files, geometry: geometry)
    var wal = found.state
    if let doubt, case .applied(let log) = wal {
      wal =
        switch doubt {
        case .foreign: .foreign(log)
        case .outdated: .outdated(log)
        case .contradictory: .contradictory(log)
        }
    }
    if case .applied(let log) = wal {
      for frame in log.applied {
        overlay[frame.page] = Located(origin: .wal, offset: frame.offset, flip: frame.flip)
      }
      stated = log.pageCount ?? stated
    }
    statedPageCount = stated
    pageCount = Self.pageCount(pagesInFile, overlay, stated: stated)
    self.files = found.files
    self.geometry = geometry
    self.start = start
    self.hasPageNumbers = hasPageNumbers
    self.journal = journal
    self.wal = wal
    self.overlay = overlay
    slackOfCharacters = statedSlackOfCharacters
  }

  /// Another state of the same files: with these pages in place of the main file's.
  init(_ other: Image, overlay: [PageNumber: Located], pageCount: Int) {
    (self.pageCount, statedPageCount) = (pageCount, pageCount)
    files = other.files
    geometry = other.geometry
    start = other.start
    hasPageNumbers = other.hasPageNumbers
    journal = other.journal
    wal = other.wal
    self.overlay = overlay
    slackOfCharacters = statedSlackOfCharacters
  }

  private var statedSlackOfCharacters: Int { (header?.encoding ?? .utf8) == .utf8 ? 0 : 1 }

  /// The number up to which there are pages in a file of so many, or in a journal or log.
  ///
  /// Where the file was cut off, or is gone, those of the log may be far apart.
  static func pageCount(
    _ pagesInFile: Int, _ overlay: [PageNumber: Located], stated: Int?
  ) -> Int {
    let most = min(stated ?? .max, pageMax(pagesInFile, overlay.count))
    let inOverlay = overlay.keys.lazy.map(\.number).filter { $0 <= most }
    return max(min(most, pagesInFile), inOverlay.max() ?? 0)
  }

  /// The largest number that is believed beside a file of so many pages, of so many in a journal or log:
  /// a damaged one must not conjure up billions.
  static func pageMax(_ pagesInFile: Int, _ others: Int) -> Int {
    pagesInFile + 256 * others + 65536
  }

  private static func journalState(
    of files: FileSet, geometry: Geometry, _ use: JournalUse
  ) -> JournalState {
    guard let source = files.journal, source.byteCount > 0 else { return .absent }
    let journal =
      use == .headless
      ? files.headlessJournal(geometry)
      : try? RollbackJournal(source, databasePageSize: geometry.pageSize)
    guard files.main.byteCount > 0 || use == .besideNothing, let journal,
      journal.superJournal.map(files.superJournalExists) ?? true
    else { return .stale }
    guard journal.pageSize == geometry.pageSize else { return .otherPageSize(journal) }
    return switch use {
    case .whole, .headless, .besideNothing: .applied(journal)
    case .asSQLite: .applied(journal.withoutContinuation)
    case .none: .contradictory(journal)
    }
  }

  /// What becomes of the log, and the files as they are read for that.
  private static func walState(
    of files: FileSet, geometry: Geometry
  ) -> (state: WALState, files: FileSet) {
    guard let source = files.wal else { return (.absent, files) }
    guard source.byteCount > 0 else { return (.empty, files) }
    do {
      let log = try WriteAheadLog(source)
      if log.pageSize != geometry.pageSize { return (.foreign(log), files) }
      if log.committed.isEmpty, log.ending == .complete { return (.empty, files) }
      if let mended = files.realigningLog(log) { return walState(of: mended, geometry: geometry) }
      let continued = log.continued(
        in: source, geometry, over: files.main, hasMovedFrames: files.hasMovedFrames)
      return (.applied(continued), files)
    } catch {
      if let log = WriteAheadLog.headless(
        source, geometry, over: files.main, hasMovedFrames: files.hasMovedFrames)
      {
        return (.applied(log), files)
      }
      guard let found = files.findingFrames(geometry) else { return (.unusable(error), files) }
      return walState(of: found, geometry: geometry)
    }
  }

  /// The pages whose frame in the log was damaged: the checksum proves that, and not where.
  package var damagedPages: Set<PageNumber> {
    guard case .applied(let log) = wal else { return [] }
    return Set(log.damaged.filter { overlay[$0.page]?.offset == $0.offset }.map(\.page))
  }

  /// The journal beside the file that SQLite would play back; nil where there is none.
  package var hotJournal: RollbackJournal? {
    switch journal {
    case .applied(let hot), .otherPageSize(let hot), .contradictory(let hot): hot
    case .absent, .stale: nil
    }
  }
}
