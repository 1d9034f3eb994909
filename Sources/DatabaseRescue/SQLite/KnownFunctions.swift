// SPDX-License-Identifier: Apache-2.0
// The functions and modules that a schema may use: our own lists, whatever the library was built
// with.

internal import CSQLite
import SQLiteFormat

/// The functions of SQLite that reach nothing outside and give back a value.
///
/// Versions of SQLite disagree on which of them a schema may call: some count `json_extract` among
/// those that it must not, and some builds let it call `fts3_tokenizer`, which takes a pointer from
/// whoever calls it. What is not on this list is a stand-in that gives NULL, on every connection.
enum KnownFunctions {
  /// The names that are on the list.
  static let names: Set<Name> = scalars.union(aggregates).union(json).union(search)

  private static let scalars: Set<Name> = [
    "abs", "acos", "acosh", "asin", "asinh", "atan", "atan2", "atanh", "ceil", "ceiling", "changes",
    "char", "coalesce", "concat", "concat_ws", "cos", "cosh", "current_date", "current_time",
    "current_timestamp", "date", "datetime", "degrees", "exp", "floor", "format", "glob", "hex",
    "if", "ifnull", "iif", "instr", "julianday", "last_insert_rowid", "length", "like",
    "likelihood", "likely", "ln", "log", "log10", "log2", "lower", "ltrim", "max", "min", "mod",
    "nullif", "octet_length", "pi", "pow", "power", "printf", "quote", "radians", "random",
    "randomblob", "replace", "round", "rtrim", "sign", "sin", "sinh", "soundex", "sqlite_offset",
    "sqlite_compileoption_get", "sqlite_compileoption_used", "sqlite_source_id", "sqlite_version",
    "sqrt", "strftime", "substr", "substring", "subtype", "tan", "tanh", "time", "timediff",
    "total_changes", "trim", "trunc", "typeof", "unhex", "unicode", "unistr", "unistr_quote",
    "unixepoch", "unlikely", "upper", "zeroblob",
  ]

  private static let aggregates: Set<Name> = [
    "avg", "count", "cume_dist", "dense_rank", "first_value", "group_concat", "lag", "last_value",
    "lead", "median", "nth_value", "ntile", "percent_rank", "percentile", "percentile_cont",
    "percentile_disc", "rank", "row_number", "string_agg", "sum", "total",
  ]

  private static let json: Set<Name> = [
    "->", "->>", "json", "json_array", "json_array_insert", "json_array_length",
    "json_error_position", "json_extract", "json_group_array", "json_group_object", "json_insert",
    "json_object", "json_patch", "json_pretty", "json_quote", "json_remove", "json_replace",
    "json_set", "json_type", "json_valid", "jsonb", "jsonb_array", "jsonb_array_insert",
    "jsonb_extract", "jsonb_group_array", "jsonb_group_object", "jsonb_insert", "jsonb_object",
    "jsonb_patch", "jsonb_remove", "jsonb_replace", "jsonb_set",
  ]

  private static let search: Set<Name> = [
    "bm25", "geopoly_area", "geopoly_bbox", "geopoly_blob", "geopoly_ccw",
    "geopoly_contains_point", "geopoly_group_bbox", "geopoly_json", "geopoly_overlap",
    "geopoly_regular", "geopoly_svg", "geopoly_within", "geopoly_xform", "highlight", "match",
    "matchinfo", "offsets", "optimize", "rtreecheck", "rtreedepth", "rtreenode", "snippet",
  ]

  /// Those whose result is not the same each time.
  static let unsteady: Set<Name> = [
    "changes", "current_date", "current_time", "current_timestamp", "last_insert_rowid", "random",
    "randomblob", "total_changes",
  ]

  /// Those that give the current time where they are asked for it; in an expression of a schema,
  /// SQLite refuses that.
  static let ofTime: Set<Name> = [
    "date", "datetime", "julianday", "strftime", "time", "timediff", "unixepoch",
  ]

  /// Whether functions that are not on the list can be those of an app.
  ///
  /// What the library has itself and the list does not name is refused in a schema by the SQLite of
  /// others, with the whole database.
  static func canBeOfApp(_ functions: Set<Name>) -> Bool {
    functions.isDisjoint(with: refusedBySchemas)
  }

  private static let refusedBySchemas: Set<Name> =
    Set(unlisted.map { Name($0.name) }).union(["fts3_tokenizer", "load_extension"])

  /// Functions of the library that are not on the list, with their numbers of arguments.
  static let unlisted: [(name: String, argumentCount: Int)] = {
    Library.rows("SELECT DISTINCT name, narg FROM pragma_function_list").filter {
      !names.contains(Name($0.name))
    }
  }()
}

/// The modules of SQLite whose virtual tables may be made.
enum KnownModules {
  /// Those that keep rows in tables of their own, and compute nothing but those.
  static let stored: Set<Name> = ["fts3", "fts4", "fts5", "rtree", "rtree_i32", "geopoly"]

  /// Those that keep nothing in the database: what they give is computed of other tables.
  static let unstored: Set<Name> = [
    "dbstat", "fts3tokenize", "fts4aux", "fts5vocab", "json_each", "json_tree", "sqlite_stmt",
  ]

  /// Those that queries may use, without a table of theirs in any schema.
  private static let queried: Set<Name> = ["json_each", "json_tree"]

  /// Modules of the library that have no use here; some of them reach into memory or files.
  static let unlisted: [String] = {
    Library.rows("SELECT name, 0 FROM pragma_module_list").map(\.name).filter { text in
      let name = Name(text)
      return !stored.contains(name) && !queried.contains(name) && !name.hasPrefix("pragma_")
    }
  }()
}

/// What the library says of itself, asked once: it is the same on each connection.
private enum Library {
  static func rows(_ sql: String) -> [(name: String, argumentCount: Int)] {
    var database: OpaquePointer?
    var statement: OpaquePointer?
    defer {
      unsafe sqlite3_finalize(statement)
      unsafe sqlite3_close_v2(database)
    }
    guard unsafe sqlite3_open(":memory:", &database) == SQLITE_OK,
      unsafe sqlite3_prepare_v2(database, sql, -1, &statement, nil) == SQLITE_OK
    else { return [] }
    var rows: [(String, Int)] = []
    while unsafe sqlite3_step(statement) == SQLITE_ROW {
      guard let text = unsafe sqlite3_column_text(statement, 0) else { continue }
      rows.append(unsafe (String(cString: text), Int(sqlite3_column_int(statement, 1))))
    }
    return rows
  }
}
