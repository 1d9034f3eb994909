// SPDX-License-Identifier: Apache-2.0
// Where SQL found in a file is parsed: in memory, one declaration at a time, nothing else allowed.

internal import CSQLite
package import Diagnosis
package import SQLiteFormat

/// A database in memory into which the declarations of an untrusted schema go.
///
/// An authorizer refuses everything but declarations; what a statement is, is told by SQLite
/// as it parses it, never by looking at the text.
package struct SchemaSandbox: ~Copyable {
  /// The modules whose virtual tables are declared for real: they compute nothing on their own.
  private static let modules: Set<String> = [
    "fts3", "fts4", "fts5", "rtree", "rtree_i32", "geopoly",
  ]
  /// The longest statement that is looked at, in bytes.
  private static let statementBytesMax: Int32 = 1 << 20
  /// How many unknown functions a statement may name.
  private static let unknownFunctionsMax = 32

  private let connection: Connection
  private var unknownModules: [TableDescription] = []

  /// Makes an empty sandbox.
  ///
  /// - Throws: ``SQLiteError`` when memory is short.
  package init() throws(SQLiteError) {
    let connection = try Connection(mode: .memory)
    connection.limitForUntrustedSQL(statementBytes: Self.statementBytesMax)
    connection.acceptUnknownCollations()
    // A function that is not harmless in a schema is only parsed here, never called.
    connection.configure(SQLITE_DBCONFIG_TRUSTED_SCHEMA, true)
    self.connection = connection
  }

  /// Declares an object.
  ///
  /// - Returns: nil when it was accepted, or why it was not.
  package mutating func declare(_ entry: SchemaEntry) -> RefusedStatement? {
    guard let sql = entry.sql, !entry.name.isReserved,
      statement(of: entry) == nil
    else { return nil }
    func refused(_ reason: String, hostile: Bool = false) -> RefusedStatement {
      RefusedStatement(name: entry.name, reason: reason, isHostile: hostile)
    }
    let tokens = SQLTokens(parsing: String(sql.prefix(4096))).tokens
    guard sql.utf8.count < Int(Self.statementBytesMax), !sql.utf8.contains(0) else {
      return refused("the statement is too long or contains a NUL")
    }
    guard tokens.first?.isWord("create") == true else {
      return refused("not a CREATE", hostile: true)
    }
    if let module = Self.module(of: tokens), !Self.modules.contains(module) {
      unknownModules.append(
        TableDescription(name: entry.name, kind: .virtual, columns: [], storageOrder: [], sql: sql))
      return nil
    }
    for _ in 0..<Self.unknownFunctionsMax {
      do {
        try execute(sql, virtual: Self.module(of: tokens) != nil)
        return statement(of: entry) == nil ? refused("it declares something else") : nil
      } catch {
        guard let function = error.unknownFunction else {
          return refused(
            error.message, hostile: error.code == SQLITE_AUTH || error.isSecondStatement)
        }
        connection.acceptUnknownFunction(function)
      }
    }
    return refused("too many unknown functions")
  }

  private func execute(_ sql: String, virtual: Bool) throws(SQLiteError) {
    connection.allowOnlyDeclarations(virtual: virtual)
    defer { connection.allowEverything() }
    try connection.prepare(sql).run([])
  }

  /// The statement of an object that is already there, of the same kind and name.
  ///
  /// A trigger may have the name of a table; nothing else shares names.
  private func statement(of entry: SchemaEntry) -> String? {
    let found = try? connection.value(
      """
      SELECT coalesce(sql, '') FROM sqlite_schema
      WHERE type = ? AND name = ? COLLATE NOCASE AND tbl_name = ? COLLATE NOCASE
      """, [.text(entry.kind.rawValue), .text(entry.name), .text(entry.table)])
    return found?.utf8String
  }

  /// Whether a virtual table's module made this table itself, and otherwise than the file says.
  package func makesOtherwise(_ entry: SchemaEntry) -> Bool {
    guard entry.kind == .table, let sql = entry.sql, let made = statement(of: entry) else {
      return false
    }
    let kind = try? connection.value(
      "SELECT type FROM pragma_table_list(?) WHERE schema = 'main'", [.text(entry.name)])
    return made != sql && kind?.utf8String == "shadow"
  }

  /// The module of CREATE VIRTUAL TABLE … USING module, in lower case.
  private static func module(of tokens: [SQLToken]) -> String? {
    guard tokens.count > 1, tokens[1].isWord("virtual"),
      let using = tokens.firstIndex(where: { $0.isWord("using") }), using + 1 < tokens.count
    else { return nil }
    return SQLTokens([tokens[using + 1]]).normalized
  }

  /// Everything that was declared.
  ///
  /// - Throws: ``SQLiteError`` when memory is short.
  package func describe() throws(SQLiteError) -> SchemaDescription {
    var description = try SchemaReader.describe(connection)
    description.tables = (description.tables + unknownModules).sorted { $0.name < $1.name }
    return description
  }

  /// The values of a table's defaults, column by column, as SQLite would store them.
  ///
  /// Only constants count: SQLite lets no other default stand for rows that were written
  /// before the column was added.
  package func defaults(of table: TableDescription) -> [Value] {
    table.columns.map { column in
      guard let sql = column.defaultSQL, SQLTokens(parsing: sql).isConstant else { return .null }
      let affinity = Affinity(declaredType: column.type, strict: table.strict)
      connection.allowOnlyExpressions()
      defer { connection.allowEverything() }
      let value = try? connection.value("SELECT \(affinity.applied(to: sql))")
      return (value ?? nil) ?? .null
    }
  }
}

