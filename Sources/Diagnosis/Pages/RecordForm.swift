// SPDX-License-Identifier: Apache-2.0
// What the records of a tree can look like: what SQLite guarantees, and what declared types promise.

import SQLiteFormat

/// What the records of one tree can look like.
struct RecordForm: Hashable {
  /// One field of the records.
  struct Field: Hashable {
    /// The affinity of its column; nil where it is not known, such as for an expression.
    let affinity: Affinity?
    /// Whether its column was declared with a type of its affinity, and not just without one.
    let isTyped: Bool
    /// Whether it can hold NULL.
    let isNullable: Bool
    /// Whether it is the rowid's alias, which holds NULL and nothing else.
    let isRowIDAlias: Bool
    /// Whether its table is STRICT.
    let isStrict: Bool
  }

  /// The fields, in stored order.
  let fields: [Field]
  /// The fewest fields that a record has: columns may have been added later.
  let fieldsMin: Int

  /// Whether SQLite could have stored a record in the tree.
  ///
  /// Only what SQLite itself guarantees counts: no more fields than columns, NULL in the rowid's
  /// alias and nowhere that is NOT NULL, no number in a column of TEXT affinity, no text that is
  /// an integer in a column of a numeric one, and the declared types of a STRICT table.
  func admits(_ record: Record) -> Bool {
    guard record.fieldCount <= fields.count, record.fieldCount >= fieldsMin else {
      return false
    }
    return zip(fields, record.fields.enumerated()).allSatisfy { field, stored in
      field.admits(stored.element.serialType) { record.isPlainInteger(stored.offset) }
    }
  }

  /// Whether SQLite could have stored a record in the tree whose fields are located in bytes that
  /// are all there.
  func admits(_ located: borrowing LocatedFields, of bytes: Span<UInt8>) -> Bool {
    guard located.count <= fields.count, located.count >= fieldsMin else { return false }
    for index in 0..<located.count {
      let field = located[index]
      guard
        fields[index].admits(
          field.serialType, isPlainInteger: { field.isPlainInteger(in: bytes) })
      else { return false }
    }
    return true
  }

  /// Whether a record has in every field what its column's declared type promises.
  ///
  /// SQLite does not enforce it, and hardly any app does otherwise.
  func expects(_ record: Record) -> Bool {
    record.fieldCount <= fields.count
      && zip(fields, record.fields).allSatisfy { $0.expects($1.serialType) }
  }

  /// Whether a record has a value in a column with a declared type.
  func hasTypedValue(_ record: Record) -> Bool {
    zip(fields, record.fields).contains { field, value in
      field.isTyped && !field.isRowIDAlias && value.serialType != 0
    }
  }
}

extension RecordForm {
  /// The form of a table's rows.
  init(_ table: TableDescription) {
    let stored = table.storageOrder.filter { table.columns.indices.contains($0) }
    fields = stored.map { Field(table.columns[$0], at: $0, of: table) }
    fieldsMin = stored.lastIndex { table.isInEveryRow($0) }.map { $0 + 1 } ?? 0
  }

  /// The form of what SQLite writes down of the rowids that it has given (section 2.6.2), although
  /// it declares no types for that.
  static let sequence = RecordForm(
    fields: [Affinity.text, .integer].map { affinity in
      Field(
        affinity: affinity, isTyped: true, isNullable: true, isRowIDAlias: false, isStrict: false)
    }, fieldsMin: 2)

  /// The form of the entries of an index over a table.
  init(_ index: IndexDescription, over table: TableDescription) {
    let own = index.columns.map { column -> Field in
      guard let name = column.name,
        let position = table.columns.firstIndex(where: { $0.name == name })
      else { return .unknown }
      // The rowid's alias is in an index what it is: an integer.
      return table.rowIDAlias == position
        ? .rowID : Field(table.columns[position], at: position, of: table)
    }
    let added: [Field] =
      table.withoutRowID
      ? table.keyColumns(addedTo: index).compactMap { column in
        table.columns.firstIndex { $0.name == column.name }
          .map { Field(table.columns[$0], at: $0, of: table) }
      } : [.rowID]
    fields = own + added
    fieldsMin = fields.count
  }
}

