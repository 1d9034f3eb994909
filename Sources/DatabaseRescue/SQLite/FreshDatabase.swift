// SPDX-License-Identifier: Apache-2.0
// A new database file with a given schema, filled row by row, finished last with everything
// that could fire or compute: views, triggers, ordinary indexes.

internal import CSQLite
package import Diagnosis
package import SQLiteFormat

/// The schema that a fresh database is made with.
package struct FreshSchema: Sendable {
  /// The statements, each known to be a declaration.
  package var declared: DeclaredSchema
  /// The app's own version number.
  package var userVersion: Int32
  /// The application id.
  package var applicationID: Int32
  /// Whether the rows come with what was computed of them when they were written: then that is kept
  /// where only the app could compute it.
  package var keepsComputedValues = false
  /// The page size in bytes.
  package var pageSize: Int
  /// The text encoding.
  package var encoding: TextEncoding
  /// `PRAGMA auto_vacuum`: 0 none, 1 full, 2 incremental.
  package var autoVacuum: Int

  /// Makes a schema.
  package init(
    _ declared: DeclaredSchema, userVersion: Int32, applicationID: Int32, pageSize: Int = 4096,
    encoding: TextEncoding = .utf8, autoVacuum: Int = 0
  ) {
    self.declared = declared
    self.userVersion = userVersion
    self.applicationID = applicationID
    self.pageSize = pageSize
    self.encoding = encoding
    self.autoVacuum = autoVacuum
  }

  /// What SQLite makes of the statements.
  package var description: SchemaDescription { declared.description }

  /// A table as it is filled, by name: columns whose values are kept are like any other.
  package func table(named name: Name) -> TableDescription? {
    guard var table = description.tables.first(where: { $0.name == name }) else { return nil }
    guard keepsComputedValues, table.columns.contains(where: { $0.generated == .stored }),
      declaration(of: name)?.missingFunctions.isEmpty == false
    else { return table }
    for column in table.columns.indices where table.columns[column].generated == .stored {
      table.columns[column].generated = .none
    }
    return table
  }

  /// The statement of a table.
  func declaration(of table: Name) -> Declaration? {
    declared.declarations.first { $0.kind == .table && $0.name == table }
  }
}

/// An object of a schema that is not in the fresh database.
package struct UnrestoredObject: Hashable, Sendable {
  /// What it would have been.
  package let kind: SchemaEntry.Kind
  /// Its name.
  package let name: Name
  /// Why, in SQLite's words or ours.
  package let reason: String
}

