// SPDX-License-Identifier: Apache-2.0
// A schema as SQLite understands it: values to compare, not text.

package import SQLiteFormat

/// A schema as SQLite understands it; every list is sorted by name unless it says otherwise.
package struct SchemaDescription: Hashable, Sendable, Codable {
  /// The tables.
  package var tables: [TableDescription]
  /// The triggers.
  package var triggers: [NamedSQL]
  /// The views.
  package var views: [NamedSQL]

  /// Makes a description.
  package init(
    tables: [TableDescription] = [], triggers: [NamedSQL] = [], views: [NamedSQL] = []
  ) {
    self.tables = tables
    self.triggers = triggers
    self.views = views
  }
}

/// A trigger or view with its statement.
package struct NamedSQL: Hashable, Sendable, Codable {
  /// Its name.
  package var name: Name
  /// The table that it belongs to; a view's own name.
  package var table: Name
  /// Its statement.
  package var sql: String

  /// Makes an entry.
  package init(name: Name, table: Name, sql: String) {
    self.name = name
    self.table = table
    self.sql = sql
  }
}

/// A table as SQLite understands it.
package struct TableDescription: Hashable, Sendable, Codable {
  /// The kinds of table.
  package enum Kind: String, Hashable, Sendable, Codable {
    /// A table with rows of its own.
    case ordinary
    /// A table whose rows a module computes.
    case virtual
    /// A table in which a virtual table keeps its rows.
    case shadow
  }

  /// Its name.
  package var name: Name
  /// Its kind.
  package var kind: Kind
  /// Its columns in declared order.
  package var columns: [ColumnDescription]
  /// Whether it is WITHOUT ROWID.
  package var withoutRowID: Bool
  /// Whether it is STRICT.
  package var strict: Bool
  /// Whether its rowids are never used again.
  package var autoincrement: Bool
  /// The column that is the rowid under another name, by position.
  package var rowIDAlias: Int?
  /// The columns that records hold, by position, in the order of the record.
  package var storageOrder: [Int]
  /// Its indexes.
  package var indexes: [IndexDescription]
  /// Its foreign keys, in declared order.
  package var foreignKeys: [ForeignKeyDescription]
  /// The conditions of its CHECK constraints, in declared order.
  package var checks: [String]
  /// Its statement.
  package var sql: String

  /// Makes a description.
  package init(
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

  /// The column that is the rowid; nil where none is.
  package var rowIDColumn: Name? {
    rowIDAlias.flatMap { columns.indices.contains($0) ? columns[$0].name : nil }
  }
}

extension TableDescription {
  /// Whether the table has rows of its own in the file.
  package var isStored: Bool { kind != .virtual }

  /// The columns of a WITHOUT ROWID table's key that end the entries of an index over it: those
  /// that the index does not have already, under the same collation.
  func keyColumns(addedTo index: IndexDescription) -> [IndexColumn] {
    guard withoutRowID, let key = indexes.first(where: { $0.origin == .primaryKey }) else {
      return []
    }
    return key.columns.filter { column in
      !index.columns.contains {
        $0.name == column.name && $0.collation == column.collation
      }
    }
  }
}

/// A column as SQLite understands it.
package struct ColumnDescription: Hashable, Sendable, Codable {
  /// Whether and how a column is computed.
  package enum Generated: String, Hashable, Sendable, Codable {
    /// It is stored as given.
    case none
    /// It is computed when read.
    case virtual
    /// It is computed when written.
    case stored
  }

  /// Its name.
  package var name: Name
  /// Its declared type; empty when there is none.
  package var type: String
  /// Whether NULL is refused.
  package var notNull: Bool
  /// The expression of its default.
  package var defaultSQL: String?
  /// Its position in the primary key, from 1; 0 when it is not part of it.
  package var primaryKeyPosition: Int
  /// Whether and how it is computed.
  package var generated: Generated
  /// The name of its collation.
  package var collation: Name

  /// Makes a description.
  package init(
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
package struct IndexDescription: Hashable, Sendable, Codable {
  /// Where an index comes from.
  package enum Origin: String, Hashable, Sendable, Codable {
    /// A CREATE INDEX statement.
    case created
    /// A UNIQUE constraint.
    case uniqueConstraint
    /// A PRIMARY KEY.
    case primaryKey
  }

  /// Its name.
  package var name: Name
  /// Whether no two rows may have the same key.
  package var unique: Bool
  /// Where it comes from.
  package var origin: Origin
  /// The columns of its key, in order.
  package var columns: [IndexColumn]
  /// The condition of a partial index.
  package var predicate: String?
  /// Its statement; nil when SQLite made it for a constraint.
  package var sql: String?

  /// Makes a description.
  package init(
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
package struct IndexColumn: Hashable, Sendable, Codable {
  /// The name of the table's column; nil for an expression.
  package var name: Name?
  /// The expression; nil for a column.
  package var expression: String?
  /// Whether larger keys come first.
  package var descending: Bool
  /// The name of the collation that orders it.
  package var collation: Name

  /// Makes a description.
  package init(
    name: Name?, expression: String? = nil, descending: Bool = false, collation: Name = "BINARY"
  ) {
    self.name = name
    self.expression = expression
    self.descending = descending
    self.collation = collation
  }
}

/// A foreign key as SQLite understands it.
package struct ForeignKeyDescription: Hashable, Sendable, Codable {
  /// The columns that refer.
  package var columns: [Name]
  /// The table that they refer to.
  package var table: Name
  /// The columns that they refer to; empty for the primary key.
  package var referencedColumns: [Name]
  /// What an update of the parent does.
  package var onUpdate: String
  /// What a deletion of the parent does.
  package var onDelete: String
  /// The MATCH clause.
  package var match: String
  /// Whether it is checked at the end of the transaction only.
  package var deferred: Bool

  /// Makes a description.
  package init(
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

extension TableDescription {
  /// The columns of the primary key, in its order.
  var primaryKeyNames: [Name] {
    columns.filter { $0.primaryKeyPosition > 0 }
      .sorted { $0.primaryKeyPosition < $1.primaryKeyPosition }.map(\.name)
  }
}

extension ForeignKeyDescription {
  /// The columns of its parent that it refers to: where it names none, those of the primary key.
  package func referenced(in parent: TableDescription?) -> [Name] {
    referencedColumns.isEmpty ? parent?.primaryKeyNames ?? [] : referencedColumns
  }
}
