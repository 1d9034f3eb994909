// SPDX-License-Identifier: Apache-2.0
// What the modules of SQLite say of the virtual tables in a database that is ours.

internal import CSQLite
import Diagnosis
import SQLiteFormat

/// Asks the modules of virtual tables whether what they keep holds.
///
/// Nothing is changed by it, but modules want to be asked by a statement that writes: the database
/// is a private copy, or one that is being made.
enum ModuleReview {
  /// What the modules say of the virtual tables of a private copy, in their order; of those that
  /// keep nothing or cannot be made, nothing.
  ///
  /// - Throws: ``SQLiteError`` when the copy cannot be opened.
  static func verdicts(
    on tables: [VirtualTable], in copy: FilePath, byteCount: Int,
    isCancelled: @escaping @Sendable () -> Bool = { false }
  ) throws(SQLiteError) -> [ModuleVerdict] {
    let asked = tables.filter(\.canBeAsked)
    guard !asked.isEmpty else { return [] }
    let connection = try Connection(copy, mode: .readWrite)
    connection.stop(when: isCancelled)
    // Whoever writes to a database with a log makes files beside it.
    try connection.execute("PRAGMA locking_mode = EXCLUSIVE")
    connection.patience.allow(Patience.enough(for: byteCount))
    return asked.map { ModuleVerdict($0.name, outcome(of: $0, in: connection)) }
  }

  /// What the module of a virtual table says.
  static func outcome(
    of table: VirtualTable, in connection: borrowing Connection
  ) -> ModuleVerdict.Outcome {
    do throws(SQLiteError) {
      guard table.isFullText else { return try regions(of: table, in: connection) }
      try ask(table, in: connection)
      return try words(of: table, in: connection)
    } catch {
      return outcome(of: table, error)
    }
  }

  private static func outcome(
    of table: VirtualTable, _ error: SQLiteError
  ) -> ModuleVerdict.Outcome {
    // A table that could be made in another database has something of its own that is wrong.
    guard error.cause == .damaged || error.message.hasPrefix("vtable constructor failed") else {
      return .unchecked(error.message)
    }
    // FTS4 always compares with the texts, also with those that the app keeps.
    return table.module != "fts5" && !table.hasOwnContent && table.isFullText ? .stale : .damaged
  }

  private static func ask(
    _ table: VirtualTable, in connection: borrowing Connection
  ) throws(SQLiteError) {
    let name = table.name.quotedIdentifier
    try connection.execute("INSERT INTO \(name) (\(name)) VALUES ('integrity-check')")
  }

  /// Compares the index with the table that holds the texts, where that is another one.
  private static func words(
    of table: VirtualTable, in connection: borrowing Connection
  ) throws(SQLiteError) -> ModuleVerdict.Outcome {
    guard table.module == "fts5", table.contentTable != nil else { return .sound }
    do throws(SQLiteError) {
      try askWithTexts(table, in: connection)
      return .sound
    } catch {
      guard error.cause == .damaged else { return .unchecked(error.message) }
      return try lacksOnlyRows(table, in: connection) ? .stale : .damaged
    }
  }

  /// Whether rows of the table with the texts are not in the index, as an app may wish, and nothing
  /// else is wrong.
  ///
  /// The index holds then as soon as these rows are gone. Where nothing tells, that is believed.
  private static func lacksOnlyRows(
    _ table: VirtualTable, in connection: borrowing Connection
  ) throws(SQLiteError) -> Bool {
    guard let content = table.contentTable, let sizes = table.part("docsize") else { return true }
    let (rows, indexed) = (content.quotedIdentifier, sizes.name.quotedIdentifier)
    let id = (table.contentRowID ?? "rowid").quotedIdentifier
    let stray = try connection.value(
      "SELECT 1 FROM \(indexed) WHERE id NOT IN (SELECT \(id) FROM \(rows)) LIMIT 1")
    if stray != nil { return false }
    connection.configure(SQLITE_DBCONFIG_ENABLE_TRIGGER, false)
    try connection.execute("BEGIN")
    defer { try? connection.execute("ROLLBACK") }
    do throws(SQLiteError) {
      try connection.execute(
        "DELETE FROM \(rows) WHERE \(id) NOT IN (SELECT id FROM \(indexed))")
    } catch {
      return true  // From a view, no row can be taken.
    }
    do throws(SQLiteError) {
      try askWithTexts(table, in: connection)
      return true
    } catch {
      return error.cause != .damaged
    }
  }

  private static func askWithTexts(
    _ table: VirtualTable, in connection: borrowing Connection
  ) throws(SQLiteError) {
    let name = table.name.quotedIdentifier
    try connection.execute("INSERT INTO \(name) (\(name), rank) VALUES ('integrity-check', 1)")
  }

  private static func regions(
    of table: VirtualTable, in connection: borrowing Connection
  ) throws(SQLiteError) -> ModuleVerdict.Outcome {
    let found = try connection.value("SELECT rtreecheck(?)", [.text(table.name)])
    return found?.utf8String == "ok" ? .sound : .damaged
  }
}
