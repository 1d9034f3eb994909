// SPDX-License-Identifier: Apache-2.0
// How the fields of a record become the columns of a table.

/// How the fields of a table's records become its columns.
///
/// Stored order is not declared order: virtual generated columns are not stored at
/// all, and a WITHOUT ROWID table stores its primary key first.
public struct RowShape: Hashable, Sendable {
  /// One column of the table.
  public struct Column: Hashable, Sendable {
    /// The column's name.
    public let name: String
    /// The type that the column prefers: integers in REAL columns are stored short.
    public let affinity: Affinity
    /// Whether the column is the rowid under another name; its field holds NULL.
    public let isRowID: Bool
    /// What a record that ends before the column holds for it.
    public let defaultValue: Value

    /// Makes a column.
    public init(name: String, affinity: Affinity, isRowID: Bool, defaultValue: Value) {
      self.name = name
      self.affinity = affinity
      self.isRowID = isRowID
      self.defaultValue = defaultValue
    }
  }

  /// The stored columns, in stored order.
  public let stored: [Column]
  /// Whether the table has no rowid and lives in an index tree.
  public let withoutRowID: Bool
  /// Where among the stored columns the one is that is the rowid; nil when there is none.
  private let rowIDPlace: Int?
  /// The first place of every column that is stored again at a later one: a key may hold a
  /// column twice, under two collations.
  private let firstPlaces: [Int: Int]
  private let textPlaces: [Int]

  /// Makes a shape.
  public init(stored: [Column], withoutRowID: Bool) {
    self.stored = stored
    rowIDPlace = stored.firstIndex(where: \.isRowID)
    self.withoutRowID = withoutRowID
    var places: [String: Int] = [:]
    var firstPlaces: [Int: Int] = [:]
    for (place, column) in stored.enumerated() {
      firstPlaces[place] = places[column.name]
      if places[column.name] == nil { places[column.name] = place }
    }
    self.firstPlaces = firstPlaces
    textPlaces = stored.indices.filter { stored[$0].affinity == .text }
  }

  /// The values of a record's columns, in stored order; fields beyond the last column are not
  /// part of it.
  ///
  /// A record that is too short was written before a column was added: the column's default
  /// counts. Integers in REAL columns become reals. File format, sections 2.1, 2.3 and 2.4.
  public func values(of record: Record, rowID: Int64?) -> [Value] {
    var values: [Value] = []
    values.reserveCapacity(stored.count)
    for (index, column) in stored.enumerated() {
      values.append(value(of: column, record.value(index), rowID: rowID))
    }
    return values
  }

  /// Whether a record can be a row of the table: it has no more fields than the table has columns,
  /// NULL in the place of a column that is the rowid, and one value for every column.
  public func fits(_ record: Record) -> Bool {
    guard record.fields.count <= stored.count,
      firstPlaces.allSatisfy({ record.value($0.key) == record.value($0.value) })
    else { return false }
    guard let rowIDPlace, rowIDPlace < record.fields.count else { return true }
    return record.fields[rowIDPlace].serialType == 0
  }

  /// Whether a record has a number where its column turns every number into text.
  public func isMistyped(_ record: Record) -> Bool {
    textPlaces.contains { place in
      place < record.fields.count && (1...9).contains(record.fields[place].serialType)
    }
  }

  private func value(of column: Column, _ value: Value?, rowID: Int64?) -> Value {
    // The record holds NULL there; a value is damage, and SQLite never looks at it.
    if column.isRowID, let rowID { return .integer(rowID) }
    guard let value else { return column.defaultValue }
    if column.affinity == .real, case .integer(let integer) = value {
      return .real(Double(integer))
    }
    return value
  }
}
