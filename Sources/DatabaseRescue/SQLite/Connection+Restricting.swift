// SPDX-License-Identifier: Apache-2.0
// How a connection is kept within bounds, and what stands in for what the library lacks.

internal import CSQLite
import SQLiteFormat

extension Connection {
  /// Has the guard asked about every statement, and the patience while one runs.
  func putOnGuard() {
    let asked = unsafe Unmanaged.passUnretained(statementGuard).toOpaque()
    unsafe sqlite3_set_authorizer(
      handle,
      { context, action, first, second, database, _ in
        guard let context = unsafe context else { return SQLITE_DENY }
        let statementGuard = unsafe Unmanaged<StatementGuard>.fromOpaque(context)
          .takeUnretainedValue()
        return unsafe statementGuard.allows(action, first, second, database)
          ? SQLITE_OK : SQLITE_DENY
      }, asked)
    let patient = unsafe Unmanaged.passUnretained(patience).toOpaque()
    unsafe sqlite3_progress_handler(
      handle, Patience.stepsPerLook,
      { context in
        guard let context = unsafe context else { return 1 }
        let patience = unsafe Unmanaged<Patience>.fromOpaque(context).takeUnretainedValue()
        return patience.endsStatement() ? 1 : 0
      }, patient)
  }

  /// Does something under a permission; afterwards the connection's statements are our own again.
  func permitting<Result, Failure: Error>(
    _ permission: StatementGuard.Permission, _ body: () throws(Failure) -> Result
  ) throws(Failure) -> Result {
    statementGuard.permission = permission
    defer { statementGuard.permission = .own }
    return try body()
  }

  /// Sets one of SQLite's per-connection limits.
  func limit(_ limit: Int32, to value: Int) {
    unsafe sqlite3_limit(handle, limit, Int32(clamping: value))
  }

  /// Takes rows for what they are: what a virtual table is kept in is filled directly, and nothing
  /// fires.
  func takeRowsAsTheyAre(valueBytesMax: Int) {
    configure(SQLITE_DBCONFIG_DEFENSIVE, false)
    configure(SQLITE_DBCONFIG_ENABLE_TRIGGER, false)
    limit(SQLITE_LIMIT_LENGTH, to: valueBytesMax)
  }

  /// Sets tight limits on the size and depth of statements that nobody vouches for.
  func limitForUntrustedSQL(statementBytes: Int) {
    limit(SQLITE_LIMIT_SQL_LENGTH, to: statementBytes)
    limit(SQLITE_LIMIT_LENGTH, to: 2 * statementBytes)
    limit(SQLITE_LIMIT_LIKE_PATTERN_LENGTH, to: 1000)
    limit(SQLITE_LIMIT_TRIGGER_DEPTH, to: 10)
  }

  /// Takes names in double quotes that are no column for what they are: mistakes, not strings.
  func refuseDoubleQuotedStrings() {
    configure(SQLITE_DBCONFIG_DQS_DML, false)
  }

  // MARK: Stand-ins

  /// Orders text of unknown collations by its bytes, so that statements that name them parse.
  ///
  /// A database in UTF-16 asks for the library's own ones, too, before it takes those for UTF-8.
  func acceptUnknownCollations() {
    statementGuard.acceptsCollations = true
    unsafe sqlite3_collation_needed(handle, nil) { _, database, _, name in
      guard let database = unsafe database, let name = unsafe name,
        unsafe !Name.libraryCollations.contains(Name(String(cString: name)))
      else { return }
      unsafe sqlite3_create_collation(database, name, SQLITE_UTF8, nil) {
        _, leftCount, left, rightCount, right in
        let left = unsafe UnsafeRawBufferPointer(start: left, count: Int(leftCount))
        let right = unsafe UnsafeRawBufferPointer(start: right, count: Int(rightCount))
        if unsafe left.elementsEqual(right) { return 0 }
        return unsafe left.lexicographicallyPrecedes(right) ? -1 : 1
      }
    }
  }

  /// Gives a function that the library lacks, or that no schema may call, a meaning: NULL.
  func standIn(forFunction name: String, argumentCount: Int32 = -1) {
    let result = unsafe sqlite3_create_function_v2(
      handle, name, argumentCount, SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_INNOCUOUS, nil,
      { context, _, _ in unsafe sqlite3_result_null(context) }, nil, nil, nil)
    if result == SQLITE_OK { statementGuard.standIns.insert(Name(name)) }
  }

  /// Puts something in the place of the function or collation that an error asks for; false where it
  /// asks for none, or that did not help.
  func standIn(forWhatLacks error: SQLiteError) -> Bool {
    if let function = error.missingFunction {
      guard !statementGuard.standIns.contains(Name(function)) else { return false }
      standIn(forFunction: function)
      return true
    }
    guard error.message.hasPrefix("no such collation sequence: "),
      statementGuard.acceptsCollations == false
    else { return false }
    acceptUnknownCollations()
    return true
  }

  /// Puts a module that does nothing in the place of the one with this name.
  func standIn(forModule name: String) {
    _ = unsafe dbrescue_stand_in_module(handle, name)
  }
}

extension Name {
  /// The collations that every SQLite has.
  static let libraryCollations: Set<Name> = ["BINARY", "NOCASE", "RTRIM"]
}
