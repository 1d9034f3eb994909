// SPDX-License-Identifier: Apache-2.0
// Two tables of one name side by side.

import SQLiteFormat

/// Two tables of one name side by side.
struct TableComparison {
  let expected: TableDescription
  let found: TableDescription
  let schemas: (expected: SchemaDescription, found: SchemaDescription)
  let extras: ExtraObjects
  let rules: SchemaRules
  /// The name that the table has now, where that is another one.
  private let oldName: Name?
  /// Old names of columns that are there, by the new names that are not.
  private let oldNames: [Name: Name]
  let expectedDeclaration: TableDeclaration
  let foundDeclaration: TableDeclaration
  /// What a quoted name in an expression can be the name of.
  let names: Set<Name>

  init(
    _ expected: TableDescription, _ found: TableDescription,
    schemas: (SchemaDescription, SchemaDescription), extras: ExtraObjects, oldName: Name?,
    renamed: [Name: Name], rules: SchemaRules
  ) {
    let wanted = Set(expected.columns.map(\.name))
    let present = Set(found.columns.map(\.name))
    let pending = renamed.pending(from: present, to: wanted)
    self.expected = expected
    self.found = found.renamingColumns(pending)
    self.schemas = schemas
    self.extras = extras
    self.rules = rules
    self.oldName = oldName
    oldNames = pending.oldByNew
    expectedDeclaration = TableDeclaration(sql: expected.sql)
    foundDeclaration = TableDeclaration(sql: self.found.sql)
    names = expected.expressionNames.union(self.found.expressionNames)
  }

  /// The differences, and what makes the table anew where one of them needs that.
  var outcome: (differences: [ContractDifference], remaking: ContractDifference.Mend?) {
    let all = differences
    guard all.contains(where: { $0.mend.needsTable }) else { return (all, nil) }
    let renames = all.flatMap { $0.mend.steps.filter { $0.phase == .renaming } }
    let dropsRules = all.contains { $0.mend.needsTable && !$0.mend.rules.isEmpty }
    let remaking = remaking(after: renames, dropsRules: dropsRules)
    let mended = all.map { difference in
      var difference = difference
      difference.mend = difference.mend.carriedOut(by: remaking)
      return difference
    }
    return (mended, remaking)
  }

  private var differences: [ContractDifference] {
    // What shadow tables look like is their module's affair.
    if expected.kind == .shadow { return [] }
    if expected.kind == .virtual || found.kind == .virtual { return rename + virtualTables }
    return rename + options + columns + columnOrder + primaryKey + checks + conflictClauses
      + foreignKeys + keysAndIndexes
  }

  private var rename: [ContractDifference] {
    guard let oldName else { return [] }
    let sql = "ALTER TABLE \(oldName.quotedIdentifier) RENAME TO \(expected.name.quotedIdentifier)"
    return [
      ContractDifference(
        .changed, .table, expected.name.text, expected: expected.name.text, found: oldName.text,
        mend: ContractDifference.Mend([.init(.renaming, sql)]))
    ]
  }

  private func remaking(
    after renames: [ContractDifference.Mend.Step], dropsRules: Bool
  ) -> ContractDifference.Mend {
    let remaking = TableRemaking(
      expected, of: found, in: schemas.expected, since: schemas.found, extras: extras)
    let mend = remaking.mend
    guard mend.obstacle == nil else { return mend }
    return ContractDifference.Mend(
      renames + mend.steps, losses: mend.losses, dropsRules: dropsRules || remaking.dropsRules)
  }

  private var virtualTables: [ContractDifference] {
    let texts = (SQLTokens(statement: expected.sql), SQLTokens(statement: found.sql))
    guard VirtualMeaning(texts.0) != VirtualMeaning(texts.1) else { return [] }
    return [
      ContractDifference(
        .changed, .table, expected.name.text, expected: texts.0.sql, found: texts.1.sql,
        mend: .remaking())
    ]
  }

  private var options: [ContractDifference] {
    guard expected.optionsText != found.optionsText else { return [] }
    let isToBeStrict = expected.strict && !found.strict
    return [
      ContractDifference(
        .changed, .options, expected.name.text, expected: expected.optionsText,
        found: found.optionsText,
        mend: .remaking(
          rules: found.strict && !expected.strict
            ? ["the types of values are not enforced any more"] : [],
          tests: isToBeStrict ? typeTests(of: expected.columns) : []),
        weight: weight(seenByRoom: false))
    ]
  }

  /// Whether the values that are there fit the types of a STRICT table.
  private func typeTests(of columns: [ColumnDescription]) -> [ContractDifference.Mend.RowTest] {
    let present = Set(found.columns.map(\.name))
    let copied = columns.filter { $0.generated == .none && present.contains($0.name) }
    return [found.rows(notOfTypesOf: copied)].compactMap(\.self)
  }

