// SPDX-License-Identifier: Apache-2.0
// One table of a merge: what a row is known by, and the conditions in which two are compared.

import Diagnosis
import SQLiteFormat

/// One table of a merge, in the words of SQL.
struct MergeTable {
  /// A column of a key, and the collation under which two are the same.
  struct KeyColumn {
    let name: String
    let collation: String

    /// What makes a comparison with it one under its collation; nothing for a number.
    var collating: String { collation.isEmpty ? "" : " COLLATE \(collation)" }
  }

  let description: TableDescription
  /// Its place among the tables, by which what is noted of its rows is named.
  let number: Int
  /// The names by which one row is told from all others of its database.
  let address: [String]
  /// Whether that is a rowid that no column shows: a row may get another one.
  let hidesAddress: Bool
  /// What two rows have in common that stand for one; empty where only equal rows do.
  let key: [KeyColumn]
  /// The columns that take values.
  let columns: [Name]
  /// The column that tells the newer of two rows.
  let clock: Name?

  var name: Name { description.name }
  /// The column that is the rowid under another name.
  var integerKey: Name? { description.rowIDColumn }
  /// The table as SQL names it.
  var quoted: String { name.quotedIdentifier }
  /// The table of what is decided about the rows of an older input.
  var decisions: String { "work.d\(number)" }
  /// The table that tells from which of several older inputs a row comes.
  var owners: String { "work.t\(number)" }

  /// Makes ready; nil where nothing names a single row.
  init?(_ table: TableDescription, number: Int, clock: Name?) {
    description = table
    self.number = number
    self.clock = clock
    let columns = table.columns.filter { $0.generated == .none }.map(\.name)
    self.columns = columns
    let primary = table.indexes.first { $0.origin == .primaryKey }
    let keyColumns = (primary?.columns ?? []).compactMap { column in
      column.name.map {
        KeyColumn(
          name: $0.quotedIdentifier, collation: column.collation.quotedIdentifier)
      }
    }
    if table.withoutRowID {
      (address, hidesAddress, key) = (keyColumns.map(\.name), false, keyColumns)
      if keyColumns.isEmpty { return nil }
      return
    }
    let integerKey: Name? =
      table.kind == .virtual
      ? columns.first
      : description.rowIDColumn
    if let integerKey {
      let name = integerKey.quotedIdentifier
      (address, hidesAddress) = ([name], false)
      key = [KeyColumn(name: name, collation: "")]
      return
    }
    let names = Set(table.columns.map(\.name))
    guard let free = ["rowid", "_rowid_", "oid"].first(where: { !names.contains(Name($0)) }) else {
      return nil
    }
    (address, hidesAddress, key) = ([free], true, keyColumns)
  }

  // MARK: Conditions

  /// Whether two rows have the same values in these columns, each of the same type.
  func isSame(_ left: String, _ right: String, in shared: Set<Name>) -> String {
    let terms = columns.filter { shared.contains($0) }.flatMap { column in
      sameValue("\(left).\(column.quotedIdentifier)", "\(right).\(column.quotedIdentifier)", column)
    }
    return terms.isEmpty ? "1" : terms.conjunction
  }

  /// The conditions under which a column has the same value twice.
  func sameValue(_ left: String, _ right: String, _ column: Name) -> [String] {
    let same = "\(left) IS \(right) COLLATE BINARY"
    return isUntyped(column) ? [same, "typeof(\(left)) = typeof(\(right))"] : [same]
  }

  /// What rows are grouped by that have the same value in a column.
  func groups(by column: Name) -> [String] {
    let name = column.quotedIdentifier
    return ["\(name) COLLATE BINARY"] + (isUntyped(column) ? ["typeof(\(name))"] : [])
  }

  /// Whether a column holds numbers of two types that compare as equal.
  private func isUntyped(_ name: Name) -> Bool {
    guard let column = description.columns.first(where: { $0.name == name }) else { return false }
    return Affinity(declaredType: column.type, strict: description.strict) == .blob
  }

  /// Whether two rows of one key are told to be one by a further key, which only one row may have; one
  /// that holds the first tells nothing.
  func isTold(_ left: String, _ right: String) -> String {
    let ways = description.indexes.filter { index in
      index.unique && index.origin != .primaryKey && index.predicate == nil
        && index.columns.allSatisfy { $0.name != nil && $0.name != integerKey }
    }.map { index in
      index.columns.map { column in
        let name = (column.name ?? "").quotedIdentifier
        return "\(left).\(name) COLLATE \(column.collation.quotedIdentifier) = \(right).\(name)"
      }.conjunction
    }
    // Where one of them is not known, the whole is not; that is no.
    return ways.isEmpty ? "0" : ways.map { "ifnull(\($0), 0)" }.joined(separator: " OR ")
  }

  /// Whether the row of an older input has the key of one of the merged database.
  var hasSameKey: String {
    key.map { "m.\($0.name)\($0.collating) = o.\($0.name)" }.conjunction
  }

  /// Whether a row has a key at all: one with NULL in it is the key of no row.
  func hasKey(_ row: String) -> String {
    key.map { "\(row).\($0.name) IS NOT NULL" }.conjunction
  }

  /// 1 where the older input's row is the newer one by the column that tells, -1 where it is the
  /// older one, and 0 where that is not said.
  var age: String {
    guard let clock else { return "0" }
    let (o, m) = ("o.\(clock.quotedIdentifier)", "m.\(clock.quotedIdentifier)")
    func kind(_ value: String) -> String { "typeof(\(value)) IN ('integer', 'real')" }
    return """
      CASE WHEN \(o) IS NULL AND \(m) IS NULL THEN 0 WHEN \(o) IS NULL THEN -1
      WHEN \(m) IS NULL THEN 1 WHEN (\(kind(o))) <> (\(kind(m))) THEN 0
      ELSE (\(o) > \(m) COLLATE BINARY) - (\(o) < \(m) COLLATE BINARY) END
      """
  }

  /// Whether a row is the one that a decision is about; `side` is `o` for the older input's row and
  /// `m` for that of the merged database.
  func isRow(_ row: String, _ side: String) -> String {
    address.enumerated().map { place, name in
      "\(row).\(name)\(collation(at: place)) = d.\(side)\(place)"
    }.conjunction
  }

  /// What makes a comparison with a part of the address one under its collation.
  func collation(at place: Int) -> String {
    description.withoutRowID && key.indices.contains(place) ? key[place].collating : ""
  }

  /// The columns of a decision that name a row.
  func places(_ side: String) -> [String] { address.indices.map { "\(side)\($0)" } }

  /// The values of a row as its record has them, NULL in the place of its rowid; behind them that.
  func record(_ row: String) -> String {
    let values = description.storageOrder.map { index in
      index == description.rowIDAlias || !description.columns.indices.contains(index)
        ? "NULL" : "\(row).\(description.columns[index].name.quotedIdentifier)"
    }
    let rowID = description.withoutRowID ? "NULL" : "\(row).\(address[0])"
    return (values + [rowID]).joined(separator: ", ")
  }
}
