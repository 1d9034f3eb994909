// SPDX-License-Identifier: Apache-2.0
// A table before a migration and after it: which rows and columns of it are still there.

import SQLiteFormat

/// A table before a migration and after it.
struct TablePair {
  /// What is wrong with the keys of rows.
  struct OtherKeys {
    /// How many keys of before no row has, or another one.
    let count: Int
    /// Whether that is said of some of the rows, as not all keys are kept in mind.
    let isSample: Bool
    /// Whether the rows are gone, and others are in their place.
    let loseRows: Bool
  }

  /// Its name before.
  let old: Name
  /// Its name after.
  let new: Name
  let then: TableFigures
  let now: TableFigures
  /// New names of columns by their old ones: as a contract has them, or where all values of a column
  /// that is gone are those of one that is new.
  let newNames: [Name: Name]

  /// How many rows came, where only those of before are compared.
  private(set) var addedRows = 0
  /// Whether rows with the same keys are the same rows, as far as that can be told.
  private(set) var isAligned = true

  /// Pairs a table with what has become of it; `names` are new names of columns that are known.
  init(
    _ old: Name, _ new: Name, _ then: TableFigures, _ now: TableFigures, naming names: [Name: Name]
  ) {
    (self.old, self.new, self.then, self.now) = (old, new, then, now)
    var names = names.pending(
      from: Set(then.columns.map(\.name)), to: Set(now.columns.map(\.name)))
    // Of several columns that are one now, only one can have its values there.
    for (new, olds) in Dictionary(grouping: names.keys.sorted(), by: { names[$0] ?? $0 })
    where olds.count > 1 {
      let own = olds.first { then.column($0)?.sum == now.column(new)?.sum } ?? olds[0]
      for old in olds where old != own { names[old] = nil }
    }
    let added = now.columns.filter { then.column($0.name) == nil }
    for column in then.columns
    where names[column.name] == nil && now.column(column.name) == nil
      && column.nulls < then.rows && now.rows == then.rows
    {
      let alike = added.filter { $0.nulls == column.nulls && $0.sum == column.sum }
      if alike.count == 1, let other = alike.first { names[column.name] = other.name }
    }
    newNames = names
  }

  /// What a column is called after.
  func name(of column: TableFigures.Column) -> Name { newNames[column.name] ?? column.name }

  /// A column after; nil where it is gone.
  func column(_ column: TableFigures.Column) -> TableFigures.Column? {
    now.column(name(of: column))
  }

  /// Whether no column is gone.
  var keepsColumns: Bool { then.columns.allSatisfy { column($0) != nil } }

  /// Whether a table of another name has the columns and rows of this one, by a column that tells them
  /// apart as well as any; other columns may be others, and there may be more of them, and more rows.
  var isSameTable: Bool {
    guard now.isWhole, then.columns.allSatisfy({ now.column($0.name) != nil }) else { return false }
    if now.rows == then.rows, Self.keepsRows(then, now) { return true }
    guard hasSameKey, now.sample.keysMissing(of: then.sample) == 0,
      let rows = SameRows(then, now, naming: [:])
    else { return false }
    return Self.keepsRows(rows.then, rows.now)
  }

  private static func keepsRows(_ then: TableFigures, _ now: TableFigures) -> Bool {
    let columns = then.columns.filter { $0.isTelling && !then.keyNames.contains($0.name) }
    let most = columns.map(\.spread).max() ?? 0
    return columns.contains { column in
      let other = now.column(column.name)
      return column.spread * 2 >= most && other?.sum == column.sum && other?.nulls == column.nulls
    }
  }

  /// Whether every column has the values that it had, and not all of them in the same rows.
  var hasMixedRows: Bool {
    let kept = then.columns.allSatisfy {
      column($0)?.sum == $0.sum && column($0)?.nulls == $0.nulls
    }
    guard kept else { return false }
    if keepsNames { return now.sum != then.sum }
    // Rows with a column more are other ones in all: they are compared one by one.
    guard !then.keyNames.isEmpty, hasSameKey else { return false }
    return SameRows(then, now, naming: newNames)?.differ ?? false
  }

  /// Whether rows, told by all but their key, are not those of before; not so where columns came.
  var hasOtherContents: Bool { keepsNames && now.copies.contentsMissing(of: then.copies) > 0 }

  /// The rows that were there before, where others came.
  ///
  /// The whole table where no others came, keys do not tell which rows they are, or all that they
  /// held is there.
  var ofRowsBefore: TablePair {
    guard now.rows > then.rows, hasSameKey, now.sample.keysMissing(of: then.sample) == 0,
      now.copies.contentsMissing(of: then.copies) > 0,
      let rows = SameRows(then, now, naming: newNames)
    else { return self }
    var pair = TablePair(old, new, rows.then, rows.now, naming: newNames)
    (pair.addedRows, pair.isAligned) = (now.rows - then.rows, rows.areAligned)
    return pair
  }