extension TableDescription {
  /// Whether every row has a column, which cannot have been added to rows that were there.
  ///
  /// ALTER TABLE refuses to add one that is in a key, and to a table with rows one that is stored
  /// and computed, whose default is not constant, or that may not be NULL and has no default.
  fileprivate func isInEveryRow(_ position: Int) -> Bool {
    let column = columns[position]
    if column.primaryKeyPosition > 0 { return rowIDAlias != position }
    return column.notNull && column.defaultSQL == nil || column.generated == .stored
      || column.defaultSQL.map { !Self.isConstant($0) } ?? false
      || indexes.contains { index in
        index.origin == .uniqueConstraint && index.columns.contains { $0.name == column.name }
      }
  }

  /// Whether the expression of a default is constant, as far as a look tells.
  private static func isConstant(_ sql: String) -> Bool {
    if Name(sql).hasPrefix("CURRENT_") { return false }
    return sql.hasPrefix("'") || sql.hasPrefix("\"") || !sql.contains("(")
  }
}

extension RecordForm.Field {
  /// A field of which nothing is known.
  static let unknown = Self(
    affinity: nil, isTyped: false, isNullable: true, isRowIDAlias: false, isStrict: false)
  /// The rowid at the end of an index entry.
  static let rowID = Self(
    affinity: .integer, isTyped: true, isNullable: false, isRowIDAlias: false, isStrict: true)

  init(_ column: ColumnDescription, at position: Int, of table: TableDescription) {
    affinity = Affinity(declaredType: column.type, strict: table.strict)
    isTyped = !column.type.isEmpty && !(table.strict && Name(column.type) == "ANY")
    isNullable = !column.notNull && !(table.withoutRowID && column.primaryKeyPosition > 0)
    isRowIDAlias = table.rowIDAlias == position
    isStrict = table.strict
  }

  fileprivate func admits(_ type: Int, isPlainInteger: () -> Bool) -> Bool {
    if isRowIDAlias { return type == 0 }
    if type == 0 { return isNullable }
    let isNumber = type < 12
    switch affinity {
    case .text: return !isNumber
    case .integer where isStrict: return isNumber && type != 7
    case .real where isStrict: return isNumber
    case .blob where isStrict && isTyped: return type >= 12 && type % 2 == 0
    case .integer, .real, .numeric: return isNumber || !isPlainInteger()
    case .blob, nil: return true
    }
  }

  fileprivate func expects(_ type: Int) -> Bool {
    if isRowIDAlias { return type == 0 }
    if type == 0 || !isTyped { return true }
    let isNumber = type < 12
    let isBlob = !isNumber && type % 2 == 0
    return switch affinity {
    case .text: !isNumber && !isBlob
    case .integer: isNumber && type != 7
    case .real: isNumber
    case .numeric: !isBlob
    case .blob: isBlob
    case nil: true
    }
  }
}

extension Record {
  /// Whether a field is a text of digits alone, which a numeric column would have made a number.
  fileprivate func isPlainInteger(_ index: Int) -> Bool {
    guard let field = field(index), field.isText, (1...18).contains(field.length),
      case .text(let text)? = value(index)
    else { return false }
    return text.allSatisfy { (0x30...0x39).contains($0) }
  }
}

extension Record.Field {
  /// The same of a field whose bytes are all there.
  fileprivate func isPlainInteger(in bytes: Span<UInt8>) -> Bool {
    guard isText, (1...18).contains(length), offset + length <= bytes.count else { return false }
    for index in offset..<(offset + length) where !(0x30...0x39).contains(bytes[index]) {
      return false
    }
    return true
  }
}
