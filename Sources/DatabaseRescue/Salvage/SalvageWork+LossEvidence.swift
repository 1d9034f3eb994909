// SPDX-License-Identifier: Apache-2.0
// What indexes still know of rows that their table has lost: partial rows, and how many are gone.

import Diagnosis
import SQLiteFormat

extension SalvageWork {
  /// Keeps what the indexes of a table hold of its lost rows, and says better what was lost.
  ///
  /// A row counts as lost when it is neither in the fresh table nor set aside. Both are asked for
  /// each entry, so that no list of rows is kept in memory.
  mutating func evidenceOfLoss(in loaded: LoadedTable) throws -> LossEvidence {
    let plan = loaded.plan
    var balance = ledger.balances[loaded.balance]
    defer { ledger.balances[loaded.balance] = balance }
    let gaps = reconstruction.gaps(in: plan.tree)
    let lastRowID = sequences[plan.name]
    balance.missing = MissingRows(gaps, lastRowID: lastRowID)
    guard let image = survey.image, let table = plan.table, let lookup = try lookup(for: plan)
    else { return LossEvidence(gaps: gaps, isExact: false) }
    var entries: [Int] = []
    // An index that lacks rows of its table is of another time, and may lack lost ones, too.
    var isEachThere = true
    for index in survey.keyIndexes(for: table) {
      let found = try keepEntries(
        of: index, image, plan, lookup, isAnythingAside: balance.quarantined > 0)
      guard index.isComplete else { continue }
      entries.append(index.entryCount)
      isEachThere = isEachThere && found >= balance.written
    }
    balance.partial = try aside.partialRowCount(of: plan.name)
    // Rows that were set aside, or that the indexes deny, may be those of another table; and indexes
    // tell no more than tables of pages that are missing or could not be taken back.
    let isClear =
      balance.quarantined == 0 && !reconstruction.isDenied(plan.tree)
      && !survey.missesUnknownPages
    balance.lost = balance.lost.refined(
      gone: balance.partial, seen: balance.seen - balance.duplicates,
      entries: isClear ? entries : [], isReadable: plan.tree.isReadable && plan.tree.pages > 0)
    // More than the entries whose row is nowhere cannot be missed but for the rows that are aside.
    if !isClear, !entries.isEmpty, let count = balance.lost.least,
      count > balance.partial + balance.quarantined
    {
      balance.lost = balance.partial > 0 ? .atLeast(balance.partial) : .unknown
    }
    // A sound index knows each rowid; without one, the gaps say more than the rows known of.
    if lookup.usesRowIDs, !entries.isEmpty || gaps.isEmpty {
      balance.missing = try missingRows(of: plan, lookup)
      balance.missing.areAll = !entries.isEmpty && isEachThere && isClear
    }
    return LossEvidence(gaps: gaps, isExact: !entries.isEmpty)
  }

  /// Keeps the entries of one index whose rows are nowhere else.
  ///
  /// - Returns: For how many the row is in the fresh table.
  private mutating func keepEntries(
    of index: KeyIndex, _ image: Image, _ plan: TablePlan, _ lookup: borrowing RowLookup,
    isAnythingAside: Bool
  ) throws -> Int {
    var found = 0
    try index.scan(image) { entry in
      try world.requireGoingOn()
      let key = plan.keyCount > 0 ? entry.partialRow.key(plan.keyCount) : []
      guard try !lookup.finds(rowID: entry.rowID, key: key) else {
        found += 1
        return
      }
      if isAnythingAside, try aside.holdsRow(of: plan.name, rowID: entry.rowID, key: key) {
        return
      }
      try aside.add(
        entry.partialRow, table: plan.name, keyCount: plan.keyCount,
        fieldCount: plan.shape.stored.count)
    }
    return found
  }

  /// Looks for rows of a table in the fresh one; nil where that does not keep what they are known by.
  func lookup(for plan: TablePlan) throws(SQLiteError) -> RowLookup? {
    try target.lookup(
      in: plan.wanted.name, plan.mapping, keyCount: plan.keyCount, encoding: survey.encoding)
  }

  /// The stretches of rowids between rows that are there, where every lost row is known.
  mutating func missingRows(
    of plan: TablePlan, _ lookup: borrowing RowLookup
  ) throws -> MissingRows {
    var missing = MissingRows()
    var current: (first: Int64, last: Int64, rows: Int)?
    try aside.forEachPartialRowID(of: plan.name) { rowID throws(SQLiteError) in
      if let stretch = current, try !lookup.findsRow(between: stretch.last, and: rowID) {
        current = (stretch.first, rowID, stretch.rows + 1)
      } else {
        if let current {
          missing.add(.init(first: current.first, last: current.last, rows: current.rows))
        }
        current = (rowID, rowID, 1)
      }
    }
    if let current {
      missing.add(.init(first: current.first, last: current.last, rows: current.rows))
    }
    return missing
  }
}
