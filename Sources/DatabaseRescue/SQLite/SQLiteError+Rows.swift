// SPDX-License-Identifier: Apache-2.0
// What SQLite says when a statement fails that runs over rows, without what it quotes of them: the
// path of a JSON function, the words of a full-text query, what a trigger puts together.
//
// What it says of a statement that it only prepares is about that statement and the schema.

internal import CSQLite

extension SQLiteError {
  /// The same error in SQLite's words for its code, unless its own name nothing but the schema.
  var withoutRows: SQLiteError {
    let words = unsafe String(cString: sqlite3_errstr(extendedCode))
    let general = unsafe String(cString: sqlite3_errstr(code))
    guard message != words, message != general, !isOfSchemaAlone else { return self }
    let reason = extendedCode == Self.ofTrigger ? "a trigger refuses it" : words
    return SQLiteError(extendedCode: extendedCode, message: reason)
  }

  private var isOfSchemaAlone: Bool {
    // Since then a trigger may compute what it says.
    if extendedCode == Self.ofTrigger { return sqlite3_libversion_number() < 3_047_000 }
    if code == SQLITE_CONSTRAINT { return Self.constraints.contains(where: message.hasPrefix) }
    return Self.fixed.contains(message) || Self.beginnings.contains(where: message.hasPrefix)
  }

  /// `SQLITE_CONSTRAINT_TRIGGER`.
  private static let ofTrigger = SQLITE_CONSTRAINT | 7 << 8

  /// How it begins what it says of a constraint that a row breaks.
  private static let constraints = [
    "UNIQUE constraint failed", "NOT NULL constraint failed", "CHECK constraint failed",
    "FOREIGN KEY constraint failed", "PRIMARY KEY", "rtree constraint failed", "cannot store ",
  ]

  /// What it says with no name at all.
  private static let fixed: Set<String> = [
    "malformed JSON", "LIKE or GLOB pattern too complex", "integer overflow",
    "ESCAPE expression must be a single character", "unsupported file format",
    "type mismatch on DEFAULT", "CHECK constraint failed", "NOT NULL constraint failed",
    "database schema has changed", "too many levels of trigger recursion",
  ]

  /// How it begins what it says of tables, columns and transactions.
  private static let beginnings = [
    "no such table: ", "no such index: ", "no such module: ", "no such function: ",
    "unknown function: ", "no such collation sequence: ", "no such savepoint: ",
    "vtable constructor failed: ",
    "non-deterministic use of ", "error in ", "cannot ", "Cannot ", "too many attached databases",
    "object name reserved for internal use: ", "malformed database schema", "database ",
  ]
}
