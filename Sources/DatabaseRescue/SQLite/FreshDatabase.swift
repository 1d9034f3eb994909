// SPDX-License-Identifier: Apache-2.0
// A new database file with a given schema, filled row by row, finished last with everything
// that could fire or compute: views, triggers, ordinary indexes.

internal import CSQLite
package import Diagnosis
package import SQLiteFormat

/// The schema that a fresh database is made with.
package struct FreshSchema: Sendable {
  /// The statements, in an order that executes: tables before what depends on them.
  package var entries: [SchemaEntry]
  /// What SQLite makes of them.
  package var description: SchemaDescription
  /// The app's own version number.
  package var userVersion: Int32
  /// The application id.
  package var applicationID: Int32
  /// The page size in bytes.
  package var pageSize: Int
  /// The text encoding.
  package var encoding: TextEncoding
  /// `PRAGMA auto_vacuum`: 0 none, 1 full, 2 incremental.
  package var autoVacuum: Int

  /// Makes a schema.
  package init(
    entries: [SchemaEntry], description: SchemaDescription, userVersion: Int32,
    applicationID: Int32, pageSize: Int = 4096, encoding: TextEncoding = .utf8, autoVacuum: Int = 0
  ) {
    self.entries = entries
    self.description = description
    self.userVersion = userVersion
    self.applicationID = applicationID
    self.pageSize = pageSize
    self.encoding = encoding
    self.autoVacuum = autoVacuum
  }

  /// A table, by name.
  package func table(named name: Name) -> TableDescription? {
    description.tables.first { $0.name == name }
  }
}

/// A statement of a schema that could not be carried out.
package struct UnrestoredObject: Hashable, Sendable {
  /// What it would have made.
  package let kind: SchemaEntry.Kind
  /// Its name.
  package let name: Name
  /// Why, in SQLite's words.
  package let reason: String
}

