// SPDX-License-Identifier: Apache-2.0
// One row of a table as SQLite holds it, in memory.

internal import CSQLite
import Diagnosis
import SQLiteFormat

/// A table in memory that holds one row at a time.
final class SandboxRow {
  private let table: ComputedTable
  private let connection: Connection
  private let statement: Statement
  /// The places of the stored columns that are looked at.
  private let places: [Int]
  private let bindsRowID: Bool
  /// The virtual columns for expressions that are no column of the table.
  private let added: [String]
  /// The longest value that an expression may make.
  private var valueBytesMax = 1 << 18

  /// Declares the table, with all of its virtual columns or only some, and with virtual columns for
  /// some expressions.
  ///
  /// - Throws: ``SQLiteError`` when it cannot be declared here.
  init(
    _ table: ComputedTable, _ expressions: TableExpressions, virtual: Set<Name>? = nil,
    adding added: [String] = []
  ) throws(SQLiteError) {
    self.table = table
    self.added = added.indices.map { Name("expression \($0)").quotedIdentifier }
    let connection = try Connection(mode: .memory)
    connection.limitForUntrustedSQL(statementBytes: Connection.statementBytesMax)
    // The clock tells when it is enough.
    connection.patience.allow(.max / 2)
    try connection.execute("PRAGMA encoding = '\(table.encoding.name)'; BEGIN")
    let name = table.description.name
    do throws(DeclarationFault) {
      let declaration = try connection.declare(
        SchemaEntry(
          kind: .table, name: name, table: name, root: nil,
          sql: Self.sql(
            table, expressions, virtual, zip(self.added, added).map { "\($0) AS (\($1)) VIRTUAL" }))
      )
      if let function = declaration.missingFunctions.min() {
        throw DeclarationFault(reason: "no such function: \(function)", weight: .unchecked)
      }
    } catch {
      throw SQLiteError(extendedCode: 1, message: error.reason)
    }
    let quoted = name.quotedIdentifier
    try connection.execute("INSERT INTO \(quoted) DEFAULT VALUES")
    var places: [Int] = []
    var columns: Set<Name> = []
    for (place, column) in table.shape.stored.enumerated()
    where expressions.names.contains(column.name) && columns.insert(column.name).inserted {
      places.append(place)
    }
    self.places = places
    let rowID = table.description.rowIDName(among: expressions.names)
    bindsRowID = rowID != nil
    let targets =
      places.map { table.shape.stored[$0].name.quotedIdentifier } + [rowID].compactMap(\.self)
    let changes = targets.map { "\($0) = ?" }.joined(separator: ", ")
    // Where nothing of a row is looked at, nothing changes.
    statement = try connection.prepare(
      targets.isEmpty ? "SELECT 1" : "UPDATE \(quoted) SET \(changes)")
    statement.limitValues(to: valueBytesMax)
    self.connection = connection
  }

  /// The table without what could refuse a row.
  private static func sql(
    _ table: ComputedTable, _ expressions: TableExpressions, _ virtual: Set<Name>?,
    _ added: [String]
  ) -> String {
    let columns = table.description.columns.filter { column in
      column.generated != .virtual || virtual?.contains(column.name) ?? true
    }.map { column in
      let affinity = Affinity(declaredType: column.type, strict: table.description.strict)
      var sql = "\(column.name.quotedIdentifier) \(affinity.declaredType)"
      sql += " COLLATE \(column.collation.quotedIdentifier)"
      if column.generated == .virtual, let expression = expressions.generated[column.name] {
        sql += " AS (\(expression)) VIRTUAL"
      }
      return sql
    }
    let name = table.description.name.quotedIdentifier
    return "CREATE TABLE \(name) (\((columns + added).joined(separator: ", ")))"
  }

  /// Prepares a rule over the row.
  ///
  /// - Throws: ``SQLiteError`` when it cannot be computed here.
  func rule(_ kind: ComputedRule.Kind, _ expressions: [String]) throws(SQLiteError) -> ComputedRule
  {
    try ComputedRule(
      kind, expressions, of: table.description.name, table.encoding, on: connection)
  }

  /// Prepares a rule whose expressions, and then its condition, are the virtual columns that were
  /// added.
  ///
  /// - Throws: ``SQLiteError`` when it cannot be computed here.
  func ruleOverAdded(_ kind: ComputedRule.Kind) throws(SQLiteError) -> ComputedRule {
    guard case .index(let name, .some, let hasRowID) = kind else { return try rule(kind, added) }
    return try rule(
      .index(name, condition: added.last, hasRowID: hasRowID), added.dropLast())
  }

  /// Puts a row in the place of the one before it.
  ///
  /// - Throws: ``FormatError`` when a value cannot be read, ``SQLiteError`` when it is too long, or
  ///   a virtual column has no value for the row: SQLite computes them all.
  func hold(_ stored: StoredRecord, bytesMax: Int) throws {
    let fields = Array(stored.record.fields)
    let byteCount = places.reduce(0) { $0 + ($1 < fields.count ? fields[$1].length : 0) }
    guard byteCount <= bytesMax else {
      throw SQLiteError(extendedCode: SQLITE_TOOBIG, message: "its values are too long")
    }
    if 4 * byteCount > valueBytesMax {
      valueBytesMax = 4 * byteCount
      statement.limitValues(to: valueBytesMax)
    }
    for (index, place) in places.enumerated() {
      let value = try table.shape.storedValue(at: place, of: fields, in: stored)
      try statement.bind(value, at: index + 1, encoding: table.encoding)
    }
    if bindsRowID { try statement.bind(.integer(stored.rowID ?? 0), at: places.count + 1) }
    try statement.run([])
  }
}

extension TableDescription {
  /// A name of the rowid that is among others, and that no column has.
  fileprivate func rowIDName(among names: Set<Name>) -> String? {
    guard !withoutRowID else { return nil }
    return ["rowid", "_rowid_", "oid"].first { alias in
      names.contains(Name(alias)) && !columns.contains { $0.name == Name(alias) }
    }
  }
}

extension Affinity {
  /// A declared type that gives a column this affinity.
  fileprivate var declaredType: String {
    switch self {
    case .text: "TEXT"
    case .numeric: "NUMERIC"
    case .integer: "INT"
    case .real: "REAL"
    case .blob: "BLOB"
    }
  }
}
