// SPDX-License-Identifier: Apache-2.0
// Rows of the schema table in which a letter is another one, as their statements tell.
//
// stated    table | itel | item | 3 | CREATE TABLE item(id INTEGER PRIMARY KEY)
// mended    table | item | item | 3 | CREATE TABLE item(id INTEGER PRIMARY KEY)
//
// A row says most of what it is twice: in its columns, and in its statement. Where the two differ in
// one letter, as a bit that has turned makes them, what is said once more is right.

import SQLiteFormat

/// A row of a schema, put right by its statement.
struct MendedSchemaRow {
  /// What the row says, or said.
  private(set) var entry: SchemaEntry
  /// What is wrong with it.
  private(set) var faults: [String] = []
  /// What its statement says of the object, where that is something else.
  private let head: ObjectHead?

  /// The rows that records are or were; nil for those that are none.
  ///
  /// Which tables there are is known when the rows of these are put right; their indexes follow.
  static func rows(of records: [StoredRecord], _ encoding: TextEncoding) -> [MendedSchemaRow?] {
    var rows = records.map { MendedSchemaRow($0.record, encoding) }
    let tables = Set(rows.compactMap { $0?.entry }.filter(\.isTableOrView).map(\.name))
    for place in rows.indices { rows[place]?.mendTable(among: tables) }
    return rows
  }

  /// Reads a row, with the type and the name that it should have.
  private init?(_ record: Record, _ encoding: TextEncoding) {
    var faults: [String] = []
    let entry = SchemaEntry(record, encoding: encoding) { word in
      faults.append("its type is none")
      return SchemaEntry.Kind.allCases.first { $0.rawValue.differsInOneLetter(from: word) }
    }
    guard let entry else { return nil }
    if record.fields.contains(where: \.isBlob) {
      faults.append("one of its texts is stored as a BLOB")
    }
    (self.entry, self.faults, head) = (entry, faults, ObjectHead(entry))
    mendName()
  }

  /// A row of a table that says its name twice is right, and its statement is damaged.
  private mutating func mendName() {
    guard let name = head?.name, name.isOneLetter(from: entry.name),
      !entry.isTableOrView || entry.table != entry.name
    else { return }
    entry = entry.named(name, of: entry.table)
    faults.append("its name is not that in its statement")
  }

  private mutating func mendTable(among tables: Set<Name>) {
    guard let table = entry.isTableOrView ? entry.name : head?.table,
      table.isOneLetter(from: entry.table),
      entry.isTableOrView || tables.contains(table) && !tables.contains(entry.table)
    else { return }
    entry = entry.named(entry.name, of: table)
    faults.append("its table is not that in its statement")
  }
}

/// What the beginning of a statement says of the object that it makes.
private struct ObjectHead {
  /// How many bytes of a statement are looked at.
  private static let lengthMax = 400
  /// The shortest name that hardly stands in a statement by accident.
  private static let tellingMin = 8

  /// Its name; nil for what SQLite makes by itself.
  private(set) var name: Name?
  /// The table of an index or trigger.
  private(set) var table: Name?

  /// Looks at an entry; nil where its statement says nothing else than its row.
  init?(_ entry: SchemaEntry) {
    guard let sql = entry.sql else {
      table = entry.name.tableOfAutomaticIndex
      return
    }
    // There may be very many statements, and next to none of them is damaged.
    if [entry.name, entry.table].allSatisfy({
      $0.text.utf8.count >= Self.tellingMin && sql.startHolds($0.foldedText)
    }) {
      return nil
    }
    var tokens: [SQLToken] = []
    SQLTokens.scan(Bytes(sql.utf8.prefix(Self.lengthMax))) { token, _ in tokens.append(token) }
    guard let name = entry.fromName(in: tokens).first?.asName else { return nil }
    self.name = name
    guard !entry.isTableOrView, let on = SQLTokens(tokens).position(of: "on"),
      on + 1 < tokens.count
    else { return }
    table = tokens[on + 1].asName
  }
}

extension SchemaEntry {
  fileprivate var isTableOrView: Bool { kind == .table || kind == .view }

  fileprivate func named(_ name: Name, of table: Name) -> SchemaEntry {
    SchemaEntry(kind: kind, name: name, table: table, root: root, sql: sql)
  }
}

extension Name {
  /// Whether a letter of this name is another one in another.
  fileprivate func isOneLetter(from other: Name) -> Bool {
    self != other && text.differsInOneLetter(from: other.text)
  }

  /// The table in the name of an index that SQLite makes by itself: `sqlite_autoindex_<table>_<n>`.
  fileprivate var tableOfAutomaticIndex: Name? {
    let start = "sqlite_autoindex_"
    guard hasPrefix(Name(start)), let end = text.lastIndex(of: "_") else { return nil }
    let name = text[..<end].dropFirst(start.count)
    return name.isEmpty ? nil : Name(name)
  }
}
