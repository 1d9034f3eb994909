// SPDX-License-Identifier: Apache-2.0
// Where SQL found in a file is parsed: in memory, group by group, declarations only.

import Diagnosis
import SQLiteFormat

/// A database in memory, into which declarations of an untrusted schema go.
final class SandboxDatabase {
  /// How many steps of SQLite's machine a whole schema may take.
  private static let stepsMax = 200_000_000

  let connection: Connection

  /// Makes a database for one of so many shares of a schema.
  init(shares: Int = 1) throws(SQLiteError) {
    connection = try Connection(mode: .memory)
    connection.limitForUntrustedSQL(statementBytes: Connection.statementBytesMax)
    connection.acceptUnknownCollations()
    connection.patience.allow(Self.stepsMax / shares)
  }

  /// The statement that SQLite has stored for an object: without the name of a database in it.
  func storedStatement(of declaration: Declaration) -> String? {
    let found = try? connection.value(
      "SELECT sql FROM sqlite_schema WHERE type = ? AND name = ? COLLATE NOCASE",
      [.text(declaration.kind.rawValue), .text(declaration.name)])
    return (found ?? nil)?.utf8String
  }

  /// Refuses a table of which SQLite can read no row, as a generated column needs itself: it says so
  /// only when the table is read.
  func requireReadable(_ declaration: Declaration) throws(DeclarationFault) {
    guard declaration.sql.mayHaveGeneratedColumns else { return }
    let table = declaration.name.quotedIdentifier
    do throws(SQLiteError) {
      _ = try connection.prepare("SELECT * FROM \(table)")
    } catch {
      // What cannot be dropped goes with its group.
      try? connection.execute("DROP TABLE \(table)")
      throw DeclarationFault(reason: error.message, weight: .unreadable)
    }
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
/// hundred thousand of them. A schema of very many goes in shares, side by side.
struct SchemaSandbox {
  /// Into how many shares a schema goes, and from how many pieces on.
  private static let (shareCount, piecesMin) = (6, 200)

  var declarations: [Declaration] = []
  private(set) var refused: [RefusedStatement] = []
  var description = SchemaDescription()
  private(set) var defaults: [Name: [Value]] = [:]
  var virtualTables: [VirtualTable] = []
  /// The indexes of tables that have more than go into one piece, without those of the first.
  private var furtherIndexes: [Name: [IndexDescription]] = [:]
  /// The table of the pieces that are being declared, where it was accepted.
  private var owner: Declaration?

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
  init(_ groups: SchemaGroups, shares: Int = 1) throws(SQLiteError) {
    self.groups = groups
    modules = try SandboxDatabase(shares: shares)
    plain = try SandboxDatabase(shares: shares)
  }

  /// Declares every group.
  mutating func declareAll() {
    if let pieces = groups.independentPieces, pieces.count >= Self.piecesMin,
      let shares = Self.declare(pieces)
    {
      for share in shares { take(share) }
    } else {
      declareGroups()
    }
    for place in description.tables.indices {
      description.tables[place].indexes += furtherIndexes[description.tables[place].name] ?? []
    }
    description.tables.sort { $0.name < $1.name }
    description.views.sort { $0.name < $1.name }
    description.triggers.sort { $0.name < $1.name }
  }

  private mutating func declareGroups() {
    for name in groups.names {
      guard let group = groups.groups[name] else { continue }
      if group.claims.contains(where: \.isVirtual) {
        declareVirtual(group)
      } else {
        declareOrdinary(group)
      }
    }
  }

  // MARK: Shares

  /// What became of a share of a schema.
  private struct Share: Sendable {
    let declarations: [Declaration]
    let refused: [RefusedStatement]
    let description: SchemaDescription
    let defaults: [Name: [Value]]
    let furtherIndexes: [Name: [IndexDescription]]
  }

  /// Declares pieces of which none needs to know of another; nil where memory is short.
  private static func declare(_ pieces: [SchemaGroups.Piece]) -> [Share]? {
    let size = (pieces.count + shareCount - 1) / shareCount
    let shares = Cores.map((pieces.count + size - 1) / size) { number -> Share? in
      guard var sandbox = try? SchemaSandbox(SchemaGroups([]), shares: shareCount) else {
        return nil
      }
      let share = pieces[(number * size)..<min((number + 1) * size, pieces.count)]
      if let first = share.first, !first.isFirst { sandbox.goOn(with: first) }
      for piece in share { sandbox.declare(piece) }
      return Share(
        declarations: sandbox.declarations, refused: sandbox.refused,
        description: sandbox.description, defaults: sandbox.defaults,
        furtherIndexes: sandbox.furtherIndexes)
    }
    let all = shares.compactMap(\.self)
    return all.count == shares.count ? all : nil
  }

  /// Makes ready for pieces of a table whose first one is in another share.
  private mutating func goOn(with piece: SchemaGroups.Piece) {
    plain.takingBack {
      for claim in piece.claims { owner = (try? plain.connection.declare(claim)) ?? owner }
    }
  }

  private mutating func take(_ share: Share) {
    declarations += share.declarations
    refused += share.refused
    description.tables += share.description.tables
    description.views += share.description.views
    description.triggers += share.description.triggers
    defaults.merge(share.defaults) { first, _ in first }
    furtherIndexes.merge(share.furtherIndexes, uniquingKeysWith: +)
  }

  // MARK: Ordinary tables and views

  mutating func declareOrdinary(_ group: SchemaGroups.Group) {
    for piece in group.pieces { declare(piece) }
  }

  private mutating func declare(_ piece: SchemaGroups.Piece) {
    plain.takingBack {
      if piece.isFirst {
        owner = nil
        for claim in piece.claims { owner = declare(claim, in: plain) ?? owner }
      } else if let owner {
        try? plain.connection.declare(owner)
      }
      declare(piece.indexes, in: plain)
      declare(piece.triggers, in: plain)
      describe(isFirst: piece.isFirst)
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
      if entry.kind == .table { try database.requireReadable(declaration) }
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
        furtherIndexes[table.name, default: []] += table.indexes.filter { $0.origin == .created }
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
  /// written before the column was added: only constants count, and it knows which ones are.
  private static func defaults(
    of table: TableDescription, _ connection: borrowing Connection
  ) -> [Value] {
    table.columns.map { column in
      guard let sql = column.defaultSQL else { return .null }
      let tokens = SQLTokens(parsing: sql)
      let affinity = Affinity(declaredType: column.type, strict: table.strict)
      return tokens.plainValue(affinity)
        ?? (try? connection.addedDefault(
          sql, isExpression: tokens.tokens.count > 1, affinity)) ?? .null
    }
  }
}

extension Declaration {
  /// Whether the object has no pages, and is made by its row in the schema alone.
  fileprivate var isWrittenDown: Bool { kind == .view || kind == .trigger }
}

extension String {
  /// Whether the word AS is in a statement, without which no column is generated.
  ///
  /// There may be very many statements, and what is found in a name or a text does no harm.
  fileprivate var mayHaveGeneratedColumns: Bool {
    var (length, isSame) = (0, true)
    for byte in utf8 {
      let letter = byte | 0x20
      guard UInt8(ascii: "a")...UInt8(ascii: "z") ~= letter else {
        if length == 2, isSame { return true }
        (length, isSame) = (0, true)
        continue
      }
      isSame = isSame && length < 2 && letter == UInt8(ascii: length == 0 ? "a" : "s")
      length += 1
    }
    return false
  }
}

extension SQLTokens {
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
  ///
  /// A name by itself, in quotes or without, is a text: `DEFAULT active`. In the parentheses that an
  /// expression needs it would be a column.
  ///
  /// - Throws: ``SQLiteError`` where it is not the same for every row, as the time is not. Nothing is
  ///   computed to tell.
  fileprivate func addedDefault(
    _ sql: String, isExpression: Bool, _ affinity: Affinity
  ) throws(SQLiteError) -> Value? {
    let table = "a row from before".quotedIdentifier
    try execute("CREATE TABLE \(table) (a); INSERT INTO \(table) VALUES (1)")
    defer { try? execute("DROP TABLE \(table)") }
    // An expression may end in a comment.
    let constant = isExpression ? "(\(sql)\n)" : sql
    let column = "b \(affinity.typeName) DEFAULT \(constant)"
    try prepare("ALTER TABLE \(table) ADD COLUMN \(column)").run([])
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
