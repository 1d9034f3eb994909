// SPDX-License-Identifier: Apache-2.0
// Questions to the rows of a table: do they fit what is to be demanded of them?

import SQLiteFormat

extension TableDescription {
  private typealias Test = ContractDifference.Mend.RowTest

  /// The rows with NULL in a column.
  func rows(withNullIn column: Name) -> ContractDifference.Mend.RowTest {
    Test(
      query: counting("\(name.quotedIdentifier).\(column.quotedIdentifier) IS NULL"),
      condition: "it fails where a row has NULL in '\(column)'", noun: "row",
      finding: "with NULL in '\(column)'")
  }

  /// The rows for which a column that is not there has no value.
  func rows(withoutValueFor column: Name) -> ContractDifference.Mend.RowTest {
    Test(
      query: counting("1"),
      condition: "it fails where there are rows: nothing says what '\(column)' is in them",
      noun: "row", finding: "for which nothing says what '\(column)' is")
  }

  /// The rows with something in a column that cannot be a rowid.
  func rows(withoutIntegerIn column: Name) -> ContractDifference.Mend.RowTest {
    Test(
      query: counting(
        "typeof(\(name.quotedIdentifier).\(column.quotedIdentifier)) <> 'integer'"),
      condition: "it fails where '\(column)' is no integer in a row", noun: "row",
      finding: "in which '\(column)' is no integer")
  }

  /// The rows with a value that a STRICT table refuses in one of these columns; nil where every
  /// value fits.
  func rows(
    notOfTypesOf columns: [ColumnDescription]
  ) -> ContractDifference.Mend.RowTest? {
    let unfit = columns.compactMap { column in
      column.refusal(of: "\(name.quotedIdentifier).\(column.name.quotedIdentifier)")
    }
    guard !unfit.isEmpty else { return nil }
    let names = columns.map { "'\($0.name)'" }.joined(separator: ", ")
    return Test(
      query: counting(unfit.map { "(\($0))" }.joined(separator: " OR ")),
      condition: "it fails where a value is not of the type of its column (\(names))",
      noun: "row", finding: "with a value that is not of the type of its column (\(names))")
  }

  /// The rows that break a CHECK constraint.
  func rows(breaking check: String) -> ContractDifference.Mend.RowTest {
    Test(
      query: counting("NOT (\(check)\n)"), condition: "it fails where a row breaks \(check)",
      noun: "row", finding: "that would break it")
  }

  /// The rows that refer to none by a foreign key; nil where its columns are not all there.
  func rows(dangling key: ForeignKeyMeaning) -> ContractDifference.Mend.RowTest? {
    let present = Set(columns.map(\.name))
    guard key.columns.allSatisfy(present.contains), key.referenced.count == key.columns.count else {
      return nil
    }
    let own = key.columns.map { "\(name.quotedIdentifier).\($0.quotedIdentifier)" }
    let pairs = zip(key.referenced, own).map { "parent.\($0.quotedIdentifier) = \($1)" }
    let condition =
      (own.map { "\($0) IS NOT NULL" } + [
        "NOT EXISTS (SELECT 1 FROM \(key.parent.quotedIdentifier) AS parent WHERE "
          + pairs.joined(separator: " AND ") + ")"
      ]).joined(separator: " AND ")
    return Test(
      query: counting(condition),
      condition: "references are left open where a row refers to none of '\(key.parent)'",
      noun: "row", finding: "that refer to none of '\(key.parent)'",
      consequence: "references are left open")
  }

  private func counting(_ condition: String) -> String {
    "SELECT count(*) FROM \(name.quotedIdentifier) WHERE \(condition)"
  }

  /// The keys that several rows have; nil where there is no key.
  ///
  /// Columns that are not there have the same default in all rows.
  func duplicates(
    of columns: [IndexColumn], where predicate: String? = nil, defaults: [Name: String] = [:]
  ) -> ContractDifference.Mend.RowTest? {
    let parts = columns.map { part -> String in
      guard let column = part.name else { return "(\(part.expression ?? "NULL"))" }
      return defaults[column].map { "(\($0)\n)" }
        ?? "\(name.quotedIdentifier).\(column.quotedIdentifier)"
    }
    guard !parts.isEmpty else { return nil }
    let conditions = parts.map { "\($0) IS NOT NULL" } + (predicate.map { ["(\($0)\n)"] } ?? [])
    // A number by itself would be that of a column of the result.
    let keys =
      ["NULL"]
      + zip(parts, columns).filter { $1.name.flatMap { defaults[$0] } == nil }
      .map { "\($0) COLLATE \($1.collation.quotedIdentifier)" }
    let query =
      "SELECT count(*) FROM (SELECT 1 FROM \(name.quotedIdentifier) WHERE "
      + conditions.joined(separator: " AND ") + " GROUP BY " + keys.joined(separator: ", ")
      + " HAVING count(*) > 1)"
    let key = IndexMeaning.key(columns, of: self)
    return Test(
      query: query, condition: "it fails where two rows have the same \(key)", noun: "key",
      finding: "\(key) that more than one row has")
  }
}

extension ColumnDescription {
  /// The condition under which a STRICT table refuses a value here, as it cannot be made one of the
  /// type without a loss; nil where it refuses none.
  fileprivate func refusal(of value: String) -> String? {
    let kind = "typeof(\(value))"
    let number = "CAST(\(value) AS NUMERIC)"
    return switch Name(type) {
    case "BLOB": "\(kind) NOT IN ('null', 'blob')"
    case "TEXT": "\(kind) = 'blob'"
    case "REAL":
      "\(kind) = 'blob' OR \(kind) = 'text' AND \(value) <> \(number)"
    case "INT", "INTEGER":
      "\(kind) = 'blob' OR \(kind) = 'real' AND \(value) <> CAST(\(value) AS INTEGER)"
        + " OR \(kind) = 'text' AND (\(value) <> \(number) OR typeof(\(number)) <> 'integer')"
    default: nil
    }
  }
}