/// A new database being filled.
///
/// One transaction without a journal on disk: the file counts only once it has been finished,
/// checked and renamed by the caller.
package struct FreshDatabase: ~Copyable {
  private var connection: Connection
  private let schema: FreshSchema
  private let path: FilePath
  private let isCancelled: (@Sendable () -> Bool)?
  private let deferredTypes = DeferredTypes()
  /// Statements that could not be carried out so far.
  package private(set) var unrestored: [UnrestoredObject] = []

  /// Makes the file with its tables and its unique indexes, empty.
  ///
  /// Once `isCancelled` says so, every statement fails.
  ///
  /// - Throws: ``SQLiteError`` when the file cannot be made.
  package init(
    at path: FilePath, schema: FreshSchema, isCancelled: (@Sendable () -> Bool)? = nil
  ) throws(SQLiteError) {
    let connection = try Self.open(path, isCancelled)
    try connection.execute(
      """
      PRAGMA page_size = \(schema.pageSize);
      PRAGMA encoding = '\(schema.encoding.name)';
      PRAGMA auto_vacuum = \(schema.autoVacuum);
      PRAGMA user_version = \(schema.userVersion);
      PRAGMA application_id = \(schema.applicationID);
      BEGIN
      """)
    self.connection = connection
    self.schema = schema
    self.path = path
    self.isCancelled = isCancelled
    create(schema.entries.filter { $0.kind == .table })
    create(schema.entries.filter { $0.kind == .index && isUnique($0.name) })
  }

  private static func open(
    _ path: FilePath, _ isCancelled: (@Sendable () -> Bool)?
  ) throws(SQLiteError) -> Connection {
    var connection = try Connection(path, mode: .create)
    if let isCancelled { connection.stop(when: isCancelled) }
    // Shadow tables of virtual tables are filled directly; the file is ours alone. Its schema has
    // been through the sandbox, and may use any built-in function.
    connection.configure(SQLITE_DBCONFIG_DEFENSIVE, false)
    connection.configure(SQLITE_DBCONFIG_TRUSTED_SCHEMA, true)
    try connection.execute(
      """
      PRAGMA journal_mode = MEMORY;
      PRAGMA synchronous = OFF;
      PRAGMA locking_mode = EXCLUSIVE;
      PRAGMA cache_size = -32768;
      PRAGMA foreign_keys = OFF;
      """)
    return connection
  }

  private func isUnique(_ index: Name) -> Bool {
    schema.description.tables.contains { table in
      table.indexes.contains { $0.name == index && $0.unique }
    }
  }

  /// Carries out statements; those that fail are noted and the others go on.
  private mutating func create(_ entries: [SchemaEntry]) {
    for entry in entries {
      guard let sql = entry.sql, !entry.name.isReserved, !exists(entry)
      else { continue }
      do {
        try connection.prepare(sql).run([])
      } catch {
        unrestored.append(
          UnrestoredObject(kind: entry.kind, name: entry.name, reason: error.message))
      }
    }
  }

  /// Whether an object is there already: shadow tables come with their virtual table.
  private func exists(_ entry: SchemaEntry) -> Bool {
    let found = try? connection.value(
      "SELECT 1 FROM sqlite_schema WHERE type = ? AND name = ? COLLATE NOCASE",
      [.text(entry.kind.rawValue), .text(entry.name.text)])
    return found != nil
  }

  /// Whether a table was made.
  package func hasTable(_ name: Name) -> Bool {
    exists(SchemaEntry(kind: .table, name: name, table: name, root: nil, sql: nil))
  }

  /// Prepares to insert rows into a table.
  ///
  /// - Throws: ``SQLiteError`` when the table is not there.
  package func loader(
    for table: TableDescription, _ mapping: ColumnMapping, _ shape: RowShape,
    encoding: TextEncoding
  ) throws(SQLiteError) -> RowLoader {
    try RowLoader(
      connection, table, mapping, shape, encoding: encoding, to: schema.encoding, deferredTypes)
  }

  /// Prepares to look for rows of a table by what identifies them in the file; nil where the
  /// fresh table does not keep that.
  ///
  /// - Throws: ``SQLiteError`` when the table is not there.
  package func lookup(
    in table: Name, _ mapping: ColumnMapping, keyCount: Int, encoding: TextEncoding
  ) throws(SQLiteError) -> RowLookup? {
    guard let identity = RowLookup.Identity(mapping, keyCount: keyCount) else { return nil }
    return try RowLookup(connection, table, by: identity, encoding: encoding)
  }

  /// Empties a shadow table of what its virtual table put there when it was made.
  package func clear(_ table: Name) throws(SQLiteError) {
    try connection.execute("DELETE FROM \(table.quotedIdentifier)")
  }

  /// Has a full-text table build its index anew from the rows of its content table.
  package func rebuildFullText(_ table: Name) throws(SQLiteError) {
    let name = table.quotedIdentifier
    try connection.execute("INSERT INTO \(name)(\(name)) VALUES ('rebuild')")
  }

  /// Sets the AUTOINCREMENT counters, each at least as high as the largest rowid of its table.
  package func setSequences(_ sequences: [Name: Int64]) throws(SQLiteError) {
    let known = schema.description.tables.filter(\.autoincrement)
    for table in known {
      let name = Value.text(table.name.text)
      // A column may be called rowid and be another.
      let rowID = table.rowIDAlias.flatMap { alias in
        table.columns.indices.contains(alias) ? table.columns[alias].name : nil
      }
      let highest = try connection.value(
        """
        SELECT max(\((rowID ?? "rowid").quotedIdentifier)) FROM \(table.name.quotedIdentifier)
        """)
      let stated = sequences.first { $0.key == table.name }?.value
      guard let sequence = [highest?.integerValue, stated].compactMap(\.self).max() else {
        continue
      }
      try connection.prepare("DELETE FROM sqlite_sequence WHERE name = ?").run([name])
      try connection.prepare("INSERT INTO sqlite_sequence(name, seq) VALUES (?, ?)")
        .run([name, .integer(sequence)])
    }
  }

  /// Gives all values the types that they have, once every table is filled; nothing may be asked of
  /// the tables before.
  ///
  /// - Throws: ``SQLiteError`` or ``StorageError`` when the file cannot be written.
  package mutating func settle(storage: any Storage) throws {
    guard !deferredTypes.isEmpty else { return }
    // The lock is given back with the next look at the file.
    try connection.execute(
      "COMMIT; PRAGMA locking_mode = NORMAL; SELECT count(*) FROM sqlite_schema")
    try deferredTypes.write(to: path, storage: storage)
    // What this connection remembers of the file is no longer so.
    connection = try Self.open(path, isCancelled)
    try connection.execute("BEGIN")
  }

  /// Makes the remaining indexes, the views and the triggers, and commits.
  ///
  /// - Throws: ``SQLiteError`` when the database cannot be committed.
  package mutating func finish() throws(SQLiteError) {
    create(schema.entries.filter { $0.kind == .index })
    create(schema.entries.filter { $0.kind == .view })
    create(schema.entries.filter { $0.kind == .trigger })
    try connection.execute("COMMIT")
  }
}
