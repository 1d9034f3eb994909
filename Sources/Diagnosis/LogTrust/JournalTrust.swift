// SPDX-License-Identifier: Apache-2.0
// Whether a hot rollback journal is that of the database file which it lies beside.
//
// SQLite plays back whatever journal lies there, and nothing in it names its database. What it takes
// back has to leave a database behind.

import SQLiteFormat

extension Image {
  /// Whether the transaction of a journal that has lost its first header had not come to its end.
  ///
  /// That header is overwritten when a transaction ends, too. Before that, its last step writes
  /// page 1 with the next change counter, unless that write was lost. File format, section 1.3.6.
  fileprivate var hasUnfinishedJournal: Bool {
    guard start == 0, case .stale = journal, files.journal?.byteCount ?? 0 > 0,
      let bytes = try? files.main.read(at: 0, count: DatabaseHeader.byteCount),
      let now = DatabaseHeader(bytes), now.hasMagic,
      let journal = files.headlessJournal(geometry),
      let record = journal.continued.first(where: { $0.page == .first }),
      let old = try? files.journal?.read(at: record.offset, count: DatabaseHeader.byteCount),
      let then = DatabaseHeader(old), then.hasMagic
    else { return false }
    return now.changeCounter == then.changeCounter && !isOvertaken(journal)
  }

  /// Whether the head of a journal is as a commit leaves it, and pages but the first were written since.
  ///
  /// A transaction that writes pages before its end begins another segment of the journal first, unless
  /// nothing is ever synchronized; at its end, it begins with page 1. File format, section 3.
  private func isOvertaken(_ journal: RollbackJournal) -> Bool {
    guard let source = files.journal,
      let head = try? source.read(at: 0, count: RollbackJournal.retiredHeadSize), head.isZero
    else { return false }
    return !journal.hasLaterSegments
      && journal.continued.contains { record in
        let now = try? files.main.read(
          at: (record.page.number - 1) * geometry.pageSize, count: geometry.pageSize)
        return record.page != .first
          && (try? source.read(at: record.offset, count: geometry.pageSize)) != now
      }
  }

  /// Whether a journal that SQLite takes for none, or for one of other pages, is one whose head was
  /// damaged: when a transaction ends, the whole magic is overwritten with zeros.
  fileprivate var hasJournalOfDamagedHead: Bool {
    switch journal {
    case .stale, .otherPageSize: break
    case .absent, .applied, .contradictory: return false
    }
    guard start == 0, let source = files.journal,
      let head = try? source.read(at: 0, count: RollbackJournal.magic.count),
      zip(head, RollbackJournal.magic).count(where: ==) >= RollbackJournal.magic.count - 2
    else { return false }
    let stated = try? RollbackJournal(source, databasePageSize: geometry.pageSize)
    return stated?.pageSize != geometry.pageSize && files.headlessJournal(geometry) != nil
  }

  /// Whether a journal counts other pages than the first page of before does.
  fileprivate func miscounts(_ journal: RollbackJournal) -> Bool {
    files.headlessJournal(geometry).map { $0.pageCount != journal.pageCount } ?? false
  }
}

extension Survey {
  /// This reading of a file set, in which a hot journal is played back as far as it is proven to be
  /// of one transaction; or the one without that journal, where the file is sound so, and the journal
  /// is one of another state of it, or the file is not sound with it; or where the journal is that of
  /// another database.
  ///
  /// Where the database contradicts itself less with what SQLite would play back, or with a journal
  /// whose first header is gone and whose transaction had not ended, that counts.
  ///
  /// Where the file is sound with a journal and without it, and a transaction has come to its end since
  /// or nothing tells whose the journal is, or where the file is not even sound with it, what the
  /// journal takes back may have no other place.
  func trustingJournal(or reading: (Image.JournalUse) -> Survey) -> Survey {
    guard let image else { return self }
    switch image.journal {
    case .applied(let journal):
      guard image.journalFits == false || !isConsistent else {
        guard image.hasOutlivedJournal || image.isJournalUntold else { return doubtingJournal }
        let alone = reading(.none)
        guard alone.isWhole else { return doubtingJournal }
        return image.isJournalUntold && sharesNoTable(with: alone) ? alone : withJournalInDoubt
      }
      if image.miscounts(journal) { return reading(.headless).trustingJournal(or: reading) }
      let alone = reading(.none)
      if alone.isWhole || image.journalFits == false && sharesNoTable(with: alone) {
        return alone.withoutJournal(of: image.momentOfJournal)
      }
      guard !isConsistent, !journal.continued.isEmpty else { return doubtingJournal }
      let plain = reading(.asSQLite)
      return (plain.contradictions < contradictions ? plain : self).doubtingJournal
    case .stale, .otherPageSize:
      // What its records prove may still be another state's.
      if image.hasJournalOfDamagedHead {
        let back = reading(.headless)
        guard case .applied? = back.image?.journal else { return self }
        return back.trustingJournal(or: reading)
      }
      guard !isWhole, image.hasUnfinishedJournal else { return self }
      let back = reading(.headless)
      return back.isWhole || back.contradictions < contradictions ? back : self
    case .absent, .contradictory: return self
    }
  }

  /// This reading, with its journal in doubt where not even it makes the database sound.
  private var doubtingJournal: Survey { isWhole ? self : withJournalInDoubt }

  /// Whether no table of the one reading is in the other.
  private func sharesNoTable(with other: Survey) -> Bool {
    let (own, others) = (userTables.keys, other.userTables.keys)
    return !own.isEmpty && !others.isEmpty && Set(own).isDisjoint(with: others)
  }
}
