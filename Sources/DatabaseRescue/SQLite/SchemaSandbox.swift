// SPDX-License-Identifier: Apache-2.0
// Where SQL found in a file is parsed: in memory, group by group, declarations only.

import Diagnosis
import SQLiteFormat

/// A database in memory, into which declarations of an untrusted schema go.
final class SandboxDatabase {
  /// How many steps of SQLite's machine all modules together may take.
  private static let stepsMax = 200_000_000

  let connection: Connection

  init() throws(SQLiteError) {
    connection = try Connection(mode: .memory)
    connection.limitForUntrustedSQL(statementBytes: Connection.statementBytesMax)
    connection.acceptUnknownCollations()
    connection.patience.allow(Self.stepsMax)
  }

  /// The statement that SQLite has stored for an object: without the name of a database in it.
  func storedStatement(of declaration: Declaration) -> String? {
    let found = try? connection.value(
      "SELECT sql FROM sqlite_schema WHERE type = ? AND name = ? COLLATE NOCASE",
      [.text(declaration.kind.rawValue), .text(declaration.name)])
    return (found ?? nil)?.utf8String
  }

  /// Does something, and takes back what it has made.
  func takingBack(_ body: () -> Void) {
    // Neither can fail in memory; if it does, the next group finds its names taken.
    try? connection.execute("BEGIN")
    body()
    try? connection.execute("ROLLBACK")
  }
}

/// Where the declarations of an untrusted schema are tried.
///
/// One table with its indexes and triggers after the other is declared, described and taken back:
/// SQLite looks at all that is there for each object that is made, and would need hours for a
/// hundred thousand of them.
struct SchemaSandbox {
  /// How many indexes of a table are looked at together.
  private static let indexesMax = 64

  var declarations: [Declaration] = []
  private(set) var refused: [RefusedStatement] = []
  var description = SchemaDescription()
  private(set) var defaults: [Name: [Value]] = [:]
  var virtualTables: [VirtualTable] = []

  let groups: SchemaGroups
  /// Where the modules of the library make their tables.
  let modules: SandboxDatabase
  /// Where every module is a stand-in, and each table is what its own statement says.
  let plain: SandboxDatabase
  /// The names of tables, indexes and views that are taken, and those of triggers.
  private var taken: (objects: Set<Name>, triggers: Set<Name>) = ([], [])

  /// Makes a sandbox for a schema.
  ///
  /// - Throws: ``SQLiteError`` when memory is short.
  init(_ groups: SchemaGroups) throws(SQLiteError) {
    self.groups = groups
    modules = try SandboxDatabase()
    plain = try SandboxDatabase()
  }

  /// Declares every group.
  mutating func declareAll() {
    for name in groups.names {
      guard let group = groups.groups[name] else { continue }
      if group.claims.contains(where: \.isVirtual) {
        declareVirtual(group)
      } else {
        declareOrdinary(group)
      }
    }
    description.tables.sort { $0.name < $1.name }
    description.views.sort { $0.name < $1.name }
    description.triggers.sort { $0.name < $1.name }
  }

  // MARK: Ordinary tables and views

  mutating func declareOrdinary(_ group: SchemaGroups.Group) {
    var owner: Declaration?
    for (number, indexes) in group.indexes.pieces(of: Self.indexesMax).enumerated() {
      plain.takingBack {
        if number == 0 {
          for claim in group.claims { owner = declare(claim, in: plain) ?? owner }
        } else if let owner {
          try? plain.connection.declare(owner)
        }
        declare(indexes, in: plain)
        if number == 0 { declare(group.triggers, in: plain) }
        describe(isFirst: number == 0)
      }
    }
  }

  mutating func declare(_ entries: [SchemaEntry], in database: SandboxDatabase) {
    for entry in entries { _ = declare(entry, in: database) }
  }

  /// Declares an object, unless its name is taken.
  mutating func declare(
    _ entry: SchemaEntry, in database: SandboxDatabase
  ) -> Declaration? {
    do throws(DeclarationFault) {
      guard !isTaken(entry) else {
        throw DeclarationFault(reason: "its name is taken", weight: .unreadable)
      }
      var declaration = try database.connection.declare(entry)
      if declaration.isWrittenDown || database === plain && declaration.module != nil {
        declaration.sql = database.storedStatement(of: declaration) ?? declaration.sql
      }
      note(declaration)
      return declaration
    } catch {
      refused.append(
        RefusedStatement(name: entry.name, reason: error.reason, weight: error.weight))
      return nil
    }
  }

