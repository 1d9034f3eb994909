// SPDX-License-Identifier: Apache-2.0
// What SQLite makes of the SQL of a schema that nobody vouches for.

package import Diagnosis
package import SQLiteFormat

/// A schema of which every statement is known to be a declaration, or was refused.
package struct DeclaredSchema: Sendable {
  /// The declarations, in the order in which they can be carried out: tables, then virtual tables
  /// and what their modules make, then indexes, views and triggers.
  package private(set) var declarations: [Declaration] = []
  /// The statements that were not accepted.
  package private(set) var refused: [RefusedStatement] = []
  /// What SQLite says of the objects.
  package private(set) var description = SchemaDescription()
  /// The value of every column's DEFAULT, by table; text in UTF-8.
  package private(set) var defaults: [Name: [Value]] = [:]
  /// The virtual tables, with what their modules make.
  package private(set) var virtualTables: [VirtualTable] = []
  private var tables: [Name: TableDescription] = [:]
  private var tableDeclarations: [Name: Declaration] = [:]
  private var indexDeclarations: [Name: [Declaration]] = [:]

  /// The schema as its rows: the declarations, and the tables that modules make with theirs.
  package var entries: [SchemaEntry] {
    let declared = Set(declarations.map(\.name))
    return declarations.map(\.entry)
      + description.tables.filter { $0.kind == .shadow && !declared.contains($0.name) }.map {
        SchemaEntry(kind: .table, name: $0.name, table: $0.name, root: nil, sql: $0.sql)
      }
  }

  /// Has SQLite parse the statements of a schema; what is no declaration is refused, never run.
  ///
  /// Of several rows with one name the first counts whose statement is accepted.
  package init(_ entries: [SchemaEntry]) {
    do throws(SQLiteError) {
      var sandbox = try SchemaSandbox(SchemaGroups(entries))
      sandbox.declareAll()
      declarations = sandbox.declarations.sorted { $0.rank < $1.rank }
      refused = sandbox.refused + Self.indexesOfNoTable(in: entries, sandbox)
      description = sandbox.description
      defaults = sandbox.defaults
      virtualTables = sandbox.virtualTables
      tables = Dictionary(description.tables.map { ($0.name, $0) }) { first, _ in first }
      tableDeclarations = Dictionary(
        declarations.lazy.filter { $0.kind == .table }.map { ($0.name, $0) }
      ) { first, _ in first }
      indexDeclarations = Dictionary(
        grouping: declarations.lazy.filter { $0.kind == .index }, by: \.table)
    } catch {
      refused = [
        RefusedStatement(name: "sqlite_schema", reason: error.message, weight: .unchecked)
      ]
    }
  }

  /// What SQLite says of a table, by name.
  func table(named name: Name) -> TableDescription? { tables[name] }

  /// The statement of a table.
  func declaration(of table: Name) -> Declaration? { tableDeclarations[table] }

  /// The statements of the indexes over a table, in the order in which they can be carried out.
  func indexes(over table: Name) -> [Declaration] { indexDeclarations[table] ?? [] }

  /// This schema with what another one has besides; of one name, this one's counts.
  package func completed(by other: DeclaredSchema) -> DeclaredSchema {
    DeclaredSchema(entries + other.entries)
  }

  /// Indexes without a statement, which SQLite makes for constraints, that no table has.
  private static func indexesOfNoTable(
    in entries: [SchemaEntry], _ sandbox: SchemaSandbox
  ) -> [RefusedStatement] {
    var known = Set(sandbox.refused.map(\.name))
    for table in sandbox.description.tables { known.formUnion(table.indexes.map(\.name)) }
    return entries.filter { entry in
      entry.kind == .index && entry.sql == nil && !known.contains(entry.name)
        && !known.contains(entry.table)
    }.map {
      RefusedStatement(name: $0.name, reason: "no table has such an index", weight: .unreadable)
    }
  }
}

extension Declaration {
  /// When an object can be made, among the others of its schema.
  fileprivate var rank: Int {
    switch kind {
    case .table: module == nil ? (family == nil ? 0 : 2) : 1
    case .index: 3
    case .view: 4
    case .trigger: 5
    }
  }
}

/// Parses schemas, and computes what they say of rows, in sandboxes of their own.
package struct SandboxParser: SchemaParsing {
  private let effort = Effort()

  /// Makes a parser.
  package init() {}

  /// Parses the statements of a schema; what cannot be parsed is listed, never thrown.
  package func parse(_ entries: [SchemaEntry]) -> ParsedSchema {
    let schema = DeclaredSchema(entries)
    return ParsedSchema(
      description: schema.description, refused: schema.refused, defaults: schema.defaults,
      virtualTables: schema.virtualTables)
  }

  /// Makes ready to compute what follows from the rows of a table by expressions of its schema.
  package func computation(for table: ComputedTable) -> any RowComputation {
    SandboxComputation(table, effort)
  }
}
