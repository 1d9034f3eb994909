// SPDX-License-Identifier: Apache-2.0
// A log that was written behind the last page of its database, as who joins both files to one does:
// SQLite knows nothing of it.

import SQLiteFormat

/// The log that stands behind the last page of a database file.
struct AttachedLog {
  /// The files as they were before they were joined.
  let files: FileSet
  /// At which byte of the file the log begins.
  let start: Int

  /// How many places are read as a log, at most.
  private static let triesMax = 16

  /// Looks for a log with a transaction on a page border behind the pages that the header counts; nil
  /// where there is none, or there is a log beside the file.
  ///
  /// - Throws: ``ReadFailure`` when the file cannot be read.
  init?(in files: FileSet) throws(ReadFailure) {
    let main = files.main
    guard (files.wal?.byteCount ?? 0) == 0,
      let header = DatabaseHeader(try main.read(at: 0, count: DatabaseHeader.byteCount)),
      header.hasMagic, header.geometry != nil, header.isPageCountValid
    else { return nil }
    let size = header.pageSize
    var next = header.pageCount * size
    var triesLeft = Self.triesMax
    while triesLeft > 0, let data = main.dataRange(from: next) {
      let place = max(next, data.lowerBound / size * size)
      next = place + size
      let log = SliceOfSource(main, place..<main.byteCount)
      // No page of a database begins so: as a pointer, it would lead behind the largest file.
      guard try log.read(at: 0, count: 3) == [0x37, 0x7F, 0x06] else { continue }
      triesLeft -= 1
      guard (try? WriteAheadLog(log).committed.isEmpty) == false else { continue }
      self.files = FileSet(
        main: SliceOfSource(main, 0..<place), wal: log, journal: files.journal,
        failures: files.failures, superJournalExists: files.superJournalExists)
      start = place
      return
    }
    return nil
  }
}
