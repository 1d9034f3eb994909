// SPDX-License-Identifier: Apache-2.0
// A schema that Room has exported, such as `42.json`: read with whatever small defects it has.

import Diagnosis
import SQLiteFormat

/// A schema that Room has exported.
struct RoomExport {
  /// An entity or a view: the statement as it was exported, and one that is made of its fields.
  struct Object {
    /// Its name.
    let name: String
    /// The statement; nil where there is none.
    let sql: String?
    /// A statement made of what else is said; nil where that does not suffice.
    let ownSQL: String?
    /// The statements of its indexes and of the triggers that keep a full-text index up.
    let dependents: [String]
    /// The columns that its fields name, with whether they refuse NULL; nil where there are none.
    var fields: [Name: Bool]?
  }

  /// The version of the database.
  private(set) var version: Int32 = 0
  /// What Room knows the schema by; nil where it does not say.
  private(set) var identityHash: String?
  /// The entities.
  private(set) var entities: [Object] = []
  /// The views.
  private(set) var views: [Object] = []
  /// Whether it lists entities, and there is none: such a schema has been exported.
  private(set) var isEmpty = false
  /// What was not as it usually is, one fact a line.
  private(set) var notes: [String] = []

  /// Reads an export; nil where the text is JSON of another kind, or none.
  init?(_ bytes: Bytes) {
    guard Self.mayBe(bytes) else { return nil }
    let bytes = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? Bytes(bytes.dropFirst(3)) : bytes
    guard let document = JSON(reading: bytes), let database = document["database"],
      case .object = database, document["name"] == nil
    else { return nil }
    note(document, "the document", besides: ["formatVersion", "database"])
    if let format = document["formatVersion"], format != .integer(1) {
      notes.append("its formatVersion is not 1: it is read like one")
    }
    note(
      database, "the database",
      besides: ["version", "identityHash", "entities", "views", "setupQueries"])
    readMarks(database)
    if case .array([]) = database["entities"] {
      isEmpty = true
      notes.append("it has no entity: no table is expected")
    }
    for (number, entity) in (database["entities"]?.elements ?? []).enumerated() {
      read(entity: entity, number)
    }
    for (number, view) in (database["views"]?.elements ?? []).enumerated() {
      read(view: view, number)
    }
    notes = Array(notes.prefix(Self.notesMax))
  }

  private static let notesMax = 100

  /// Whether a text can be an export; a contract of ours has no such words.
  static func mayBe(_ bytes: Bytes) -> Bool {
    String(decoding: bytes.prefix(4096), as: UTF8.self).contains("\"database\"")
  }

  private mutating func readMarks(_ database: JSON) {
    let number = database["version"]?.wholeNumber.flatMap { Int32(exactly: $0) }
    if let number { version = number } else { notes.append("it has no version: 0 is taken") }
    let queries = (database["setupQueries"]?.elements ?? []).compactMap(\.text)
    let (own, written) = (database["identityHash"]?.text, Self.hash(in: queries))
    identityHash = own == "" ? nil : own ?? written
    if identityHash == nil { notes.append("it has no identity hash: none is compared") }
    if let own, let written, !own.isEmpty, own != written {
      notes.append("its setupQueries write another identity hash: its identityHash is compared")
    }
  }

  /// The hash that a setup query writes.
  private static func hash(in queries: [String]) -> String? {
    for query in queries where query.contains("identity_hash") {
      for token in SQLTokens(parsing: query).tokens.reversed() {
        switch token {
        case .literal(let text) where text.utf8.count == 34:
          return String(text.dropFirst().dropLast())
        case .name(let text) where text.utf8.count == 32: return text
        default: continue
        }
      }
    }
    return nil
  }

  private mutating func note(_ object: JSON, _ what: String, besides known: Set<String>) {
    for key in object.members.keys.sorted() where !known.contains(key) {
      notes.append("'\(key)' of \(what) is left out")
    }
  }

  // MARK: Entities

  private mutating func read(entity: JSON, _ number: Int) {
    guard let name = entity["tableName"]?.text else {
      notes.append("entity \(number + 1) has no tableName, and is left out")
      return
    }
    note(
      entity, "'\(name)'",
      besides: [
        "tableName", "createSql", "fields", "primaryKey", "indices", "foreignKeys", "ftsVersion",
        "ftsOptions", "contentSyncTriggers",
      ])
    let own = RoomEntity(entity, name)
    if entities.contains(where: { Name($0.name) == Name(name) }) {
      notes.append("'\(name)' is listed more than once: the first one counts")
    }
    if own.fields == nil, entity["ftsVersion"]?.text == nil {
      notes.append("'\(name)' has no fields: its statement alone counts")
    }
    let sql = entity["createSql"]?.text?.replacingRoomName("TABLE_NAME", by: name)
    if sql == nil {
      notes.append("'\(name)' has no createSql: its statement is made of its fields")
    }
    var dependents: [String] = []
    for index in entity["indices"]?.elements ?? [] {
      let sql = index["createSql"]?.text?.replacingRoomName("TABLE_NAME", by: name)
      if let statement = sql ?? own.index(index) {
        if sql == nil {
          notes.append("an index of '\(name)' has no createSql: it is made of its columns")
        }
        dependents.append(statement)
      } else {
        notes.append("an index of '\(name)' says neither createSql nor columns, and is left out")
      }
    }
    dependents += (entity["contentSyncTriggers"]?.elements ?? []).compactMap(\.text)
      .map { $0.replacingRoomName("TABLE_NAME", by: name) }
    entities.append(
      Object(
        name: name, sql: sql, ownSQL: own.sql, dependents: dependents,
        fields: entity["ftsVersion"]?.text == nil ? own.fields : nil))
  }

