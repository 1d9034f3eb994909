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
    let value = Affinity.integer.keeping("\(name.quotedIdentifier).\(column.quotedIdentifier)")
    return Test(
      query: counting("typeof(\(value)) NOT IN ('integer', 'null')"),
      condition: "it fails where '\(column)' is no integer in a row", noun: "row",
      finding: "in which '\(column)' is no integer")
  }

  /// The rows with NULL in a column that becomes the rowid: they get a number.
  func rows(numberedIn column: Name) -> ContractDifference.Mend.RowTest {
    Test(
      query: counting("\(name.quotedIdentifier).\(column.quotedIdentifier) IS NULL"),
      condition: "values change where a row has NULL in '\(column)', which becomes a number",
      noun: "row", finding: "with NULL in '\(column)', which becomes a number",
      consequence: "values change")
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

  /// The rows that break a CHECK constraint, with the columns that are added to them, and values as
  /// columns of another type keep them.
  func rows(
    breaking check: String, adding new: [ColumnDescription] = [], strict: Bool = false,
    retyped: [Name: Affinity] = [:]
  ) -> ContractDifference.Mend.RowTest {
    Test(
      query: counting("NOT (\(check)\n)", adding: new, strict: strict, retyped: retyped),
      condition: "it fails where a row breaks \(check)", noun: "row",
      finding: "that would break it")
  }

  /// The rows in which a column that is computed is NULL, with the columns that are added to them.
  func rows(
    withNullAs expression: String, in column: Name, adding new: [ColumnDescription], strict: Bool
  ) -> ContractDifference.Mend.RowTest {
    Test(
      query: counting("(\(expression)\n) IS NULL", adding: new, strict: strict),
      condition: "it fails where '\(column)' is computed as NULL", noun: "row",
      finding: "in which '\(column)' is computed as NULL")
  }

  /// The rows with a value in a column that is another one once it is kept as of another type: `007`
  /// becomes 7 as an integer, and a large integer loses digits as a real.
  func rows(
    alteredIn column: Name, as type: String, _ affinity: Affinity
  ) -> ContractDifference.Mend.RowTest? {
    let value = "\(name.quotedIdentifier).\(column.quotedIdentifier)"
    let isNumber = "typeof(\(value)) = 'text' AND \(value) = CAST(\(value) AS NUMERIC)"
    // As a text: two numbers of one value may be written in two ways.
    func differs(as kept: String) -> String {
      "CAST(CAST(\(value) AS \(kept)) AS TEXT) || '' <> \(value) || ''"
    }
    let condition: String
    switch affinity {
    case .blob: return nil
    case .text:
      condition =
        "typeof(\(value)) = 'real' AND CAST(CAST(\(value) AS TEXT) AS REAL) <> \(value)"
    case .numeric, .integer: condition = "\(isNumber) AND \(differs(as: "NUMERIC"))"
    case .real:
      condition =
        "\(isNumber) AND \(differs(as: "NUMERIC")) OR typeof(\(value)) = 'integer' "
        + "AND CAST(CAST(\(value) AS REAL) AS INTEGER) <> \(value)"
    }
    let type = type.isEmpty ? "without a type" : "as \(type)"
    return Test(
      query: counting(condition),
      condition: "values change where one in '\(column)' is another one \(type)", noun: "row",
      finding: "in which '\(column)' becomes another value \(type)",
      consequence: "values change")
  }

  /// The rows to which a column is added whose default a STRICT table refuses; nil where it has none
  /// that could be refused.
  func rows(
    addingDefaultOf column: ColumnDescription, consequence: String
  ) -> ContractDifference.Mend.RowTest? {
    guard let value = column.addedValue(strict: true), let refusal = column.refusal(of: value)
    else {
      return nil
    }
    return Test(
      query: counting(refusal),
      condition: "\(consequence) where there are rows and the default of '\(column.name)' is not "
        + "of its type",
      noun: "row", finding: "with a default in '\(column.name)' that is not of its type",
      consequence: consequence)
  }

  /// The rows that refer to none by a foreign key, with the columns that are added to them; nil
  /// where its columns are not all there.
  func rows(
    dangling key: ForeignKeyMeaning, adding new: [ColumnDescription] = [], strict: Bool = false
  ) -> ContractDifference.Mend.RowTest? {
    let present = Set((columns + new).map(\.name))
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
      query: counting(condition, adding: new, strict: strict),
      condition: "references are left open where a row refers to none of '\(key.parent)'",
      noun: "row", finding: "that refer to none of '\(key.parent)'",
      consequence: "references are left open")
  }

  private func counting(
    _ condition: String, adding new: [ColumnDescription] = [], strict: Bool = false,
    retyped: [Name: Affinity] = [:]
  ) -> String {
    let added = new.compactMap { column in
      column.addedValue(strict: strict).map { "\($0) AS \(column.name.quotedIdentifier)" }
    }
    let table = name.quotedIdentifier
    let own =
      retyped.isEmpty
      ? ["*"]
      : columns.map { column in
        let value = column.name.quotedIdentifier
        return retyped[column.name].map { "\($0.keeping(value)) AS \(value)" } ?? value
      }
    let rows =
      added.isEmpty && retyped.isEmpty
      ? table : "(SELECT \((own + added).joined(separator: ", ")) FROM \(table)) AS \(table)"
    return "SELECT count(*) FROM \(rows) WHERE \(condition)"
  }

  /// The keys that several rows have; nil where there is no key.
  ///
  /// Columns that are not there have the same default in all rows, and those that get another type
  /// keep their values in another way: `1` and `01` are the same integer.
  func duplicates(
    of columns: [IndexColumn], where predicate: String? = nil, defaults: [Name: String] = [:],
    retyped: [Name: Affinity] = [:]
  ) -> ContractDifference.Mend.RowTest? {
    let parts = columns.map { part -> String in
      guard let column = part.name else { return "(\(part.expression ?? "NULL"))" }
      let value = "\(name.quotedIdentifier).\(column.quotedIdentifier)"
      return defaults[column].map { "(\($0)\n)" } ?? retyped[column]?.keeping(value) ?? value
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

extension Affinity {
  /// A value as a column of this affinity keeps it, as SQL; a real that is a whole number stays one,
  /// as it is the same.
  fileprivate func keeping(_ value: String) -> String {
    switch self {
    case .blob: value
    case .text:
      "CASE WHEN typeof(\(value)) IN ('integer', 'real') THEN CAST(\(value) AS TEXT) "
        + "ELSE \(value) END"
    case .numeric, .integer, .real:
      "CASE WHEN typeof(\(value)) = 'text' AND \(value) = CAST(\(value) AS NUMERIC) "
        + "THEN CAST(\(value) AS NUMERIC) ELSE \(value) END"
    }
  }
}

extension ColumnDescription {
  /// What rows have in the column when it is added, as SQL: its default as its type keeps it; nil
  /// where it is computed.
  fileprivate func addedValue(strict: Bool) -> String? {
    guard generated == .none else { return nil }
    guard let tokens = constantDefault else { return "NULL" }
    return Affinity(declaredType: type, strict: strict).keeping("(\(SQLTokens(tokens).sql)\n)")
  }

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
