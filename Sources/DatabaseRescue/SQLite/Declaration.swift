// SPDX-License-Identifier: Apache-2.0
// A statement of somebody else's that is known to declare one object, and to do nothing else. The
// only SQL of a file, script or contract that a database of ours is ever made of.

import Diagnosis
package import SQLiteFormat

/// A statement that SQLite has parsed as the declaration of one object of a kind and name.
///
/// There is no other way to have one than ``Connection/declare(_:_:)``.
package struct Declaration: Hashable, Sendable {
  /// What it declares.
  package let kind: SchemaEntry.Kind
  /// The object's name.
  package let name: Name
  /// The table of an index or trigger; else the object's own name.
  package let table: Name
  /// The statement, as SQLite stores it where nobody carries it out again.
  package internal(set) var sql: String
  /// The module of a virtual table.
  package let module: Name?
  /// The functions it calls, when rows are written, that the library does not have.
  package let missingFunctions: Set<Name>
  /// The virtual table that this table stores.
  package internal(set) var family: Name?
  /// Whether the module of that virtual table makes this table.
  package internal(set) var isImplied = false
  /// Whether the object cannot be made without a module that is not here, and is only written down.
  package internal(set) var isOnlyRecorded = false

  /// The row of a schema that states it.
  package var entry: SchemaEntry {
    SchemaEntry(kind: kind, name: name, table: table, root: nil, sql: sql)
  }
}

/// Why a statement is not accepted as a declaration.
struct DeclarationFault: Error {
  /// Why, in SQLite's words; no part of the statement.
  let reason: String
  /// What that says of the file.
  let weight: RefusedStatement.Weight
}

extension Connection {
  /// The longest statement that is looked at, in bytes.
  static let statementBytesMax = 4 << 20
  /// How many functions that the library does not have a statement may name.
  private static let missingFunctionsMax = 32

  /// Declares an object of a schema, with stand-ins for functions that are not there.
  ///
  /// - Throws: ``DeclarationFault`` when the statement is anything but that declaration.
  func declare(_ entry: SchemaEntry) throws(DeclarationFault) -> Declaration {
    guard let stated = entry.sql else {
      throw DeclarationFault(reason: "there is no statement", weight: .noDeclaration)
    }
    // Where a root says that the table is in a file, SQLite reads over the word.
    let sql = entry.root == nil ? stated : stated.withoutTemporary
    guard !sql.utf8.contains(0) else {
      throw DeclarationFault(reason: "the statement contains a NUL", weight: .unreadable)
    }
    guard sql.utf8.count <= Self.statementBytesMax else {
      throw DeclarationFault(
        reason: "the statement has \(sql.utf8.count) bytes, and is not looked at",
        weight: .unchecked)
    }
    let isVirtual = VirtualTableTokens(sql) != nil
    for _ in 0..<Self.missingFunctionsMax {
      do throws(SQLiteError) {
        let declaration = try permitting(
          .declaration(entry.kind, entry.name, isVirtual: isVirtual)
        ) { () throws(SQLiteError) in try carryOut(entry, sql) }
        if let declaration { return declaration }
      } catch {
        guard let function = error.missingFunction else { throw error.declarationFault(of: sql) }
        standIn(forFunction: function)
        continue
      }
      throw DeclarationFault(
        reason: "it declares something else",
        weight: beginsDeclaration(sql) ? .unreadable : .noDeclaration)
    }
    throw DeclarationFault(reason: "too many unknown functions", weight: .unreadable)
  }

  /// Carries out a declaration again, on another connection.
  ///
  /// - Throws: ``DeclarationFault``, among others where an object of that name is there already.
  func declare(_ declaration: Declaration) throws(DeclarationFault) {
    for function in declaration.missingFunctions { standIn(forFunction: function.text) }
    _ = try declare(declaration.entry)
  }

  /// Carries a statement out; nil, and nothing done, where it declares something else.
  private func carryOut(
    _ entry: SchemaEntry, _ sql: String
  ) throws(SQLiteError) -> Declaration? {
    let statement = try prepare(sql)
    let objects = statementGuard.declared
    let functions = statementGuard.functions
    guard objects.count == 1, let object = objects.first, !statement.isExplanation,
      object.kind == entry.kind, object.name == entry.name, object.table == entry.table
    else { return nil }
    try statement.run([])
    return Declaration(
      kind: entry.kind, name: entry.name, table: entry.table, sql: sql,
      module: entry.kind == .table ? object.detail : nil, missingFunctions: functions)
  }
}

extension StatementGuard.Object {
  /// The table that the object belongs to.
  fileprivate var table: Name {
    switch kind {
    case .index, .trigger: detail ?? name
    case .table, .view: name
    }
  }
}

/// The words of CREATE VIRTUAL TABLE … USING module.
struct VirtualTableTokens {
  /// The name of the table.
  let name: Name
  /// The module.
  let module: Name

  /// Looks at the beginning of a statement; nil for what makes no virtual table.
  init?(_ sql: String) {
    guard sql.startHolds("virtual") else { return nil }
    let tokens = SQLTokens(parsing: String(sql.prefix(4096))).tokens
    guard tokens.count > 1, tokens[0].isWord("create"), tokens[1].isWord("virtual"),
      let using = tokens.firstIndex(where: { $0.isWord("using") }), using + 1 < tokens.count,
      let name = tokens[using - 1].asName, let module = tokens[using + 1].asName
    else { return nil }
    self.name = name
    self.module = module
  }
}

extension SQLiteError {
  /// The function that a statement names and the library does not have.
  var missingFunction: String? {
    for (before, after) in [("no such function: ", ""), ("unknown function: ", "()")]
    where message.hasPrefix(before) && message.hasSuffix(after) {
      return String(message.dropFirst(before.count).dropLast(after.count))
    }
    return nil
  }

  fileprivate func declarationFault(of sql: String) -> DeclarationFault {
    let isNone = isRefusal || self == .severalStatements || !beginsDeclaration(sql)
    return DeclarationFault(reason: message, weight: isNone ? .noDeclaration : .unreadable)
  }
}

extension String {
  /// The statement without the word that makes a table a temporary one.
  var withoutTemporary: String {
    guard startHolds("temp") else { return self }
    let text = Bytes(utf8)
    var words: [(token: SQLToken, place: Range<Int>)] = []
    SQLTokens.scan(text) { if words.count < 3 { words.append(($0, $1)) } }
    guard words.count == 3, words[0].token.isWord("create"), words[2].token.isWord("table"),
      words[1].token.isWord("temp") || words[1].token.isWord("temporary")
    else { return self }
    let rest = text[..<words[1].place.lowerBound] + text[words[2].place.lowerBound...]
    return String(decoding: rest, as: UTF8.self)
  }
}

/// Whether the first word of a statement is that of a declaration.
private func beginsDeclaration(_ sql: String) -> Bool {
  SQLTokens(parsing: String(sql.prefix(64))).tokens.first?.isWord("create") == true
}
