// SPDX-License-Identifier: Apache-2.0
// How well records are rows of a table.

import SQLiteFormat

/// How well some records are rows of a table.
struct RecordFit {
  /// Those that SQLite could have stored there, those with every column, and those with what the
  /// declared types promise; each of a thousand.
  let admitted, whole, expected: Int

  /// Compares some records with a form.
  init(_ records: [Record], _ form: RecordForm) {
    func share(_ fits: (Record) -> Bool) -> Int {
      records.count(where: fits) * 1000 / records.count
    }
    admitted = share(form.admits)
    whole = share { $0.fieldCount == form.fields.count }
    expected = share(form.expects)
  }

  /// Whether nothing of any record tells against it.
  var isPerfect: Bool { isWhole && expected == 1000 }
  /// Whether SQLite could have stored each of them there, with every column.
  var isWhole: Bool { admitted == 1000 && whole == 1000 }
  /// All of it in one figure.
  var sum: Int { admitted + whole + expected }

  /// Whether this is worse in nothing, and better in something.
  func isBetter(than other: RecordFit) -> Bool {
    admitted >= other.admitted && whole >= other.whole && expected >= other.expected
      && sum > other.sum
  }
}
