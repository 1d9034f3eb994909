// SPDX-License-Identifier: Apache-2.0
// Evaluates SQL expressions over a table of one row, in a sandbox that can do nothing else.

internal import CSQLite
package import SQLiteFormat

/// Evaluates SQL expressions over one row of named values.
///
/// The expressions come from files that may be hostile. Three walls stand around
/// them: an authorizer that allows one `SELECT` on the one table and a list of
/// functions, limits on the size of everything, and a bound on the number of
/// steps. There is no file, and nothing but the row to read.
package struct ConditionEvaluator: ~Copyable {
  /// The name of the one table.
  package static let table = "facts"

  /// The functions that may be called: deterministic, and without results that grow.
  package static let functions: Set<Name> = [
    "abs", "coalesce", "glob", "ifnull", "iif", "instr", "length", "like", "lower", "max", "min",
    "nullif", "round", "substr", "trim", "typeof", "upper",
  ]

  /// What an expression comes to.
  package enum Truth: Hashable, Sendable {
    case yes
    case no
    /// NULL: something that the expression needs is not known.
    case unknown
  }

  /// An expression's truth, and the columns that it reads.
  package struct Answer: Hashable, Sendable {
    package let truth: Truth
    package let columns: Set<String>
  }

  private let connection: Connection
  private let warden: Warden

  /// Makes the table with its one row; a declared type says how values compare.
  package init(
    _ columns: [(name: String, type: String, value: Value)]
  ) throws(SQLiteError) {
    let connection = try Connection(mode: .memory)
    connection.configure(SQLITE_DBCONFIG_DQS_DML, false)
    connection.configure(SQLITE_DBCONFIG_DQS_DDL, false)
    let declarations = columns.map { "\"\($0.name)\" \($0.type)" }.joined(separator: ", ")
    try connection.execute("CREATE TABLE \(Self.table) (\(declarations))")
    let marks = columns.map { _ in "?" }.joined(separator: ", ")
    try connection.prepare("INSERT INTO \(Self.table) VALUES (\(marks))").run(columns.map(\.value))
    let warden = Warden(columns: Set(columns.map(\.name)))
    Self.close(connection, warden)
    self.connection = connection
    self.warden = warden
  }

  /// Puts up the walls.
  private static func close(_ connection: borrowing Connection, _ warden: Warden) {
    let limits: [(Int32, Int32)] = [
      (SQLITE_LIMIT_LENGTH, 4096), (SQLITE_LIMIT_SQL_LENGTH, 4096), (SQLITE_LIMIT_EXPR_DEPTH, 100),
      (SQLITE_LIMIT_COMPOUND_SELECT, 1), (SQLITE_LIMIT_VDBE_OP, 5000), (SQLITE_LIMIT_ATTACHED, 0),
      (SQLITE_LIMIT_FUNCTION_ARG, 8), (SQLITE_LIMIT_LIKE_PATTERN_LENGTH, 100),
      (SQLITE_LIMIT_VARIABLE_NUMBER, 0), (SQLITE_LIMIT_TRIGGER_DEPTH, 0),
    ]
    for (limit, value) in limits { _ = unsafe sqlite3_limit(connection.handle, limit, value) }
    // The connection and the warden live and go together, so the pointer never outlives its object.
    let context = unsafe Unmanaged.passUnretained(warden).toOpaque()
    _ = unsafe sqlite3_set_authorizer(
      connection.handle,
      { context, action, first, second, _, _ in
        guard let context = unsafe context else { return SQLITE_DENY }
        let warden = unsafe Unmanaged<Warden>.fromOpaque(context).takeUnretainedValue()
        return warden.allows(
          action, unsafe first.map { unsafe String(cString: $0) } ?? "",
          unsafe second.map { unsafe String(cString: $0) } ?? "") ? SQLITE_OK : SQLITE_DENY
      }, context)
    unsafe sqlite3_progress_handler(connection.handle, stepsMax, { _ in 1 }, nil)
  }

  /// How many instructions of SQLite's virtual machine an expression may take.
  private static let stepsMax: Int32 = 10_000

  /// Evaluates an expression.
  ///
  /// - Throws: ``SQLiteError`` when it does not parse, reaches beyond the row,
  ///   fails (such as on overflow), or takes too long.
  package func evaluate(_ expression: String) throws(SQLiteError) -> Answer {
    warden.begin()
    // The line end closes a comment; NOT NOT makes every value 0, 1 or NULL.
    let statement = try prepare("SELECT NOT NOT (\(expression)\n) FROM \(Self.table)")
    guard statement.columnCount == 1 else {
      throw SQLiteError(extendedCode: SQLITE_ERROR, message: "not one expression")
    }
    let value = try statement.step() ? statement[0] : .null
    let truth: Truth =
      switch value.integerValue {
      case nil: .unknown
      case 0: .no
      default: .yes
      }
    return Answer(truth: truth, columns: warden.columnsRead)
  }

  private func prepare(_ sql: String) throws(SQLiteError) -> Statement {
    do throws(SQLiteError) {
      return try connection.prepare(sql)
    } catch {
      guard let refused = warden.refused else { throw error }
      throw SQLiteError(extendedCode: error.extendedCode, message: "\(refused) is not allowed")
    }
  }
}

/// Decides what an expression may do, and remembers what it reads.
private final class Warden {
  private let columns: Set<String>
  private(set) var columnsRead: Set<String> = []
  private(set) var refused: String?
  private var selects = 0

  init(columns: Set<String>) { self.columns = columns }

  /// Forgets the expression before.
  func begin() { (columnsRead, refused, selects) = ([], nil, 0) }

  func allows(_ action: Int32, _ first: String, _ second: String) -> Bool {
    switch action {
    case SQLITE_SELECT:
      selects += 1
      return selects == 1 || refuse("another SELECT")
    case SQLITE_READ where first == ConditionEvaluator.table:
      // No name: the table is in the FROM clause and no column of it is used.
      if second.isEmpty { return true }
      guard columns.contains(second) else { return refuse("the column \(second.quoted)") }
      columnsRead.insert(second)
      return true
    case SQLITE_READ: return refuse("the table \(first.quoted)")
    case SQLITE_FUNCTION:
      return ConditionEvaluator.functions.contains(Name(second))
        || refuse("the function \(second.quoted)")
    default: return refuse("anything but an expression")
    }
  }

  private func refuse(_ what: String) -> Bool {
    refused = refused ?? what
    return false
  }
}
