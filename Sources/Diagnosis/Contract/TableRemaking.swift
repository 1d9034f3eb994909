// SPDX-License-Identifier: Apache-2.0
// A table made anew with the rows of the old one, as SQLite's documentation of ALTER TABLE describes
// it: under another name first, so that whatever fails leaves the old one.

import SQLiteFormat

/// A table made anew with the rows of the old one.
struct TableRemaking {
  private typealias Mend = ContractDifference.Mend

  private let new: TableDescription
  private let old: TableDescription
  private let expected: SchemaDescription
  private let found: SchemaDescription
  private let extras: ExtraObjects

  /// Makes a table of `expected` out of one of `found`, which has its name already.
  init(
    _ new: TableDescription, of old: TableDescription, in expected: SchemaDescription,
    since found: SchemaDescription, extras: ExtraObjects
  ) {
    self.new = new
    self.old = old
    self.expected = expected
    self.found = found
    self.extras = extras
  }

  /// What makes it.
  var mend: ContractDifference.Mend {
    guard !new.sql.isEmpty else {
      return .none(because: "the contract has no statement for the table")
    }
    if new.kind == .virtual || old.kind == .virtual {
      return VirtualRemaking(new, of: old, temporary).mend
    }
    guard let making = TableDeclaration.naming(temporary, in: new.sql) else {
      return .none(because: "the contract's statement makes no table")
    }
    var steps = [surgery(making)]
    if let copying { steps.append(surgery(copying)) }
    steps += sequence
    steps.append(surgery("DROP TABLE \(new.name.quotedIdentifier)"))
    steps.append(
      surgery(
        "ALTER TABLE \(temporary.quotedIdentifier) RENAME TO \(new.name.quotedIdentifier)"))
    return Mend(steps + dependents)
  }

  /// A name that nothing has.
  private var temporary: Name {
    let taken = expected.names.union(found.names)
    var name = Name("new_\(new.name)")
    while taken.contains(name) { name = Name("\(name)_") }
    return name
  }

  private func surgery(_ sql: String) -> Mend.Step { Mend.Step(.tables, sql, isSurgical: true) }

  /// The statement that copies the rows: columns that both have, and the rowid, by which other
  /// tables may know them.
  ///
  /// Where there is nothing that both have, there are as many rows as before, as
  /// with columns that are added. Nil where a table has only columns that are computed.
  private var copying: String? {
    let present = Set(old.columns.map(\.name))
    let common = new.columns.filter { $0.generated == .none && present.contains($0.name) }
      .map(\.name)
    var (into, from) = (common, common)
    if let source = old.rowIDName {
      if let alias = new.rowIDAlias {
        let name = new.columns[alias].name
        if !present.contains(name) { (into, from) = ([name] + into, [source] + from) }
      } else if let target = new.rowIDName {
        (into, from) = ([target] + into, [source] + from)
      }
    }
    let name = old.name.quotedIdentifier
    // A name with its table is never taken for a string.
    var values = from.map { "\(name).\($0.quotedIdentifier)" }
    if into.isEmpty, let column = new.columns.first(where: { $0.generated == .none }) {
      (into, values) = ([column.name], [column.defaultSQL.map { "(\($0))" } ?? "NULL"])
    }
    guard !into.isEmpty else { return nil }
    let targets = into.map(\.quotedIdentifier).joined(separator: ", ")
    let sources = values.joined(separator: ", ")
    // A row that breaks a rule is to stop it, and not to go as a clause of the table says.
    let isSilent = !TableDeclaration(sql: new.sql).conflictClauses.isEmpty
    return "INSERT \(isSilent ? "OR ABORT " : "")INTO \(temporary.quotedIdentifier) (\(targets)) "
      + "SELECT \(sources) FROM \(name)"
  }

  /// What keeps the counter of an AUTOINCREMENT table.
  private var sequence: [Mend.Step] {
    guard new.autoincrement, old.autoincrement else { return [] }
    let (name, temporary) = (old.name.text.quotedString, temporary.text.quotedString)
    return [
      surgery("DELETE FROM sqlite_sequence WHERE name = \(temporary)"),
      surgery(
        "INSERT INTO sqlite_sequence (name, seq) SELECT \(temporary), seq FROM sqlite_sequence "
          + "WHERE name = \(name) COLLATE NOCASE"),
    ]
  }

