// SPDX-License-Identifier: Apache-2.0
// Two tables of one name side by side.

import SQLiteFormat

/// Two tables of one name side by side.
struct TableComparison {
  private let expected: TableDescription
  private let found: TableDescription
  private let parents: (expected: SchemaDescription, found: SchemaDescription)
  private let allowsExtras: Bool
  /// Old names of columns that are there, by the new names that are not.
  private let oldNames: [Name: Name]
  private let expectedDeclaration: TableDeclaration
  private let foundDeclaration: TableDeclaration

  init(
    _ expected: TableDescription, _ found: TableDescription,
    parents: (SchemaDescription, SchemaDescription), allowsExtras: Bool, renamed: [Name: Name]
  ) {
    let wanted = Set(expected.columns.map(\.name))
    let present = Set(found.columns.map(\.name))
    let pending = renamed.filter { old, new in
      present.contains(old) && !wanted.contains(old)
        && wanted.contains(new) && !present.contains(new)
    }
    self.expected = expected
    self.found = found.renaming(pending)
    self.parents = parents
    self.allowsExtras = allowsExtras
    oldNames = Dictionary(
      pending.map { ($0.value, $0.key) }, uniquingKeysWith: min)
    expectedDeclaration = TableDeclaration(sql: expected.sql)
    foundDeclaration = TableDeclaration(sql: found.sql)
  }

  var differences: [ContractDifference] {
    // What shadow tables look like is their module's affair.
    if expected.kind == .shadow { return [] }
    if expected.kind == .virtual || found.kind == .virtual { return virtualTables }
    return options + columns + columnOrder + primaryKey + checks + conflictClauses
      + uniqueConstraints + foreignKeys + indexes
  }

  private var virtualTables: [ContractDifference] {
    let texts = (SQLTokens(statement: expected.sql), SQLTokens(statement: found.sql))
    guard texts.0.normalized != texts.1.normalized else { return [] }
    return [
      ContractDifference(
        .changed, .table, expected.name.text, expected: texts.0.sql, found: texts.1.sql,
        mend: .rebuilding)
    ]
  }

  private var options: [ContractDifference] {
    guard expected.optionsText != found.optionsText else { return [] }
    return [
      ContractDifference(
        .changed, .options, expected.name.text, expected: expected.optionsText,
        found: found.optionsText, mend: .rebuilding)
    ]
  }

  private var primaryKey: [ContractDifference] {
    let (wanted, present) = (expected.primaryKeyText, found.primaryKeyText)
    guard wanted.map({ Name($0) }) != present.map({ Name($0) }) else { return [] }
    return [
      ContractDifference(
        present == nil ? .missing : wanted == nil ? .extra : .changed, .primaryKey,
        expected.name.text,
        expected: wanted, found: present, mend: .rebuilding)
    ]
  }

  private var checks: [ContractDifference] {
    // What a missing column brings along, and an extra one takes, is not told twice.
    let wanted = without(
      missingColumns.flatMap { expectedDeclaration.checks(of: $0.name) },
      expected.checks.map { SQLTokens(parsing: $0).normalized })
    let present = without(
      extraColumns.flatMap { foundDeclaration.checks(of: $0.name) },
      found.checks.map { SQLTokens(parsing: $0).normalized })
    return unnamed(.check, wanted, present)
  }

  private var conflictClauses: [ContractDifference] {
    guard !expected.sql.isEmpty else { return [] }
    return unnamed(
      .conflictClause, expectedDeclaration.conflictClauses, foundDeclaration.conflictClauses)
  }

  private var uniqueConstraints: [ContractDifference] {
    func keys(_ table: TableDescription) -> [String] {
      table.indexes.filter { $0.origin == .uniqueConstraint }
        .map { Name(IndexMeaning($0, of: table).text).foldedText }
    }
    return unnamed(.unique, keys(expected), keys(found))
  }

