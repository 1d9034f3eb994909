// SPDX-License-Identifier: Apache-2.0
// Rows of the schema table that SQLite refuses, whatever their statements declare.

import SQLiteFormat

/// What is wrong with a row of the schema table besides its statement.
struct SchemaRowFault: Hashable, Sendable {
  /// The object.
  let name: Name
  /// What is wrong.
  let reason: String
  /// Whether SQLite refuses the row for it; it compares a row with its statement, where it has one.
  var isRefused = true
}

/// A look at one row of the schema table after the other, in their order.
struct SchemaRowReview {
  /// What is wrong with the rows.
  private(set) var faults: [SchemaRowFault] = []

  private var tables: Set<Name> = []
  private var automaticIndexes: Set<Name> = []
  private var belated: [SchemaEntry] = []

  /// Looks at a row, with which something is wrong that was put right.
  ///
  /// One that `isTwice` declares what another one does.
  mutating func add(
    _ entry: SchemaEntry, _ record: Record, besides mended: [String], isTwice: Bool
  ) {
    for reason in mended {
      faults.append(SchemaRowFault(name: entry.name, reason: reason, isRefused: entry.sql != nil))
    }
    let twiceFault = isTwice && entry.sql != nil ? "it is there twice" : nil
    for reason in [
      rootFault(entry, record.value(3)), statementFault(entry), orderFault(entry), twiceFault,
    ] {
      if let reason { faults.append(SchemaRowFault(name: entry.name, reason: reason)) }
    }
    if entry.kind == .table || entry.kind == .view { tables.insert(entry.name) }
  }

  /// Looks at what all rows come to together.
  mutating func finish(_ parsed: ParsedSchema) {
    // Of what belongs to no table at all, the statement tells.
    for entry in belated where tables.contains(entry.table) {
      faults.append(SchemaRowFault(name: entry.name, reason: "it stands before its table"))
    }
    let refused = Set(parsed.refused.map(\.name))
    for table in parsed.description.tables where !refused.contains(table.name) {
      for index in table.indexes where index.origin != .created {
        if table.withoutRowID && index.origin == .primaryKey { continue }
        guard automaticIndexes.remove(index.name) == nil else { continue }
        faults.append(SchemaRowFault(name: index.name, reason: "it is not there"))
      }
    }
  }

  // MARK: One row

  private func rootFault(_ entry: SchemaEntry, _ root: Value?) -> String? {
    guard case .integer(let number)? = root else { return "it names no root page, not even 0" }
    let hasTree = entry.kind == .index || entry.kind == .table && !entry.isVirtual
    // The tree of a table tells what is wrong with its root.
    if hasTree {
      return entry.kind == .index && entry.root == nil ? "page \(number) cannot be its root" : nil
    }
    return number == 0 ? nil : "it has a root page, and can have none"
  }

  private mutating func statementFault(_ entry: SchemaEntry) -> String? {
    guard let sql = entry.sql else {
      guard entry.kind == .index else { return nil }
      return automaticIndexes.insert(entry.name).inserted ? nil : "it is there twice"
    }
    if entry.kind == .table || entry.kind == .view, entry.table != entry.name {
      return "it names another table"
    }
    if entry.name.isReserved, !entry.isInternal {
      return "its name is one that SQLite keeps for itself"
    }
    // SQLite looks at no more before it parses.
    guard sql.utf8.prefix(2).map({ $0 | 0x20 }) == Array("cr".utf8) else {
      return "its statement does not begin with CREATE"
    }
    return entry.isQualified ? "its statement names a database" : nil
  }

  private mutating func orderFault(_ entry: SchemaEntry) -> String? {
    guard entry.kind == .index || entry.kind == .trigger, !tables.contains(entry.table) else {
      return nil
    }
    belated.append(entry)
    return nil
  }
}

extension SchemaEntry {
  /// The words of the statement up to the name.
  private var firstTokens: [SQLToken] {
    SQLTokens(parsing: String((sql ?? "").prefix(2000))).tokens
  }

  /// What follows the words of a statement that come before the name of what it makes.
  func fromName(in tokens: [SQLToken]) -> ArraySlice<SQLToken> {
    let leading = ["create", "temp", "temporary", "unique", "virtual", "if", "not", "exists"]
    return tokens.drop { token in
      leading.contains { token.isWord($0) } || token.isWord(kind.rawValue)
    }
  }

  fileprivate var isVirtual: Bool {
    (sql ?? "").startHolds("virtual") && firstTokens.dropFirst().first?.isWord("virtual") == true
  }

  /// Whether the name in the statement has that of a database before it.
  fileprivate var isQualified: Bool {
    guard (sql ?? "").startHolds(".") else { return false }
    return fromName(in: firstTokens).dropFirst().first == .symbol(".")
  }

  /// Whether this is a table that SQLite makes for itself.
  fileprivate var isInternal: Bool {
    guard kind == .table, let sql else { return false }
    let columns: [Name: String] = [
      "sqlite_sequence": "name,seq", "sqlite_stat1": "tbl,idx,stat",
      "sqlite_stat2": "tbl,idx,sampleno,sample", "sqlite_stat3": "tbl,idx,neq,nlt,ndlt,sample",
      "sqlite_stat4": "tbl,idx,neq,nlt,ndlt,sample",
    ]
    guard let list = columns[name] else { return false }
    let expected = SQLTokens(parsing: "create table \(name.foldedText)(\(list))")
    return SQLTokens(parsing: String(sql.prefix(200))).normalized == expected.normalized
  }
}
