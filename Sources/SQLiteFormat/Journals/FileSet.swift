// SPDX-License-Identifier: Apache-2.0
// A database file with the journals beside it.

/// A database file with its `-wal` and `-journal`, and the `-shm`, a cache of which no page comes.
package struct FileSet: Sendable {
  /// The database file.
  package private(set) var main: any PageSource
  /// The write-ahead log, when there is one.
  package private(set) var wal: (any PageSource)?
  /// The rollback journal, when there is one.
  package private(set) var journal: (any PageSource)?
  /// The index of the log, the `-shm`, when there is one; that it cannot be read costs nothing.
  package let index: (any PageSource)?
  /// Whether a super-journal of this name still exists; a journal that names one that
  /// does not is stale.
  package let superJournalExists: @Sendable (Bytes) -> Bool
  /// What could not be read of the files so far.
  package let failures: ReadFailures
  /// Where cells of the database start, by page, whose bytes were joined and may not belong
  /// together.
  package private(set) var doubtfulCells: [PageNumber: [Int]] = [:]
  /// Pages of overflow chains in which bytes may have been put in or left out.
  package private(set) var doubtfulPages: Set<PageNumber> = []
  /// Overflow pages to which chains lead where the pointer map has others in their place.
  package private(set) var disputedPages: Set<PageNumber> = []
  /// The database file as it lies, where its pages are read in other places; nil where they are not.
  package private(set) var mainAsItLies: (any PageSource)?
  /// Whether frames of the log are read from elsewhere than where they lie.
  private(set) var hasMovedFrames = false

  /// Makes a file set.
  ///
  /// The lengths that the files have now are those that they have for all readers. What cannot be
  /// read of them is noted in `failures`.
  package init(
    main: any PageSource, wal: (any PageSource)? = nil, journal: (any PageSource)? = nil,
    index: (any PageSource)? = nil, failures: ReadFailures = ReadFailures(),
    superJournalExists: @escaping @Sendable (Bytes) -> Bool = { _ in false }
  ) {
    self.main = NotedSource(main, failures)
    self.wal = wal.map { NotedSource($0, failures) }
    self.journal = journal.map { NotedSource($0, failures) }
    self.index = index
    self.failures = failures
    self.superJournalExists = superJournalExists
  }

  /// How many pages the database file has, of a database that starts at a place in it.
  func pageCount(_ geometry: Geometry, from start: Int) -> Int {
    max(0, (main.byteCount - start + geometry.pageSize - 1) / geometry.pageSize)
  }

  /// Whether anything of them may not be as it was written.
  var hasDoubts: Bool {
    !doubtfulCells.isEmpty || !doubtfulPages.isEmpty || !disputedPages.isEmpty
  }

  /// How many bytes the database, its log and its journal have together.
  package var byteCount: Int {
    main.byteCount + (wal?.byteCount ?? 0) + (journal?.byteCount ?? 0)
  }

  /// The files with another database file in the place of theirs, in which cells are in doubt, and
  /// pages of overflow chains.
  package func with(
    main: any PageSource, doubtfulCells: [PageNumber: [Int]] = [:],
    doubtfulPages: Set<PageNumber> = []
  ) -> FileSet {
    var files = doubting(doubtfulCells, doubtfulPages)
    files.main = NotedSource(main, failures)
    files.mainAsItLies = (main as? RejoinedFile)?.base
    return files
  }

  /// The files with cells in doubt, and pages of overflow chains.
  package func doubting(
    _ cells: [PageNumber: [Int]], _ pages: Set<PageNumber>
  ) -> FileSet {
    var files = self
    (files.doubtfulCells, files.doubtfulPages) = (cells, pages)
    return files
  }

  /// The files with zeros for what cannot be read of them, which stays noted.
  package func readAround() -> FileSet {
    var files = self
    files.main = SourceWithHoles(main)
    files.wal = wal.map { SourceWithHoles($0) }
    files.journal = journal.map { SourceWithHoles($0) }
    return files
  }

  /// The files, with overflow pages in doubt that pointer maps have in other chains.
  package func disputing(_ pages: Set<PageNumber>) -> FileSet {
    var files = self
    files.disputedPages = pages
    return files
  }

  /// The files with the frames of their log back in their places, where bytes were put into it or
  /// left out of it.
  func realigningLog(_ log: WriteAheadLog) -> FileSet? {
    guard let wal, !hasMovedFrames, let realigned = RealignedLog(wal, log) else { return nil }
    return withMovedFrames(of: realigned)
  }

  /// The files with the frames of their log, whose header is lost, where they would lie behind one.
  func findingFrames(_ geometry: Geometry) -> FileSet? {
    guard let wal, !hasMovedFrames,
      let found = BeheadedLog(wal, pageSizes: [geometry.pageSize])
    else { return nil }
    return withMovedFrames(of: found)
  }

  private func withMovedFrames(of log: any PageSource) -> FileSet {
    var files = self
    files.wal = NotedSource(log, failures)
    files.hasMovedFrames = true
    return files
  }
}

extension FileSet {
  /// The journal without regard to its first header; nil where no records prove that it is one.
  package func headlessJournal(_ geometry: Geometry) -> RollbackJournal? {
    guard let journal else { return nil }
    let headers = DatabaseHeader.byteCount
    return try? RollbackJournal(headless: journal, pageSize: geometry.pageSize) { first in
      let bytes =
        first.map { try? journal.read(at: $0.offset, count: headers) }
        ?? (try? main.read(at: 0, count: headers))
      return bytes.flatMap { DatabaseHeader($0)?.countedPages }
    }
  }
}
