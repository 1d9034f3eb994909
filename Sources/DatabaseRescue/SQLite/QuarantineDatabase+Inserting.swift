// SPDX-License-Identifier: Apache-2.0
// How values get into the quarantine file, whose tables widen with their rows, and how those of one
// object are taken back.

internal import CSQLite
import Diagnosis
import SQLiteFormat

extension QuarantineDatabase {
  /// How the file was before the rows of one object.
  package struct Mark {
    fileprivate let widths: [Table: Int]
    fileprivate let indexedByKey: Set<Table>
    fileprivate let count: Int
    fileprivate let putOff: Int
  }

  /// Marks how the file is, before the rows of one object.
  package func mark() throws(SQLiteError) -> Mark {
    try connection.execute("SAVEPOINT one_object")
    return Mark(
      widths: widths, indexedByKey: indexedByKey, count: count, putOff: deferredTypes.count)
  }

  /// Keeps what was added since a mark.
  func keep(since mark: Mark) throws(SQLiteError) { try connection.execute("RELEASE one_object") }

  /// Takes back what was added since a mark.
  package mutating func takeBack(to mark: Mark) throws(SQLiteError) {
    statements = [:]
    try connection.execute("ROLLBACK TO one_object; RELEASE one_object")
    // SQLite does not know that columns went.
    if widths != mark.widths { try connection.execute("PRAGMA writable_schema = RESET") }
    (widths, indexedByKey, count) = (mark.widths, mark.indexedByKey, mark.count)
    deferredTypes.forget(after: mark.putOff)
  }

  /// Where the bytes of a row are, as the columns that all tables of rows begin with.
  func place(
    of page: PageNumber, _ offset: Int, table: Name?, rowID: Int64?
  ) -> [Value] {
    [
      table.map { .text($0) } ?? .null, rowID.map(Value.integer) ?? .null,
      .text("\(image?.origin(of: page) ?? .main)"), .integer(Int64(page.rawValue)),
      .integer(Int64(offset)),
    ]
  }

  /// Inserts values; their texts are in `encoding`, or in that of the file.
  mutating func insert(
    into table: Table, _ leading: [Value], _ fields: [(field: Int, value: Value)],
    encoding: TextEncoding? = nil
  ) throws(SQLiteError) {
    let encoding = encoding ?? self.encoding
    let fields = fields.filter { $0.field < Self.valuesMax }
    try widen(table, to: fields.map(\.field).max().map { $0 + 1 } ?? 0)
    let names = table.columns.map(\.quotedIdentifier) + fields.map { "c\($0.field)" }
    let marks = names.map { _ in "?" }.joined(separator: ", ")
    let insertion = try prepared(
      "INSERT INTO \(table.rawValue) (\(names.joined(separator: ", "))) VALUES (\(marks))")
    let values = fields.map { kept($0.value, encoding) }
    try insertion.run(leading, values, encoding: encoding)
    count += 1
  }

  /// A value as this file keeps it: a text that SQLite would change becomes a blob of its bytes.
  func kept(_ value: Value, _ encoding: TextEncoding) -> Value {
    guard case .text(let bytes) = value, !encoding.keeps(bytes, in: self.encoding) else {
      return value
    }
    return .blob(bytes)
  }

  /// Inserts all values of a record; the long ones of one that has such are never in memory, unless
  /// their texts are in another encoding.
  mutating func insert(
    _ record: Record, into table: Table, _ leading: [Value], encoding: TextEncoding? = nil
  ) throws {
    let encoding = encoding ?? self.encoding
    guard !record.isWhole, encoding == self.encoding else {
      let values = try record.fields.map { try record.value(of: $0) }
      return try insert(
        into: table, leading, values.enumerated().map { ($0.offset, $0.element) },
        encoding: encoding)
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
    try connection.addColumns((present..<width).map { "c\($0)" }, to: table.rawValue)
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

extension Connection {
  /// Adds columns without a default to a table, all at once.
  ///
  /// That changes nothing but the statement of the table; ALTER TABLE reads the whole schema again
  /// for each of them, which for two thousand takes seconds.
  fileprivate func addColumns(_ names: [String], to table: String) throws(SQLiteError) {
    configure(SQLITE_DBCONFIG_DEFENSIVE, false)
    defer { configure(SQLITE_DBCONFIG_DEFENSIVE, true) }
    try execute("PRAGMA writable_schema = ON")
    try prepare(
      """
      UPDATE sqlite_schema SET sql = substr(sql, 1, length(sql) - 1) || ? || ')'
      WHERE type = 'table' AND name = ?
      """
    ).run([.text(names.map { ", \($0)" }.joined()), .text(table)])
    try execute("PRAGMA writable_schema = RESET")
  }
}
