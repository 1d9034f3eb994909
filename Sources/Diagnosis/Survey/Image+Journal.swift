// SPDX-License-Identifier: Apache-2.0
// Whether the rollback journal beside a file is that of its state, and whether all of it is there, and
// of the log.

package import SQLiteFormat

extension Image {
  /// Whether a hot journal is that of this state of the file; nil where nothing tells.
  ///
  /// A transaction raises the change counter of page 1 by one, at its end, and a journal notes how
  /// many pages there were before. File format, sections 1.3.6 and 3.
  var journalFits: Bool? {
    guard start == 0, let journal = hotJournal, journal.pageSize == geometry.pageSize,
      let now = headerInFile, now.hasMagic, now.isPageCountValid
    else { return nil }
    guard journal.allRecords.contains(where: { $0.page == .first }) else {
      return now.pageCount == journal.pageCount
    }
    guard let then = headerInJournal, then.hasMagic else { return nil }
    guard now.changeCounter &- then.changeCounter <= 1,
      !then.isPageCountValid || then.pageCount == journal.pageCount
    else { return false }
    // Whoever writes page 1 adds to its counter, but for a savepoint that is taken back: that writes how
    // many pages there are by then, and what the transaction has made of the schema.
    let isAsBefore = now.changeCounter == then.changeCounter
    guard isAsBefore, now.pageCount != journal.pageCount else { return true }
    return now.pageCount > journal.pageCount && isSamePageInJournal ? true : nil
  }

  /// Whether nothing tells if a hot journal is that of this state, although the file says how many pages
  /// it has.
  var isJournalUntold: Bool {
    journalFits == nil && headerInFile.map { $0.hasMagic && $0.isPageCountValid } == true
  }

  /// Whether page 1 is in a hot journal as it is in the file, but for how many pages there are, how many
  /// of them are free, and a few rows of the schema where its cookie tells that it was changed.
  private var isSamePageInJournal: Bool {
    guard let record = hotJournal?.allRecords.first(where: { $0.page == .first }),
      var then = try? files.journal?.read(at: record.offset, count: geometry.pageSize),
      let now = try? files.main.read(at: 0, count: geometry.pageSize), then.count == now.count
    else { return false }
    let (before, after) = (cells(of: .first, then), cells(of: .first, now))
    let cookies = (then.big32(at: 40) ?? 0, now.big32(at: 40) ?? 0)
    if cookies.0 != cookies.1, cookies.1 &- cookies.0 <= before.count {
      return before.intersection(after).count * 2 >= before.count
    }
    // File format, section 1.3: from the size of the database on to the number of free pages.
    then.replaceSubrange(28..<40, with: now[28..<40])
    return then == now
  }

  /// The cells of a page of a tree, as they are stored.
  func cells(of number: PageNumber, _ bytes: Bytes) -> Set<Bytes> {
    let page = try? BTreePage(bytes, number: number, geometry: geometry)
    return Set(page?.soundCells?.map { bytes.slice($0.offset..<$0.end) } ?? [])
  }

  /// How many pages of a hot journal are compared with those of the file, at most.
  private static let relativesMax = 64

  /// The state of this database that a hot journal is of.
  enum JournalMoment {
    /// That of the file: what the journal would take back may be there in part.
    case present
    /// A later one: there were changes that the file has not.
    case later
  }

  /// The state that a hot journal is of, some page of which has most of what that of the file has; nil
  /// where that is an earlier one, or no page has.
  var momentOfJournal: JournalMoment? {
    guard let journal = hotJournal, let now = headerInFile, now.hasMagic, now.isPageCountValid
    else { return nil }
    let later = headerInJournal.map { $0.changeCounter &- now.changeCounter }
    let isLater =
      later.map { (1...UInt32.max / 2).contains($0) } ?? (journal.pageCount > now.pageCount)
    guard isLater || journalFits == true else { return nil }
    let isRelated = journal.allRecords.prefix(Self.relativesMax).contains { record in
      guard let then = try? files.journal?.read(at: record.offset, count: geometry.pageSize),
        let now = try? files.main.read(
          at: (record.page.number - 1) * geometry.pageSize, count: geometry.pageSize)
      else { return false }
      let (before, after) = (cells(of: record.page, then), cells(of: record.page, now))
      return after.count > 1 && before.intersection(after).count * 2 > after.count
    }
    guard isRelated else { return nil }
    // A whole journal of this state would leave a database behind.
    return journal.isBroken && !isLater ? .present : .later
  }

  /// Whether page 1 was written since a hot journal kept it: its transaction was coming to its end,
  /// or another one has ended since.
  var hasOutlivedJournal: Bool {
    guard let now = headerInFile, let then = headerInJournal else { return false }
    return now.changeCounter != then.changeCounter
  }

  private var headerInFile: DatabaseHeader? {
    (try? files.main.read(at: 0, count: DatabaseHeader.byteCount)).flatMap { DatabaseHeader($0) }
  }

  private var headerInJournal: DatabaseHeader? {
    guard let record = hotJournal?.allRecords.first(where: { $0.page == .first }) else {
      return nil
    }
    return (try? files.journal?.read(at: record.offset, count: DatabaseHeader.byteCount))
      .flatMap { DatabaseHeader($0) }
  }

  /// Whether the journal is that of the very first transaction, which was cut off.
  ///
  /// SQLite takes back all that the file has, and leaves it empty. File format, section 3.
  var isFirstTransaction: Bool {
    if case .contradictory(let journal) = journal { journal.pageCount == 0 } else { false }
  }

  /// Whether pages are lost that a cut-off transaction changed: the journal beside the file is that
  /// of this state of it, and has lost records.
  package var missesJournalRecords: Bool {
    switch journal {
    case .applied(let journal): journal.isCut
    case .contradictory(let journal):
      journal.isCut && journalFits == true && journal.records.contains { $0.page == .first }
    case .absent, .stale, .otherPageSize: false
    }
  }

  /// Whether frames of the log are lost, or transactions behind them of which nothing proves that they
  /// go on from those before, or all of it.
  var missesFrames: Bool {
    switch wal {
    case .applied(let log): log.missesFrames || log.commitsAfterBreak > 0
    case .unusable: true
    case .absent, .empty, .foreign, .outdated, .contradictory: false
    }
  }
}