  func isTaken(_ entry: SchemaEntry) -> Bool {
    entry.kind == .trigger
      ? taken.triggers.contains(entry.name) : taken.objects.contains(entry.name)
  }

  mutating func note(_ declaration: Declaration) {
    declarations.append(declaration)
    if declaration.kind == .trigger {
      taken.triggers.insert(declaration.name)
    } else {
      taken.objects.insert(declaration.name)
    }
  }

  // MARK: Describing

  /// Takes in what SQLite says of the objects that are there now.
  mutating func describe(isFirst: Bool) {
    guard let found = try? SchemaReader.describe(plain.connection) else { return }
    guard isFirst else {
      for table in found.tables {
        guard let place = description.tables.lastIndex(where: { $0.name == table.name }) else {
          continue
        }
        description.tables[place].indexes += table.indexes.filter { $0.origin == .created }
      }
      return
    }
    description.tables += found.tables
    description.views += found.views
    description.triggers += found.triggers
    for table in found.tables {
      defaults[table.name] = Self.defaults(of: table, plain.connection)
    }
  }

  /// The values of a table's defaults, column by column, as SQLite has them for rows that were
  /// written before the column was added: only constants count.
  private static func defaults(
    of table: TableDescription, _ connection: borrowing Connection
  ) -> [Value] {
    table.columns.map { column in
      guard let sql = column.defaultSQL else { return .null }
      let tokens = SQLTokens(parsing: sql)
      guard tokens.isConstant else { return .null }
      let affinity = Affinity(declaredType: column.type, strict: table.strict)
      return tokens.plainValue(affinity) ?? (try? connection.addedDefault(sql, affinity)) ?? .null
    }
  }
}

extension Declaration {
  /// Whether the object has no pages, and is made by its row in the schema alone.
  fileprivate var isWrittenDown: Bool { kind == .view || kind == .trigger }
}

extension [SchemaEntry] {
  /// The elements in groups of so many; one empty group where there are none.
  fileprivate func pieces(of count: Int) -> [[SchemaEntry]] {
    guard self.count > count else { return [self] }
    return stride(from: 0, to: self.count, by: count).map {
      Array(self[$0..<Swift.min($0 + count, self.count)])
    }
  }
}

extension SQLTokens {
  /// Whether an expression names nothing: no column, no function, no keyword but NULL and truth.
  fileprivate var isConstant: Bool {
    tokens.allSatisfy { token in
      switch token {
      case .literal, .number, .symbol: true
      case .word: ["null", "true", "false"].contains { token.isWord($0) }
      // A double-quoted default is a string to SQLite where no column can be meant.
      case .name: true
      }
    }
  }

  /// The value of a short number or of a text, in a column that stores it as it is; nil for
  /// everything about which SQLite has rules of its own.
  fileprivate func plainValue(_ affinity: Affinity) -> Value? {
    guard tokens.count == 1 else { return nil }
    switch tokens[0] {
    case .number(let digits) where digits.utf8.count < 10 && affinity != .text && affinity != .real:
      return Int64(digits).map(Value.integer)
    case .literal(let text) where affinity == .text && text.hasPrefix("'"):
      let content = text.dropFirst().dropLast()
      return content.utf8.contains(UInt8(ascii: "'")) ? nil : .text(String(content))
    default: return nil
    }
  }
}

extension Connection {
  /// The value that a row has for a column with a default that was added after it; of a column of
  /// reals, what it has before it is made one.
  fileprivate func addedDefault(_ sql: String, _ affinity: Affinity) throws(SQLiteError) -> Value? {
    let table = "a row from before".quotedIdentifier
    try execute("CREATE TABLE \(table) (a); INSERT INTO \(table) VALUES (1)")
    defer { try? execute("DROP TABLE \(table)") }
    // A default may end in a comment.
    try prepare("ALTER TABLE \(table) ADD COLUMN b \(affinity.typeName) DEFAULT \(sql)\n").run([])
    return try value("SELECT b FROM \(table)")
  }
}

extension Affinity {
  /// A declared type with this affinity; of reals, one that leaves integers what they are.
  fileprivate var typeName: String {
    switch self {
    case .text: "TEXT"
    case .numeric: "NUMERIC"
    case .integer: "INTEGER"
    case .real: "NUMERIC"
    case .blob: ""
    }
  }
}
