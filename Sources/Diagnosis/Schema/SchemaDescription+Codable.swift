// SPDX-License-Identifier: Apache-2.0
// Descriptions as people read and write them in JSON: what is usual is left out.

import SQLiteFormat

extension KeyedDecodingContainer {
  /// The value of a key, or what is usual when there is none.
  func value<Result: Decodable>(
    _ key: Key, else usual: @autoclosure () -> Result
  ) throws -> Result {
    try decodeIfPresent(Result.self, forKey: key) ?? usual()
  }
}

extension KeyedEncodingContainer {
  /// Writes a value unless it is the usual one.
  mutating func encode<Written: Encodable & Equatable>(
    _ value: Written, _ key: Key, unless usual: Written
  ) throws {
    if value != usual { try encode(value, forKey: key) }
  }
}

extension SchemaDescription {
  enum CodingKeys: String, CodingKey {
    case tables, triggers, views
  }

  /// Reads a description; absent lists are empty.
  package init(from decoder: any Decoder) throws {
    let values = try decoder.container(keyedBy: CodingKeys.self)
    self.init(
      tables: try values.value(.tables, else: []), triggers: try values.value(.triggers, else: []),
      views: try values.value(.views, else: []))
  }

  /// Writes the description without empty lists.
  package func encode(to encoder: any Encoder) throws {
    var values = encoder.container(keyedBy: CodingKeys.self)
    try values.encode(tables, .tables, unless: [])
    try values.encode(triggers, .triggers, unless: [])
    try values.encode(views, .views, unless: [])
  }
}

extension TableDescription {
  enum CodingKeys: String, CodingKey {
    case name, kind, columns, withoutRowID, strict, autoincrement, rowIDAlias, storageOrder
    case indexes, foreignKeys, checks, sql
  }

  /// Reads a description; what is absent is as in a plain table.
  package init(from decoder: any Decoder) throws {
    let values = try decoder.container(keyedBy: CodingKeys.self)
    self.init(
      name: try values.decode(Name.self, forKey: .name),
      kind: try values.value(.kind, else: .ordinary),
      columns: try values.value(.columns, else: []),
      withoutRowID: try values.value(.withoutRowID, else: false),
      strict: try values.value(.strict, else: false),
      autoincrement: try values.value(.autoincrement, else: false), storageOrder: [],
      indexes: try values.value(.indexes, else: []),
      foreignKeys: try values.value(.foreignKeys, else: []),
      checks: try values.value(.checks, else: []), sql: try values.value(.sql, else: ""))
    // A column that is the rowid when that is usual, and is not here, is written as -1.
    let alias = try values.value(.rowIDAlias, else: usualRowIDAlias ?? -1)
    rowIDAlias = columns.indices.contains(alias) ? alias : nil
    storageOrder = try values.value(.storageOrder, else: usualStorageOrder)
  }

  /// Writes the description without what is as in a plain table.
  package func encode(to encoder: any Encoder) throws {
    var values = encoder.container(keyedBy: CodingKeys.self)
    try values.encode(name, forKey: .name)
    try values.encode(kind, .kind, unless: .ordinary)
    try values.encode(columns, .columns, unless: [])
    try values.encode(withoutRowID, .withoutRowID, unless: false)
    try values.encode(strict, .strict, unless: false)
    try values.encode(autoincrement, .autoincrement, unless: false)
    try values.encode(rowIDAlias ?? -1, .rowIDAlias, unless: usualRowIDAlias ?? -1)
    try values.encode(storageOrder, .storageOrder, unless: usualStorageOrder)
    try values.encode(indexes, .indexes, unless: [])
    try values.encode(foreignKeys, .foreignKeys, unless: [])
    try values.encode(checks, .checks, unless: [])
    try values.encode(sql, .sql, unless: "")
  }

  /// The one INTEGER PRIMARY KEY of a table with rowids.
  private var usualRowIDAlias: Int? {
    let key = columns.indices.filter { columns[$0].primaryKeyPosition > 0 }
    guard kind != .virtual, !withoutRowID, key.count == 1,
      Name(columns[key[0]].type) == "INTEGER"
    else { return nil }
    return key[0]
  }

  /// Declared order, in a table without rowids after the key; without computed columns.
  private var usualStorageOrder: [Int] {
    let stored = columns.indices.filter { columns[$0].generated != .virtual }
    guard withoutRowID else { return stored }
    let key = stored.filter { columns[$0].primaryKeyPosition > 0 }
      .sorted { columns[$0].primaryKeyPosition < columns[$1].primaryKeyPosition }
    return key + stored.filter { columns[$0].primaryKeyPosition == 0 }
  }
}

extension ColumnDescription {
  enum CodingKeys: String, CodingKey {
    case name, type, notNull, collation, generated
    case defaultSQL = "default"
    case primaryKeyPosition = "primaryKey"
  }

