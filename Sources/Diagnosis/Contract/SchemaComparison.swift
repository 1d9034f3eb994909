// SPDX-License-Identifier: Apache-2.0
// Two schemas side by side: what is missing, extra and changed, by meaning.

package import SQLiteFormat

extension ContractDifference {
  /// How a schema differs from the one expected, by meaning and never by text.
  ///
  /// The order is that in which a reader would mend: tables with all that belongs
  /// to them, by name, then views, then triggers. Names are compared as SQLite
  /// compares them. Columns in another order are a notice only; so is another
  /// declared type of the same affinity, and a UNIQUE constraint that is a unique index.
  package static func compare(
    expected: SchemaDescription, found: SchemaDescription, extras: ExtraObjects = .differ,
    ignoring tables: some Sequence<Name> = [], renamedTables: [Name: Name] = [:],
    renamedColumns: [Name: [Name: Name]] = [:], rules: SchemaRules = .sqlite
  ) -> [ContractDifference] {
    SchemaComparison(
      expected: expected, found: found, extras: extras,
      ignored: Set(tables).union(SchemaComparison.alwaysIgnored), renamedTables: renamedTables,
      renamedColumns: renamedColumns, rules: rules
    ).differences
  }
}

extension Contract {
  /// How a schema differs from the one that the contract expects.
  ///
  /// With `leavingUnseen`, what is not expected, and is nothing that its rules look at, is left out.
  package func differences(
    in found: SchemaDescription, leavingUnseen: Bool = false
  ) -> [ContractDifference] {
    let unexpected = leavingUnseen && rules == .room ? ExtraObjects.differWhereSeen : .differ
    return ContractDifference.compare(
      expected: objects, found: found, extras: allowExtraObjects ? .allowed : unexpected,
      ignoring: ignoreTables, renamedTables: renamedTables, renamedColumns: renamedColumns,
      rules: rules)
  }

  /// How the schema and the application id of a database differ from those that the contract expects.
  package func differences(
    in found: SchemaDescription, applicationID: Int32, leavingUnseen: Bool = false
  ) -> [ContractDifference] {
    let own = differences(in: found, leavingUnseen: leavingUnseen)
    guard let expected = self.applicationID, expected != applicationID else { return own }
    return [
      ContractDifference(
        .changed, .applicationID, "application_id", expected: "\(expected)",
        found: "\(applicationID)",
        mend: ContractDifference.Mend([.init(.marks, "PRAGMA application_id = \(expected)")]))
    ] + own
  }
}

/// By whose rules schemas are compared.
package enum SchemaRules: String, Hashable, Sendable, CaseIterable, Codable {
  /// All that SQLite makes of a schema counts.
  case sqlite
  /// What Room looks at when it opens a database counts; everything else is a notice.
  case room
}

/// What is made of objects that are there and not expected.
package enum ExtraObjects: Sendable {
  /// They are differences.
  case differ
  /// Those are differences that the rules look at; the others stay.
  case differWhereSeen
  /// They may be there.
  case allowed
}

extension TableDescription {
  /// The columns by which a table may be known again: their names and declared types.
  fileprivate var columnsAndTypes: [[Name]] { columns.map { [$0.name, Name($0.type)] } }
}

/// Two schemas side by side.
struct SchemaComparison {
  let expected: SchemaDescription
  let found: SchemaDescription
  let extras: ExtraObjects
  /// Tables that are not looked at.
  let ignored: Set<Name>
  let renamedColumns: [Name: [Name: Name]]
  let rules: SchemaRules
  /// Old names of tables that are there, by the new names that are not.
  private let oldNames: [Name: Name]
  /// What a quoted name can be the name of.
  private let names: Set<Name>