  private mutating func read(view: JSON, _ number: Int) {
    guard let name = view["viewName"]?.text, let sql = view["createSql"]?.text else {
      notes.append("view \(number + 1) has no viewName or no createSql, and is left out")
      return
    }
    note(view, "'\(name)'", besides: ["viewName", "createSql"])
    views.append(
      Object(
        name: name, sql: sql.replacingRoomName("VIEW_NAME", by: name), ownSQL: nil,
        dependents: []))
  }

  /// Notes something about how the statements were carried out.
  mutating func note(_ text: String) { notes.append(text) }
}

/// What an exported entity says beside its statement.
private struct RoomEntity {
  private let entity: JSON
  private let name: String

  init(_ entity: JSON, _ name: String) {
    self.entity = entity
    self.name = name
  }

  /// The columns of the fields, with whether they refuse NULL; nil where there are none.
  var fields: [Name: Bool]? {
    let named = (entity["fields"]?.elements ?? []).compactMap { field in
      (field["columnName"]?.text ?? field["fieldPath"]?.text).map {
        (Name($0), field["notNull"] == .bool(true))
      }
    }
    return named.isEmpty ? nil : Dictionary(named) { first, _ in first }
  }

  /// A statement made of the fields; nil where there are none.
  var sql: String? {
    let fields = entity["fields"]?.elements ?? []
    if let version = entity["ftsVersion"]?.text { return fullTextSQL(version, fields) }
    let key = entity["primaryKey"]
    let keys = key?["columnNames"]?.texts ?? []
    let isCounted = key?["autoGenerate"] == .bool(true) && keys.count == 1
    var parts = fields.compactMap { definition(of: $0, isCounted ? keys[0] : nil) }
    guard !parts.isEmpty else { return nil }
    if !keys.isEmpty, !isCounted { parts.append("PRIMARY KEY(\(Self.list(keys)))") }
    parts += (entity["foreignKeys"]?.elements ?? []).compactMap(foreignKey)
    return "CREATE TABLE IF NOT EXISTS \(name.quotedIdentifier) (\(parts.joined(separator: ", ")))"
  }

  private func definition(of field: JSON, _ counted: String?) -> String? {
    guard let column = field["columnName"]?.text ?? field["fieldPath"]?.text else { return nil }
    let type = field["affinity"]?.text.flatMap { Self.affinities.contains($0) ? $0 : nil }
    var text = "\(column.quotedIdentifier) \(type ?? "TEXT")"
    if counted == column { text += " PRIMARY KEY AUTOINCREMENT" }
    if field["notNull"] == .bool(true) { text += " NOT NULL" }
    if let value = field["defaultValue"]?.text { text += " DEFAULT \(value)" }
    return text
  }

  private static let affinities: Set<String> = ["TEXT", "INTEGER", "REAL", "BLOB"]

  private func foreignKey(_ key: JSON) -> String? {
    guard let parent = key["table"]?.text, let columns = key["columns"]?.texts, !columns.isEmpty
    else { return nil }
    let referenced = key["referencedColumns"]?.texts ?? []
    return "FOREIGN KEY(\(Self.list(columns))) REFERENCES \(parent.quotedIdentifier)"
      + (referenced.isEmpty ? "" : "(\(Self.list(referenced)))")
      + (key["onUpdate"]?.text.map { " ON UPDATE \($0)" } ?? "")
      + (key["onDelete"]?.text.map { " ON DELETE \($0)" } ?? "")
  }

  private func fullTextSQL(_ version: String, _ fields: [JSON]) -> String? {
    let columns = fields.compactMap { $0["columnName"]?.text?.quotedIdentifier }
    let content = entity["ftsOptions"]?["contentTable"]?.text ?? ""
    guard !columns.isEmpty, ["FTS3", "FTS4"].contains(version) else { return nil }
    let arguments = columns + (content.isEmpty ? [] : ["content=`\(content)`"])
    return "CREATE VIRTUAL TABLE IF NOT EXISTS \(name.quotedIdentifier) USING \(version)"
      + "(\(arguments.joined(separator: ", ")))"
  }

  /// The statement of an index; nil where it has no columns.
  func index(_ index: JSON) -> String? {
    guard let columns = index["columnNames"]?.texts, !columns.isEmpty else { return nil }
    let own = index["name"]?.text ?? "index_\(name)_\(columns.joined(separator: "_"))"
    let orders = index["orders"]?.texts ?? []
    let parts = columns.enumerated().map { place, column in
      column.quotedIdentifier
        + (orders.indices.contains(place) && Name(orders[place]) == "DESC" ? " DESC" : "")
    }
    return "CREATE \(index["unique"] == .bool(true) ? "UNIQUE " : "")INDEX IF NOT EXISTS "
      + "\(own.quotedIdentifier) ON \(name.quotedIdentifier) (\(parts.joined(separator: ", ")))"
  }

  private static func list(_ names: [String]) -> String {
    names.map(\.quotedIdentifier).joined(separator: ", ")
  }
}

extension JSON {
  /// The strings of a list.
  fileprivate var texts: [String] { elements.compactMap(\.text) }

  /// A whole number, also where it is written as a string or with a point.
  fileprivate var wholeNumber: Int? {
    switch self {
    case .integer(let number): number
    case .number(let number): Int(exactly: number)
    case .string(let text): Int(text)
    default: nil
    }
  }
}

extension String {
  /// The text with a name in the place where Room's exports leave it open.
  fileprivate func replacingRoomName(_ word: String, by name: String) -> String {
    let mark = "${\(word)}"
    let quoted = name.replacingScalar("`", by: "``")
    return split(separator: mark, omittingEmptySubsequences: false).joined(separator: quoted)
  }
}
