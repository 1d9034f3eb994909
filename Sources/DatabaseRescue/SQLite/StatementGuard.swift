// SPDX-License-Identifier: Apache-2.0
// What the statements on a connection may do. Every connection has a guard from its first moment to
// its last: what is not allowed here does not happen, whoever wrote the SQL.

internal import CSQLite
import SQLiteFormat

/// Decides what the statements on a connection may do, and notes what they declare.
final class StatementGuard {
  /// What statements may do at the moment.
  enum Permission: Equatable {
    /// Our own statements, on a database whose schema may be anybody's.
    case own
    /// The declaration of one object.
    case declaration(SchemaEntry.Kind, Name, isVirtual: Bool)
    /// Expressions over constants.
    case expressions
    /// Queries that somebody else wrote.
    case queries
    /// A script that somebody else wrote, on a database in memory.
    case script
    /// A file of a migration, which the app vouches for: whatever a database may be changed by, within
    /// the transaction and the file that it runs on.
    case migration
    /// Another file of ours comes to the connection, or leaves it.
    case attaching
  }

  /// An object that a statement declares.
  struct Object: Equatable {
    let kind: SchemaEntry.Kind
    let name: Name
    /// The table of an index or trigger; the module of a virtual table.
    let detail: Name?
  }

  /// What statements may do at the moment.
  var permission = Permission.own {
    didSet { (declared, functions, called) = ([], [], []) }
  }
  /// The objects that were declared under the present permission, but for what SQLite makes itself.
  private(set) var declared: [Object] = []
  /// The stand-ins for functions that were named under the present permission.
  private(set) var functions: Set<Name> = []
  /// The functions that queries of others called under the present permission.
  private(set) var called: Set<Name> = []
  /// The functions that are stand-ins on this connection: they give NULL.
  var standIns: Set<Name> = []
  /// Whether collations that are not there have a stand-in.
  var acceptsCollations = false

  /// Whether an action is allowed; the names are those that SQLite tells an authorizer.
  func allows(
    _ action: Int32, _ first: UnsafePointer<CChar>?, _ second: UnsafePointer<CChar>?,
    _ database: UnsafePointer<CChar>?
  ) -> Bool {
    if action == SQLITE_FUNCTION { return allowsFunction(unsafe Name(cString: second)) }
    return switch permission {
    case .own: unsafe Self.own.contains(action) || allowsPragma(action, first, nil, isOurs: true)
    case .declaration(_, let name, let isVirtual):
      unsafe allowsDeclaration(action, first, second, database, of: name, isVirtual)
    case .expressions: action == SQLITE_SELECT
    case .queries:
      unsafe Self.queries.contains(action) || allowsPragma(action, first, second, isOurs: false)
    case .script: unsafe Self.scripts.contains(action) || allowsScriptPragma(action, first)
    case .migration: unsafe allowsMigration(action, first)
    case .attaching: action == SQLITE_ATTACH || action == SQLITE_DETACH
    }
  }

  // MARK: Migrations

  /// The pragmas that a file of a migration may use, with what they ask or set within a transaction;
  /// and the two that modules ask.
  static let migrationPragmas: Set<Name> = [
    "analysis_limit", "application_id", "cache_size", "case_sensitive_like", "cell_size_check",
    "collation_list", "compile_options", "data_version", "defer_foreign_keys", "encoding",
    "foreign_key_check", "foreign_key_list", "function_list", "index_info", "index_list",
    "index_xinfo", "legacy_alter_table", "module_list", "optimize", "page_count", "page_size",
    "pragma_list", "recursive_triggers", "reverse_unordered_selects", "table_info", "table_list",
    "table_xinfo", "temp_store", "threads",
  ]

  private func allowsMigration(_ action: Int32, _ name: UnsafePointer<CChar>?) -> Bool {
    switch action {
    case SQLITE_TRANSACTION, SQLITE_ATTACH, SQLITE_DETACH: false
    case SQLITE_PRAGMA: unsafe Self.migrationPragmas.contains(Name(cString: name))
    default: true
    }
  }

  // MARK: Declarations