/// A new database being filled.
///
/// One transaction without a journal on disk: the file counts only once it has been finished,
/// checked and renamed by the caller. Every object is made on its own: what fails is left out, and
/// named in ``unrestored``.
package struct FreshDatabase: ~Copyable {
  var connection: Connection
  private var roots: TableRoots
  let schema: FreshSchema
  private let path: FilePath
  private let inputByteCount: Int
  private let byteCountMax: Int?
  private let isCancelled: (@Sendable () -> Bool)?
  private let deferredTypes = DeferredTypes()
  private let values: ValueLimit
  let tables: [Name: TableDescription]
  /// The tables that are there.
  private(set) var made: Set<Name> = []
  /// The indexes that were made before their tables had rows, or of entries that are there.
  var early: Set<Name> = []
  /// The objects that were made under another statement than their own, which they get at the end.
  var disguised: [Declaration] = []
  /// Tables that are there only for indexes that are made of them.
  var scaffolds: [Name] = []
  /// Those that have their rows.
  private var filled: Set<Name> = []
  /// Virtual tables that are written down at the end.
  private var recorded: [Declaration] = []
  /// Objects that are not in the database, so far.
  package private(set) var unrestored: [UnrestoredObject] = []

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
    try connection.limitSize(to: byteCountMax, pageSize: schema.pageSize)
    roots = try TableRoots(connection)
    self.connection = connection
    self.schema = schema
    self.path = path
    self.values = values
    self.inputByteCount = inputByteCount
    self.byteCountMax = byteCountMax
    self.isCancelled = isCancelled
    tables = Dictionary(
      schema.description.tables.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
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

  // MARK: Objects

  /// Makes the tables, the ordinary ones first; those that a module makes are there with theirs.
  private mutating func makeTables() {
    for declaration in schema.declared.declarations where declaration.kind == .table {
      if declaration.isOnlyRecorded {
        recorded.append(declaration)
      } else if declaration.isImplied, declaration.family.map(made.contains) == true {
        made.insert(declaration.name)
      } else if let plain = schema.plainEntry(of: declaration) {
        makeDisguised(declaration, as: plain)
      } else if let reason = hindrance(to: declaration) {
        leaveOut(declaration, reason)
      } else {
        make([declaration])
      }
    }
  }

  /// Makes a table whose stored columns only the app can compute as one that takes their values.
  private mutating func makeDisguised(_ declaration: Declaration, as plain: SchemaEntry) {
    do {
      try isolated { connection throws(DeclarationFault) in
        for function in declaration.missingFunctions {
          connection.standIn(forFunction: function.text)
        }
        _ = try connection.declare(plain)
      }
      made.insert(declaration.name)
      disguised.append(declaration)
      noteForeignOrder(of: declaration.name)
    } catch {
      leaveOut(declaration, (error as? DeclarationFault)?.reason ?? "\(error)")
    }
  }

  /// Makes the unique indexes over a table before it has rows, so that of two rows with one key the
  /// first counts.
  ///
  /// Of a table against which nothing speaks every row counts: an index that contradicts it is made
  /// last, and left out.
  package mutating func makeUniqueIndexes(of table: Name) {
    let unique = Set(tables[table]?.indexes.filter(\.unique).map(\.name) ?? [])
    guard !unique.isEmpty else { return }
    let indexes = schema.declared.declarations.filter {
      $0.kind == .index && $0.table == table && unique.contains($0.name)
    }
    make(indexes)
    early.formUnion(indexes.map(\.name))
  }

  /// Makes objects; those that fail are left out, and the others go on.
  private mutating func make(_ declarations: [Declaration]) {
    for declaration in declarations {
      if let reason = hindrance(to: declaration) {
        leaveOut(declaration, reason)
        continue
      }
      connection.limit(SQLITE_LIMIT_LENGTH, to: values.longest)
      defer { connection.limit(SQLITE_LIMIT_LENGTH, to: values.usual) }
      do {
        try isolated { connection throws(DeclarationFault) in try connection.declare(declaration) }
        if declaration.kind == .table {
          made.insert(declaration.name)
          noteForeignOrder(of: declaration.name)
        }
      } catch {
        leaveOut(declaration, (error as? DeclarationFault)?.reason ?? "\(error)")
      }
    }
  }

  /// Notes a key or constraint that the library can only keep in the order of its bytes.
  private mutating func noteForeignOrder(of table: Name) {
    for index in tables[table]?.indexes ?? [] where index.origin != .created {
      guard let collation = index.foreignCollation else { continue }
      unrestored.append(
        UnrestoredObject(
          kind: .index, name: index.name,
          reason: "it is in the order of bytes: only the app has the collation '\(collation)', and "
            + "must copy the rows of '\(table)' into a new table before it looks for any"))
    }
  }

  mutating func leaveOut(_ declaration: Declaration, _ reason: String) {
    unrestored.append(
      UnrestoredObject(kind: declaration.kind, name: declaration.name, reason: reason))
  }

  /// Why an object cannot be made without what the app adds to SQLite; nil where nothing hinders.
  ///
  /// A stand-in for a function or collation lets a statement be parsed. What it gives must not be
  /// stored: neither as a value, nor as the order of an index.
  private func hindrance(to declaration: Declaration) -> String? {
    switch declaration.kind {
    case .view, .trigger: return nil
    case .index:
      if let function = missingFunction(of: declaration) {
        return "its entries need the function '\(function)', which only the app has"
      }
      let index = tables[declaration.table]?.indexes.first { $0.name == declaration.name }
      return index?.foreignCollation.map {
        "its order needs the collation '\($0)', which only the app has"
      }
    case .table:
      guard let function = declaration.missingFunctions.min(),
        tables[declaration.name]?.columns.contains(where: { $0.generated == .stored }) == true
      else { return nil }
      return "its columns need the function '\(function)', which only the app has"
    }
  }

  /// Does something that either happens as a whole or not at all.
  func isolated<Result, Failure: Error>(
    _ body: (borrowing Connection) throws(Failure) -> Result
  ) throws -> Result {
    try connection.execute("SAVEPOINT one_object")
    do {
      let result = try body(connection)
      try connection.execute("RELEASE one_object")
      return result
    } catch {
      try connection.execute("ROLLBACK TO one_object; RELEASE one_object")
      throw error
    }
  }

  /// Whether a table was made.
  package func hasTable(_ name: Name) -> Bool { made.contains(name) }

  /// Whether a table was made and waits for its rows.
  package func isOpen(_ name: Name) -> Bool { made.contains(name) && !filled.contains(name) }

  /// Notes that a table has its rows.
  package mutating func close(_ name: Name) { filled.insert(name) }

  /// Fills a table, or does to it what else belongs to one object; where that fails, the table is as
  /// it was before.
  ///
  /// - Throws: What `body` throws.
  package func attempt<Result>(_ body: () throws -> Result) throws -> Result {
    connection.patience.allow(Patience.enough(for: inputByteCount))
    let putOff = deferredTypes.count
    do {
      return try isolated { _ throws(any Error) in try body() }
    } catch {
      deferredTypes.forget(after: putOff)
      throw error
    }
  }

  /// Why an error is one of a single object: of the SQL in its declaration, and not of the disk, of
  /// memory, or of whoever wishes the run to stop; nil where it is not.
  package func reasonToLeaveOut(_ error: any Error) -> String? {
    guard let error = error as? SQLiteError, isCancelled?() != true else { return nil }
    switch error.cause {
    case .constraint, .other, .permission: return error.message
    case .damaged where error.extendedCode == dbrescue_corrupt_virtual_table: return error.message
    case .full where isAtLimit: return "it takes more than \(byteCountMax ?? 0) bytes"
    case .full, .busy, .damaged, .inputOutput, .cannotOpen: return nil
    }
  }

  /// Whether the file is as large as it may be.
  private var isAtLimit: Bool {
    guard let byteCountMax, let pages = try? connection.value("PRAGMA page_count")?.integerValue
    else { return false }
    return (Int(pages) + 2) * schema.pageSize >= byteCountMax
  }

  /// Takes a table away again that cannot be filled.
  package mutating func dropTable(_ name: Name, because reason: String) {
    made.remove(name)
    try? connection.execute("DROP TABLE \(name.quotedIdentifier)")
    unrestored.append(UnrestoredObject(kind: .table, name: name, reason: reason))
  }

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

  /// Sets the AUTOINCREMENT counters, each at least as high as the largest rowid of its table; those
  /// of tables that are gone stay as they are, where there is a place for them.
  package func setSequences(_ sequences: [Name: Int64]) throws(SQLiteError) {
    for table in schema.description.tables where table.autoincrement && made.contains(table.name) {
      let name = Value.text(table.name)
      // A column may be called rowid and be another.
      let rowID = table.rowIDAlias.flatMap { alias in
        table.columns.indices.contains(alias) ? table.columns[alias].name : nil
      }
      let highest = try connection.value(
        """
        SELECT max(\((rowID ?? "rowid").quotedIdentifier)) FROM \(table.name.quotedIdentifier)
        """)
      guard let sequence = [highest?.integerValue, sequences[table.name]].compactMap(\.self).max()
      else { continue }
      try connection.prepare("DELETE FROM sqlite_sequence WHERE name = ?").run([name])
      try connection.prepare("INSERT INTO sqlite_sequence(name, seq) VALUES (?, ?)")
        .run([name, .integer(sequence)])
    }
    guard made.contains(where: { tables[$0]?.autoincrement == true }) else { return }
    for (name, sequence) in sequences.sorted(by: { $0.key < $1.key }) where tables[name] == nil {
      try connection.prepare("INSERT INTO sqlite_sequence(name, seq) VALUES (?, ?)")
        .run([.text(name), .integer(sequence)])
    }
  }

  /// Makes the table of statistics, empty, as ANALYZE does.
  package mutating func makeStatistics() throws(SQLiteError) {
    try connection.execute("ANALYZE sqlite_schema")
    made.insert("sqlite_stat1")
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

  /// Makes the remaining indexes, writes down the views and the triggers, and commits.
  ///
  /// SQLite reads its whole schema for each view and trigger that it makes; what it would store is
  /// known, and takes no pages.
  ///
  /// - Throws: ``SQLiteError`` when the database cannot be committed.
  package mutating func finish() throws(SQLiteError) {
    for declaration in schema.declared.declarations
    where declaration.kind == .index && !early.contains(declaration.name) {
      connection.patience.allow(Patience.enough(for: inputByteCount))
      make([declaration])
    }
    // Modules make tables that the schema does not name.
    var taken = try connection.objectNames()
    var written: [Declaration] = []
    for object in recorded + schema.declared.declarations.filter({ $0.kind == .view }) {
      if taken.insert(object.name).inserted {
        written.append(object)
      } else {
        leaveOut(object, "its name is taken")
      }
    }
    for trigger in schema.declared.declarations where trigger.kind == .trigger {
      if taken.contains(trigger.table) {
        written.append(trigger)
      } else {
        leaveOut(trigger, "its table '\(trigger.table)' is left out")
      }
    }
    try connection.execute("PRAGMA writable_schema = ON")
    let statement = try connection.prepare(
      "INSERT INTO sqlite_schema (type, name, tbl_name, rootpage, sql) VALUES (?, ?, ?, 0, ?)")
    for object in written {
      try statement.run([
        .text(object.kind.rawValue), .text(object.name), .text(object.table), .text(object.sql),
      ])
    }
    try undisguise()
    try connection.execute("PRAGMA writable_schema = OFF; COMMIT")
  }
}

extension Connection {
  /// Has a full-text table build its index anew from the rows of its content table.
  func rebuildFullText(_ table: Name) throws(SQLiteError) {
    let name = table.quotedIdentifier
    try execute("INSERT INTO \(name)(\(name)) VALUES ('rebuild')")
  }

  /// The names of all tables, indexes and views.
  fileprivate func objectNames() throws(SQLiteError) -> Set<Name> {
    Set(
      try rows("SELECT name FROM sqlite_schema WHERE type <> 'trigger'")
        .compactMap { $0.first?.utf8String }.map { Name($0) })
  }

  /// Lets the database grow to so many bytes, and no further.
  fileprivate func limitSize(to byteCount: Int?, pageSize: Int) throws(SQLiteError) {
    guard let byteCount else { return }
    _ = try rows("PRAGMA max_page_count = \(max(1, byteCount / pageSize))")
  }
}

extension IndexDescription {
  /// A collation of the index that the library does not have.
  var foreignCollation: Name? {
    columns.map(\.collation).first { !["BINARY", "NOCASE", "RTRIM"].contains($0) }
  }
}

/// How long the values are that lie in a fresh database, and how long others may be: what an
/// expression makes is never longer than the longest row or statement, or a megabyte.
final class ValueLimit {
  /// How long values may be that no row asks for.
  let usual: Int
  /// How long the values are that the longest row can have in another encoding.
  private(set) var longest: Int
  /// A limit for a database with these declarations, each of which is a value in its schema.
  init(_ declarations: [Declaration]) {
    let statement = declarations.reduce(0) { max($0, $1.sql.utf8.count) }
    usual = max(1 << 20, 2 * statement + (1 << 16))
    longest = usual
  }

  /// Notes a row of so many bytes; gives the limit for it, where that is not the usual one.
  func note(_ rowByteCount: Int) -> Int? {
    let limit = rowByteCount / 2 * 3 + (1 << 16)
    guard limit > usual else { return nil }
    longest = max(longest, limit)
    return limit
  }
}