  private var primaryKey: [ContractDifference] {
    let (wanted, present) = (expected.primaryKeyText, found.primaryKeyText)
    guard wanted.map({ Name($0) }) != present.map({ Name($0) }) else { return [] }
    let isSeen = expected.primaryKeyNames != found.primaryKeyNames
    var losses: [String] = []
    var rules: [String] = []
    if let present, isSeen { rules = ["the key \(present) is not enforced any more"] }
    if found.autoincrement, !expected.autoincrement {
      losses.append("ids of rows that are gone may be given again")
    }
    return [
      ContractDifference(
        present == nil ? .missing : wanted == nil ? .extra : .changed, .primaryKey,
        expected.name.text, expected: wanted, found: present,
        mend: .remaking(losses: losses, rules: rules, tests: primaryKeyTests),
        weight: weight(seenByRoom: isSeen))
    ]
  }

  private var primaryKeyTests: [ContractDifference.Mend.RowTest] {
    let columns = expected.primaryKeyNames
    guard columns.allSatisfy({ name in found.columns.contains { $0.name == name } }) else {
      return []
    }
    var tests = [duplicates(of: columns.map { IndexColumn(name: $0) })].compactMap(\.self)
    if let alias = expected.rowIDColumn, found.rowIDColumn != alias {
      tests += [found.rows(withoutIntegerIn: alias), found.rows(numberedIn: alias)]
    } else if expected.withoutRowID, !found.withoutRowID {
      tests += columns.map { found.rows(withNullIn: $0) }
    }
    return tests
  }

  private var conflictClauses: [ContractDifference] {
    guard !expected.sql.isEmpty else { return [] }
    return unnamed(
      .conflictClause, expectedDeclaration.conflictClauses.map { ($0, $0) },
      foundDeclaration.conflictClauses.map { ($0, $0) }, { _ in [] })
  }

  private var checks: [ContractDifference] {
    // What a missing column brings along is not told twice.
    func texts(_ checks: [SQLTokens], besides others: [SQLTokens]) -> [(String, String)] {
      var others = others.map { $0.meaning(names: names) }
      return checks.compactMap { check in
        let meaning = check.meaning(names: names)
        if let place = others.firstIndex(of: meaning) {
          others.remove(at: place)
          return nil
        }
        return (meaning, check.sql)
      }
    }
    let wanted = texts(
      expected.checks.map { SQLTokens(parsing: $0).unqualified(by: expected.name) },
      besides: isRemade ? [] : missingColumns.flatMap { expectedDeclaration.checks(of: $0.name) })
    let present = texts(
      found.checks.map { SQLTokens(parsing: $0).unqualified(by: found.name) }, besides: [])
    return unnamed(.check, wanted, present) { check in
      [rows(breaking: check)]
    }
  }

  /// The rows that would break a CHECK constraint once they are as is expected.
  func rows(breaking check: String) -> ContractDifference.Mend.RowTest {
    found.rows(
      breaking: check, adding: missingColumns, strict: expected.strict,
      retyped: retyped(of: found.columns.map(\.name)))
  }

  /// Constraints without names, by meaning and text: those of which one side has more than the other.
  func unnamed(
    _ subject: ContractDifference.Subject, _ wanted: [(meaning: String, text: String)],
    _ present: [(meaning: String, text: String)],
    _ tests: (String) -> [ContractDifference.Mend.RowTest]
  ) -> [ContractDifference] {
    let weight = weight(seenByRoom: false)
    let missing = leftOver(wanted, besides: present).map { text in
      ContractDifference(
        .missing, subject, expected.name.text, expected: text,
        mend: .remaking(
          losses: subject == .conflictClause ? Self.losses(byClause: text) : [],
          tests: tests(text)),
        weight: weight)
    }
    let extra = leftOver(present, besides: wanted).map { text in
      ContractDifference(
        .extra, subject, expected.name.text, found: text,
        mend: .remaking(
          rules: subject == .conflictClause ? [] : ["\(text) is not enforced any more"]),
        weight: weight)
    }
    return missing + extra
  }

  /// What a conflict clause does to rows that break its constraint, where no error says so.
  private static func losses(byClause text: String) -> [String] {
    if text.hasSuffix("on conflict ignore") {
      return ["rows that break it are left out from then on, and no error says so"]
    }
    guard text.hasSuffix("on conflict replace") else { return [] }
    return [
      "rows that break it take the place of others, or get the default, from then on, and no error "
        + "says so"
    ]
  }

  private func leftOver(
    _ list: [(meaning: String, text: String)], besides others: [(meaning: String, text: String)]
  ) -> [String] {
    var taken = Dictionary(others.map { ($0.meaning, 1) }, uniquingKeysWith: +)
    return list.filter { element in
      guard let count = taken[element.meaning], count > 0 else { return true }
      taken[element.meaning] = count - 1
      return false
    }.map(\.text).sorted()
  }

