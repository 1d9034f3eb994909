// SPDX-License-Identifier: Apache-2.0
// The database of doubtful rows beside a salvaged one, made for support to query.
//
// rows        rows that can be read but were not placed: what, where, why, and the values
// conflicts   rows that the fresh schema refused, in the same shape
// meta        what the file is and how it came about
//
// The values of a record lie in c0, c1, …, each with its own type.

internal import CSQLite
package import Diagnosis
package import SQLiteFormat

/// The database of doubtful rows beside a salvaged one.
package struct QuarantineDatabase: ~Copyable {
  /// The most values that are kept of one record: what a table of SQLite can have, less the rest.
  private static let valuesMax = 1900

  private let connection: Connection
  private let encoding: TextEncoding
  private var columns: [Table: Int] = [:]
  /// The long texts that were written, for their marking once the database is closed.
  package let longTexts = LongTexts()
  /// How many rows were set aside.
  package private(set) var count = 0

  private enum Table: String, CaseIterable {
    case rows
    case conflicts
  }

  /// Makes the file.
  ///
  /// - Throws: ``SQLiteError`` when it cannot be made.
  package init(
    at path: FilePath, encoding: TextEncoding, meta: [(key: String, value: String)]
  ) throws(SQLiteError) {
    let connection = try Connection(path, mode: .create)
    try connection.execute(
      """
      PRAGMA encoding = '\(encoding.name)';
      PRAGMA journal_mode = MEMORY;
      PRAGMA synchronous = OFF;
      PRAGMA locking_mode = EXCLUSIVE;
      BEGIN;
      CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT) WITHOUT ROWID;
      """)
    let statement = try connection.prepare("INSERT INTO meta VALUES (?, ?)")
    for (key, value) in meta { try statement.run([.text(key), .text(value)]) }
    for table in Table.allCases {
      try connection.execute(
        """
        CREATE TABLE \(table.rawValue) (
          "number" INTEGER PRIMARY KEY, "table" TEXT, "rowid" INTEGER, "page" INTEGER,
          "offset" INTEGER, "reason" TEXT, "nfield" INTEGER)
        """)
    }
    self.connection = connection
    self.encoding = encoding
  }

  /// Sets a row aside; its values are those of the record.
  package mutating func add(
    _ stored: StoredRecord, table: String?, doubt: Doubt
  ) throws {
    let target: Table =
      switch doubt {
      case .keyTaken, .constraint: .conflicts
      default: .rows
      }
    let record = stored.record
    let fields = Array(record.fields.prefix(Self.valuesMax))
    try widen(target, to: fields.count)
    let names = fields.indices.map { ", c\($0)" }.joined()
    let marks = String(repeating: ", ?", count: fields.count)
    let statement = try connection.prepare(
      """
      INSERT INTO \(target.rawValue) ("table", "rowid", "page", "offset", "reason", "nfield"\(names))
      VALUES (?, ?, ?, ?, ?, ?\(marks))
      """)
    let place: [Value] = [
      table.map { .text($0) } ?? .null, stored.rowID.map(Value.integer) ?? .null,
      .integer(Int64(stored.page.rawValue)), .integer(Int64(stored.offset)),
      .text(doubt.description), .integer(Int64(record.fieldCount)),
    ]
    try statement.bind(place)
    for (index, field) in fields.enumerated() {
      let parameter = place.count + index + 1
      if record.isLong(field) {
        try statement.bind(zeros: field.length, at: parameter)
      } else {
        try statement.bind(field, of: record, isReal: false, at: parameter, encoding: encoding)
      }
    }
    while try statement.step() {}
    let longValues = try LongValues(of: target.rawValue, on: connection, longTexts)
    for (index, field) in fields.enumerated() where record.isLong(field) {
      // Behind the row's number and its place.
      try longValues.fill("c\(index)", at: 1 + place.count + index, with: field, of: record)
    }
    count += 1
  }

  private mutating func widen(_ table: Table, to width: Int) throws(SQLiteError) {
    let present = columns[table] ?? 0
    guard width > present else { return }
    for index in present..<width {
      try connection.execute("ALTER TABLE \(table.rawValue) ADD COLUMN c\(index)")
    }
    columns[table] = width
  }

  /// Commits.
  package func finish() throws(SQLiteError) {
    try connection.execute("COMMIT")
  }
}
