// SPDX-License-Identifier: Apache-2.0
// Whether a hot rollback journal is that of the database file which it lies beside.
//
// SQLite plays back whatever journal lies there, and nothing in it names its database. What it takes
// back has to leave a database behind.

import SQLiteFormat

extension Image {
  /// Whether a hot journal is that of this state of the file; nil where nothing tells.
  ///
  /// A transaction raises the change counter of page 1 by one, at its end, and a journal notes how
  /// many pages there were before. File format, sections 1.3.6 and 3.
  var journalFits: Bool? {
    guard start == 0, let journal = hotJournal, journal.pageSize == geometry.pageSize,
      let bytes = try? files.main.read(at: 0, count: DatabaseHeader.byteCount),
      let now = DatabaseHeader(bytes), now.hasMagic, now.isPageCountValid
    else { return nil }
    guard let record = journal.records.first(where: { $0.page == .first }) else {
      return now.pageCount == journal.pageCount
    }
    guard let old = try? files.journal?.read(at: record.offset, count: DatabaseHeader.byteCount),
      let then = DatabaseHeader(old), then.hasMagic
    else { return nil }
    return now.changeCounter &- then.changeCounter <= 1
      && (!then.isPageCountValid || then.pageCount == journal.pageCount)
  }
}

/// The choice between the two readings of a file set: with its journal played back, as SQLite reads
/// it, and without.
struct JournalTrust {
  /// The file set with its journal.
  let full: Image
  /// The file set without its journal.
  let without: () -> Image
  /// Surveys one of them.
  let survey: (Image) -> Survey

  /// The reading that counts: without the journal where the file is sound alone, and the journal
  /// is one of another state of it, or the file is not sound with it.
  var chosen: Survey {
    let whole = survey(full)
    guard full.journalFits == false || !whole.isConsistent else { return whole }
    let alone = survey(without())
    return alone.isWhole ? alone : whole
  }
}
