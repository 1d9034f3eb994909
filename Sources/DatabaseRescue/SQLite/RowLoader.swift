// SPDX-License-Identifier: Apache-2.0
// Rows on their way from records into one table of a fresh database.

internal import CSQLite
package import Diagnosis
package import SQLiteFormat

/// What became of a row that was inserted.
package enum InsertOutcome: Hashable, Sendable {
  /// It is in the table.
  case written
  /// The same row was there already.
  case duplicate
  /// It is not, and why.
  case refused(Doubt)
}

/// Inserts rows into one table of a fresh database.
package struct RowLoader: ~Copyable {
  private let statement: Statement
  private let lookup: Statement
  private let mapping: ColumnMapping
  private let shape: RowShape
  private let encoding: TextEncoding
  private let longValues: LongValues
  /// For each target, its place in the record where a long blob can be written piece by piece.
  private let placesOfBlobs: [Int?]
  /// The same for long texts.
  private let placesOfTexts: [Int?]
  private var fields: [Record.Field] = []

  init(
    _ connection: borrowing Connection, _ table: TableDescription, _ mapping: ColumnMapping,
    _ shape: RowShape, encoding: TextEncoding, to encodingOfTable: TextEncoding, _ texts: LongTexts
  ) throws(SQLiteError) {
    let name = table.name.quotedIdentifier
    let columns = (mapping.rowIDName.map { [$0] } ?? []) + mapping.targets
    let names = columns.map(\.quotedIdentifier).joined(separator: ", ")
    let marks = columns.indices.map { "?\($0 + 1)" }.joined(separator: ", ")
    let same = columns.enumerated()
      .map { "\($1.quotedIdentifier) IS ?\($0 + 1) COLLATE BINARY" }.joined(separator: " AND ")
    let statement = try connection.prepare(
      columns.isEmpty
        ? "INSERT INTO \(name) DEFAULT VALUES"
        : "INSERT INTO \(name) (\(names)) VALUES (\(marks))")
    let lookup = try connection.prepare(
      "SELECT 1 FROM \(name)" + (same.isEmpty ? "" : " WHERE \(same)"))
    let longValues = try LongValues(of: table.name, on: connection, texts)
    self.statement = statement
    self.lookup = lookup
    self.mapping = mapping
    self.shape = shape
    self.encoding = encoding
    self.longValues = longValues
    let places = mapping.targets.map { table.isUnwatched($0) ? table.place(of: $0) : nil }
    placesOfBlobs = places
    // A STRICT table refuses a blob where a text belongs, and a text may have to be converted.
    let isConverted = encoding != encodingOfTable
    placesOfTexts = table.strict || isConverted ? places.map { _ in nil } : places
  }

  /// Inserts the row of a record.
  ///
  /// - Throws: ``SQLiteError`` when the database cannot be written, ``FormatError`` when the pages
  ///   of a long value can no longer be read; a row that breaks a constraint is an outcome, not an
  ///   error.
  package mutating func insert(_ stored: StoredRecord) throws -> InsertOutcome {
    fields.removeAll(keepingCapacity: true)
    fields.append(contentsOf: stored.record.fields)
    let apart = stored.record.isWhole ? [] : apartTargets(stored)
    do {
      try write(stored, apart: apart)
    } catch let error as SQLiteError
      where error.cause == .constraint || error.code == SQLITE_MISMATCH
    {
      guard error.isKeyConflict else { return .refused(.constraint(error.message)) }
      return try holds(stored) ? .duplicate : .refused(.keyTaken)
    }
    for target in apart {
      try longValues.fill(
        mapping.targets[target], at: placesOfBlobs[target] ?? 0,
        with: fields[mapping.sources[target]], of: stored.record)
    }
    return .written
  }

  /// The targets whose values are written piece by piece once their row is there.
  private func apartTargets(_ stored: StoredRecord) -> [Int] {
    mapping.sources.indices.filter { target in
      guard
        case .field(let field, _) = shape.content(
          at: mapping.sources[target], of: fields, rowID: stored.rowID),
        stored.record.isLong(field)
      else { return false }
      return (field.isText ? placesOfTexts : placesOfBlobs)[target] != nil
    }
  }

  private func write(_ stored: StoredRecord, apart: [Int]) throws {
    try unsafe stored.record.bytes.withUnsafeBytes { content in
      defer {
        statement.reset()
        statement.forgetValues()
      }
      try unsafe bind(stored, in: content, apart: apart, to: statement)
      while try statement.step() {}
    }
  }

  /// Whether the same row is there already.
  private func holds(_ stored: StoredRecord) throws -> Bool {
    try unsafe stored.record.bytes.withUnsafeBytes { content in
      defer {
        lookup.reset()
        lookup.forgetValues()
      }
      try unsafe bind(stored, in: content, apart: [], to: lookup)
      return try lookup.step()
    }
  }

  /// Binds the values of a row; those in the record's bytes as they lie in `content`.
  @unsafe private func bind(
    _ stored: StoredRecord, in content: UnsafeRawBufferPointer, apart: [Int],
    to statement: borrowing Statement
  ) throws {
    var index = 1
    if mapping.rowIDName != nil {
      try statement.bind(stored.rowID.map(Value.integer) ?? .null, at: index)
      index += 1
    }
    for (target, source) in mapping.sources.enumerated() {
      switch shape.content(at: source, of: fields, rowID: stored.rowID) {
      case .value(let value): try statement.bind(value, at: index, encoding: encoding)
      case .field(let field, _) where apart.contains(target):
        try statement.bind(zeros: field.length, at: index)
      case .field(let field, _)
      where (field.isText || field.isBlob) && stored.record.holds(field):
        try unsafe statement.bind(
          kept: UnsafeRawBufferPointer(
            rebasing: content[field.offset..<(field.offset + field.length)]),
          isText: field.isText, at: index, encoding: encoding)
      case .field(let field, let isReal):
        try statement.bind(field, of: stored.record, isReal: isReal, at: index, encoding: encoding)
      }
      index += 1
    }
  }
}

extension Statement {
  /// Binds a field of a record; of a long record, with the whole value in memory.
  ///
  /// - Throws: ``SQLiteError``, or ``FormatError`` when the pages of a long value can no longer be
  ///   read.
  func bind(
    _ field: Record.Field, of record: Record, isReal: Bool, at index: Int, encoding: TextEncoding
  ) throws {
    if field.isText || field.isBlob, record.holds(field) {
      return try bind(
        record.bytes, field.offset..<(field.offset + field.length), isText: field.isText,
        at: index, encoding: encoding)
    }
    let value = try record.value(of: field)
    if isReal, case .integer(let integer) = value {
      try bind(.real(Double(integer)), at: index)
    } else {
      try bind(value, at: index, encoding: encoding)
    }
  }
}

extension SQLiteError {
  /// Whether a row with the same key is there already.
  fileprivate var isKeyConflict: Bool {
    [dbrescue_constraint_primarykey, dbrescue_constraint_rowid, dbrescue_constraint_unique]
      .contains(extendedCode)
  }
}