  /// Whether a unique index or a trigger goes with the old table and does not come back.
  var dropsRules: Bool {
    let indexes = Set(new.indexes.map(\.name))
    let triggers = Set(expected.triggers.map(\.name))
    return
      (extras != .allowed
      && old.indexes.contains { $0.unique && $0.origin == .created && !indexes.contains($0.name) })
      || (extras == .differ
        && found.triggers.contains { $0.table == new.name && !triggers.contains($0.name) })
  }

  /// Indexes and triggers, which go with the old table.
  private var dependents: [Mend.Step] {
    let wanted = new.indexes.filter { $0.origin == .created }
    let names = Set(wanted.map(\.name))
    let kept = old.indexes.filter {
      extras == .allowed && $0.origin == .created && !names.contains($0.name)
    }
    let indexes = (wanted + kept).flatMap { Mend.making($0.sql, .indexes).steps }
    let triggers = expected.triggers.filter { $0.table == new.name }
    let known = Set(triggers.map(\.name))
    let others = found.triggers.filter {
      extras != .differ && $0.table == new.name && !known.contains($0.name)
    }
    return indexes + (triggers + others).flatMap { Mend.making($0.sql, .triggers).steps }
  }
}

/// A virtual table made anew.
struct VirtualRemaking {
  private typealias Mend = ContractDifference.Mend

  private let new: TableDescription
  private let old: TableDescription
  private let temporary: Name

  init(_ new: TableDescription, of old: TableDescription, _ temporary: Name) {
    (self.new, self.old, self.temporary) = (new, old, temporary)
  }

  /// What makes it: of texts that it keeps itself, with them; else from where they are.
  var mend: ContractDifference.Mend {
    let name = new.name.quotedIdentifier
    guard new.kind == .virtual, old.kind == .virtual, let module = VirtualMeaning(new).module,
      module == VirtualMeaning(old).module, VirtualMeaning(new).isSelfContained,
      // Texts that are in another table are read through the index.
      VirtualMeaning(old).isSelfContained || VirtualMeaning(old).contentTable != nil,
      ["fts3", "fts4", "fts5", "rtree"].contains(module)
    else {
      let making = Mend.Step(
        new.kind == .virtual ? .virtualTables : .tables,
        TableDeclaration.naming(new.name, in: new.sql) ?? "", isSurgical: true)
      let dropping = SchemaComparison.dropping(.table, new.name)
      let isEmptied =
        VirtualMeaning(new).contentTable == nil || old.kind != .virtual
        || VirtualMeaning(old).isSelfContained
      return Mend(
        [dropping, making] + Self.filling(new),
        losses: isEmptied ? ["all that '\(new.name)' holds goes with it"] : [])
    }
    guard let making = TableDeclaration.naming(temporary, in: new.sql) else {
      return .none(because: "the contract's statement makes no table")
    }
    let present = Set(old.columns.map(\.name))
    var columns = new.columns.map(\.name).filter { present.contains($0) }
    if module != "rtree" { columns = ["rowid"] + columns }
    let list = columns.map(\.quotedIdentifier).joined(separator: ", ")
    let sources = columns.map { "\(name).\($0.quotedIdentifier)" }.joined(separator: ", ")
    let copy = temporary.quotedIdentifier
    let steps = [
      making, "INSERT INTO \(copy) (\(list)) SELECT \(sources) FROM \(name)", "DROP TABLE \(name)",
      "ALTER TABLE \(copy) RENAME TO \(name)",
    ].map { Mend.Step(.virtualTables, $0, isSurgical: true) }
    let kept = Set(new.columns.map(\.name))
    let losses = old.columns.filter { !kept.contains($0.name) }.map {
      "the values of '\($0.name)' go with it"
    }
    return Mend(steps, losses: losses)
  }

  /// What fills a full-text index whose texts are in another table.
  static func filling(_ table: TableDescription) -> [ContractDifference.Mend.Step] {
    let meaning = VirtualMeaning(table)
    guard meaning.isFullText, meaning.contentTable != nil else { return [] }
    let name = table.name.quotedIdentifier
    return [Mend.Step(.virtualTables, "INSERT INTO \(name) (\(name)) VALUES ('rebuild')")]
  }
}