  /// What a difference weighs of which Room sees something, or nothing.
  func weight(seenByRoom isSeen: Bool) -> ContractDifference.Weight {
    rules == .room && !isSeen ? .notice : .drift
  }

  // MARK: Columns

  var missingColumns: [ColumnDescription] {
    let present = Set(found.columns.map(\.name))
    return expected.columns.filter { !present.contains($0.name) }
  }

  var extraColumns: [ColumnDescription] {
    let wanted = Set(expected.columns.map(\.name))
    return found.columns.filter { !wanted.contains($0.name) }
  }

  private var columns: [ContractDifference] {
    let renamed = expected.columns.map(\.name).inTurn(by: oldNames).compactMap { name in
      oldNames[name].map { rename(of: name, from: $0) }
    }
    let common = expected.columns.enumerated().compactMap { position, column in
      compare(column, at: position)
    }
    let extra = extraColumns.map { column in
      ContractDifference(
        .extra, .column, "\(found.name).\(column.name)", found: column.definition(in: found),
        mend: .remaking(
          losses: column.generated == .none ? ["the values of '\(column.name)' go with it"] : []))
    }
    return renamed + common + extra
  }

  private func rename(of name: Name, from old: Name) -> ContractDifference {
    let names = (old.quotedIdentifier, name.quotedIdentifier)
    let sql =
      "ALTER TABLE \(expected.name.quotedIdentifier) RENAME COLUMN \(names.0) TO \(names.1)"
    return ContractDifference(
      .changed, .column, "\(expected.name).\(name)", expected: name.text,
      found: old.text, mend: ContractDifference.Mend([.init(.renaming, sql)]))
  }

  private func compare(_ column: ColumnDescription, at position: Int) -> ContractDifference? {
    let object = "\(expected.name).\(column.name)"
    let index = found.columns.firstIndex { $0.name == column.name }
    guard let index else {
      return ContractDifference(
        .missing, .column, object, expected: column.definition(in: expected), mend: adding(column))
    }
    let other = found.columns[index]
    let weight = ColumnMeaning.weight(
      ofDifferenceBetween: (column, expected, position), and: (other, found, index), names, rules)
    guard let weight else { return nil }
    return ContractDifference(
      .changed, .column, object, expected: column.definition(in: expected),
      found: other.definition(in: found), mend: changing(other, to: column), weight: weight)
  }

  private func changing(
    _ old: ColumnDescription, to new: ColumnDescription
  ) -> ContractDifference.Mend {
    var losses: [String] = []
    var rules: [String] = []
    if old.notNull, !new.notNull, new.primaryKeyPosition == 0 {
      rules.append("NULL is not refused in '\(old.name)' any more")
    }
    if old.generated == .none, new.generated != .none {
      losses.append("the values of '\(old.name)' are computed anew")
    }
    let refusesNull = new.notNull && !old.notNull && new.generated == .none
    let isOtherType = expected.strict && found.strict && Name(old.type) != Name(new.type)
    let affinity = newAffinity(of: new.name)
    return .remaking(
      losses: losses, rules: rules,
      tests: (refusesNull ? [found.rows(withNullIn: old.name)] : [])
        + (isOtherType ? typeTests(of: [new]) : [])
        + [affinity.flatMap { found.rows(alteredIn: new.name, as: new.type, $0) }]
        .compactMap(\.self)
        + (old.collation == new.collation && affinity == nil ? [] : uniquenessTests(of: new))
        + computedTests(of: new))
  }

  /// The affinity by which a column keeps its values in another way than it has them; nil for none.
  func newAffinity(of column: Name) -> Affinity? {
    guard let new = expected.columns.first(where: { $0.name == column }),
      let old = found.columns.first(where: { $0.name == column }),
      old.generated == .none, new.generated == .none
    else { return nil }
    let affinity = Affinity(declaredType: new.type, strict: expected.strict)
    return affinity == .blob || affinity == Affinity(declaredType: old.type, strict: found.strict)
      ? nil : affinity
  }

  /// Whether the columns that both have stand in the same order; Room goes by their names.
  private var columnOrder: [ContractDifference] {
    let present = found.columns.map(\.name)
    let wanted = expected.columns.map(\.name).filter { present.contains($0) }
    let order = present.filter { wanted.contains($0) }
    guard rules == .sqlite, wanted != order else { return [] }
    return [
      ContractDifference(
        .changed, .columnOrder, expected.name.text, expected: wanted.joined(separator: ", "),
        found: order.joined(separator: ", "), mend: .remaking(), weight: .notice)
    ]
  }
}
