// SPDX-License-Identifier: Apache-2.0
// The database of doubtful rows beside a salvaged one, made for support to query.
// docs/formats.md describes it for those who do; its own schema says the same in comments.

internal import CSQLite
package import Diagnosis
package import SQLiteFormat

/// The database of doubtful rows beside a salvaged one.
///
/// The values of a record lie in `c0`, `c1`, …, each with its own type; a table gets as many of
/// these columns as its widest row needs.
package struct QuarantineDatabase: ~Copyable {
  /// The version of the layout; it changes when a column changes its meaning.
  package static let layout = "1"
  /// The most values that are kept of one record: what a table of SQLite can have, less the rest.
  static let valuesMax = 1900

  let connection: Connection
  let encoding: TextEncoding
  let image: Image?
  var widths: [Table: Int] = [:]
  var statements: [String: PreparedStatement] = [:]
  var indexedByKey: Set<Table> = []
  /// The types of values that are written once nobody has the file open.
  package let deferredTypes = DeferredTypes()
  /// How many rows, whole or in part, lie here.
  package internal(set) var count = 0

  /// The tables that hold values.
  package enum Table: String, CaseIterable, Sendable {
    /// Rows that can be read whole, but were not placed.
    case rows
    /// Rows that the fresh schema refused.
    case conflicts
    /// What is left of rows that are lost.
    case partialRows = "partial_rows"
    /// Values of rows that are in the fresh database, for which that has no column, or one whose type
    /// changes them.
    case leftOut = "left_out"

    /// The columns before the values.
    var columns: [String] {
      let place = ["table", "rowid", "source", "page", "offset"]
      return switch self {
      case .rows, .conflicts: place + ["reason", "evidence", "nfield"]
      case .partialRows:
        place + ["reason", "evidence", "witnesses", "known", "cut", "beginning", "nfield"]
      case .leftOut: place + ["columns", "known"]
      }
    }
  }

  /// Makes the file for the doubtful rows of an image.
  ///
  /// - Throws: ``SQLiteError`` when it cannot be made.
  package init(
    at path: FilePath, encoding: TextEncoding, image: Image?,
    meta: [(key: String, value: String)]
  ) throws(SQLiteError) {
    let connection = try Connection(path, mode: .create, schemaBy: .us)
    try connection.execute(
      """
      PRAGMA encoding = '\(encoding.name)';
      PRAGMA journal_mode = MEMORY;
      PRAGMA synchronous = OFF;
      PRAGMA locking_mode = EXCLUSIVE;
      BEGIN;
      """ + Self.schema)
    try Self.describe(meta, in: connection)
    self.connection = connection
    self.encoding = encoding
    self.image = image
  }

  private static func describe(
    _ meta: [(key: String, value: String)], in connection: borrowing Connection
  ) throws(SQLiteError) {
    let statement = try connection.prepare("INSERT INTO meta VALUES (?, ?)")
    for (key, value) in meta { try statement.run([.text(key), .text(value)]) }
  }

  /// Sets a row aside; its values are those of the record.
  ///
  /// - Throws: ``SQLiteError``, or ``FormatError`` when a long value can no longer be read.
  package mutating func add(_ stored: StoredRecord, table: Name?, doubt: Doubt) throws {
    let target: Table =
      switch doubt {
      case .keyTaken, .constraint, .encoding: .conflicts
      default: .rows
      }
    try insert(
      stored.record, into: target,
      place(of: stored.page, stored.offset, table: table, rowID: stored.rowID) + [
        .text(doubt.word), .text(doubt.description), .integer(Int64(stored.record.fieldCount)),
      ])
  }

  /// Sets aside a row of a backup that contradicts what is known of the row that was lost.
  ///
  /// `encoding` is that of the backup's texts.
  mutating func addOutdated(
    _ stored: StoredRecord, table: Name, backup: String, encoding: TextEncoding
  ) throws {
    var place = place(of: stored.page, stored.offset, table: table, rowID: stored.rowID)
    place[2] = .text(backup)
    try insert(
      stored.record, into: .rows,
      place + [
        .text("outdated"),
        .text("a row of a backup; the indexes of the damaged file know other values of it"),
        .integer(Int64(stored.record.fieldCount)),
      ], encoding: encoding)
  }

  /// Keeps the values of a row that is in the fresh database, for which that has no column, or one
  /// whose type changes them.
  ///
  /// `key` are the positions of the row's key where it has no rowid. Of a row of a backup, `source` is
  /// its name, and `encoding` that of its texts.
  package mutating func addLeftOut(
    _ fields: [(field: Int, column: Name)], of stored: StoredRecord, table: Name,
    key: Range<Int>, source: String? = nil, encoding: TextEncoding? = nil
  ) throws {
    var place = place(of: stored.page, stored.offset, table: table, rowID: stored.rowID)
    if let source { place[2] = .text(source) }
    let positions = Set(fields.map(\.field)).union(stored.rowID == nil ? Set(key) : []).sorted()
    try insert(
      into: .leftOut,
      place + [.text(fields.map(\.column).joined(separator: ", ")), .text(positions.listed)],
      positions.map { ($0, try stored.record.field($0).map(stored.record.value(of:)) ?? .null) },
      encoding: encoding)
  }

  /// Keeps what is left of a row; where something of the same row is there already, both become
  /// one.
  ///
  /// `keyCount` is how many of the first fields are the key of a table without rowids.
  package mutating func add(
    _ partial: PartialRow, table: Name?, keyCount: Int, fieldCount: Int?
  ) throws(SQLiteError) {
    let key = (0..<keyCount).compactMap { field in
      partial.values.first { $0.field == field }?.value
    }
    if let table,
      let present = try partialRow(table, partial.rowID, key: key, keyCount: keyCount)
    {
      try merge(partial, into: present)
      return
    }
    let count = partial.fieldCount ?? fieldCount
    try insert(
      into: .partialRows,
      place(of: partial.page, partial.offset, table: table, rowID: partial.rowID) + [
        .text(partial.source.word), .text(partial.source.description),
        partial.source.index.map { .text($0) } ?? .null, .text(partial.values.map(\.field).listed),
        .null, .null, count.map { .integer(Int64($0)) } ?? .null,
      ], partial.values)
    guard let (field, value) = partial.cut else { return }
    try prepared(
      "UPDATE partial_rows SET cut = ?, beginning = ? WHERE number = last_insert_rowid()"
    ).run([.integer(Int64(field))], [kept(untorn(value), encoding)], encoding: encoding)
  }

  /// The first bytes of a value; of a text, without the part of a character at their end.
  private func untorn(_ cut: Value) -> Value {
    guard case .text(let bytes) = cut else { return cut }
    let ends = (0...3).lazy.map { Bytes(bytes.dropLast($0)) }
    // What is whole, another encoding keeps, too.
    let other: TextEncoding = encoding == .utf8 ? .utf16le : .utf8
    return .text(ends.first { encoding.keeps($0, in: other) } ?? bytes)
  }

  /// Notes a page that no row was read from.
  package mutating func add(_ page: UnreadPage) throws(SQLiteError) {
    let bytes = image.flatMap { try? $0.bytes(of: page.page) }
    let place: [Value] =
      if let image, let bytes {
        [
          .text("\(image.origin(of: page.page))"), .integer(Int64(image.offset(of: page.page))),
          .integer(Int64(bytes.count)),
        ]
      } else {
        [.null, .null, .integer(0)]
      }
    try prepared(
      """
      INSERT INTO pages (page, source, file_offset, size, kind, cells, owner_candidates, reason,
        evidence) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
      """
    ).run(
      [.integer(Int64(page.page.rawValue))] + place + [
        .text(page.kind), page.cellCount.map { .integer(Int64($0)) } ?? .null,
        page.candidates.isEmpty ? .null : .text(page.candidates.joined(separator: ", ")),
        .text(page.reason.rawValue), .text(page.evidence),
      ])
  }

  /// Adds what is known of the file at the end, commits, and closes the file.
  ///
  /// - Returns: The types of values that are written now that nobody has the file open.
  package consuming func finish(
    meta: [(key: String, value: String)] = []
  ) throws(SQLiteError) -> DeferredTypes {
    try Self.describe(meta, in: connection)
    statements = [:]
    try connection.execute("COMMIT")
    return deferredTypes
  }
}

extension [Int] {
  /// The numbers as text, such as `0,2`.
  var listed: String { map(String.init).joined(separator: ",") }
}

extension PartialRow.Source {
  /// What the source is, in one word.
  fileprivate var word: String {
    switch self {
    case .cell: "broken-chain"
    case .index: "index-entry"
    }
  }

  /// What the source says, in words.
  fileprivate var description: String {
    switch self {
    case .cell(let problem): "\(problem): the fields before the break are kept"
    case .index: "an index still holds the key of a row that its table has lost"
    }
  }

  /// The index that is the source.
  var index: String? { if case .index(let name) = self { name.text } else { nil } }
}
