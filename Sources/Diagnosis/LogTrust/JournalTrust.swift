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

extension Survey {
  /// This reading of a file set, in which a hot journal is played back as SQLite does it; or the one
  /// without that journal, where the file is sound so, and the journal is one of another state of it,
  /// or the file is not sound with it.
  func trustingJournal(or withoutJournal: () -> Survey) -> Survey {
    guard let image, case .applied = image.journal, image.journalFits == false || !isConsistent
    else {
      return self
    }
    let alone = withoutJournal()
    return alone.isWhole ? alone : self
  }
}