  private func allowsDeclaration(
    _ action: Int32, _ first: UnsafePointer<CChar>?, _ second: UnsafePointer<CChar>?,
    _ database: UnsafePointer<CChar>?, of name: Name, _ isVirtual: Bool
  ) -> Bool {
    switch action {
    case SQLITE_READ, SQLITE_REINDEX: return true
    case SQLITE_INSERT, SQLITE_UPDATE, SQLITE_DELETE:
      let table = unsafe Name(cString: first)
      return table == "sqlite_master" || table == "sqlite_schema" || table == "sqlite_sequence"
        || isVirtual && table.isPart(of: name)
    case SQLITE_CREATE_TABLE, SQLITE_CREATE_INDEX, SQLITE_CREATE_VIEW, SQLITE_CREATE_TRIGGER,
      SQLITE_CREATE_VTABLE:
      guard unsafe Name(cString: database) == "main", let kind = Self.kinds[action] else {
        return false
      }
      let object = unsafe Object(
        kind: kind, name: Name(cString: first), detail: second.map { unsafe Name(cString: $0) })
      // The table of counters, the indexes of constraints, and what a module stores its table in.
      let isImplied = object.name.isReserved || isVirtual && object.name.isPart(of: name)
      if !isImplied { declared.append(object) }
      return true
    case SQLITE_SELECT, SQLITE_SAVEPOINT, SQLITE_TRANSACTION: return isVirtual
    default: return unsafe isVirtual && allowsPragma(action, first, second, isOurs: false)
    }
  }

  private static let kinds: [Int32: SchemaEntry.Kind] = [
    SQLITE_CREATE_TABLE: .table, SQLITE_CREATE_VTABLE: .table, SQLITE_CREATE_INDEX: .index,
    SQLITE_CREATE_VIEW: .view, SQLITE_CREATE_TRIGGER: .trigger,
  ]

  // MARK: Functions and pragmas

  private func allowsFunction(_ name: Name) -> Bool {
    switch permission {
    case .own, .declaration:
      guard standIns.contains(name) else { return KnownFunctions.names.contains(name) }
      functions.insert(name)
      return true
    case .expressions:
      return KnownFunctions.names.contains(name) && !["randomblob", "zeroblob"].contains(name)
    case .queries:
      called.insert(name)
      return KnownFunctions.names.contains(name)
    case .script, .attaching:
      return KnownFunctions.names.contains(name)
        || standIns.contains(name) && KnownFunctions.canBeOfApp([name])
    case .migration: return !Self.refusedFunctions.contains(name)
    }
  }

  /// Functions that reach beyond the database.
  private static let refusedFunctions: Set<Name> = [
    "load_extension", "fts3_tokenizer", "readfile", "writefile", "edit", "fileio_write",
  ]

  /// Whether a pragma only asks, where it is not ours; modules ask a few of the database that they
  /// stand in.
  private func allowsPragma(
    _ action: Int32, _ name: UnsafePointer<CChar>?, _ value: UnsafePointer<CChar>?, isOurs: Bool
  ) -> Bool {
    guard action == SQLITE_PRAGMA else { return false }
    return unsafe isOurs
      || value == nil && ["page_size", "data_version"].contains(Name(cString: name))
  }

  private func allowsScriptPragma(_ action: Int32, _ name: UnsafePointer<CChar>?) -> Bool {
    guard action == SQLITE_PRAGMA else { return false }
    return unsafe Self.scriptPragmas.contains(Name(cString: name))
  }

  private static let scriptPragmas: Set<Name> = [
    "user_version", "application_id", "foreign_keys", "encoding", "page_size", "data_version",
  ]

  // MARK: What is allowed without a look at names

  /// What our own statements do; nothing reaches another file, and nothing is temporary.
  private static let own: Set<Int32> = scripts.union([SQLITE_ANALYZE, SQLITE_REINDEX])

  private static let queries: Set<Int32> = [SQLITE_SELECT, SQLITE_READ, SQLITE_RECURSIVE]

  private static let scripts: Set<Int32> = queries.union([
    SQLITE_CREATE_TABLE, SQLITE_CREATE_INDEX, SQLITE_CREATE_VIEW, SQLITE_CREATE_TRIGGER,
    SQLITE_CREATE_VTABLE, SQLITE_INSERT, SQLITE_UPDATE, SQLITE_DELETE, SQLITE_REINDEX,
    SQLITE_ALTER_TABLE, SQLITE_DROP_TABLE, SQLITE_DROP_INDEX, SQLITE_DROP_VIEW,
    SQLITE_DROP_TRIGGER, SQLITE_DROP_VTABLE, SQLITE_TRANSACTION, SQLITE_SAVEPOINT, SQLITE_ANALYZE,
  ])
}

extension Name {
  /// A name that SQLite hands over; the empty one for none.
  @unsafe fileprivate init(cString: UnsafePointer<CChar>?) {
    self.init(unsafe cString.map { unsafe String(cString: $0) } ?? "")
  }

  /// Whether this is the name of a table in which a virtual table of another name keeps its rows.
  fileprivate func isPart(of virtual: Name) -> Bool { hasPrefix("\(virtual)_") }
}
