// SPDX-License-Identifier: Apache-2.0
// Which columns SQLite can add to a table that has rows, and which need the table made anew.

import SQLiteFormat

extension TableComparison {
  /// The statement that adds a column, where SQLite can and the column then stands where it is
  /// expected; else the table made anew.
  func adding(_ column: ColumnDescription) -> ContractDifference.Mend {
    guard !isRemade else { return remaking(with: column) }
    let definition = expectedDeclaration.definition(of: column.name)
    let text =
      definition?.sql ?? column.name.quotedIdentifier + " " + column.definition(in: expected)
    // A reference with a default is refused while foreign keys are on.
    let isSurgical =
      column.constantDefault != nil && definition?.position(of: "references") != nil
    let checks = expectedDeclaration.checks(of: column.name).map { rows(breaking: $0.sql) }
    return ContractDifference.Mend(
      [
        ContractDifference.Mend.Step(
          .tables, "ALTER TABLE \(expected.name.quotedIdentifier) ADD COLUMN \(text)",
          isSurgical: isSurgical)
      ],
      // Versions of SQLite add such a column, and call the database malformed from then on.
      tests: checks + referenceTests(of: column)
        + typeTests(ofDefaultOf: column, "the database is malformed"))
  }

  /// Whether the default of a column that is added refers to something.
  private func referenceTests(
    of column: ColumnDescription
  ) -> [ContractDifference.Mend.RowTest] {
    guard column.constantDefault != nil else { return [] }
    return expected.foreignKeys.map { ForeignKeyMeaning($0, in: schemas.expected) }
      .filter { $0.columns == [column.name] }
      .compactMap { found.rows(dangling: $0, adding: missingColumns, strict: expected.strict) }
  }

  /// Whether a STRICT table takes the default of a column that is added.
  private func typeTests(
    ofDefaultOf column: ColumnDescription, _ consequence: String
  ) -> [ContractDifference.Mend.RowTest] {
    guard expected.strict, column.constantDefault != nil, column.generated == .none else {
      return []
    }
    return [found.rows(addingDefaultOf: column, consequence: consequence)].compactMap(\.self)
  }

  /// Whether a computed column that refuses NULL has a value in every row.
  func computedTests(of column: ColumnDescription) -> [ContractDifference.Mend.RowTest] {
    guard column.generated != .none, column.notNull,
      let expression = expectedDeclaration.expression(of: column.name)
    else { return [] }
    return [
      found.rows(
        withNullAs: expression.sql, in: column.name, adding: missingColumns,
        strict: expected.strict)
    ]
  }

  /// What rows lack for a column that they do not have.
  private func remaking(with column: ColumnDescription) -> ContractDifference.Mend {
    let needsValue =
      column.notNull && column.constantDefault == nil && column.generated == .none
      && expected.columns.firstIndex { $0.name == column.name } != expected.rowIDAlias
    return .remaking(
      tests: (needsValue ? [found.rows(withoutValueFor: column.name)] : [])
        + referenceTests(of: column) + typeTests(ofDefaultOf: column, "it fails")
        + computedTests(of: column))
  }

  /// Whether a column that is missing makes it necessary to make the table anew.
  var isRemade: Bool {
    let missing = missingColumns
    let wanted = expected.columns.map(\.name)
    let standsLast = Array(wanted.suffix(missing.count)) == missing.map(\.name)
    return !missing.isEmpty
      && (!standsLast && rules == .sqlite || missing.contains { !canBeAdded($0) })
  }

  private func canBeAdded(_ column: ColumnDescription) -> Bool {
    let definition = expectedDeclaration.definition(of: column.name)
    if column.primaryKeyPosition > 0 || definition?.position(of: "unique") != nil { return false }
    switch column.generated {
    case .stored: return false
    case .virtual: return definition != nil && !column.notNull
    case .none: break
    }
    guard let value = column.constantDefault else { return !column.notNull }
    return value.isConstant
  }
}
