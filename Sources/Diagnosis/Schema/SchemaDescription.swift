// SPDX-License-Identifier: Apache-2.0
// temporary stand-in
public struct SchemaDescription: Codable, Hashable, Sendable {
  public var tables: [TableDescription]; public var triggers: [NamedSQL];
  public var views: [NamedSQL]
  public init(tables: [TableDescription], triggers: [NamedSQL], views: [NamedSQL]) {
    self.tables = tables; self.triggers = triggers; self.views = views
  }
}
public struct NamedSQL: Codable, Hashable, Sendable {
  public var name: String; public var table: String; public var sql: String
}
public struct TableDescription: Codable, Hashable, Sendable {
  public enum Kind: String, Codable, Hashable, Sendable { case ordinary, virtual, shadow }
  public var name: String; public var kind: Kind; public var columns: [ColumnDescription];
  public var withoutRowID: Bool; public var strict: Bool; public var autoincrement: Bool;
  public var rowIDAlias: Int?; public var storageOrder: [Int];
  public var indexes: [IndexDescription]; public var sql: String
}
public struct ColumnDescription: Codable, Hashable, Sendable {
  public enum Generated: String, Codable, Hashable, Sendable { case none, virtual, stored }
  public var name: String; public var type: String; public var notNull: Bool;
  public var defaultSQL: String?; public var primaryKeyPosition: Int;
  public var generated: Generated; public var collation: String
}
public struct IndexDescription: Codable, Hashable, Sendable {
  public enum Origin: String, Codable, Hashable, Sendable {
    case created, uniqueConstraint, primaryKey
  }
  public var name: String; public var unique: Bool; public var origin: Origin;
  public var columns: [IndexColumn]; public var predicate: String?; public var sql: String?
}
public struct IndexColumn: Codable, Hashable, Sendable {
  public var name: String?; public var expression: String?; public var descending: Bool;
  public var collation: String
}