  init(
    expected: SchemaDescription, found: SchemaDescription, extras: ExtraObjects, ignored: Set<Name>,
    renamedTables: [Name: Name], renamedColumns: [Name: [Name: Name]], rules: SchemaRules
  ) {
    let wanted = Set(expected.tables.map(\.name))
    let present = Set(found.tables.map(\.name))
    let pending = renamedTables.pending(from: present, to: wanted)
    self.expected = expected
    self.found = found.renamingTables(pending)
    self.extras = extras
    self.ignored = ignored
    self.renamedColumns = renamedColumns
    self.rules = rules
    oldNames = pending.oldByNew
    names = expected.names.union(self.found.names)
  }

  /// The new names of a table's columns by their old ones, as they are given under its new name or its
  /// old one.
  private func newColumns(of table: Name) -> [Name: Name] {
    renamedColumns[table] ?? oldNames[table].flatMap { renamedColumns[$0] } ?? [:]
  }

  /// Tables of the platform and of replication underneath, which no app declares.
  static let alwaysIgnored: Set<Name> = [
    "android_metadata", "_litestream_seq", "_litestream_lock",
  ]

  var differences: [ContractDifference] {
    let expectedTables = relevant(expected.tables)
    let foundTables = relevant(found.tables)
    var result: [ContractDifference] = []
    var remade: [Name: ContractDifference.Mend] = [:]
    let names = Set(expectedTables.keys).union(foundTables.keys).sorted()
    for name in names.inTurn(by: oldNames) {
      switch (expectedTables[name], foundTables[name]) {
      // What is the same to the letter means the same, and mostly it is.
      case (let expected?, let found?) where expected == found && oldNames[name] == nil: break
      case (let expected?, let found?):
        let comparison = TableComparison(
          expected, found, schemas: (self.expected, self.found), extras: extras,
          oldName: oldNames[name], renamed: newColumns(of: name), rules: rules)
        let (differences, mend) = comparison.outcome
        result += differences
        remade[name] = mend
      case (let expected?, nil): result += missing(expected)
      case (nil, let found?): if let extra = extra(found) { result.append(extra) }
      case (nil, nil): break
      }
    }
    let views = statements(.view, expected.views, found.views, remade: [:]) { _ in true }
    for view in views where view.kind == .changed { remade[Name(view.object)] = view.mend }
    let known = Set(expected.tables.map(\.name)).union(expected.views.map(\.name))
    result += views
    result += statements(.trigger, expected.triggers, found.triggers, remade: remade) { trigger in
      // A trigger of a table or view that is extra itself goes with it.
      known.contains(trigger.table)
    }
    return Self.joined(result).map { namingRename($0, expectedTables, foundTables) }
  }

  /// Says of a table that is missing which one could be it under its old name, and the other way
  /// round: no statement goes by that.
  private func namingRename(
    _ difference: ContractDifference, _ expected: [Name: TableDescription],
    _ found: [Name: TableDescription]
  ) -> ContractDifference {
    let name = Name(difference.object)
    guard difference.subject == .table, expected[name] == nil || found[name] == nil,
      let table = expected[name] ?? found[name], table.kind == .ordinary
    else { return difference }
    let isMissing = found[name] == nil
    let others =
      isMissing
      ? found.filter { expected[$0.key] == nil } : expected.filter { found[$0.key] == nil }
    let alike = others.values.filter {
      $0.kind == .ordinary && $0.columnsAndTypes == table.columnsAndTypes
    }
    guard let other = alike.map(\.name).min() else { return difference }
    var named = difference
    named.mend.losses.append(
      isMissing
        ? "'\(other)' has the same columns: if it is this table under its old name, \"renamedTables\" in "
          + "the contract says so, and its rows stay"
        : "'\(other)', which is missing, has the same columns: if this is its old name, "
          + "\"renamedTables\" in the contract says so, and the rows stay")
    return named
  }

