// SPDX-License-Identifier: Apache-2.0
// A schema as SQLite understands it: values to compare, not text.

public import SQLiteFormat

/// A schema as SQLite understands it; every list is sorted by name unless it says otherwise.
public struct SchemaDescription: Hashable, Sendable, Codable {
  /// The tables.
  public var tables: [TableDescription]
  /// The triggers.
  public var triggers: [NamedSQL]
  /// The views.
  public var views: [NamedSQL]

  /// Makes a description.
  public init(
    tables: [TableDescription] = [], triggers: [NamedSQL] = [], views: [NamedSQL] = []
  ) {
    self.tables = tables
    self.triggers = triggers
    self.views = views
  }
}

/// A trigger or view with its statement.
public struct NamedSQL: Hashable, Sendable, Codable {
  /// Its name.
  public var name: Name
  /// The table that it belongs to; a view's own name.
  public var table: Name
  /// Its statement.
  public var sql: String

  /// Makes an entry.
  public init(name: Name, table: Name, sql: String) {
    self.name = name
    self.table = table
    self.sql = sql
  }
}

/// A table as SQLite understands it.
public struct TableDescription: Hashable, Sendable, Codable {
  /// The kinds of table.
  public enum Kind: String, Hashable, Sendable, Codable {
    /// A table with rows of its own.
    case ordinary
    /// A table whose rows a module computes.
    case virtual
    /// A table in which a virtual table keeps its rows.
    case shadow
  }

  /// Its name.
  public var name: Name
  /// Its kind.
  public var kind: Kind
  /// Its columns in declared order.
  public var columns: [ColumnDescription]
  /// Whether it is WITHOUT ROWID.
  public var withoutRowID: Bool
  /// Whether it is STRICT.
  public var strict: Bool
  /// Whether its rowids are never used again.
  public var autoincrement: Bool
  /// The column that is the rowid under another name, by position.
  public var rowIDAlias: Int?
  /// The columns that records hold, by position, in the order of the record.
  public var storageOrder: [Int]
  /// Its indexes.
  public var indexes: [IndexDescription]
  /// Its foreign keys, in declared order.
  public var foreignKeys: [ForeignKeyDescription]
  /// The conditions of its CHECK constraints, in declared order.
  public var checks: [String]
  /// Its statement.
  public var sql: String

  /// Makes a description.
  public init(
    name: Name, kind: Kind = .ordinary, columns: [ColumnDescription],
    withoutRowID: Bool = false, strict: Bool = false, autoincrement: Bool = false,
    rowIDAlias: Int? = nil, storageOrder: [Int], indexes: [IndexDescription] = [],
    foreignKeys: [ForeignKeyDescription] = [], checks: [String] = [], sql: String
  ) {
    self.name = name
    self.kind = kind
    self.columns = columns
    self.withoutRowID = withoutRowID
    self.strict = strict
    self.autoincrement = autoincrement
    self.rowIDAlias = rowIDAlias
    self.storageOrder = storageOrder
    self.indexes = indexes
    self.foreignKeys = foreignKeys
    self.checks = checks
    self.sql = sql
  }
}

extension TableDescription {
  /// Whether the table has rows of its own in the file.
  public var isStored: Bool { kind != .virtual }
}

/// A column as SQLite understands it.
public struct ColumnDescription: Hashable, Sendable, Codable {
  /// Whether and how a column is computed.
  public enum Generated: String, Hashable, Sendable, Codable {
    /// It is stored as given.
    case none
    /// It is computed when read.
    case virtual
    /// It is computed when written.
    case stored
  }

  /// Its name.
  public var name: Name
  /// Its declared type; empty when there is none.
  public var type: String
  /// Whether NULL is refused.
  public var notNull: Bool
  /// The expression of its default.
  public var defaultSQL: String?
  /// Its position in the primary key, from 1; 0 when it is not part of it.
  public var primaryKeyPosition: Int
  /// Whether and how it is computed.
  public var generated: Generated
  /// The name of its collation.
  public var collation: Name

  /// Makes a description.
  public init(
    name: Name, type: String, notNull: Bool = false, defaultSQL: String? = nil,
    primaryKeyPosition: Int = 0, generated: Generated = .none, collation: Name = "BINARY"
  ) {
    self.name = name
    self.type = type
    self.notNull = notNull
    self.defaultSQL = defaultSQL
    self.primaryKeyPosition = primaryKeyPosition
    self.generated = generated
    self.collation = collation
  }
}

/// An index as SQLite understands it.
public struct IndexDescription: Hashable, Sendable, Codable {
  /// Where an index comes from.
  public enum Origin: String, Hashable, Sendable, Codable {
    /// A CREATE INDEX statement.
    case created
    /// A UNIQUE constraint.
    case uniqueConstraint
    /// A PRIMARY KEY.
    case primaryKey
  }

  /// Its name.
  public var name: Name
  /// Whether no two rows may have the same key.
  public var unique: Bool
  /// Where it comes from.
  public var origin: Origin
  /// The columns of its key, in order.
  public var columns: [IndexColumn]
  /// The condition of a partial index.
  public var predicate: String?
  /// Its statement; nil when SQLite made it for a constraint.
  public var sql: String?

  /// Makes a description.
  public init(
    name: Name, unique: Bool, origin: Origin, columns: [IndexColumn], predicate: String? = nil,
    sql: String? = nil
  ) {
    self.name = name
    self.unique = unique
    self.origin = origin
    self.columns = columns
    self.predicate = predicate
    self.sql = sql
  }
}

/// A column of an index.
public struct IndexColumn: Hashable, Sendable, Codable {
  /// The name of the table's column; nil for an expression.
  public var name: Name?
  /// The expression; nil for a column.
  public var expression: String?
  /// Whether larger keys come first.
  public var descending: Bool
  /// The name of the collation that orders it.
  public var collation: Name

  /// Makes a description.
  public init(
    name: Name?, expression: String? = nil, descending: Bool = false, collation: Name = "BINARY"
  ) {
    self.name = name
    self.expression = expression
    self.descending = descending
    self.collation = collation
  }
}

/// A foreign key as SQLite understands it.
public struct ForeignKeyDescription: Hashable, Sendable, Codable {
  /// The columns that refer.
  public var columns: [Name]
  /// The table that they refer to.
  public var table: Name
  /// The columns that they refer to; empty for the primary key.
  public var referencedColumns: [Name]
  /// What an update of the parent does.
  public var onUpdate: String
  /// What a deletion of the parent does.
  public var onDelete: String
  /// The MATCH clause.
  public var match: String
  /// Whether it is checked at the end of the transaction only.
  public var deferred: Bool

  /// Makes a description.
  public init(
    columns: [Name], table: Name, referencedColumns: [Name], onUpdate: String = "NO ACTION",
    onDelete: String = "NO ACTION", match: String = "NONE", deferred: Bool = false
  ) {
    self.columns = columns
    self.table = table
    self.referencedColumns = referencedColumns
    self.onUpdate = onUpdate
    self.onDelete = onDelete
    self.match = match
    self.deferred = deferred
  }
}
