// SPDX-License-Identifier: Apache-2.0
// What a merge sets aside: rows of databases that were salvaged, and what their salvages set aside.

import SQLiteFormat

extension QuarantineDatabase {
  /// Sets a row aside that a merge did not take, or that gave way to another one.
  ///
  /// `row` are the values of its record, text as the merged database has it, and behind them its
  /// rowid.
  mutating func add(
    _ row: [Value], of table: Name, from input: String, _ reason: String, _ evidence: String
  ) throws(SQLiteError) {
    guard let rowID = row.last else { return }
    try insert(
      into: .conflicts,
      [
        .text(table), rowID, .text(input), .null, .null, .text(reason), .text(evidence),
        .integer(Int64(row.count - 1)),
      ], row.dropLast().enumerated().map { ($0.offset, $0.element) })
  }

  /// Notes a row that has a new key.
  mutating func addRenumbered(
    _ table: Name, from input: String, old: Value, new: Value
  ) throws(SQLiteError) {
    try prepared(
      #"INSERT INTO renumbered ("table", "source", "old", "new") VALUES (?, ?, ?, ?)"#
    ).run([.text(table), .text(input), old, new])
  }

  /// Takes over what the salvage of an input has set aside.
  ///
  /// - Throws: ``SQLiteError`` when one of the files cannot be read or written.
  mutating func take(_ path: FilePath, from input: String) throws(SQLiteError) {
    let other = try Connection(path, mode: .readOnly, schemaBy: .us)
    let encoding = TextEncoding(named: try other.value("PRAGMA encoding")?.utf8String ?? "")
    for table in Table.allCases { try take(table, of: other, encoding, from: input) }
    let columns = [
      "page", "source", "file_offset", "size", "kind", "cells", "owner_candidates", "reason",
      "evidence",
    ]
    let names = columns.joined(separator: ", ")
    let pages = try other.prepare("SELECT \(names) FROM pages ORDER BY page")
    let marks = columns.map { _ in "?" }.joined(separator: ", ")
    while try pages.step() {
      var row = pages.row
      row[1] = Self.source(input, row[1])
      try prepared("INSERT INTO pages (\(names)) VALUES (\(marks))").run(row)
      count += 1
    }
  }

  private mutating func take(
    _ table: Table, of other: borrowing Connection, _ encoding: TextEncoding, from input: String
  ) throws(SQLiteError) {
    let statement = try other.prepare("SELECT * FROM \(table.rawValue) ORDER BY number")
    let names = statement.columnNames
    let leading = table.columns.compactMap { names.firstIndex(of: $0) }
    let values = names.enumerated().compactMap { place, name in
      name.hasPrefix("c") ? Int(name.dropFirst()).map { (field: $0, place: place) } : nil
    }
    guard leading.count == table.columns.count else { return }
    while try statement.step() {
      var head = leading.map { statement[$0] }
      head[2] = Self.source(input, head[2])
      try insert(
        into: table, head, values.map { ($0.field, statement.stored($0.place)) },
        encoding: encoding)
    }
  }

  /// The name of an input with that of one of its files.
  private static func source(_ input: String, _ file: Value) -> Value {
    file.utf8String.map { .text("\(input) \($0)") } ?? .text(input)
  }
}

extension TextEncoding {
  /// The encoding that `PRAGMA encoding` calls so.
  fileprivate init(named name: String) {
    self = Self.allCases.first { $0.name == name } ?? .utf8
  }
}
