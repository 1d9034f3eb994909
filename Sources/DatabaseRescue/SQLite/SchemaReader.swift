// SPDX-License-Identifier: Apache-2.0
// What SQLite itself says about the schema of a database, through its pragmas.

package import Diagnosis
import SQLiteFormat

/// Describes the schema of an open database.
package enum SchemaReader {
  /// The schema of a connection's main database.
  ///
  /// - Throws: ``SQLiteError`` when the schema cannot be read.
  package static func describe(
    _ connection: borrowing Connection
  ) throws(SQLiteError) -> SchemaDescription {
    var description = SchemaDescription()
    var kinds: [Name: (kind: String, withoutRowID: Bool, strict: Bool)] = [:]
    for row in try connection.rows("PRAGMA main.table_list") {
      kinds[row[1].name] = (
        row[2].utf8String ?? "", row[4] != .integer(0), row[5] != .integer(0)
      )
    }
    let entries = try connection.rows(
      "SELECT type, name, tbl_name, sql FROM sqlite_schema ORDER BY name")
    let indexes = Dictionary(
      entries.filter { $0[0].utf8String == "index" }.map { ($0[1].name, $0[3].statement) },
      uniquingKeysWith: { first, _ in first })
    for entry in entries {
      let (name, table, sql) = (entry[1].name, entry[2].name, entry[3].statement ?? "")
      switch entry[0].utf8String {
      case "trigger": description.triggers.append(NamedSQL(name: name, table: table, sql: sql))
      case "view": description.views.append(NamedSQL(name: name, table: table, sql: sql))
      case "table" where !name.isReserved:
        guard let kind = kinds[name] else { continue }
        do {
          description.tables.append(
            try describeTable(
              connection, name, sql, kind: kind.kind, withoutRowID: kind.withoutRowID,
              strict: kind.strict, indexes))
        } catch  where kind.kind == "virtual" && error.cause == .other {
          // Only its module knows its columns, and it is not here.
          description.tables.append(
            TableDescription(name: name, kind: .virtual, columns: [], storageOrder: [], sql: sql))
        }
      default: break
      }
    }
    return description
  }

  private static func describeTable(
    _ connection: borrowing Connection, _ name: Name, _ sql: String, kind: String,
    withoutRowID: Bool, strict: Bool, _ statements: [Name: String?]
  ) throws(SQLiteError) -> TableDescription {
    let tokens = SQLTokens(parsing: sql)
    // Pragmas, and not the tables of their names: SQLite is ready with them in half the time.
    let information = try connection.pragma("table_xinfo", of: name)
    // Hidden columns of virtual tables (1) are not columns that rows have.
    let columns = information.filter { $0[6] != .integer(1) }.map { row in
      ColumnDescription(
        name: row[1].name, type: row[2].utf8String ?? "",
        notNull: row[3] != .integer(0), defaultSQL: row[4].utf8String,
        primaryKeyPosition: Int(row[5].integerValue ?? 0),
        generated: row[6] == .integer(2) ? .virtual : row[6] == .integer(3) ? .stored : .none,
        collation: "BINARY")
    }
    var table = TableDescription(
      name: name, kind: kind == "virtual" ? .virtual : kind == "shadow" ? .shadow : .ordinary,
      columns: columns, withoutRowID: withoutRowID, strict: strict,
      autoincrement: tokens.tokens.contains { $0.isWord("autoincrement") },
      storageOrder: columns.indices.filter { columns[$0].generated != .virtual }, sql: sql)
    table.indexes = try indexes(connection, of: name, statements)
    table.foreignKeys = try foreignKeys(connection, of: name, tokens)
    table.checks = checks(in: tokens).map(\.sql)
    collations(in: tokens, &table)
    if withoutRowID {
      table.storageOrder = try storageOrder(connection, of: table)
    } else if table.kind != .virtual {
      table.rowIDAlias = rowIDAlias(of: table)
    }
    return table
  }

  /// The INTEGER PRIMARY KEY that is the rowid: the one primary key without an index of its own.
  private static func rowIDAlias(of table: TableDescription) -> Int? {
    guard table.columns.contains(where: { $0.primaryKeyPosition > 0 }),
      !table.indexes.contains(where: { $0.origin == .primaryKey })
    else { return nil }
    return table.columns.firstIndex { $0.primaryKeyPosition > 0 }
  }

  /// The order of a WITHOUT ROWID table's records: that of the index which is its tree.
  private static func storageOrder(
    _ connection: borrowing Connection, of table: TableDescription
  ) throws(SQLiteError) -> [Int] {
    guard let key = table.indexes.first(where: { $0.origin == .primaryKey }) else {
      return table.storageOrder
    }
    return try connection.pragma("index_xinfo", of: key.name).compactMap {
      $0[1].integerValue.map(Int.init)
    }
  }

  private static func indexes(
    _ connection: borrowing Connection, of table: Name, _ statements: [Name: String?]
  ) throws(SQLiteError) -> [IndexDescription] {
    let list = try connection.pragma("index_list", of: table)
    var indexes: [IndexDescription] = []
    for row in list {
      let name = row[1].name
      let sql = statements[name] ?? nil
      let tokens = sql.map { SQLTokens(parsing: $0) }
      let parts = try connection.pragma("index_xinfo", of: name).filter { $0[5] == .integer(1) }
      let items = tokens.flatMap { indexItems(in: $0) } ?? []
      let columns = parts.enumerated().map { position, part in
        IndexColumn(
          name: part[2].utf8String.map { Name($0) },
          expression: part[2].utf8String == nil && position < items.count
            ? items[position].sql : nil,
          descending: part[3] == .integer(1), collation: Name(part[4].utf8String ?? "BINARY"))
      }
      indexes.append(
        IndexDescription(
          name: name, unique: row[2] == .integer(1),
          origin: row[3] == .text("pk")
            ? .primaryKey : row[3] == .text("u") ? .uniqueConstraint : .created,
          columns: columns,
          predicate: row[4] == .integer(1)
            ? tokens.flatMap { predicate(in: $0) }?.sql ?? "" : nil, sql: sql))
    }
    return indexes.sorted { $0.name.text.utf8.lexicographicallyPrecedes($1.name.text.utf8) }
  }

  /// The expressions of an index's columns, without their ordering.
  static func indexItems(in tokens: SQLTokens) -> [SQLTokens]? {
    guard let on = tokens.position(of: "on"),
      let open = tokens.tokens[on...].firstIndex(of: .symbol("("))
    else { return nil }
    return tokens.group(at: open)?.items.map { item in
      var words = item.tokens
      if let last = words.last, last.isWord("asc") || last.isWord("desc") { words.removeLast() }
      return SQLTokens(words)
    }
  }

  /// The condition of a partial index.
  static func predicate(in tokens: SQLTokens) -> SQLTokens? {
    tokens.position(of: "where").map { SQLTokens(tokens.tokens[($0 + 1)...]) }
  }

  private static func foreignKeys(
    _ connection: borrowing Connection, of table: Name, _ tokens: SQLTokens
  ) throws(SQLiteError) -> [ForeignKeyDescription] {
    // SQLite numbers them from the last declared to the first.
    let rows = try connection.pragma("foreign_key_list", of: table).sorted { left, right in
      let (first, second) = (left[0].integerValue ?? 0, right[0].integerValue ?? 0)
      return first == second
        ? left[1].integerValue ?? 0 < right[1].integerValue ?? 0 : first > second
    }
    let deferrals = deferrals(in: tokens)
    var keys: [ForeignKeyDescription] = []
    var lastID: Value?
    for row in rows {
      if row[0] != lastID {
        keys.append(
          ForeignKeyDescription(
            columns: [], table: row[2].name, referencedColumns: [],
            onUpdate: row[5].utf8String ?? "", onDelete: row[6].utf8String ?? "",
            match: row[7].utf8String ?? "",
            deferred: keys.count < deferrals.count && deferrals[keys.count]))
        lastID = row[0]
      }
      keys[keys.count - 1].columns.append(row[3].name)
      if let column = row[4].utf8String {
        keys[keys.count - 1].referencedColumns.append(Name(column))
      }
    }
    return keys
  }

  /// For every REFERENCES clause in order: whether it is INITIALLY DEFERRED.
  private static func deferrals(in tokens: SQLTokens) -> [Bool] {
    guard let body = body(of: tokens) else { return [] }
    return body.items.flatMap { item in
      let starts = item.tokens.indices.filter { item.tokens[$0].isWord("references") }
      return starts.enumerated().map { position, start in
        let end = position + 1 < starts.count ? starts[position + 1] : item.tokens.count
        let clause = SQLTokens(item.tokens[start..<end]).normalized
        return clause.contains("initially deferred") && !clause.contains("not deferrable")
      }
    }
  }

  /// The conditions of all CHECK constraints.
  static func checks(in tokens: SQLTokens) -> [SQLTokens] {
    tokens.tokens.indices.compactMap { index in
      tokens.tokens[index].isWord("check") ? tokens.group(at: index + 1) : nil
    }
  }

  /// The expressions of generated columns, by name.
  static func generatedColumns(in tokens: SQLTokens) -> [Name: SQLTokens] {
    var expressions: [Name: SQLTokens] = [:]
    for item in body(of: tokens)?.items ?? [] {
      guard let name = item.tokens.first?.asName, let start = item.position(of: "as") else {
        continue
      }
      expressions[name] = item.group(at: start + 1)
    }
    return expressions
  }

  /// Notes the COLLATE clause of every column definition.
  private static func collations(in tokens: SQLTokens, _ table: inout TableDescription) {
    guard let body = body(of: tokens) else { return }
    for item in body.items {
      // Of several clauses the last counts.
      guard let name = item.tokens.first?.asName, let collate = item.lastPosition(of: "collate"),
        collate + 1 < item.tokens.count, let collation = item.tokens[collate + 1].asName,
        let column = table.columns.firstIndex(where: { $0.name == name })
      else { continue }
      // As SQLite writes the names of its own.
      table.columns[column].collation = Name(collation.foldedText.uppercased())
    }
  }

  /// What stands between the parentheses of CREATE TABLE.
  private static func body(of tokens: SQLTokens) -> SQLTokens? {
    tokens.tokens.firstIndex(of: .symbol("(")).flatMap { tokens.group(at: $0) }
  }
}

extension Connection {
  /// What a pragma says of a table or index.
  ///
  /// - Throws: ``SQLiteError`` when it cannot be told.
  fileprivate func pragma(_ pragma: String, of name: Name) throws(SQLiteError) -> [[Value]] {
    try rows("PRAGMA main.\(pragma)(\(name.quotedIdentifier))")
  }
}

extension Value {
  /// The name that a pragma gives; the empty one for none.
  fileprivate var name: Name { Name(utf8String ?? "") }

  /// The text of a statement, without the space that SQLite keeps at its end, and without a word that
  /// it reads over in a file.
  var statement: String? {
    guard let text = utf8String?.unicodeScalars,
      let end = text.lastIndex(where: { !$0.properties.isWhitespace })
    else { return nil }
    return String(text[...end]).withoutTemporary
  }
}