  /// Constraints without names: those of which one side has more than the other.
  private func unnamed(
    _ subject: ContractDifference.Subject, _ wanted: [String], _ present: [String]
  ) -> [ContractDifference] {
    without(present, wanted).sorted().map { text in
      ContractDifference(.missing, subject, expected.name.text, expected: text, mend: .rebuilding)
    }
      + without(wanted, present).sorted().map { text in
        ContractDifference(.extra, subject, expected.name.text, found: text, mend: .rebuilding)
      }
  }

  private var foreignKeys: [ContractDifference] {
    let all = expected.foreignKeys.map { ForeignKeyMeaning($0, in: parents.expected) }
    let present = found.foreignKeys.map { ForeignKeyMeaning($0, in: parents.found) }
    let new = Set(missingColumns.map(\.name))
    let wanted = without(present, all).filter { key in
      !key.columns.allSatisfy { new.contains($0) } || !isWithinColumn(key)
    }
    var extra = without(all, present)
    var result: [ContractDifference] = []
    for key in wanted.sorted(by: { $0.text < $1.text }) {
      let other = extra.firstIndex { $0.columns == key.columns }.map { extra.remove(at: $0) }
      result.append(
        ContractDifference(
          other == nil ? .missing : .changed, .foreignKey, expected.name.text, expected: key.text,
          found: other?.text, mend: .rebuilding))
    }
    return result
      + extra.sorted { $0.text < $1.text }.map { key in
        ContractDifference(
          .extra, .foreignKey, expected.name.text, found: key.text, mend: .rebuilding)
      }
  }

  private func isWithinColumn(_ key: ForeignKeyMeaning) -> Bool {
    key.columns.count == 1
      && expectedDeclaration.definition(of: key.columns[0])?.position(of: "references") != nil
  }

  private var indexes: [ContractDifference] {
    func named(_ table: TableDescription) -> [Name: IndexMeaning] {
      let created = table.indexes.filter { $0.origin == .created }
      return Dictionary(
        created.map { ($0.name, IndexMeaning($0, of: table)) }
      ) { first, _ in first }
    }
    let (wanted, present) = (named(expected), named(found))
    return Set(wanted.keys).union(present.keys).sorted().compactMap { name in
      switch (wanted[name], present[name]) {
      case (let wanted?, nil): return wanted.missing
      case (nil, let present?):
        guard !allowsExtras else { return nil }
        return ContractDifference(
          .extra, .index, present.index.name.text, found: present.text,
          mend: .statement(SchemaComparison.dropping(.index, present.index.name)))
      case (let wanted?, let present?):
        guard wanted.normal != present.normal else { return nil }
        return ContractDifference(
          .changed, .index, wanted.index.name.text, expected: wanted.text, found: present.text,
          mend: .replacing(.index, present.index.name))
      case (nil, nil): return nil
      }
    }
  }
}

// MARK: - Columns

extension TableComparison {
  private var missingColumns: [ColumnDescription] {
    let present = Set(found.columns.map(\.name))
    return expected.columns.filter { !present.contains($0.name) }
  }

  private var extraColumns: [ColumnDescription] {
    let wanted = Set(expected.columns.map(\.name))
    return found.columns.filter { !wanted.contains($0.name) }
  }

  private var columns: [ContractDifference] {
    let common = expected.columns.enumerated().flatMap { position, column in
      compare(column, at: position)
    }
    let extra = extraColumns.map { column in
      ContractDifference(
        .extra, .column, "\(found.name).\(column.name)", found: column.definition(in: found),
        mend: .none(because: "its values would go with it; drop it only when nobody needs them"))
    }
    return common + extra
  }

