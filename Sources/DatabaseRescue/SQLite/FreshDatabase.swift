// SPDX-License-Identifier: Apache-2.0
// A new database file with a given schema, filled row by row, finished last with everything
// that could fire or compute: views, triggers, ordinary indexes.

internal import CSQLite
package import Diagnosis
package import SQLiteFormat

/// A new database being filled.
///
/// There is no journal on disk: the file counts only once it has been finished, checked and renamed
/// by the caller. Every object is made on its own, and stays: what fails is left out, and named in
/// ``unrestored``.
package struct FreshDatabase: ~Copyable {
  var connection: Connection
  private var roots: TableRoots
  let schema: FreshSchema
  private let path: FilePath
  let inputByteCount: Int
  let byteCountMax: Int?
  let isCancelled: (@Sendable () -> Bool)?
  /// How many writes a full disk had refused when this began.
  let writesRefusedBefore = GuardedCalls.writesRefused
  let deferredTypes = DeferredTypes()
  let values: ValueLimit
  /// What SQLite says of the indexes, by table and name.
  private let indexes: [Name: [Name: IndexDescription]]
  /// The tables that are there.
  var made: Set<Name> = []
  /// The indexes that were made before their tables had rows, or of entries that are there.
  var early: Set<Name> = []
  /// The objects that were made under another statement than their own, which they get at the end.
  var disguised: [Declaration] = []
  /// Tables that are there only for indexes that are made of them.
  var scaffolds: [Name] = []
  /// Those that have their rows.
  private var filled: Set<Name> = []
  /// Virtual tables that are written down at the end.
  var recorded: [Declaration] = []
  /// The first error of the disk, after which nothing could be made.
  var failure: SQLiteError?
  /// Objects that are not in the database, so far.
  var unrestored: [UnrestoredObject] = []

  /// Makes the file with its tables, empty.
  ///
  /// Once `isCancelled` says so, every statement fails. The file never gets larger than
  /// `byteCountMax`, and what is done for it takes no longer than so many bytes of rows can ask for.
  ///
  /// - Throws: ``SQLiteError`` when the file cannot be made.
  package init(
    at path: FilePath, schema: FreshSchema, inputByteCount: Int = 0, byteCountMax: Int? = nil,
    isCancelled: (@Sendable () -> Bool)? = nil
  ) throws(SQLiteError) {
    let values = ValueLimit(schema.declared.declarations)
    let connection = try Self.open(path, values, isCancelled)
    try connection.execute(
      """
      PRAGMA page_size = \(schema.pageSize);
      PRAGMA encoding = '\(schema.encoding.name)';
      PRAGMA auto_vacuum = \(schema.autoVacuum);
      PRAGMA user_version = \(schema.userVersion);
      PRAGMA application_id = \(schema.applicationID);
      BEGIN
      """)
    // SQLite notes the encoding with the first table.
    if !schema.description.tables.contains(where: { $0.kind == .ordinary }) {
      try connection.execute("CREATE TABLE first (a); DROP TABLE first")
    }
    try connection.limitSize(to: byteCountMax, pageSize: schema.pageSize)
    roots = try TableRoots(connection)
    self.connection = connection
    self.schema = schema
    self.path = path
    self.values = values
    self.inputByteCount = inputByteCount
    self.byteCountMax = byteCountMax
    self.isCancelled = isCancelled
    indexes = Dictionary(
      schema.description.tables.lazy.filter { !$0.indexes.isEmpty }.map { table in
        (table.name, Dictionary(table.indexes.map { ($0.name, $0) }) { first, _ in first })
      }
    ) { first, _ in first }
    makeTables()
  }

  private static func open(
    _ path: FilePath, _ values: ValueLimit, _ isCancelled: (@Sendable () -> Bool)?
  ) throws(SQLiteError) -> Connection {
    let connection = try Connection(path, mode: .create)
    if let isCancelled { connection.stop(when: isCancelled) }
    connection.acceptUnknownCollations()
    // Shadow tables of virtual tables are filled directly; the file is ours alone.
    connection.configure(SQLITE_DBCONFIG_DEFENSIVE, false)
    connection.limit(SQLITE_LIMIT_LENGTH, to: values.usual)
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

  /// What SQLite says of an index.
  func description(of index: Declaration) -> IndexDescription? { indexes[index.table]?[index.name] }

  /// Whether a table was made.
  package func hasTable(_ name: Name) -> Bool { made.contains(name) }

  /// Whether a table was made and waits for its rows.
  package func isOpen(_ name: Name) -> Bool { made.contains(name) && !filled.contains(name) }

  /// Notes that a table has its rows.
  package mutating func close(_ name: Name) { filled.insert(name) }

  /// Prepares to insert rows into a table.
  ///
  /// - Throws: ``SQLiteError`` when the table is not there.
  package func loader(
    for table: TableDescription, _ mapping: ColumnMapping, _ shape: RowShape,
    encoding: TextEncoding
  ) throws(SQLiteError) -> RowLoader {
    try RowLoader(
      connection, table, mapping, shape, encoding: encoding, to: schema.encoding,
      roots, deferredTypes, values)
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
    try connection.rebuildFullText(table)
  }

  /// Puts the coordinates in the nodes of an R-tree into another order: which comes at each place.
  ///
  /// node: depth of the tree, in its root (2) · cells (2) · cells × (id (8) · coordinates × 4)
  package func reorderCoordinates(of table: Name, _ order: [Int]) throws(SQLiteError) {
    let nodes = Name("\(table)_node").quotedIdentifier
    let update = PreparedStatement(
      try connection.prepare("UPDATE \(nodes) SET data = ?2 WHERE nodeno = ?1"))
    let statement = try connection.prepare("SELECT nodeno, data FROM \(nodes)")
    while try statement.step() {
      guard case .blob(let node) = statement[1] else { continue }
      var other = node
      for cell in stride(
        from: 4, through: node.count - 8 - 4 * order.count, by: 8 + 4 * order.count)
      {
        for (place, source) in order.enumerated() {
          let (to, from) = (cell + 8 + 4 * place, cell + 8 + 4 * source)
          other.replaceSubrange(to..<(to + 4), with: node[from..<(from + 4)])
        }
      }
      try update.run([statement[0], .blob(other)])
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
    let standIns = standIns
    let reopened = try Self.open(path, values, isCancelled)
    roots = try TableRoots(reopened)
    connection = reopened
    for function in standIns { connection.standIn(forFunction: function.text) }
    try connection.limitSize(to: byteCountMax, pageSize: schema.pageSize)
    try connection.execute("BEGIN")
  }

  /// The functions for which the database has only stand-ins.
  package var standIns: Set<Name> { connection.statementGuard.standIns }
}

extension Connection {
  /// Has a full-text table build its index anew from the rows of its content table.
  func rebuildFullText(_ table: Name) throws(SQLiteError) {
    let name = table.quotedIdentifier
    try execute("INSERT INTO \(name)(\(name)) VALUES ('rebuild')")
  }

  /// Lets the database grow to so many bytes, and no further.
  fileprivate func limitSize(to byteCount: Int?, pageSize: Int) throws(SQLiteError) {
    guard let byteCount else { return }
    _ = try rows("PRAGMA max_page_count = \(max(1, byteCount / pageSize))")
  }
}
