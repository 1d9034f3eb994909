// SPDX-License-Identifier: Apache-2.0
// Roots that have changed places, as the rows below them tell: those that a table cannot have are
// another one's, which has in their stead what the first one can have.

import SQLiteFormat

extension ExchangeSearch {
  /// How well some records are rows of a table.
  private struct Fit {
    /// Those that SQLite could have stored there, those with every column, and those with what the
    /// declared types promise; each of a thousand.
    let admitted, whole, expected: Int

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
    var isWhole: Bool { admitted == 1000 && whole == 1000 }
    var sum: Int { admitted + whole + expected }

    /// Whether this is worse in nothing, and better in something.
    func isBetter(than other: Fit) -> Bool {
      admitted >= other.admitted && whole >= other.whole && expected >= other.expected
        && sum > other.sum
    }
  }

  /// The root with which the root of a table has changed places, where the table has rows that it
  /// cannot have; nil where nothing tells, or several could be it.
  ///
  /// After the exchange, the rows of both tables fit better. A table without rows must be the only one
  /// that can have these.
  func rootForRowsOfOthers(in table: Table) -> PageNumber? {
    guard let own = records(below: table) else { return nil }
    let mine = Fit(own, table.form)
    let areStrange = mine.admitted < 500
    guard areStrange || table.survey.isOutOfOrder else { return nil }
    var fitting: [(root: PageNumber, fit: Int)] = []
    var empty: [PageNumber] = []
    for other in tables
    where other.root != table.root && other.survey.isRowIDTable == table.survey.isRowIDTable {
      let there = Fit(own, other.form)
      guard there.admitted == 1000 else { continue }
      guard let found = records(below: other) else {
        if areStrange, other.survey.isReadable, there.isWhole { empty.append(other.root) }
        continue
      }
      let here = Fit(found, table.form)
      guard here.admitted == 1000, there.isBetter(than: Fit(found, other.form)),
        areStrange || here.isBetter(than: mine) && here.isPerfect && there.isPerfect
      else { continue }
      fitting.append((other.root, here.sum + there.sum))
    }
    guard let best = fitting.map(\.fit).max() else { return empty.count == 1 ? empty[0] : nil }
    let roots = fitting.filter { $0.fit == best }
    return roots.count == 1 ? roots[0].root : nil
  }

  /// Some records of a table; nil where it has none.
  private func records(below table: Table) -> [Record]? {
    guard let page = try? pages.image.btreePage(table.root),
      let records = pages.image.sampledRecords(below: page), !records.isEmpty
    else { return nil }
    return records
  }
}

extension TreeSurvey {
  /// How many rows it has that no row of its table can be.
  var rowsOfOthers: Int { max(unfit.count, mistyped.count, nulls.count) }

  /// Whether so many rows are not in their place that the keys may be those of another table.
  var isOutOfOrder: Bool { misplaced.count >= 8 && misplaced.count * 4 > records }

  /// Whether some of its rows are not in their place, or cannot be of its table.
  var hasRowsOfOthers: Bool { !misplaced.isEmpty || rowsOfOthers > 0 }

  /// Some of the pages of such rows.
  var suspectPages: [PageNumber] {
    (misplaced.first + unfit.first + mistyped.first + nulls.first).compactMap(\.page)
  }
}
