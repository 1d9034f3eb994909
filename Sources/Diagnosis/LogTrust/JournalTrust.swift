// SPDX-License-Identifier: Apache-2.0
// Whether a hot rollback journal is that of the database file which it lies beside.
//
// SQLite plays back whatever journal lies there, and nothing in it names its database. What it takes
// back has to leave a database behind.

import SQLiteFormat

/// The choice between the two readings of a file set: with its journal played back, as SQLite reads
/// it, and without.
struct JournalTrust {
  /// The file set with its journal.
  let full: Image
  /// The file set without its journal.
  let without: () -> Image
  /// Surveys one of them.
  let survey: (Image) -> Survey

  /// The reading that counts: without the journal where the file is sound alone, and not with it.
  var chosen: Survey {
    let whole = survey(full)
    guard !whole.isConsistent else { return whole }
    let alone = survey(without())
    return alone.isWhole ? alone : whole
  }
}
