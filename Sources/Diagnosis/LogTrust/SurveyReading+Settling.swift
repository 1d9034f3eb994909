// SPDX-License-Identifier: Apache-2.0
// The reading of a file set that counts: with or without its log, page by page as they lie or as
// they were, with its head believed or not. Each of it is tried, and what is found decides.

import SQLiteFormat

extension SurveyReading {
  /// The survey of the files as they are read best.
  ///
  /// - Throws: ``ReadFailure`` when a file cannot be read.
  mutating func settled() throws(ReadFailure) -> Survey {
    var survey = surveyed
    if let other = try reserving(after: survey), case let found = other.surveyed,
      found.appliesLog && !survey.appliesLog
        ? found.contradictions <= survey.contradictions
        : found.contradictions < survey.contradictions
    {
      (self, survey) = (other, found)
    }
    if let single = try withoutCopy(after: survey), case let other = single.surveyed,
      other.contradictions <= survey.contradictions
    {
      (self, survey) = (single, other)
    } else if let rejoined = try rejoined(after: survey) {
      let other = rejoined.surveyed
      let doubtful =
        rejoined.files.doubtfulCells.reduce(0) { $0 + $1.value.count }
        + rejoined.files.doubtfulPages.count
      // A head of another database leads astray as well, and no order of the pages bears it out.
      if other.reachesMore(than: survey, doubting: doubtful),
        !survey.speaksOfAnother || other.answers(survey)
      {
        (self, survey) = (rejoined, other)
      }
    }
    if isAsItWasWritten, survey.image?.appliesJournals == false,
      let end = try ShiftedEnd(files.main, decision.geometry)
    {
      files = files.doubting(end.doubtfulCells, end.doubtfulPages)
      survey = surveyed
    }
    if !survey.disputedPages.isEmpty {
      files = files.disputing(survey.disputedPages)
      survey = surveyed
    }
    guard survey.speaksOfAnother else { return seekingOwners(after: survey) }
    believesHead = false
    return surveyed
  }

  /// The survey in which pages in use are those of tables that the schema table has lost, where
  /// other sources name such; the survey as it is elsewhere.
  private mutating func seekingOwners(after survey: Survey) -> Survey {
    strays = survey.strays
    guard !strays.isEmpty else { return survey }
    let other = surveyed
    if other.namesOwners(of: strays, besides: survey) { return other }
    strays = []
    return survey
  }

  /// Whether the database file lies as it was written, as far as that is known.
  private var isAsItWasWritten: Bool {
    firstMovedPage == nil && transfer == nil && decision.start == 0 && startOfAttachedLog == nil
  }

  /// The reading of the files with as many reserved bytes in each page as page 1 in the log says: with a
  /// VACUUM that was not copied to the file yet, there may be others than before.
  private func reserving(after survey: Survey) throws(ReadFailure) -> SurveyReading? {
    let geometry = decision.geometry
    guard let bytes = files.wal, let log = survey.image?.wal.log, log.pageSize == geometry.pageSize,
      let frame = log.applied.last(where: { $0.page == .first }),
      let header = DatabaseHeader(
        try bytes.read(at: frame.offset, count: DatabaseHeader.byteCount)),
      header.hasMagic, header.reserved != geometry.reserved, header.pageSize == geometry.pageSize,
      let other = header.geometry
    else { return nil }
    var reading = self
    reading.decision = GeometryDecision(
      geometry: other, start: decision.start, basis: .log, hasPageNumbers: decision.hasPageNumbers)
    return reading
  }

  /// The reading of the files without pages that stand there twice.
  private func withoutCopy(after survey: Survey) throws(ReadFailure) -> SurveyReading? {
    // What lies behind the end to which a journal takes the file back is the transaction's.
    if case .applied? = survey.image?.journal { return nil }
    guard isAsItWasWritten, let statedCount = survey.statedCount,
      let doubled = try DoubledPages(files.main, decision.geometry, statedCount: statedCount)
    else { return nil }
    var reading = self
    reading.files = files.with(main: doubled.file)
    reading.firstMovedPage = doubled.first
    return reading
  }

  /// The reading of the files with the pages back in their places that moved.
  private func rejoined(after survey: Survey) throws(ReadFailure) -> SurveyReading? {
    // Of a transaction that is taken back in part, pages lead to those of another moment.
    guard let image = survey.image, !image.missesJournalRecords else { return nil }
    var hasMoved =
      survey.leadsAstray || survey.leadsAmiss(in: image) || survey.hasPagesInFront(of: image)
    if !hasMoved { hasMoved = try survey.meetsPagesAskew(in: image) }
    let copies = survey.isWhole ? nil : try NumberedCopies(files, decision.geometry)
    if !hasMoved { hasMoved = try copies?.tellMoves(of: files.main, from: decision.start) ?? false }
    guard hasMoved || survey.missesPartOfPage(in: image) else { return nil }
    guard
      let pages = try MovedPages(
        files.main, decision.geometry, start: decision.start,
        statedCount: survey.statedCount,
        roots: survey.roots, copies: copies),
      hasMoved || pages.hasBreaks
    else { return nil }
    var reading = self
    reading.files = files.with(
      main: pages.file, doubtfulCells: pages.doubtfulCells, doubtfulPages: pages.doubtfulPages)
    reading.decision = GeometryDecision(
      geometry: decision.geometry, start: 0, basis: decision.basis, hasPageNumbers: true,
      hasHeadOfOtherSize: decision.hasHeadOfOtherSize)
    reading.firstMovedPage = pages.first
    return reading
  }

  /// The survey, with as much of the journal as the database is sound with.
  private var surveyed: Survey {
    surveyed(.whole).trustingJournal { surveyed($0) }
  }

  /// The survey, with the log or without it.
  private func surveyed(_ use: Image.JournalUse) -> Survey {
    // Without numbers, the frames of a log have no place.
    let full = image(without: decision.hasPageNumbers ? nil : .foreign, use)
    // The very first transaction was cut off: its journal takes everything back that had arrived of
    // it, and SQLite leaves an empty file. What is there can be read until then.
    guard full.pageCount > 0 else {
      return use == .whole && files.main.byteCount > 0 ? surveyed(.none) : Survey(kind: .empty)
    }
    guard case .applied(let log) = full.wal, !log.applied.isEmpty else { return Survey(full, self) }
    return LogTrust(
      full: full, without: { image(without: $0, use) }, survey: { Survey($0, self) }
    ).chosen
  }

  private func image(without doubt: Image.LogDoubt?, _ use: Image.JournalUse) -> Image {
    Image(
      files, geometry: decision.geometry, start: decision.start,
      hasPageNumbers: decision.hasPageNumbers, leavingOutLog: doubt,
      journal: use == .whole && standIn != nil ? .besideNothing : use)
  }
}

extension Survey {
  /// Whether the frames of a log are part of what was surveyed.
  fileprivate var appliesLog: Bool { if case .applied? = image?.wal { true } else { false } }
}

extension Image {
  /// Whether a log or a journal counts: then the file may end in a page that was just being written.
  fileprivate var appliesJournals: Bool {
    if case .applied(let log) = wal, !log.applied.isEmpty { return true }
    if case .applied = journal { return true }
    return false
  }
}