  private func compare(_ column: ColumnDescription, at position: Int) -> [ContractDifference] {
    let object = "\(expected.name).\(column.name)"
    let name = column.name
    let index = found.columns.firstIndex { $0.name == name }
    guard let index else {
      return [
        ContractDifference(
          .missing, .column, object, expected: column.definition(in: expected), mend: adding(column)
        )
      ]
    }
    var result: [ContractDifference] = []
    if let old = oldNames[name] {
      let (table, old) = (found.name.quotedIdentifier, (name: old, sql: old.quotedIdentifier))
      let new = column.name.quotedIdentifier
      result.append(
        ContractDifference(
          .changed, .column, object, expected: column.name.text, found: old.name.text,
          mend: .statement("ALTER TABLE \(table) RENAME COLUMN \(old.sql) TO \(new)")))
    }
    let wanted = ColumnMeaning(column, at: position, of: expected)
    var present = ColumnMeaning(found.columns[index], at: index, of: found)
    guard wanted != present else { return result }
    present.type = wanted.type
    let isAlike =
      wanted == present && affinity(column, expected) == affinity(found.columns[index], found)
    result.append(
      ContractDifference(
        .changed, .column, object, expected: column.definition(in: expected),
        found: found.columns[index].definition(in: found), mend: .rebuilding,
        weight: isAlike ? .notice : .drift))
    return result
  }

  /// The statement that adds a column, where SQLite can.
  private func adding(_ column: ColumnDescription) -> ContractDifference.Mend {
    let definition = expectedDeclaration.definition(of: column.name)
    let value = column.constantDefault
    if column.primaryKeyPosition > 0 {
      return .none(because: "a column of the primary key cannot be added")
    }
    if definition?.position(of: "unique") != nil {
      return .none(because: "a UNIQUE column cannot be added")
    }
    if column.generated == .stored {
      return .none(because: "a STORED column cannot be added")
    }
    if column.notNull, value == nil, column.generated == .none {
      return .none(because: "a NOT NULL column without a default cannot be added to rows")
    }
    if let value, !value.isConstant {
      return .none(because: "a column whose default is no constant cannot be added to rows")
    }
    if value != nil, definition?.position(of: "references") != nil {
      return .none(because: "a column that refers to another table cannot be added with a default")
    }
    let text =
      definition?.sql ?? column.name.quotedIdentifier + " " + column.definition(in: expected)
    return .statement("ALTER TABLE \(found.name.quotedIdentifier) ADD COLUMN \(text)")
  }

  /// Whether the columns that both have stand in the same order.
  private var columnOrder: [ContractDifference] {
    let present = found.columns.map(\.name)
    let wanted = expected.columns.map(\.name).filter { present.contains($0) }
    let order = present.filter { wanted.contains($0) }
    guard wanted != order else { return [] }
    return [
      ContractDifference(
        .changed, .columnOrder, expected.name.text, expected: wanted.joined(separator: ", "),
        found: order.joined(separator: ", "), mend: .rebuilding, weight: .notice)
    ]
  }
}

/// The affinity of a column.
private func affinity(_ column: ColumnDescription, _ table: TableDescription) -> Affinity {
  Affinity(declaredType: column.type, strict: table.strict)
}

/// The elements of a list that are left when each of others has taken one like itself.
private func without<Element: Hashable>(_ others: [Element], _ list: [Element]) -> [Element] {
  var taken = Dictionary(others.map { ($0, 1) }, uniquingKeysWith: +)
  return list.filter { element in
    guard let count = taken[element], count > 0 else { return true }
    taken[element] = count - 1
    return false
  }
}

extension TableDescription {
  /// The table with other names for some columns, wherever a name stands by itself.
  fileprivate func renaming(_ names: [Name: Name]) -> TableDescription {
    guard !names.isEmpty else { return self }
    func renamed(_ name: Name) -> Name { names[name] ?? name }
    var table = self
    for index in table.columns.indices {
      table.columns[index].name = renamed(table.columns[index].name)
    }
    for index in table.indexes.indices {
      for part in table.indexes[index].columns.indices {
        table.indexes[index].columns[part].name =
          table.indexes[index].columns[part].name.map(renamed)
      }
    }
    for index in table.foreignKeys.indices {
      table.foreignKeys[index].columns = table.foreignKeys[index].columns.map(renamed)
    }
    return table
  }
}
