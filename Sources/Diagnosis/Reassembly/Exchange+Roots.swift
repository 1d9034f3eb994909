// SPDX-License-Identifier: Apache-2.0
// Roots that have changed places, as the rows below them tell: those that a table cannot have are
// another one's, which has in their stead what the first one can have.

import SQLiteFormat

extension ExchangeSearch {
  /// The root with which the root of a table has changed places, where the table has rows that it
  /// cannot have; nil where nothing tells, or several could be it.
  ///
  /// After the exchange, the rows of both tables fit better. A table without rows must be the only one
  /// that can have these.
  func rootForRowsOfOthers(in table: Table) -> PageNumber? {
    guard let own = records(below: table) else { return nil }
    let mine = RecordFit(own, table.form)
    let areStrange = mine.admitted < 500
    guard areStrange || table.survey.isOutOfOrder else { return nil }
    var fitting: [(root: PageNumber, fit: Int)] = []
    var empty: [PageNumber] = []
    for other in tables
    where other.root != table.root && other.survey.isRowIDTable == table.survey.isRowIDTable {
      let there = RecordFit(own, other.form)
      guard there.admitted == 1000 else { continue }
      guard let found = records(below: other) else {
        if areStrange, there.isWhole, mayHaveRows(of: table, other) { empty.append(other.root) }
        continue
      }
      let here = RecordFit(found, table.form)
      guard here.admitted == 1000, there.isBetter(than: RecordFit(found, other.form)),
        areStrange || here.isBetter(than: mine) && here.isPerfect && there.isPerfect
      else { continue }
      fitting.append((other.root, here.sum + there.sum))
    }
    guard let best = fitting.map(\.fit).max() else {
      return empty.count == 1 && !mayBeFree(table) ? empty[0] : nil
    }
    let roots = fitting.filter { $0.fit == best }
    return roots.count == 1 ? roots[0].root : nil
  }

  /// The root of an index over another table that has the rows of a table WITHOUT ROWID, whose own root
  /// has the entries of that index: with the very keys that it should hold.
  func rootOfIndexWithRows(of table: Table) -> PageNumber? {
    var held = Fingerprint()
    pages.image.forEachRecord(ofTree: table.root, isTable: false) { entry in
      held.add(KeyHash(entry.record))
      return true
    }
    return indexesAmiss.first { amiss in
      amiss.keys == held
        && pages.image.sampledRecords(ofTree: amiss.index.root).map {
          RecordFit($0, table.form).admitted == 1000
        } ?? false
    }?.index.root
  }

  /// Whether a table without rows can have those that stand under another one's root: its indexes know of
  /// as many, and those of the other one of none.
  private func mayHaveRows(of table: Table, _ other: Table) -> Bool {
    other.survey.isReadable
      && survey.soundIndexes(over: other.survey).allSatisfy { $0.records == table.survey.records }
      && survey.soundIndexes(over: table.survey).allSatisfy { $0.records == 0 }
  }

  /// Whether what stands in the place of a root may be a free page: one of these has rows of the table, or
  /// is the same.
  private func mayBeFree(_ table: Table) -> Bool {
    let root = try? pages.image.bytes(of: table.root)
    return freeLeaves.contains { page in
      let rows = rows(on: page, table)
      return rows.allSatisfy { table.form.admits($0.record) } && !rows.isEmpty
        || (try? pages.image.bytes(of: page)) == root
    }
  }

  /// Some records of a table; nil where it has none.
  private func records(below table: Table) -> [Record]? {
    pages.image.sampledRecords(ofTree: table.root)
  }
}
