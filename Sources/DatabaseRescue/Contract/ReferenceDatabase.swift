// SPDX-License-Identifier: Apache-2.0
// A script or a fresh schema carried out in memory, to see what SQLite makes of it.

package import Diagnosis
import SQLiteFormat

/// A database in memory that a script has made.
struct ReferenceDatabase: ~Copyable {
  /// The longest script, in bytes.
  static let byteCountMax = 16 << 20
  /// The most pages that a script may fill.
  private static let pagesMax = 16_384
  /// How many steps of SQLite's machine a script may take: some seconds.
  private static let stepsMax = 200_000_000

  /// The connection.
  let connection: Connection

  /// Runs a script under restrictions: no other files, no extensions, few pragmas; functions that only
  /// an app has are none to it, unless it is that `ofApp`.
  ///
  /// - Throws: ``RescueError`` of kind `invalidInput` when a statement fails.
  init(running script: String, named file: String, ofApp: Bool = false) throws(RescueError) {
    func invalid(_ message: String) -> RescueError {
      RescueError(
        .invalidInput, message, meaning: "nothing was done",
        advice: "correct '\(file)'; only its CREATE statements and versions are needed")
    }
    guard script.utf8.count <= Self.byteCountMax, !script.utf8.contains(0) else {
      throw invalid("'\(file)' is too long for a script, or contains a NUL")
    }
    let connection = try Self.restrictedConnection()
    do throws(ScriptFailure) {
      try connection.permitting(.script) { () throws(ScriptFailure) in
        try connection.executeScript(script, ofApp: ofApp)
      }
    } catch {
      throw invalid("\(file):\(error.line): \(error.error.message)")
    }
    self.connection = connection
  }

  private static func restrictedConnection() throws(RescueError) -> Connection {
    do throws(SQLiteError) {
      let connection = try Connection(mode: .memory)
      try connection.execute("PRAGMA temp_store = MEMORY")
      connection.limitForUntrustedSQL(statementBytes: byteCountMax + 1)
      connection.acceptUnknownCollations()
      _ = try connection.rows("PRAGMA max_page_count = \(pagesMax)")
      connection.patience.allow(stepsMax)
      return connection
    } catch {
      throw RescueError(error, doing: "make a database in memory")
    }
  }

  /// Carries out a fresh schema.
  ///
  /// - Throws: ``RescueError`` of kind `invalidInput` when a statement fails.
  init(freshSchemaOf contract: Contract) throws(RescueError) {
    // A statement may end in a comment, so the semicolon stands on a line of its own.
    try self.init(
      running: contract.freshSchema.map(\.endingItsComment).joined(separator: "\n;\n"),
      named: "freshSchema of '\(contract.name)'", ofApp: true)
  }
}

extension FreshSchema {
  /// The schema of a fresh database that fulfils a contract.
  ///
  /// - Throws: ``RescueError`` of kind `invalidInput` when the contract has no fresh schema, or
  ///   one that does not execute.
  package init(contract: Contract) throws(RescueError) {
    guard !contract.freshSchema.isEmpty else {
      throw RescueError(
        .invalidInput, "the contract '\(contract.name)' has no fresh schema",
        meaning: "nothing was done", advice: "capture the contract from a healthy database")
    }
    let reference = try ReferenceDatabase(freshSchemaOf: contract)
    let declared: DeclaredSchema
    do throws(SQLiteError) {
      declared = DeclaredSchema(try SchemaReader.freshEntries(reference.connection))
    } catch {
      throw RescueError(error, doing: "read the fresh schema of '\(contract.name)'")
    }
    if let refused = declared.refused.first {
      throw RescueError(
        .invalidInput,
        "'\(refused.name)' in the fresh schema of '\(contract.name)': \(refused.reason)",
        meaning: "nothing was done", advice: "correct the contract, or capture a new one")
    }
    self.init(
      declared, userVersion: contract.userVersion, applicationID: contract.applicationID ?? 0)
  }
}

extension SchemaReader {
  /// The statements that make a connection's schema anew, in an order that executes.
  ///
  /// Tables that SQLite or a virtual table makes by itself are left out.
  static func freshEntries(
    _ connection: borrowing Connection
  ) throws(SQLiteError) -> [SchemaEntry] {
    let rows = try connection.rows(
      """
      SELECT type, name, tbl_name, rootpage, sql FROM sqlite_schema
      WHERE sql IS NOT NULL AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' AND name NOT IN (
        SELECT name FROM pragma_table_list WHERE schema = 'main' AND type = 'shadow')
      ORDER BY CASE type WHEN 'table' THEN 0 WHEN 'index' THEN 1 WHEN 'view' THEN 2 ELSE 3 END,
        rowid
      """)
    return entries(of: rows)
  }

  /// The virtual tables in a connection's schema.
  static func virtualTables(
    _ connection: borrowing Connection
  ) throws(SQLiteError) -> [VirtualTable] {
    let rows = try connection.rows("SELECT type, name, tbl_name, rootpage, sql FROM sqlite_schema")
    let entries = entries(of: rows)
    guard entries.contains(where: { $0.sql.flatMap { VirtualTableTokens($0) } != nil }) else {
      return []
    }
    return DeclaredSchema(entries).virtualTables
  }

  private static func entries(of rows: [[Value]]) -> [SchemaEntry] {
    rows.compactMap { row -> SchemaEntry? in
      guard let kind = row[0].utf8String.flatMap(SchemaEntry.Kind.init(rawValue:)),
        let name = row[1].utf8String.map({ Name($0) }),
        let table = row[2].utf8String.map({ Name($0) }), let sql = row[4].statement
      else { return nil }
      let root = row[3].integerValue.flatMap { UInt32(exactly: $0) }.flatMap { PageNumber($0) }
      return SchemaEntry(kind: kind, name: name, table: table, root: root, sql: sql)
    }
  }
}
