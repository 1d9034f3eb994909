// SPDX-License-Identifier: Apache-2.0
// Where SQL found in a file is parsed: in memory, group by group, declarations only.

import Diagnosis
import SQLiteFormat

/// A database in memory, into which declarations of an untrusted schema go.
private final class SandboxDatabase {
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

/// A virtual table with the tables that store it.
private struct VirtualFamily {
  /// The virtual table.
  let table: TableDescription
  /// Those of the file's tables that store it, with whether its module makes them.
  let shadows: [Name: Bool]
  /// What the module makes besides.
  let other: [TableDescription]
}

/// Where the declarations of an untrusted schema are tried.
///
/// One table with its indexes and triggers after the other is declared, described and taken back:
/// SQLite looks at all that is there for each object that is made, and would need hours for a
/// hundred thousand of them.
struct SchemaSandbox {
  /// How many indexes of a table are looked at together.
  private static let indexesMax = 64

  private(set) var declarations: [Declaration] = []
  private(set) var refused: [RefusedStatement] = []
  private(set) var description = SchemaDescription()
  private(set) var defaults: [Name: [Value]] = [:]
  private(set) var virtualTables: [VirtualTable] = []

  private let groups: SchemaGroups
  /// Where the modules of the library make their tables.
  private let modules: SandboxDatabase
  /// Where every module is a stand-in, and each table is what its own statement says.
  private let plain: SandboxDatabase
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

