// SPDX-License-Identifier: Apache-2.0
// Rows on their way from records into one table of a fresh database.

internal import CSQLite
package import Diagnosis
package import SQLiteFormat

/// What became of a row that was inserted.
package enum InsertOutcome: Hashable, Sendable {
  /// It is in the table; the types of some columns have changed the values at these positions of the
  /// stored columns, and in the place of others the table computes other ones.
  case written(changed: [Int], computed: [Int])
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
  private let encodingOfTable: TextEncoding
  /// For each target, the type that it prefers.
  private let affinities: [Affinity]
  private let typeChange = TypeChange()
  private let longValues: LongValues
  private let values: ValueLimit
  /// How long all rows may take: a disk can be slow, and an expression without end.
  private let effort = Effort(.seconds(5), perRow: .milliseconds(2))
  /// For each target, its place in the record.
  private let places: [Int]
  /// For each target, whether its value may be written piece by piece.
  private let isFillable: [Bool]
  private let located = FieldBuffer()

  init(
    _ connection: borrowing Connection, _ table: TableDescription, _ mapping: ColumnMapping,
    _ shape: RowShape, encoding: TextEncoding, to encodingOfTable: TextEncoding,
    _ roots: TableRoots, _ types: DeferredTypes, _ values: ValueLimit
  ) throws(SQLiteError) {
    let name = table.name.quotedIdentifier
    let columns = (mapping.rowIDName.map { [$0] } ?? []) + mapping.targets
    let names = columns.map(\.quotedIdentifier).joined(separator: ", ")
    // SQLite looks for each number among all marks before it.
    let marks = columns.map { _ in "?" }.joined(separator: ", ")
    let same = columns.map { "\($0.quotedIdentifier) IS ? COLLATE BINARY" }.conjunction
    // OR ABORT overrides what the table says: ON CONFLICT REPLACE would drop a row that is there
    // or write a default for NULL, IGNORE would pass over this one.
    let computed = mapping.computed.map(\.name.quotedIdentifier).joined(separator: ", ")
    let statement = try connection.prepare(
      (columns.isEmpty
        ? "INSERT OR ABORT INTO \(name) DEFAULT VALUES"
        : "INSERT OR ABORT INTO \(name) (\(names)) VALUES (\(marks))")
        + (computed.isEmpty ? "" : " RETURNING \(computed)"))
    let lookup = try connection.prepare(
      "SELECT 1 FROM \(name)" + (same.isEmpty ? "" : " WHERE \(same)"))
    let longValues = LongValues(of: table.name, roots, on: connection, types)
    self.statement = statement
    self.lookup = lookup
    self.mapping = mapping
    self.shape = shape
    self.encoding = encoding
    self.encodingOfTable = encodingOfTable
    affinities = mapping.targets.map { target in
      let column = table.columns.first { $0.name == target }
      return Affinity(declaredType: column?.type ?? "", strict: table.strict)
    }
    self.longValues = longValues
    self.values = values
    let placesInRecord = table.placesInRecord
    places = mapping.targets.map { placesInRecord[$0] ?? 0 }
    let watched = encoding == encodingOfTable ? table.watchedColumns : nil
    isFillable = mapping.targets.map { target in
      watched.map { !$0.contains(target) } ?? false
    }
  }

  /// Inserts the row of a record.
  ///
  /// - Throws: ``SQLiteError`` when the database cannot be written, ``FormatError`` when the pages
  ///   of a long value can no longer be read; a row that breaks a constraint is an outcome, not an
  ///   error.
  package func insert(_ stored: StoredRecord) throws -> InsertOutcome {
    located.locate(stored.record)
    guard try keepsTexts(of: stored) else { return .refused(.encoding(encodingOfTable)) }
    let changed = try changedSources(of: stored)
    let apart = stored.record.isWhole ? [] : apartTargets(stored)
    let computed: [Value]
    do {
      computed = try write(stored, apart: apart)
    } catch let error as SQLiteError where error.isOfRow {
      guard error.isKeyConflict else { return .refused(.constraint(error.message)) }
      // A value that is changed is the same as another one only in the table.
      return try changed.isEmpty && holds(stored) ? .duplicate : .refused(.keyTaken)
    }
    for target in apart {
      try longValues.fill(
        mapping.targets[target], at: places[target],
        with: located.fields[mapping.sources[target]], of: stored.record)
    }
    return .written(changed: changed, computed: try displaced(of: stored, by: computed))
  }

  /// The positions of the values in the place of which the table has computed others.
  private func displaced(of stored: StoredRecord, by computed: [Value]) throws -> [Int] {
    try zip(mapping.computed, computed).filter { column, new in
      let old: Value
      switch shape.content(at: column.position, of: located.fields, rowID: stored.rowID) {
      case .value(let value): old = value
      case .field(let field, let isReal):
        let value = try stored.record.value(of: field)
        if isReal, case .integer(let integer) = value {
          old = .real(Double(integer))
        } else {
          old = value
        }
      }
      if case .text(let bytes) = old, encoding != .utf8 {
        return new != .text(Bytes(encoding.string(bytes).utf8))
      }
      return old != .null && old != new
    }.map(\.0.position)
  }

  /// Whether the table keeps each text of a row byte for byte.
  private func keepsTexts(of stored: StoredRecord) throws -> Bool {
    guard encoding != encodingOfTable || encoding != .utf8 else { return true }
    for source in mapping.sources {
      switch shape.content(at: source, of: located.fields, rowID: stored.rowID) {
      case .field(let field, _) where field.isText:
        guard encoding != encodingOfTable else {
          if !field.length.isMultiple(of: 2) { return false }
          continue
        }
        guard case .text(let bytes) = try stored.record.value(of: field),
          encoding.keeps(bytes, in: encodingOfTable)
        else { return false }
      case .value(.text(let bytes)):
        guard encoding.keeps(bytes, in: encodingOfTable) else { return false }
      default: continue
      }
    }
    return true
  }

  /// The positions of the values that the types of their columns change.
  private func changedSources(of stored: StoredRecord) throws -> [Int] {
    var changed: [Int] = []
    for (source, affinity) in zip(mapping.sources, affinities) where affinity != .blob {
      guard
        case .field(let field, let isReal) =
          shape.content(at: source, of: located.fields, rowID: stored.rowID),
        field.mayChange(in: affinity, isReal: isReal)
      else { continue }
      var value = try stored.record.value(of: field)
      if isReal, case .integer(let integer) = value { value = .real(Double(integer)) }
      if try typeChange.changes(value, encoding, in: affinity) { changed.append(source) }
    }
    return changed
  }

  /// The targets whose values are written piece by piece once their row is there: the long ones, and
  /// whatever lies behind them in the record; none where that cannot be.
  private func apartTargets(_ stored: StoredRecord) -> [Int] {
    let fields = mapping.sources.map { source -> Record.Field? in
      let content = shape.content(at: source, of: located.fields, rowID: stored.rowID)
      return if case .field(let field, _) = content { field } else { nil }
    }
    let long = fields.indices.filter { fields[$0].map(stored.record.isLong) ?? false }
    guard let first = long.map({ places[$0] }).min() else { return [] }
    let apart = fields.indices.filter { places[$0] >= first && (fields[$0]?.length ?? 0) > 0 }
    return apart.allSatisfy { isFillable[$0] } ? apart : []
  }

  /// Writes a row; gives what the table has computed in the place of values.
  private func write(_ stored: StoredRecord, apart: [Int]) throws -> [Value] {
    try unsafe stored.record.bytes.withUnsafeBytes { content in
      let limit = allowLength()
      defer { end(statement, limit) }
      try unsafe bind(stored, in: content, apart: apart, to: statement)
      let start = ContinuousClock.now
      var computed: [Value] = []
      while try statement.step() { computed = statement.row }
      guard effort.allowsRow(after: 1, in: ContinuousClock.now - start) else {
        throw SQLiteError(
          extendedCode: SQLITE_INTERRUPT, message: "its expressions take longer than they may")
      }
      return computed
    }
  }

  /// Whether the table holds a row, value for value.
  ///
  /// - Throws: ``SQLiteError``, or ``FormatError`` when a long value can no longer be read.
  package func holds(_ stored: StoredRecord) throws -> Bool {
    located.locate(stored.record)
    return try unsafe stored.record.bytes.withUnsafeBytes { content in
      let limit = allowLength()
      defer { end(lookup, limit) }
      try unsafe bind(stored, in: content, apart: [], to: lookup)
      return try lookup.step()
    }
  }

  /// Lets values be as long as those of the row that is looked at.
  ///
  /// - Returns: The limit, which is the connection's; nil where it is the usual one.
  private func allowLength() -> Int? {
    let limit = values.note(located.byteCount)
    if let limit { statement.limitValues(to: limit) }
    return limit
  }

  /// Lets a statement forget its row, and values be as long as usual.
  private func end(_ used: borrowing Statement, _ limit: Int?) {
    used.reset()
    used.forgetValues()
    if limit != nil { statement.limitValues(to: values.usual) }
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
      switch shape.content(at: source, of: located.fields, rowID: stored.rowID) {
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

extension Record.Field {
  /// Whether the type of a column can change such a value.
  fileprivate func mayChange(in affinity: Affinity, isReal: Bool) -> Bool {
    switch affinity {
    case .integer, .numeric: isText
    case .real: isText || serialType == 6 && !isReal
    case .text: serialType == 7 || isReal
    case .blob: false
    }
  }
}

/// The fields of one record after the other, in the same memory.
private final class FieldBuffer {
  private(set) var fields: [Record.Field] = []

  /// The bytes of all values.
  var byteCount: Int {
    guard let first = fields.first, let last = fields.last else { return 0 }
    return last.offset + last.length - first.offset
  }

  func locate(_ record: Record) {
    fields.removeAll(keepingCapacity: true)
    fields.append(contentsOf: record.fields)
  }
}

extension SQLiteError {
  /// Whether an insertion failed for what is in the row, and others may go in.
  ///
  /// An expression of a CHECK or a generated column can fail with any message.
  var isOfRow: Bool {
    cause == .constraint || [SQLITE_MISMATCH, SQLITE_ERROR, SQLITE_TOOBIG].contains(code)
  }

  /// Whether a row with the same key is there already.
  fileprivate var isKeyConflict: Bool {
    [dbrescue_constraint_primarykey, dbrescue_constraint_rowid, dbrescue_constraint_unique]
      .contains(extendedCode)
  }
}
