// SPDX-License-Identifier: Apache-2.0
// What an app expects of its database: the document that everything is verified against.

package import SQLiteFormat

/// What an app expects of its database.
public struct Contract: Hashable, Sendable {
  /// The name of the document format.
  package static let format: String = "dbrescue.contract"
  /// The version of the document format that this library writes.
  package static let currentVersion: Int = 1

  /// The version of the document format.
  package var version: Int
  /// The name of the database, such as the app's.
  public var name: String
  /// The application id; nil when any will do.
  package var applicationID: Int32?
  /// The app's own version number, `PRAGMA user_version`.
  public var userVersion: Int32
  /// The tables, triggers and views.
  package var objects: SchemaDescription
  /// The full CREATE statements, in an order that executes.
  package var freshSchema: [String]
  /// Queries that must return no rows.
  package var invariants: [Invariant]
  /// Where rows wait to be sent.
  package var unsynced: [UnsyncedEntry]
  /// What a migration may do to the number of rows, by table; rows are conserved where nothing
  /// else is said.
  package var rowCounts: [Name: RowCountPolicy]
  /// Whether tables, indexes, triggers and views that are not expected are allowed.
  package var allowExtraObjects: Bool
  /// New names of tables by their old ones.
  package var renamedTables: [Name: Name]
  /// New names of columns by their old ones, by table.
  package var renamedColumns: [Name: [Name: Name]]
  /// Tables that are not looked at.
  package var ignoreTables: [Name]
  /// By whose rules schemas are compared.
  package var rules: SchemaRules
  /// What frameworks have noted in a database of this version.
  package var books: [Framework: FrameworkBook]
  /// What was noted when it was read; no part of the document.
  package var notes: [String] = []

  /// Makes a contract.
  package init(
    version: Int = Contract.currentVersion, name: String, applicationID: Int32? = nil,
    userVersion: Int32 = 0, objects: SchemaDescription = SchemaDescription(),
    freshSchema: [String] = [], invariants: [Invariant] = [], unsynced: [UnsyncedEntry] = [],
    rowCounts: [Name: RowCountPolicy] = [:], allowExtraObjects: Bool = false,
    renamedTables: [Name: Name] = [:], renamedColumns: [Name: [Name: Name]] = [:],
    ignoreTables: [Name] = [], rules: SchemaRules = .sqlite, books: [Framework: FrameworkBook] = [:]
  ) {
    self.version = version
    self.name = name
    self.applicationID = applicationID
    self.userVersion = userVersion
    self.objects = objects
    self.freshSchema = freshSchema
    self.invariants = invariants
    self.unsynced = unsynced
    self.rowCounts = rowCounts
    self.allowExtraObjects = allowExtraObjects
    self.renamedTables = renamedTables
    self.renamedColumns = renamedColumns
    self.ignoreTables = ignoreTables
    self.rules = rules
    self.books = books
  }

  /// What a migration may do to the number of rows of a table.
  package func rowCountPolicy(of table: Name) -> RowCountPolicy {
    rowCounts[table] ?? .conserved
  }
}

extension Contract {
  /// A query that must return no rows.
  package struct Invariant: Hashable, Sendable, Codable {
    /// Its name.
    public var name: String
    /// The query: every row that it returns breaks the rule.
    package var sql: String

    /// Makes an invariant.
    package init(name: String, sql: String) {
      self.name = name
      self.sql = sql
    }
  }

  /// A table in which rows wait to be sent, and which of them do.
  package struct UnsyncedEntry: Hashable, Sendable, Codable {
    /// Its name.
    public var name: String
    /// The table.
    package var table: Name
    /// The SQL expression that is true for a row that waits.
    package var predicate: String

    enum CodingKeys: String, CodingKey {
      case name, table
      case predicate = "where"
    }

    /// Makes an entry.
    package init(name: String, table: Name, predicate: String) {
      self.name = name
      self.table = table
      self.predicate = predicate
    }
  }

  /// What a migration may do to the number of rows of a table.
  package enum RowCountPolicy: String, Hashable, Sendable, Codable, CaseIterable {
    /// Every row stays.
    case conserved
    /// Rows may come and go.
    case any
  }
}

extension Contract: Codable {
  enum CodingKeys: String, CodingKey {
    case format, version, schema, name, applicationID, userVersion, freshSchema, invariants
    case unsynced, rowCounts, allowExtraObjects, renamedTables, renamedColumns, ignoreTables
    case rules, frameworks
  }

  /// Reads a contract; what is absent says nothing.
  ///
  /// One that people write need not name its format, and the first ones said `schema` and not
  /// `version`.
  ///
  /// - Throws: `DecodingError` for a document of another format, or one that lacks what it needs.
  public init(from decoder: any Decoder) throws {
    let values = try decoder.container(keyedBy: CodingKeys.self)
    if let format = try values.decodeIfPresent(String.self, forKey: .format),
      format != Self.format
    {
      throw DecodingError.dataCorruptedError(
        forKey: .format, in: values, debugDescription: "this is a document of another format")
    }
    self.init(
      version: try values.decodeIfPresent(Int.self, forKey: .schema)
        ?? values.decode(Int.self, forKey: .version),
      name: try values.decode(String.self, forKey: .name),
      applicationID: try values.decodeIfPresent(Int32.self, forKey: .applicationID),
      userVersion: try values.value(.userVersion, else: 0),
      objects: try SchemaDescription(from: decoder),
      freshSchema: try values.value(.freshSchema, else: []),
      invariants: try values.value(.invariants, else: []),
      unsynced: try values.value(.unsynced, else: []),
      rowCounts: try values.value(.rowCounts, else: [:]),
      allowExtraObjects: try values.value(.allowExtraObjects, else: false),
      renamedTables: try values.value(.renamedTables, else: [:]),
      renamedColumns: try values.value(.renamedColumns, else: [:]),
      ignoreTables: try values.value(.ignoreTables, else: []),
      rules: try values.value(.rules, else: .sqlite),
      books: Framework.books(try values.value(.frameworks, else: [:])))
  }

  /// Writes the contract without what says nothing.
  ///
  /// - Throws: What the encoder throws.
  public func encode(to encoder: any Encoder) throws {
    try objects.encode(to: encoder)
    var values = encoder.container(keyedBy: CodingKeys.self)
    try values.encode(Self.format, forKey: .format)
    try values.encode(version, forKey: .version)
    try values.encode(name, forKey: .name)
    try values.encodeIfPresent(applicationID, forKey: .applicationID)
    try values.encode(userVersion, forKey: .userVersion)
    try values.encode(freshSchema, .freshSchema, unless: [])
    try values.encode(invariants, .invariants, unless: [])
    try values.encode(unsynced, .unsynced, unless: [])
    try values.encode(rowCounts, .rowCounts, unless: [:])
    try values.encode(allowExtraObjects, .allowExtraObjects, unless: false)
    try values.encode(renamedTables, .renamedTables, unless: [:])
    try values.encode(renamedColumns, .renamedColumns, unless: [:])
    try values.encode(ignoreTables, .ignoreTables, unless: [])
    try values.encode(rules, .rules, unless: .sqlite)
    let named = Dictionary(books.map { ($0.key.word, $0.value) }) { first, _ in first }
    try values.encode(named, .frameworks, unless: [:])
  }
}