  /// Reads a description; what is absent is as in a plain column.
  package init(from decoder: any Decoder) throws {
    let values = try decoder.container(keyedBy: CodingKeys.self)
    self.init(
      name: try values.decode(Name.self, forKey: .name), type: try values.value(.type, else: ""),
      notNull: try values.value(.notNull, else: false),
      defaultSQL: try values.decodeIfPresent(String.self, forKey: .defaultSQL),
      primaryKeyPosition: try values.value(.primaryKeyPosition, else: 0),
      generated: try values.value(.generated, else: .none),
      collation: try values.value(.collation, else: "BINARY"))
  }

  /// Writes the description without what is as in a plain column.
  package func encode(to encoder: any Encoder) throws {
    var values = encoder.container(keyedBy: CodingKeys.self)
    try values.encode(name, forKey: .name)
    try values.encode(type, .type, unless: "")
    try values.encode(notNull, .notNull, unless: false)
    try values.encodeIfPresent(defaultSQL, forKey: .defaultSQL)
    try values.encode(primaryKeyPosition, .primaryKeyPosition, unless: 0)
    try values.encode(generated, .generated, unless: .none)
    try values.encode(collation, .collation, unless: "BINARY")
  }
}

extension IndexDescription {
  enum CodingKeys: String, CodingKey {
    case name, unique, origin, columns, predicate, sql
  }

  /// Reads a description; what is absent is as in a plain index.
  package init(from decoder: any Decoder) throws {
    let values = try decoder.container(keyedBy: CodingKeys.self)
    self.init(
      name: try values.decode(Name.self, forKey: .name),
      unique: try values.value(.unique, else: false),
      origin: try values.value(.origin, else: .created),
      columns: try values.decode([IndexColumn].self, forKey: .columns),
      predicate: try values.decodeIfPresent(String.self, forKey: .predicate),
      sql: try values.decodeIfPresent(String.self, forKey: .sql))
  }

  /// Writes the description without what is as in a plain index.
  package func encode(to encoder: any Encoder) throws {
    var values = encoder.container(keyedBy: CodingKeys.self)
    try values.encode(name, forKey: .name)
    try values.encode(unique, .unique, unless: false)
    try values.encode(origin, .origin, unless: .created)
    try values.encode(columns, forKey: .columns)
    try values.encodeIfPresent(predicate, forKey: .predicate)
    try values.encodeIfPresent(sql, forKey: .sql)
  }
}

extension IndexColumn {
  enum CodingKeys: String, CodingKey {
    case name, expression, descending, collation
  }

  /// Reads a description; absent are the usual order and collation.
  package init(from decoder: any Decoder) throws {
    let values = try decoder.container(keyedBy: CodingKeys.self)
    self.init(
      name: try values.decodeIfPresent(Name.self, forKey: .name),
      expression: try values.decodeIfPresent(String.self, forKey: .expression),
      descending: try values.value(.descending, else: false),
      collation: try values.value(.collation, else: "BINARY"))
  }

  /// Writes the description without the usual order and collation.
  package func encode(to encoder: any Encoder) throws {
    var values = encoder.container(keyedBy: CodingKeys.self)
    try values.encodeIfPresent(name, forKey: .name)
    try values.encodeIfPresent(expression, forKey: .expression)
    try values.encode(descending, .descending, unless: false)
    try values.encode(collation, .collation, unless: "BINARY")
  }
}

extension ForeignKeyDescription {
  enum CodingKeys: String, CodingKey {
    case columns, table, referencedColumns, onUpdate, onDelete, match, deferred
  }

  /// Reads a description; what is absent is as in a plain foreign key.
  package init(from decoder: any Decoder) throws {
    let values = try decoder.container(keyedBy: CodingKeys.self)
    self.init(
      columns: try values.decode([Name].self, forKey: .columns),
      table: try values.decode(Name.self, forKey: .table),
      referencedColumns: try values.value(.referencedColumns, else: []),
      onUpdate: try values.value(.onUpdate, else: "NO ACTION"),
      onDelete: try values.value(.onDelete, else: "NO ACTION"),
      match: try values.value(.match, else: "NONE"),
      deferred: try values.value(.deferred, else: false))
  }

  /// Writes the description without what is as in a plain foreign key.
  package func encode(to encoder: any Encoder) throws {
    var values = encoder.container(keyedBy: CodingKeys.self)
    try values.encode(columns, forKey: .columns)
    try values.encode(table, forKey: .table)
    try values.encode(referencedColumns, .referencedColumns, unless: [])
    try values.encode(onUpdate, .onUpdate, unless: "NO ACTION")
    try values.encode(onDelete, .onDelete, unless: "NO ACTION")
    try values.encode(match, .match, unless: "NONE")
    try values.encode(deferred, .deferred, unless: false)
  }
}
