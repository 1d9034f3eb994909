// SPDX-License-Identifier: Apache-2.0
// What a connection may do while it parses SQL that nobody vouches for.

internal import CSQLite

extension Connection {
  /// Sets tight limits on the size and depth of statements.
  func limitForUntrustedSQL(statementBytes: Int32) {
    let limits: [(Int32, Int32)] = [
      (SQLITE_LIMIT_SQL_LENGTH, statementBytes), (SQLITE_LIMIT_LENGTH, 4 * statementBytes),
      (SQLITE_LIMIT_COLUMN, 2000), (SQLITE_LIMIT_EXPR_DEPTH, 200),
      (SQLITE_LIMIT_COMPOUND_SELECT, 50), (SQLITE_LIMIT_ATTACHED, 0),
      (SQLITE_LIMIT_LIKE_PATTERN_LENGTH, 1000), (SQLITE_LIMIT_WORKER_THREADS, 0),
      (SQLITE_LIMIT_TRIGGER_DEPTH, 10),
    ]
    for (limit, value) in limits { unsafe sqlite3_limit(handle, limit, value) }
  }

  /// Allows the declaration of one object and nothing else.
  ///
  /// A virtual table's module runs statements of its own on its shadow tables.
  func allowOnlyDeclarations(virtual: Bool) {
    if virtual {
      unsafe sqlite3_set_authorizer(
        handle,
        { _, action, name, value, _, _ in
          switch action {
          // Asking, never setting: those have a value.
          case SQLITE_PRAGMA where unsafe value == nil && Self.isAmong(Self.modulePragmas, name):
            SQLITE_OK
          default:
            Self.declarations.contains(action) || Self.moduleActions.contains(action)
              ? SQLITE_OK : SQLITE_DENY
          }
        }, nil)
    } else {
      unsafe sqlite3_set_authorizer(
        handle,
        { _, action, _, _, _, _ in
          Self.declarations.contains(action) ? SQLITE_OK : SQLITE_DENY
        }, nil)
    }
  }

  /// Allows expressions over constants and nothing else.
  func allowOnlyExpressions() {
    unsafe sqlite3_set_authorizer(
      handle,
      { _, action, _, function, _, _ in
        switch action {
        case SQLITE_SELECT: SQLITE_OK
        case SQLITE_FUNCTION where unsafe Self.isHarmless(function): SQLITE_OK
        default: SQLITE_DENY
        }
      }, nil)
  }

  /// Allows queries and nothing else; the virtual tables among them may look at their own state.
  func allowOnlyQueries() {
    unsafe sqlite3_set_authorizer(
      handle,
      { _, action, name, function, _, _ in
        switch action {
        case SQLITE_SELECT, SQLITE_READ, SQLITE_RECURSIVE: SQLITE_OK
        case SQLITE_FUNCTION where unsafe Self.isHarmless(function): SQLITE_OK
        case SQLITE_PRAGMA where unsafe function == nil && Self.isAmong(Self.modulePragmas, name):
          SQLITE_OK
        default: SQLITE_DENY
        }
      }, nil)
  }

  /// Allows what a script does to its own database, and nothing that reaches a file or extension.
  func allowOnlyScripts() {
    // Some versions of SQLite count json_valid() among the functions that a schema must not call.
    configure(SQLITE_DBCONFIG_TRUSTED_SCHEMA, true)
    unsafe sqlite3_set_authorizer(
      handle,
      { _, action, name, function, _, _ in
        switch action {
        case SQLITE_ATTACH, SQLITE_DETACH: SQLITE_DENY
        // Defaults may be random; what that takes in memory is limited.
        case SQLITE_FUNCTION:
          unsafe Self.isAmong(["load_extension"], function) ? SQLITE_DENY : SQLITE_OK
        case SQLITE_PRAGMA:
          unsafe Self.isAmong(Self.modulePragmas.union(Self.scriptPragmas), name)
            ? SQLITE_OK : SQLITE_DENY
        default: SQLITE_OK
        }
      }, nil)
  }

  /// Interrupts every statement that takes more steps of SQLite's machine than this.
  func limitSteps(perStatement steps: Int32) {
    unsafe sqlite3_progress_handler(handle, steps, { _ in 1 }, nil)
  }

  /// Lets statements take as long as they need.
  func liftStepLimit() {
    unsafe sqlite3_progress_handler(handle, 0, nil, nil)
  }

  /// Takes names in double quotes that are no column for what they are: mistakes, not strings.
  func refuseDoubleQuotedStrings() {
    configure(SQLITE_DBCONFIG_DQS_DML, false)
  }

  /// Lifts the restriction.
  func allowEverything() {
    unsafe sqlite3_set_authorizer(handle, nil, nil)
  }

  /// What SQLite does while it declares an object.
  private static let declarations: Set<Int32> = [
    SQLITE_CREATE_TABLE, SQLITE_CREATE_INDEX, SQLITE_CREATE_VIEW, SQLITE_CREATE_TRIGGER,
    SQLITE_CREATE_VTABLE, SQLITE_INSERT, SQLITE_UPDATE, SQLITE_DELETE, SQLITE_READ,
    SQLITE_REINDEX, SQLITE_FUNCTION,
  ]

  /// What the module of a virtual table does besides.
  private static let moduleActions: Set<Int32> = [
    SQLITE_SELECT, SQLITE_SAVEPOINT, SQLITE_TRANSACTION,
  ]

  /// Whether a function reaches nothing outside and takes no unbounded space.
  @unsafe private static func isHarmless(_ function: UnsafePointer<CChar>?) -> Bool {
    guard let function = unsafe function else { return false }
    return unsafe !["load_extension", "randomblob", "zeroblob"].contains(String(cString: function))
  }

  /// What modules ask of the database that they stand in; the answers change nothing.
  private static let modulePragmas: Set<String> = ["page_size", "data_version"]

  /// What a script may set of its own database.
  private static let scriptPragmas: Set<String> = [
    "user_version", "application_id", "foreign_keys", "encoding",
  ]

  @unsafe private static func isAmong(
    _ names: Set<String>, _ name: UnsafePointer<CChar>?
  ) -> Bool {
    guard let name = unsafe name else { return false }
    return unsafe names.contains(String(cString: name).lowercased())
  }

  /// Orders text of unknown collations by its bytes, so that statements that name them parse.
  func acceptUnknownCollations() {
    unsafe sqlite3_collation_needed(handle, nil) { _, database, _, name in
      guard let database = unsafe database, let name = unsafe name else { return }
      unsafe sqlite3_create_collation(database, name, SQLITE_UTF8, nil) {
        _, leftCount, left, rightCount, right in
        let left = unsafe UnsafeRawBufferPointer(start: left, count: Int(leftCount))
        let right = unsafe UnsafeRawBufferPointer(start: right, count: Int(rightCount))
        if unsafe left.elementsEqual(right) { return 0 }
        return unsafe left.lexicographicallyPrecedes(right) ? -1 : 1
      }
    }
  }

  /// Gives an unknown function a meaning, NULL, so that statements that name it parse.
  func acceptUnknownFunction(_ name: String) {
    unsafe sqlite3_create_function_v2(
      handle, name, -1, SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_INNOCUOUS, nil,
      { context, _, _ in unsafe sqlite3_result_null(context) }, nil, nil, nil)
  }
}
