// SPDX-License-Identifier: Apache-2.0
// How the fields of a record become the columns of a table.

/// How the fields of a table's records become its columns.
///
/// Stored order is not declared order: virtual generated columns are not stored at
/// all, and a WITHOUT ROWID table stores its primary key first.
package struct RowShape: Hashable, Sendable {
  /// One column of the table.
  package struct Column: Hashable, Sendable {
    /// The column's name.
    package let name: Name
    /// The type that the column prefers: integers in REAL columns are stored short.
    package let affinity: Affinity
    /// Whether the column is the rowid under another name; its field holds NULL.
    package let isRowID: Bool
    /// What a record that ends before the column holds for it; of a column of reals perhaps an
    /// integer, which is what indexes hold then.
    package let defaultValue: Value
    /// What the column's fields may be.
    package let classes: StorageClasses

    /// The default as a value of the column.
    var valueOfDefault: Value {
      guard affinity == .real, case .integer(let integer) = defaultValue else {
        return defaultValue
      }
      return .real(Double(integer))
    }

    /// Makes a column, which may hold everything unless it is said what.
    package init(
      name: Name, affinity: Affinity, isRowID: Bool, defaultValue: Value,
      classes: StorageClasses = .all
    ) {
      self.name = name
      self.affinity = affinity
      self.isRowID = isRowID
      self.defaultValue = defaultValue
      self.classes = isRowID ? .all : classes
    }

    /// Whether the column keeps text that is a number as that number.
    fileprivate var prefersNumbers: Bool {
      switch affinity {
      case .integer, .numeric, .real: !isRowID
      case .text, .blob: false
      }
    }
  }

  /// What a field may be.
  private struct Rule: Hashable {
    let classes: StorageClasses
    let prefersNumbers: Bool
  }

  /// The stored columns, in stored order.
  package let stored: [Column]
  /// Whether the table has no rowid and lives in an index tree.
  package let withoutRowID: Bool
  /// Where among the stored columns the one is that is the rowid; nil when there is none.
  private let rowIDPlace: Int?
  /// The first place of every column that is stored again at a later one: a key may hold a
  /// column twice, under two collations.
  private let firstPlaces: [Int: Int]
  /// What the fields may be, up to the last column that says so.
  private let rules: [Rule]
  /// How many fields a record has at least: one that ends before holds NULL in a column that refuses
  /// it and has no other default.
  private let fieldsMin: Int
  /// How many fields a record has at least that has nothing from defaults which the columns refuse.
  private let typedFieldsMin: Int
  private let encoding: TextEncoding

  /// Makes a shape.
  package init(stored: [Column], withoutRowID: Bool, encoding: TextEncoding = .utf8) {
    self.stored = stored
    self.encoding = encoding
    rowIDPlace = stored.firstIndex(where: \.isRowID)
    self.withoutRowID = withoutRowID
    var places: [Name: Int] = [:]
    var firstPlaces: [Int: Int] = [:]
    for (place, column) in stored.enumerated() where withoutRowID {
      firstPlaces[place] = places[column.name]
      if places[column.name] == nil { places[column.name] = place }
    }
    self.firstPlaces = firstPlaces
    fieldsMin =
      stored.lastIndex { !$0.classes.contains(.null) && $0.defaultValue == .null }.map { $0 + 1 }
      ?? 0
    typedFieldsMin =
      stored.lastIndex {
        $0.defaultValue != .null && !$0.classes.contains($0.defaultValue.storageClass)
      }
      .map { $0 + 1 } ?? 0
    let ruled = stored.lastIndex { $0.classes != .all || $0.prefersNumbers }
    rules = stored[..<(ruled.map { $0 + 1 } ?? 0)].map {
      Rule(classes: $0.classes, prefersNumbers: $0.prefersNumbers)
    }
  }

  /// What a record holds for one of the columns.
  package enum Content: Sendable {
    /// A value that is not in the record: the rowid, or the column's default.
    case value(Value)
    /// A field of the record; in REAL columns, an integer stands for a real.
    case field(Record.Field, isReal: Bool)
  }

  /// What the fields of a record hold for a column, by its place in stored order.
  ///
  /// A record that is too short was written before a column was added: the column's default
  /// counts. File format, sections 2.1, 2.3 and 2.4.
  package func content(
    at place: Int, of fields: [Record.Field], rowID: Int64?
  ) -> Content {
    // The record holds NULL there; a value is damage, and SQLite never looks at it.
    if stored[place].isRowID, let rowID { return .value(.integer(rowID)) }
    guard place < fields.count else { return .value(stored[place].valueOfDefault) }
    return .field(fields[place], isReal: stored[place].affinity == .real)
  }

  /// The value that a row has stored for a column, wholly in memory; in REAL columns, an integer
  /// stands for a real.
  ///
  /// - Throws: ``FormatError`` when the pages of a long value can no longer be read.
  package func storedValue(
    at place: Int, of fields: [Record.Field], in row: StoredRecord
  ) throws(FormatError) -> Value {
    switch content(at: place, of: fields, rowID: row.rowID) {
    case .value(let value): value
    case .field(let field, _): try row.record.value(of: field)
    }
  }

  /// Where an index over the column at a place takes its field from.
  package func indexField(at place: Int) -> IndexShape.Field {
    stored[place].isRowID ? .rowID : .stored(place, default: stored[place].defaultValue)
  }

  /// The same for a column by its name; nil where none of that name is stored.
  package func indexField(named name: Name) -> IndexShape.Field? {
    stored.firstIndex { $0.name == name }.map(indexField)
  }

  /// The values of a record's columns, in stored order, wholly in memory.
  ///
  /// - Throws: ``FormatError`` when the pages of a long value can no longer be read.
  package func values(of record: Record, rowID: Int64?) throws(FormatError) -> [Value] {
    var values: [Value] = []
    values.reserveCapacity(stored.count)
    let fields = Array(record.fields)
    for place in stored.indices {
      switch content(at: place, of: fields, rowID: rowID) {
      case .value(let value): values.append(value)
      case .field(let field, let isReal):
        let value = try record.value(of: field)
        if isReal, case .integer(let integer) = value {
          values.append(.real(Double(integer)))
        } else {
          values.append(value)
        }
      }
    }
    return values
  }

  /// Whether a record can be a row of the table: it has no more fields than the table has columns,
  /// NULL in the place of a column that is the rowid, and one value for every column.
  package func fits(_ record: Record) -> Bool {
    guard record.fieldCount <= stored.count,
      firstPlaces.allSatisfy({ record.value($0.key) == record.value($0.value) })
    else { return false }
    return rowIDPlace.flatMap { record.field($0) }.map { $0.serialType == 0 } ?? true
  }

  /// Whether located fields can be a row of the table, and each is one that its column holds; false
  /// also where that takes more than a look at them.
  func fits(_ fields: borrowing LocatedFields, of bytes: Span<UInt8>) -> Bool {
    let least = max(fieldsMin, typedFieldsMin)
    guard (least...max(least, stored.count)).contains(fields.count), firstPlaces.isEmpty else {
      return false
    }
    if let rowIDPlace, rowIDPlace < fields.count, fields[rowIDPlace].serialType != 0 {
      return false
    }
    for place in 0..<min(fields.count, rules.count) {
      let field = fields[place]
      let found = StorageClasses(serialType: field.serialType)
      guard rules[place].classes.contains(found) else { return false }
      if found == .text, rules[place].prefersNumbers,
        bytes.isNumber(field.offset..<field.end, encoding: encoding)
      {
        return false
      }
    }
    return true
  }

  /// What of a record its columns do not hold: each column once at most.
  ///
  /// A NULL where the column refuses it, which a record holds too that ends before the column; a
  /// default of a type that the column refuses, where the record ends before it; or a value of
  /// another type than the column's: a number in a column that turns each into text, text that is a
  /// number where that would have become one, and whatever a STRICT table refuses.
  package func violations(of record: Record) -> (nulls: Bool, types: Bool, defaults: Bool) {
    var violations = (
      nulls: record.fieldCount < fieldsMin, types: false,
      defaults: record.fieldCount < typedFieldsMin
    )
    for (rule, field) in zip(rules, record.fields) {
      let found = StorageClasses(serialType: field.serialType)
      if !rule.classes.contains(found) {
        if found == .null { violations.nulls = true } else { violations.types = true }
      } else if found == .text, rule.prefersNumbers, field.length <= Self.numberLengthMax,
        case .text(let text)? = try? record.value(of: field),
        text.span.isNumber(text.indices, encoding: encoding)
      {
        violations.types = true
      }
    }
    return violations
  }

  /// The columns that refuse NULL and for which a record holds it, or ends before them.
  package func columns(withRefusedNullIn record: Record) -> [Name] {
    let fields = Array(record.fields)
    return stored.enumerated().filter { place, column in
      guard !column.classes.contains(.null), firstPlaces[place] == nil else { return false }
      return place < fields.count
        ? fields[place].serialType == 0 : column.defaultValue == .null
    }.map(\.element.name)
  }

  /// The longest text that is read from other pages to see whether it is a number.
  private static let numberLengthMax = 1 << 16
}