  /// The rows that are there before and after by a key of their own, whatever came and went besides;
  /// nil where there are none.
  var ofCommonRows: TablePair? {
    guard hasSameKey, !then.keyNames.isEmpty, then.isWhole, now.isWhole,
      let rows = SameRows(then, now, naming: newNames)
    else { return nil }
    var pair = TablePair(old, new, rows.then, rows.now, naming: newNames)
    (pair.addedRows, pair.isAligned) = (max(0, now.rows - rows.now.rows), true)
    return pair
  }

  /// Whether the key has the same columns as before.
  var hasSameKey: Bool { now.keyNames == then.keyNames.map { newNames[$0] ?? $0 } }

  /// Whether each row of both is kept in mind.
  var knowsEveryRow: Bool { then.sample.isWhole && now.sample.isWhole }

  /// Whether not all rows of before are compared.
  var isSample: Bool { addedRows > 0 && !knowsEveryRow }

  /// The keys of before that no row has, or that other rows have; nil where all are there, rows have
  /// none of their own, or there are fewer rows, which is told as that.
  var otherKeys: OtherKeys? {
    guard now.rows >= then.rows, hasSameKey else { return nil }
    guard !then.keyNames.isEmpty else { return otherRowIDs ?? replaced }
    let count = now.keys.contentsMissing(of: then.keys)
    guard count > 0 else { return replaced }
    if let gone = rowsGone, gone > 0 {
      return OtherKeys(count: gone, isSample: false, loseRows: true)
    }
    return OtherKeys(
      count: count, isSample: then.keys.level > 0 || now.keys.level > 0,
      loseRows: hasOtherRows(besides: count))
  }

  /// How many rows have other keys than before, where all that they hold beside these is there; 0 where
  /// that cannot be told.
  var rowsUnderOtherKeys: Int {
    guard keepsNames, then.rows == now.rows, knowsEveryRow,
      now.copies.contentsMissing(of: then.copies) == 0
    else { return 0 }
    let same = now.sample.pairs(with: then.sample).count {
      now.sample.hashes(at: $0.own) == then.sample.hashes(at: $0.theirs)
    }
    return then.rows - same
  }

  /// The rowids of before that no row has, where nothing but rows that are gone explains that: a table
  /// that is made anew numbers its rows from 1 on.
  private var otherRowIDs: OtherKeys? {
    let count = now.sample.keysMissing(of: then.sample)
    let missing = now.copies.contentsMissing(of: then.copies)
    let isSample = !knowsEveryRow || then.copies.level > 0
    guard count > 0, missing > 0, !now.isNumberedAnew, keepsNames else { return nil }
    guard isSample || missing <= count else {
      return rowsGone.flatMap {
        $0 > 0 ? OtherKeys(count: $0, isSample: false, loseRows: true) : nil
      }
    }
    return OtherKeys(count: isSample ? count : missing, isSample: isSample, loseRows: true)
  }

  /// The keys that other rows have now; a key that is a part of what rows hold has its row.
  private var replaced: OtherKeys? {
    guard now.sum != then.sum, !then.hasNaturalKey,
      let count = ReplacedRows(then, now, naming: newNames)?.count ?? rowsShiftedOut
    else { return nil }
    return OtherKeys(count: count, isSample: !knowsEveryRow, loseRows: true)
  }

  /// Whether a column has had another value in each row, and each of them is there.
  private func hasAllValues(_ column: TableFigures.Column) -> Bool {
    guard knowsEveryRow,
      let old = then.columns.firstIndex(where: { $0.name == column.name }),
      let new = now.columns.firstIndex(where: { $0.name == name(of: column) })
    else { return false }
    let values = then.sample.values(at: old)
    return values.count == then.rows && values.isSubset(of: now.sample.values(at: new))
  }

  /// Whether the columns are those of before.
  var keepsNames: Bool { then.columns.map { name(of: $0) } == now.columns.map(\.name) }

  /// Whether rows without their keys are not those of before with other keys: no column that tells rows
  /// apart as well as any has kept all that it held, or all rows are as they were but those.
  private func hasOtherRows(besides count: Int) -> Bool {
    let rest = then.columns.filter { !then.keyNames.contains($0.name) }
    // Rows may be nothing but a key, of which each column tells.
    let others = rest.isEmpty && then.keyNames.count > 1 ? then.columns : rest
    let common = others.filter { $0.isTelling && column($0) != nil }
    guard !common.isEmpty || others.isEmpty && !then.hasNaturalKey else { return false }
    if now.rows == then.rows {
      // Of rows that are nothing but a key, each may refer to rows that have other ids now.
      let isLink = rest.isEmpty && count == then.rows
      let most = isLink ? 0 : common.map(\.spread).max() ?? 0
      return !common.contains { column($0)?.sum == $0.sum && $0.spread * 2 >= most }
    }
    // Rows that are numbered anew are so all together.
    let isNumberedAnew = count * 2 > then.rows && common.contains(where: hasAllValues)
    guard keepsNames, !isNumberedAnew else { return false }
    let missing = now.copies.contentsMissing(of: then.copies)
    let isSample = max(then.copies.level, now.copies.level, then.keys.level, now.keys.level) > 0
    return missing > 0 && (isSample || missing <= count)
  }
}

extension TableFigures.Column {
  /// Whether not all rows have the same value.
  var isTelling: Bool { variety > 1 }
}
