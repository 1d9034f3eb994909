// SPDX-License-Identifier: Apache-2.0
// What only the app can compute: stored columns and the keys of indexes, taken from what it computed.

import Diagnosis
import SQLiteFormat

extension FreshDatabase {
  /// A function that the keys of an index need, and that only the app has.
  func missingFunction(of index: Declaration) -> Name? {
    if let function = index.missingFunctions.min() { return function }
    guard let table = schema.declared.table(named: index.table),
      let description = description(of: index)
    else {
      return nil
    }
    let computed = Set(table.columns.filter { $0.generated == .virtual }.map(\.name))
    let isComputed =
      description.predicate != nil
      || description.columns.contains { $0.name.map(computed.contains) ?? true }
    guard isComputed, !computed.isEmpty else { return nil }
    return schema.declared.declaration(of: index.table)?.missingFunctions.min()
  }

  /// The indexes whose keys only the app can compute, and that can be made of entries that are there.
  var indexesOfEntries: [Declaration] {
    guard schema.keepsComputedValues else { return [] }
    return schema.declared.declarations.filter { index in
      index.kind == .index && !early.contains(index.name) && hasTable(index.table)
        && missingFunction(of: index) != nil && KnownFunctions.canBeOfApp(index.missingFunctions)
        && schema.declared.table(named: index.table)?.withoutRowID == false
        && description(of: index)?.foreignCollation == nil
        && SQLTokens(parsing: index.sql).areAsStored
    }
  }

  /// Makes an index of the entries that it has in the input: they go into a table of their own, over
  /// which the index is made, and which it leaves at the end.
  ///
  /// - Throws: What `read` throws, or ``SQLiteError`` where it is not for this index alone.
  mutating func makeIndex(
    _ declaration: Declaration, reading read: ((StoredRecord) throws -> Void) throws -> Void
  ) throws {
    guard let index = description(of: declaration),
      let table = schema.declared.table(named: declaration.table)
    else {
      return
    }
    let entries = EntryTable(index, of: table)
    do {
      try isolated { connection throws(any Error) in
        try entries.fill(on: connection, encoding: schema.encoding, reading: read)
      }
    } catch {
      guard let reason = reasonToLeaveOut(error) else { throw error }
      early.insert(declaration.name)
      return leaveOut(declaration, reason)
    }
    early.insert(declaration.name)
    disguised.append(declaration)
    scaffolds.append(entries.name)
  }

  /// Gives what was made under another statement its own, and takes the scaffolds away.
  func undisguise() throws(SQLiteError) {
    let statement = try connection.prepare(
      "UPDATE sqlite_schema SET tbl_name = ?, sql = ? WHERE type = ? AND name = ?")
    for object in disguised {
      try statement.run([
        .text(object.table), .text(object.sql), .text(object.kind.rawValue), .text(object.name),
      ])
    }
    guard !scaffolds.isEmpty else { return }
    // SQLite reads the schema again, in which no index belongs to them any more.
    try connection.execute("PRAGMA writable_schema = RESET")
    for table in scaffolds { try connection.execute("DROP TABLE \(table.quotedIdentifier)") }
  }
}

/// A table that holds the entries of an index, each under the rowid that it leads to.
private struct EntryTable {
  let name: Name
  private let index: IndexDescription
  private let table: TableDescription

  init(_ index: IndexDescription, of table: TableDescription) {
    self.index = index
    self.table = table
    name = "entries of \(index.name)"
  }

  private var keys: [String] { index.columns.indices.map { "k\($0)" } }

  /// Makes the table, fills it, and makes the index over it.
  func fill(
    on connection: borrowing Connection, encoding: TextEncoding,
    reading read: ((StoredRecord) throws -> Void) throws -> Void
  ) throws {
    let quoted = name.quotedIdentifier
    try connection.execute("CREATE TABLE \(quoted) (\(keys.joined(separator: ", ")))")
    let statement = try connection.prepare(
      """
      INSERT INTO \(quoted) (rowid, \(keys.joined(separator: ", ")))
      VALUES (?\(String(repeating: ", ?", count: keys.count)))
      """)
    try read { stored in
      let fields = Array(stored.record.fields)
      guard fields.count == keys.count + 1,
        let rowID = try stored.record.value(of: fields[keys.count]).integerValue
      else { throw SQLiteError(extendedCode: 1, message: "an entry of it is none") }
      defer {
        statement.reset()
        statement.forgetValues()
      }
      try statement.bind(.integer(rowID), at: 1)
      for (place, field) in fields.dropLast().enumerated() {
        try statement.bind(
          field, of: stored.record, isReal: false, at: place + 2, encoding: encoding)
      }
      while try statement.step() {}
    }
    try requireRows(on: connection)
    try connection.execute(sql)
  }

  /// Refuses entries that lead to rows that are not there, or are not those of all rows.
  private func requireRows(on connection: borrowing Connection) throws(SQLiteError) {
    let names = Set(table.columns.map(\.name))
    guard let alias = ["rowid", "_rowid_", "oid"].first(where: { !names.contains(Name($0)) }) else {
      throw SQLiteError(extendedCode: 1, message: "its table has no name for its rowids")
    }
    let (entries, rows) = (name.quotedIdentifier, table.name.quotedIdentifier)
    let extra = try connection.value(
      "SELECT count(*) FROM \(entries) WHERE rowid NOT IN (SELECT \(alias) FROM \(rows))")
    let missing = try connection.value(
      """
      SELECT (SELECT count(*) FROM \(rows)) - (SELECT count(*) FROM \(entries))
      """)
    guard extra == .integer(0), index.predicate != nil || missing == .integer(0) else {
      throw SQLiteError(extendedCode: 1, message: "its entries are not those of the rows")
    }
  }

  private var sql: String {
    let columns = zip(keys, index.columns).map { key, column in
      "\(key) COLLATE \(column.collation.quotedIdentifier)\(column.descending ? " DESC" : "")"
    }
    return """
      CREATE \(index.unique ? "UNIQUE " : "")INDEX \(index.name.quotedIdentifier)
      ON \(name.quotedIdentifier) (\(columns.joined(separator: ", ")))
      """
  }
}