extension SQLTokens {
  /// Whether an expression names nothing: no column, no function, no keyword but NULL and truth.
  fileprivate var isConstant: Bool {
    tokens.allSatisfy { token in
      switch token {
      case .literal, .number, .symbol: true
      case .word(let word): ["null", "true", "false"].contains(word.lowercased())
      // A double-quoted default is a string to SQLite where no column can be meant.
      case .name: true
      }
    }
  }
}

extension Affinity {
  /// An expression that gives the value that a column of this affinity stores for another one.
  fileprivate func applied(to sql: String) -> String {
    // CAST would turn text that is no number into 0; a comparison's affinity does not.
    switch self {
    case .blob: "(\(sql))"
    case .text:
      "CASE WHEN typeof(\(sql)) IN ('integer', 'real') THEN CAST((\(sql)) AS TEXT) ELSE (\(sql)) END"
    case .real:
      "CASE WHEN typeof(\(sql)) = 'integer' THEN CAST((\(sql)) AS REAL) ELSE (\(sql)) END"
    case .integer, .numeric:
      """
      CASE WHEN typeof(\(sql)) = 'text' AND CAST(CAST((\(sql)) AS NUMERIC) AS TEXT) = (\(sql))
      THEN CAST((\(sql)) AS NUMERIC)
      WHEN typeof(\(sql)) = 'real' AND CAST((\(sql)) AS INTEGER) = (\(sql))
      THEN CAST((\(sql)) AS INTEGER) ELSE (\(sql)) END
      """
    }
  }
}

extension SQLiteError {
  fileprivate var unknownFunction: String? {
    let prefix = "no such function: "
    return message.hasPrefix(prefix) ? String(message.dropFirst(prefix.count)) : nil
  }

  fileprivate var isSecondStatement: Bool { message == "more than one statement" }
}

/// Parses schemas in a sandbox of their own.
package struct SandboxParser: SchemaParsing {
  /// Makes a parser.
  package init() {}

  /// Parses the statements of a schema; what cannot be parsed is listed, never thrown.
  package func parse(_ entries: [SchemaEntry]) -> ParsedSchema {
    var refused: [RefusedStatement] = []
    do {
      var sandbox = try SchemaSandbox()
      // Another version of a module may have made its tables otherwise: the file's word counts.
      var plain = try SchemaSandbox()
      for entry in Self.ordered(entries) {
        let refusal =
          sandbox.makesOtherwise(entry) ? plain.declare(entry) : sandbox.declare(entry)
        if let refusal { refused.append(refusal) }
      }
      let description = try sandbox.describe().replacingShadowTables(from: plain.describe())
      refused += Self.strayIndexes(in: entries, description, refused)
      var defaults: [Name: [Value]] = [:]
      for table in description.tables {
        defaults[table.name] = sandbox.defaults(of: table)
      }
      return ParsedSchema(description: description, refused: refused, defaults: defaults)
    } catch {
      refused.append(
        RefusedStatement(name: "sqlite_schema", reason: error.message, isHostile: false))
      return ParsedSchema(description: SchemaDescription(), refused: refused, defaults: [:])
    }
  }

  /// Indexes without a statement, which SQLite makes for constraints, that no table has.
  private static func strayIndexes(
    in entries: [SchemaEntry], _ description: SchemaDescription, _ refused: [RefusedStatement]
  ) -> [RefusedStatement] {
    var known = Set(refused.map(\.name))
    for index in description.tables.flatMap(\.indexes) { known.insert(index.name) }
    return entries.filter { entry in
      entry.kind == .index && entry.sql == nil && !known.contains(entry.name)
        && !known.contains(entry.table)
    }.map {
      RefusedStatement(name: $0.name, reason: "no table has such an index", isHostile: false)
    }
  }

  /// Virtual tables first, as they bring their shadow tables along; then tables and the rest.
  package static func ordered(_ entries: [SchemaEntry]) -> [SchemaEntry] {
    entries.filter { $0.kind == .table && $0.root == nil }
      + entries.filter { $0.kind == .table && $0.root != nil }
      + entries.filter { $0.kind != .table }
  }
}

extension SchemaDescription {
  /// This description with the shadow tables that another one describes.
  fileprivate func replacingShadowTables(from other: SchemaDescription) -> SchemaDescription {
    var result = self
    for var table in other.tables {
      guard let place = tables.firstIndex(where: { $0.name == table.name }) else { continue }
      table.kind = .shadow
      result.tables[place] = table
    }
    return result
  }
}
