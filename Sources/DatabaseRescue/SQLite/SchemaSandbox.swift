// SPDX-License-Identifier: Apache-2.0
// Where SQL found in a file is parsed: in memory, group by group, declarations only.

import Diagnosis
import SQLiteFormat

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
}

extension Declaration {
  /// Whether the object has no pages, and is made by its row in the schema alone.
  fileprivate var isWrittenDown: Bool { kind == .view || kind == .trigger }
}
