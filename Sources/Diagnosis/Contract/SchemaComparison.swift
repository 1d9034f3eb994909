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

extension ContractDifference {
  /// Other heads of a framework's migrations than expected: nothing tells which are the newer ones.
  package static func heads(
    expected: [String], found: [String], in table: Name
  ) -> [ContractDifference] {
    guard Set(expected) != Set(found) else { return [] }
    func words(_ heads: [String]) -> String? {
      guard !heads.isEmpty else { return nil }
      let isPlain = heads.allSatisfy { $0.utf8.count <= 64 && $0.allSatisfy(\.isPartOfRevision) }
      return isPlain ? heads.sorted().joined(separator: ", ") : "something that is none"
    }
    return [
      ContractDifference(
        found.isEmpty ? .missing : expected.isEmpty ? .extra : .changed, .migrationHeads,
        table.text,
        expected: words(expected), found: words(found),
        mend: Mend(because: "the framework's own migrations lead from one to the other"))
    ]
  }

  /// Another identity hash than Room expects, or none.
  package static func identity(expected: String, found: String?) -> [ContractDifference] {
    guard expected != found else { return [] }
    let table = "room_master_table"
    let steps = [
      "CREATE TABLE IF NOT EXISTS \(table) (id INTEGER PRIMARY KEY, identity_hash TEXT)",
      noting(identity: expected),
    ]
    return [
      ContractDifference(
        found == nil ? .missing : .changed, .identity, table, expected: expected,
        found: found.map { $0.isIdentityHash ? $0 : "something that is none" },
        mend: Mend(
          steps.map { Mend.Step(.marks, $0) },
          losses: ["Room looks at nothing more once it is right: mend all else first"]))
    ]
  }
}

extension ContractDifference {
  /// The statement by which Room takes a database for one with its schema.
  package static func noting(identity hash: String) -> String {
    "INSERT OR REPLACE INTO room_master_table (id, identity_hash) VALUES (42, \(hash.quotedString))"
  }
}

extension Character {
  /// Whether names of revisions have it.
  fileprivate var isPartOfRevision: Bool {
    isASCII && (isLetter || isNumber || "_-.".contains(self))
  }
}

extension String {
  /// Whether it can be an identity hash of Room.
  fileprivate var isIdentityHash: Bool {
    utf8.count == 32
      && utf8.allSatisfy { (0x30...0x39).contains($0) || (0x61...0x66).contains($0) }
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
    let pending = renamedTables.filter { old, new in
      present.contains(old) && !wanted.contains(old) && wanted.contains(new)
        && !present.contains(new)
    }
    self.expected = expected
    self.found = found.renamingTables(pending)
    self.extras = extras
    self.ignored = ignored
    self.renamedColumns = renamedColumns
    self.rules = rules
    oldNames = Dictionary(pending.map { ($0.value, $0.key) }, uniquingKeysWith: min)
    names = expected.names.union(self.found.names)
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
    for name in Set(expectedTables.keys).union(foundTables.keys).sorted() {
      switch (expectedTables[name], foundTables[name]) {
      case (let expected?, let found?):
        let comparison = TableComparison(
          expected, found, schemas: (self.expected, self.found), extras: extras,
          oldName: oldNames[name], renamed: renamedColumns[name] ?? [:], rules: rules)
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
    return Self.joined(result)
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
      case (let expected?, let found?):
        let texts = (SQLTokens(statement: expected.sql), SQLTokens(statement: found.sql))
        let names = names.union(texts.0.ownNames).union(texts.1.ownNames)
        guard texts.0.meaning(names: names) != texts.1.meaning(names: names) else { return nil }
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

// MARK: - Mends

extension SchemaComparison {
  private func making(
    _ object: NamedSQL, _ subject: ContractDifference.Subject
  ) -> ContractDifference.Mend {
    let taken = subject == .view ? found.dropping(object.name) : []
    return .making(object.sql, subject == .view ? .views : .triggers, besides: taken)
  }

  private func dropping(
    _ object: NamedSQL, _ subject: ContractDifference.Subject
  ) -> ContractDifference.Mend {
    ContractDifference.Mend(
      [Self.dropping(subject, object.name)],
      losses: subject == .trigger
        ? ["what it does or refuses when '\(object.table)' is changed is not done any more"] : [])
  }

  /// What is dropped and made anew, with the triggers that go with a view.
  private func replacing(
    _ old: NamedSQL, by new: NamedSQL, _ subject: ContractDifference.Subject
  ) -> ContractDifference.Mend {
    let making = making(new, subject)
    guard making.obstacle == nil else { return making }
    let triggers = subject == .view ? expected.triggers.filter { $0.table == new.name } : []
    return ContractDifference.Mend(
      [Self.dropping(subject, old.name)] + making.steps
        + triggers.flatMap { trigger in
          self.making(trigger, .trigger).steps
        })
  }

  /// The step that drops an object.
  static func dropping(
    _ subject: ContractDifference.Subject, _ name: Name
  ) -> ContractDifference.Mend.Step {
    ContractDifference.Mend.Step(
      subject == .table ? .droppingTables : .dropping,
      "DROP \(subject.rawValue.uppercased()) IF EXISTS \(name.quotedIdentifier)",
      isSurgical: subject == .table)
  }
}

extension ContractDifference.Mend {
  /// The statement that makes an object, where the contract has it.
  static func making(
    _ sql: String?, _ phase: Phase, of table: TableDescription? = nil, besides others: [Step] = []
  ) -> ContractDifference.Mend {
    guard let sql, !sql.isEmpty else {
      return .none(because: "the contract has no statement for it")
    }
    let statement = SQLTokens(statement: sql)
    guard let table, table.kind == .virtual else {
      return ContractDifference.Mend(others + [Step(phase, statement.sql)])
    }
    guard let sql = TableDeclaration.naming(table.name, in: sql) else {
      return .none(because: "the contract's statement makes no table")
    }
    let making = Step(.virtualTables, sql)
    return ContractDifference.Mend(others + [making] + VirtualRemaking.filling(table))
  }
}

extension SQLTokens {
  /// One statement without the semicolon at its end.
  init(statement sql: String) {
    let tokens = SQLTokens(parsing: sql).tokens
    let end = tokens.lastIndex { $0 != .symbol(";") }
    self.init(tokens[..<(end.map { $0 + 1 } ?? 0)])
  }

  /// What stands as a name in a statement by itself: without quotes, after AS, or beside a point.
  var ownNames: Set<Name> {
    var names: Set<Name> = []
    for (index, token) in tokens.enumerated() {
      switch token {
      case .word(let text): names.insert(Name(text))
      case .name(let text):
        let before = index > 0 ? tokens[index - 1] : nil
        let after = index + 1 < tokens.count ? tokens[index + 1] : nil
        if before?.isWord("as") == true || before == .symbol(".") || after == .symbol(".") {
          names.insert(Name(text))
        }
      default: break
      }
    }
    return names
  }
}