  private mutating func declareOrdinary(_ group: SchemaGroups.Group) {
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

  private mutating func declare(_ entries: [SchemaEntry], in database: SandboxDatabase) {
    for entry in entries { _ = declare(entry, in: database) }
  }

  /// Declares an object, unless its name is taken.
  private mutating func declare(
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

  private func isTaken(_ entry: SchemaEntry) -> Bool {
    entry.kind == .trigger
      ? taken.triggers.contains(entry.name) : taken.objects.contains(entry.name)
  }

  private mutating func note(_ declaration: Declaration) {
    declarations.append(declaration)
    if declaration.kind == .trigger {
      taken.triggers.insert(declaration.name)
    } else {
      taken.objects.insert(declaration.name)
    }
  }

  // MARK: Virtual tables

  /// Declares a virtual table with the tables that store it: as its module makes them, where that
  /// agrees with the file; else each by its own statement.
  private mutating func declareVirtual(_ group: SchemaGroups.Group) {
    let start = declarations.count
    // The tables as the file has them, with their indexes and triggers.
    for name in group.shadows {
      guard let shadow = groups.groups[name], !shadow.claims.contains(where: \.isVirtual) else {
        continue
      }
      declareOrdinary(shadow)
    }
    let stored = (start..<declarations.count).filter { declarations[$0].kind == .table }
    var isMade = false
    for claim in group.claims {
      if claim.isVirtual, !isTaken(claim), declareThroughModule(claim, group, stored) {
        isMade = true
      } else {
        declareWithoutModule(claim)
      }
    }
    guard !isMade else { return }
    plain.takingBack { declare(group.indexes + group.triggers, in: plain) }
  }

  /// Declares a virtual table that can only be written down: its module is not here, or does not
  /// make the tables that the file has.
  private mutating func declareWithoutModule(_ claim: SchemaEntry) {
    plain.takingBack {
      guard let module = claim.virtualModule else {
        _ = declare(claim, in: plain)
        return describe(isFirst: true)
      }
      plain.connection.standIn(forModule: module.text)
      guard declare(claim, in: plain) != nil else { return }
      if !virtualTables.contains(where: { $0.name == claim.name }) {
        virtualTables.append(
          VirtualTable(
            name: claim.name, module: module, sql: claim.sql ?? "",
            storage: KnownModules.unstored.contains(module)
              ? .nothing : .unknown("the module '\(module)' is not here")))
      }
      declarations[declarations.count - 1].isOnlyRecorded = true
      description.tables.append(
        TableDescription(
          name: claim.name, kind: .virtual, columns: [], storageOrder: [], sql: claim.sql ?? ""))
    }
  }

  /// Declares a virtual table where its module is here and makes the tables that the file has.
  private mutating func declareThroughModule(
    _ claim: SchemaEntry, _ group: SchemaGroups.Group, _ stored: [Int]
  ) -> Bool {
    guard let module = claim.virtualModule, KnownModules.stored.contains(module) else {
      return false
    }
    var table = VirtualTable(
      name: claim.name, module: module, sql: claim.sql ?? "", storage: .nothing)
    var isMade = false
    modules.takingBack {
      let declaration: Declaration
      do throws(DeclarationFault) {
        declaration = try make(claim)
      } catch {
        table.storage = .unknown(error.reason)
        return
      }
      guard let family = family(of: &table, stored) else { return }
      note(declaration)
      take(family, of: claim.name, stored)
      declare(group.indexes + group.triggers, in: modules)
      isMade = true
    }
    virtualTables.append(table)
    return isMade
  }

  /// Takes in a virtual table that was just made.
  private mutating func take(_ family: VirtualFamily, of name: Name, _ stored: [Int]) {
    description.tables.append(family.table)
    for (name, isImplied) in family.shadows {
      guard let index = stored.first(where: { declarations[$0].name == name }) else { continue }
      declarations[index].family = family.table.name
      declarations[index].isImplied = isImplied
    }
    for index in description.tables.indices
    where family.shadows[description.tables[index].name] != nil {
      description.tables[index].kind = .shadow
    }
    description.tables += family.other
  }

  /// Makes a virtual table, with the table of its content beside it where the module asks for that.
  private func make(_ claim: SchemaEntry) throws(DeclarationFault) -> Declaration {
    do throws(DeclarationFault) {
      return try modules.connection.declare(claim)
    } catch {
      guard error.reason.hasPrefix("no such table"),
        let content = error.reason.split(whereSeparator: { " .".contains($0) }).last,
        groups.groups[Name(content)]?.claims.contains(where: { entry in
          (try? modules.connection.declare(entry)) != nil
        }) == true
      else { throw error }
      return try modules.connection.declare(claim)
    }
  }

  /// A virtual table that was just made, those of the file's tables that store it, with whether
  /// its module makes them, and what the module makes besides; nil where rows of the file have no
  /// place in what it makes, but for those of an index that can be built anew.
  private func family(of table: inout VirtualTable, _ stored: [Int]) -> VirtualFamily? {
    let name = table.name
    guard let made = try? SchemaReader.describe(modules.connection),
      let description = made.tables.first(where: { $0.name == name })
    else { return nil }
    for index in stored where !made.tables.contains(where: { $0.name == declarations[index].name })
    {
      // Only beside its virtual table SQLite tells whether a table stores it.
      try? modules.connection.declare(declarations[index])
    }
    guard let all = try? SchemaReader.describe(modules.connection) else { return nil }
    let parts = made.tables.filter { $0.kind == .shadow }
    table.columnCount = description.columns.count
    table.storage = .parts(
      parts.map { VirtualTable.Part(name: $0.name, columnCount: $0.columns.count) })
    var shadows: [Name: Bool] = [:]
    var haveRowsAPlace = true
    for index in stored {
      let name = declarations[index].name
      guard let other = all.tables.first(where: { $0.name == name }), other.kind == .shadow else {
        continue
      }
      let isPart = parts.contains { $0.name == name }
      shadows[name] = isPart
      guard let own = self.description.tables.first(where: { $0.name == name }) else { return nil }
      if isPart, !own.serves(as: other) { table.misshapen.append(name) }
      haveRowsAPlace =
        haveRowsAPlace && (own.hasPlace(in: other) || isPart && table.isComputed(name))
    }
    guard haveRowsAPlace else { return nil }
    return VirtualFamily(
      table: description, shadows: shadows, other: parts.filter { shadows[$0.name] == nil })
  }

  // MARK: Describing

  /// Takes in what SQLite says of the objects that are there now.
  private mutating func describe(isFirst: Bool) {
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

extension SchemaEntry {
  /// The module of a virtual table.
  fileprivate var virtualModule: Name? {
    kind == .table ? sql.flatMap { VirtualTableTokens($0)?.module } : nil
  }

  fileprivate var isVirtual: Bool { virtualModule != nil }
}

extension TableDescription {
  /// Whether each column has a place in another table, and none of that is left without one.
  fileprivate func hasPlace(in other: TableDescription) -> Bool {
    guard withoutRowID == other.withoutRowID else { return false }
    let mapping = ColumnMapping(from: RowShape(self, defaults: [], encoding: .utf8), to: other)
    return mapping.leftOut.isEmpty && mapping.targets.count == other.columns.count
  }
}

extension TableDescription {
  /// Whether whoever looks for the columns of another table finds them here.
  fileprivate func serves(as other: TableDescription) -> Bool {
    withoutRowID == other.withoutRowID && rowIDAlias == other.rowIDAlias
      && columns.count >= other.columns.count
      && zip(columns, other.columns).allSatisfy { $0.name == $1.name }
  }
}

extension VirtualTable {
  /// Whether the rows of a table that stores it can be computed of others.
  fileprivate func isComputed(_ part: Name) -> Bool {
    isFullText && hasTexts && part != Name("\(name)_content")
  }
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
