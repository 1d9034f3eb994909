// SPDX-License-Identifier: Apache-2.0
// A table before a migration and after it: which rows and columns of it are still there.

import SQLiteFormat

/// A table before a migration and after it.
struct TablePair {
  /// What is wrong with the keys of rows.
  struct OtherKeys {
    /// How many keys of before no row has.
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

  init(
    _ old: Name, _ new: Name, _ then: TableFigures, _ now: TableFigures, _ contract: Contract?
  ) {
    (self.old, self.new, self.then, self.now) = (old, new, then, now)
    var names = contract?.renamedColumns[new] ?? contract?.renamedColumns[old] ?? [:]
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

  /// Whether every column has the values that it had, and not all of them in the same rows.
  var hasMixedRows: Bool {
    now.sum != then.sum && then.columns.map { name(of: $0) } == now.columns.map(\.name)
      && zip(then.columns, now.columns).allSatisfy { $0.sum == $1.sum && $0.nulls == $1.nulls }
  }

  /// The keys of before that no row has; nil where all are there, rows have none of their own, or
  /// there are fewer rows, which is told as that.
  var otherKeys: OtherKeys? {
    guard now.rows >= then.rows, !then.keyNames.isEmpty,
      now.keyNames == then.keyNames.map({ newNames[$0] ?? $0 })
    else { return nil }
    let count = now.keys.contentsMissing(of: then.keys)
    guard count > 0 else { return nil }
    return OtherKeys(
      count: count, isSample: then.keys.level > 0 || now.keys.level > 0,
      loseRows: hasOtherRows(besides: count))
  }

  /// Whether rows without their keys are not those of before with other keys: no column that tells rows
  /// apart as well as any has kept all that it held, or all rows are as they were but those.
  private func hasOtherRows(besides count: Int) -> Bool {
    let rest = then.columns.filter { !then.keyNames.contains($0.name) }
    // Rows may be nothing but a key, of which each column tells.
    let others = rest.isEmpty && then.keyNames.count > 1 ? then.columns : rest
    let common = others.filter { $0.isTelling && column($0) != nil }
    guard !common.isEmpty || others.isEmpty && !then.hasNaturalKey else { return false }
    if now.rows == then.rows {
      let most = common.map(\.spread).max() ?? 0
      return !common.contains { column($0)?.sum == $0.sum && $0.spread * 2 >= most }
    }
    guard then.columns.map({ name(of: $0) }) == now.columns.map(\.name)
    else { return false }
    let missing = now.copies.contentsMissing(of: then.copies)
    let isSample = max(then.copies.level, now.copies.level, then.keys.level, now.keys.level) > 0
    return missing > 0 && (isSample || missing <= count)
  }
}

extension TableFigures.Column {
  /// Whether not all rows have the same value.
  fileprivate var isTelling: Bool { variety > 1 }
}
