// SPDX-License-Identifier: Apache-2.0
// The database of doubtful rows beside a salvaged one, made for support to query.
// README.md describes it for those who do; its own schema says the same in comments.

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
  private let image: Image?
  private var widths: [Table: Int] = [:]
  private var statements: [String: PreparedStatement] = [:]
  private var indexedByKey: Set<Table> = []
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
    /// Values of rows that are in the fresh database, for which that has no column.
    case leftOut = "left_out"

    /// The columns before the values.
    var columns: [String] {
      let place = ["table", "rowid", "source", "page", "offset"]
      return switch self {
      case .rows, .conflicts: place + ["reason", "evidence", "nfield"]
      case .partialRows: place + ["reason", "evidence", "witnesses", "known", "nfield"]
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
      case .keyTaken, .constraint: .conflicts
      default: .rows
      }
    try insert(
      stored.record, into: target,
      place(of: stored.page, stored.offset, table: table, rowID: stored.rowID) + [
        .text(doubt.word), .text(doubt.description), .integer(Int64(stored.record.fieldCount)),
      ])
  }

  /// Sets aside a row of a backup that contradicts what is known of the row that was lost.
  mutating func addOutdated(_ stored: StoredRecord, table: Name, backup: String) throws {
    var place = place(of: stored.page, stored.offset, table: table, rowID: stored.rowID)
    place[2] = .text(backup)
    try insert(
      stored.record, into: .rows,
      place + [
        .text("outdated"),
        .text("a row of a backup; the indexes of the damaged file know other values of it"),
        .integer(Int64(stored.record.fieldCount)),
      ])
  }

  /// Keeps the values of a row that is in the fresh database, for which that has no column.
  ///
  /// `key` are the positions of the row's key where it has no rowid.
  package mutating func addLeftOut(
    _ fields: [(field: Int, column: Name)], of stored: StoredRecord, table: Name,
    key: Range<Int>
  ) throws {
    let positions = Set(fields.map(\.field)).union(stored.rowID == nil ? Set(key) : []).sorted()
    try insert(
      into: .leftOut,
      place(of: stored.page, stored.offset, table: table, rowID: stored.rowID) + [
        .text(fields.map(\.column).joined(separator: ", ")), .text(positions.listed),
      ], positions.map { ($0, try stored.record.field($0).map(stored.record.value(of:)) ?? .null) })
  }

  /// Keeps what is left of a row; where something of the same row is there already, both become
  /// one.
  ///
  /// `keyCount` is how many of the first fields are the key of a table without rowids.
  package mutating func add(
    _ partial: PartialRow, table: Name, keyCount: Int, fieldCount: Int?
  ) throws(SQLiteError) {
    let key = (0..<keyCount).compactMap { field in
      partial.values.first { $0.field == field }?.value
    }
    if let present = try partialRow(table, partial.rowID, key: key, keyCount: keyCount) {
      try merge(partial, into: present)
      return
    }
    let count = partial.fieldCount ?? fieldCount
    try insert(
      into: .partialRows,
      place(of: partial.page, partial.offset, table: table, rowID: partial.rowID) + [
        .text(partial.witness.word), .text(partial.witness.description),
        partial.witness.index.map { .text($0) } ?? .null, .text(partial.values.map(\.field).listed),
        count.map { .integer(Int64($0)) } ?? .null,
      ], partial.values)
  }

  /// Notes a page that no row was read from.
  package mutating func add(_ page: StrayPage) throws(SQLiteError) {
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

  /// Adds what is known of the file at the end, and commits.
  package mutating func finish(meta: [(key: String, value: String)] = []) throws(SQLiteError) {
    try Self.describe(meta, in: connection)
    statements = [:]
    try connection.execute("COMMIT")
  }

  /// Adds rows of one object; where that fails, nothing of them is here.
  ///
  /// - Throws: What `body` throws.
  mutating func attempt<Result>(
    _ body: (inout QuarantineDatabase) throws -> Result
  ) throws -> Result {
    let (widths, indexedByKey, count) = (widths, indexedByKey, count)
    let putOff = deferredTypes.count
    try connection.execute("SAVEPOINT one_object")
    do {
      let result = try body(&self)
      try connection.execute("RELEASE one_object")
      return result
    } catch {
      statements = [:]
      try connection.execute("ROLLBACK TO one_object; RELEASE one_object")
      (self.widths, self.indexedByKey, self.count) = (widths, indexedByKey, count)
      deferredTypes.forget(after: putOff)
      throw error
    }
  }

  // MARK: Inside

  /// Where the bytes of a row are, as the columns that all tables of rows begin with.
  private func place(
    of page: PageNumber, _ offset: Int, table: Name?, rowID: Int64?
  ) -> [Value] {
    [
      table.map { .text($0) } ?? .null, rowID.map(Value.integer) ?? .null,
      .text("\(image?.origin(of: page) ?? .main)"), .integer(Int64(page.rawValue)),
      .integer(Int64(offset)),
    ]
  }

  private mutating func insert(
    into table: Table, _ leading: [Value], _ fields: [(field: Int, value: Value)]
  ) throws(SQLiteError) {
    let fields = fields.filter { $0.field < Self.valuesMax }
    try widen(table, to: fields.map(\.field).max().map { $0 + 1 } ?? 0)
    let names = table.columns.map(\.quotedIdentifier) + fields.map { "c\($0.field)" }
    let marks = names.map { _ in "?" }.joined(separator: ", ")
    let insertion = try prepared(
      "INSERT INTO \(table.rawValue) (\(names.joined(separator: ", "))) VALUES (\(marks))")
    try insertion.run(leading, fields.map(\.value), encoding: encoding)
    count += 1
  }

  /// Inserts all values of a record; the long ones of one that has such are never in memory.
  private mutating func insert(
    _ record: Record, into table: Table, _ leading: [Value]
  ) throws {
    guard !record.isWhole else {
      return try insert(
        into: table, leading, record.values.enumerated().map { ($0.offset, $0.element) })
    }
    let fields = Array(record.fields.prefix(Self.valuesMax))
    try widen(table, to: fields.count)
    let names = table.columns.map(\.quotedIdentifier) + fields.indices.map { "c\($0)" }
    let marks = names.map { _ in "?" }.joined(separator: ", ")
    let statement = try connection.prepare(
      "INSERT INTO \(table.rawValue) (\(names.joined(separator: ", "))) VALUES (\(marks))")
    try statement.bind(leading)
    let first = fields.firstIndex(where: record.isLong) ?? fields.endIndex
    func isApart(_ index: Int) -> Bool { index >= first && fields[index].length > 0 }
    for (index, field) in fields.enumerated() {
      let parameter = leading.count + index + 1
      if isApart(index) {
        try statement.bind(zeros: field.length, at: parameter)
      } else {
        try statement.bind(field, of: record, isReal: false, at: parameter, encoding: encoding)
      }
    }
    while try statement.step() {}
    let longValues = LongValues(
      of: Name(table.rawValue), try TableRoots(connection), on: connection, deferredTypes)
    // Some tables have columns that the statement does not name.
    let columns = try connection.rows("PRAGMA table_info(\(table.rawValue))").map { $0[1] }
    for index in fields.indices where isApart(index) {
      let name: Name = "c\(index)"
      guard let place = columns.firstIndex(of: .text(name)) else { continue }
      try longValues.fill(name, at: place, with: fields[index], of: record)
    }
    count += 1
  }

  /// Gives a table columns for so many values.
  mutating func widen(_ table: Table, to width: Int) throws(SQLiteError) {
    let present = widths[table] ?? 0
    guard width > present else { return }
    for index in present..<width {
      try connection.execute("ALTER TABLE \(table.rawValue) ADD COLUMN c\(index)")
    }
    widths[table] = width
  }

  /// Makes rows without rowids quick to find by their key, where that is asked for.
  mutating func indexByKey(_ table: Table) throws(SQLiteError) {
    guard indexedByKey.insert(table).inserted else { return }
    let name = table.rawValue
    try connection.execute(
      #"CREATE INDEX \#(name)_by_key ON \#(name) ("table", c0) WHERE "rowid" IS NULL"#)
  }

  /// How many columns for values a table has.
  func width(of table: Table) -> Int { widths[table] ?? 0 }

  /// A statement that is prepared once.
  mutating func prepared(_ sql: String) throws(SQLiteError) -> PreparedStatement {
    if let statement = statements[sql] { return statement }
    let statement = PreparedStatement(try connection.prepare(sql))
    statements[sql] = statement
    return statement
  }
}

/// A statement that is kept for the next time.
final class PreparedStatement {
  private let statement: Statement

  init(_ statement: consuming Statement) {
    self.statement = statement
  }

  /// Runs once with these values, the later ones with text in an encoding.
  func run(
    _ values: [Value], _ more: [Value] = [], encoding: TextEncoding = .utf8
  ) throws(SQLiteError) {
    _ = try first(values, more, encoding: encoding)
  }

  /// The first row that the statement gives; nil when there is none.
  func first(
    _ values: [Value], _ more: [Value] = [], encoding: TextEncoding = .utf8
  ) throws(SQLiteError) -> [Value]? {
    defer { statement.reset() }
    try statement.bind(values)
    for (index, value) in more.enumerated() {
      try statement.bind(value, at: values.count + index + 1, encoding: encoding)
    }
    guard try statement.step() else { return nil }
    return statement.row
  }

  /// Hands out every row.
  func forEach(_ values: [Value], _ body: ([Value]) throws(SQLiteError) -> Void) throws(SQLiteError)
  {
    defer { statement.reset() }
    try statement.bind(values)
    while try statement.step() { try body(statement.row) }
  }
}

extension [Int] {
  /// The numbers as text, such as `0,2`.
  var listed: String { map(String.init).joined(separator: ",") }
}

extension PartialRow.Witness {
  /// What the witness is, in one word.
  fileprivate var word: String {
    switch self {
    case .cell: "broken-chain"
    case .index: "index-entry"
    }
  }

  /// What the witness says, in words.
  fileprivate var description: String {
    switch self {
    case .cell(let problem): "\(problem): the fields before the break are kept"
    case .index: "an index still holds the key of a row that its table has lost"
    }
  }

  /// The index that is the witness.
  var index: String? { if case .index(let name) = self { name.text } else { nil } }
}