  /// The differences; what has to make room for something of its name is dropped by what makes that.
  private static func joined(_ differences: [ContractDifference]) -> [ContractDifference] {
    let kinds: Set<ContractDifference.Subject> = [.table, .view]
    let made = Dictionary(
      differences.filter { $0.kind == .missing && kinds.contains($0.subject) }
        .map { (Name($0.object), $0.mend) }
    ) { first, _ in first }
    return differences.map { difference in
      guard difference.kind == .extra, kinds.contains(difference.subject),
        let making = made[Name(difference.object)]
      else { return difference }
      var joined = difference
      joined.mend = joined.mend.carriedOut(by: making)
      return joined
    }
  }

  private func relevant(_ tables: [TableDescription]) -> [Name: TableDescription] {
    let named = tables.map { ($0.name, $0) }.filter { !ignored.contains($0.0) }
    return Dictionary(named) { first, _ in first }
  }

  private func missing(_ table: TableDescription) -> [ContractDifference] {
    // A part of a virtual table comes with it.
    guard table.kind != .shadow else { return [] }
    let count = table.columns.count
    let making = ContractDifference.Mend.making(
      table.sql, .tables, of: table, besides: found.dropping(table.name))
    let difference = ContractDifference(
      .missing, .table, table.name.text, expected: count == 1 ? "1 column" : "\(count) columns",
      mend: making)
    return [difference]
      + table.indexes.filter { $0.origin == .created }.map {
        IndexMeaning($0, of: table).missing(from: found)
      }
  }

  private func extra(_ table: TableDescription) -> ContractDifference? {
    guard extras == .differ, table.kind != .shadow else { return nil }
    let count = table.columns.count
    return ContractDifference(
      .extra, .table, table.name.text, found: count == 1 ? "1 column" : "\(count) columns",
      mend: ContractDifference.Mend(
        [SchemaComparison.dropping(.table, table.name)],
        losses: ["the table goes with all of its rows"]),
      weight: rules == .room ? .notice : .drift)
  }

  /// Views or triggers, which are their statements.
  private func statements(
    _ subject: ContractDifference.Subject, _ expected: [NamedSQL], _ found: [NamedSQL],
    remade: [Name: ContractDifference.Mend], where isReported: (NamedSQL) -> Bool
  ) -> [ContractDifference] {
    let expected = named(expected)
    let found = named(found)
    return Set(expected.keys).union(found.keys).sorted().compactMap { name in
      let either = expected[name] ?? found[name]
      let place = subject == .trigger ? either.map { "on \($0.table)" } : nil
      func mended(_ own: ContractDifference.Mend) -> ContractDifference.Mend {
        either.flatMap { remade[$0.table] }.map { own.carriedOut(by: $0) } ?? own
      }
      switch (expected[name], found[name]) {
      case (let expected?, nil):
        return ContractDifference(
          .missing, subject, expected.name.text, expected: place,
          mend: mended(making(expected, subject)))
      case (nil, let found?):
        guard extras == .differ, isReported(found) else { return nil }
        return ContractDifference(
          .extra, subject, found.name.text, found: place, mend: mended(dropping(found, subject)),
          weight: rules == .room ? .notice : .drift)
      case (let expected?, let found?) where expected.sql == found.sql: return nil
      case (let expected?, let found?):
        let texts = (SQLTokens(statement: expected.sql), SQLTokens(statement: found.sql))
        let names = names.union(texts.0.ownNames).union(texts.1.ownNames)
        let meant = (texts.0.spelledOut, texts.1.spelledOut)
        guard meant.0.meaning(names: names) != meant.1.meaning(names: names) else { return nil }
        return ContractDifference(
          .changed, subject, expected.name.text, expected: texts.0.sql, found: texts.1.sql,
          mend: mended(replacing(found, by: expected, subject)))
      case (nil, nil): return nil
      }
    }
  }

  private func named(_ objects: [NamedSQL]) -> [Name: NamedSQL] {
    let relevant = objects.filter { !ignored.contains($0.table) }
    return Dictionary(relevant.map { ($0.name, $0) }) { first, _ in first }
  }
}
