// SPDX-License-Identifier: Apache-2.0
// Two schemas side by side: what is missing, extra and changed, by meaning.

package import SQLiteFormat

extension ContractDifference {
  /// How a schema differs from the one expected, by meaning and never by text.
  ///
  /// The order is that in which a reader would mend: tables with all that belongs
  /// to them, by name, then views, then triggers. Names are compared as SQLite
  /// compares them. Columns in another order are a notice only, because a column
  /// that is added to a table stands last whatever the contract says; so is
  /// another declared type of the same affinity.
  package static func compare(
    expected: SchemaDescription, found: SchemaDescription, allowExtraObjects: Bool = false,
    ignoring tables: some Sequence<Name> = [], renamedColumns: [Name: [Name: Name]] = [:]
  ) -> [ContractDifference] {
    SchemaComparison(
      expected: expected, found: found, allowsExtras: allowExtraObjects,
      ignored: Set(tables).union(SchemaComparison.alwaysIgnored),
      renamed: renamedColumns
    ).differences
  }
}

extension Contract {
  /// How a schema differs from the one that the contract expects.
  package func differences(in found: SchemaDescription) -> [ContractDifference] {
    ContractDifference.compare(
      expected: objects, found: found, allowExtraObjects: allowExtraObjects,
      ignoring: ignoreTables, renamedColumns: renamedColumns)
  }
}

/// Two schemas side by side.
struct SchemaComparison {
  let expected: SchemaDescription
  let found: SchemaDescription
  let allowsExtras: Bool
  /// Tables that are not looked at.
  let ignored: Set<Name>
  let renamed: [Name: [Name: Name]]

  /// Tables of the platform and of replication underneath, which no app declares.
  static let alwaysIgnored: Set<Name> = [
    "android_metadata", "_litestream_seq", "_litestream_lock",
  ]

  var differences: [ContractDifference] {
    let expectedTables = relevant(expected.tables)
    let foundTables = relevant(found.tables)
    var result: [ContractDifference] = []
    for name in Set(expectedTables.keys).union(foundTables.keys).sorted() {
      switch (expectedTables[name], foundTables[name]) {
      case (let expected?, let found?):
        let renamed = renamed[name] ?? [:]
        result +=
          TableComparison(
            expected, found, parents: (self.expected, self.found), allowsExtras: allowsExtras,
            renamed: renamed
          ).differences
      case (let expected?, nil): result += Self.missing(expected)
      case (nil, let found?): if let extra = extra(found) { result.append(extra) }
      case (nil, nil): break
      }
    }
    let known = Set(expected.tables.map(\.name)).union(expected.views.map(\.name))
    result += statements(.view, expected.views, found.views) { _ in true }
    result += statements(.trigger, expected.triggers, found.triggers) { trigger in
      // A trigger of a table or view that is extra itself goes with it.
      known.contains(trigger.table)
    }
    return result
  }

  private func relevant(_ tables: [TableDescription]) -> [Name: TableDescription] {
    let named = tables.map { ($0.name, $0) }.filter { !ignored.contains($0.0) }
    return Dictionary(named) { first, _ in first }
  }

  private static func missing(_ table: TableDescription) -> [ContractDifference] {
    guard table.kind != .shadow else {
      return [
        ContractDifference(
          .missing, .table, table.name.text,
          mend: .none(because: "it is a part of a virtual table, which must be made anew"))
      ]
    }
    let count = table.columns.count
    let difference = ContractDifference(
      .missing, .table, table.name.text, expected: count == 1 ? "1 column" : "\(count) columns",
      mend: .making(table.sql))
    return [difference]
      + table.indexes.filter { $0.origin == .created }.map { IndexMeaning($0, of: table).missing }
  }

  private func extra(_ table: TableDescription) -> ContractDifference? {
    guard !allowsExtras, table.kind != .shadow else { return nil }
    let count = table.columns.count
    return ContractDifference(
      .extra, .table, table.name.text, found: count == 1 ? "1 column" : "\(count) columns",
      mend: .none(because: "its rows would go with it; drop it only when nobody needs them"))
  }

  /// Views or triggers, which are their statements.
  private func statements(
    _ subject: ContractDifference.Subject, _ expected: [NamedSQL], _ found: [NamedSQL],
    where isReported: (NamedSQL) -> Bool
  ) -> [ContractDifference] {
    let expected = named(expected)
    let found = named(found)
    return Set(expected.keys).union(found.keys).sorted().compactMap { name in
      let place =
        subject == .trigger ? (expected[name] ?? found[name]).map { "on \($0.table)" } : nil
      switch (expected[name], found[name]) {
      case (let expected?, nil):
        return ContractDifference(
          .missing, subject, expected.name.text, expected: place, mend: .making(expected.sql))
      case (nil, let found?):
        guard !allowsExtras, isReported(found) else { return nil }
        return ContractDifference(
          .extra, subject, found.name.text, found: place,
          mend: .statement(Self.dropping(subject, found.name)))
      case (let expected?, let found?):
        let texts = (SQLTokens(statement: expected.sql), SQLTokens(statement: found.sql))
        guard texts.0.normalized != texts.1.normalized else { return nil }
        return ContractDifference(
          .changed, subject, expected.name.text, expected: texts.0.sql, found: texts.1.sql,
          mend: .replacing(subject, found.name))
      case (nil, nil): return nil
      }
    }
  }

  private func named(_ objects: [NamedSQL]) -> [Name: NamedSQL] {
    let relevant = objects.filter { !ignored.contains($0.table) }
    return Dictionary(relevant.map { ($0.name, $0) }) { first, _ in first }
  }

  /// The statement that drops an object without rows of its own.
  static func dropping(_ subject: ContractDifference.Subject, _ name: Name) -> String {
    "DROP \(subject.rawValue.uppercased()) \(name.quotedIdentifier)"
  }
}

extension ContractDifference.Mend {
  /// The statement that makes an object, where the contract has it.
  static func making(_ sql: String?) -> ContractDifference.Mend {
    guard let sql, !sql.isEmpty else {
      return .none(because: "the contract has no statement for it")
    }
    return .statement(SQLTokens(statement: sql).sql)
  }

  /// What is dropped and made anew.
  static func replacing(
    _ subject: ContractDifference.Subject, _ name: Name
  ) -> ContractDifference.Mend {
    .none(
      because: "it takes two, \(SchemaComparison.dropping(subject, name)) and its CREATE statement")
  }

  /// What only a new table with the old rows can have.
  static let rebuilding = ContractDifference.Mend.none(
    because: "the table must be made anew and its rows copied")
}

extension SQLTokens {
  /// One statement without the semicolon at its end.
  init(statement sql: String) {
    let tokens = SQLTokens(parsing: sql).tokens
    let end = tokens.lastIndex { $0 != .symbol(";") }
    self.init(tokens[..<(end.map { $0 + 1 } ?? 0)])
  }
}
