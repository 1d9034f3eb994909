// SPDX-License-Identifier: Apache-2.0
// What recurs from row to row: of few values, SQLite is asked once whether a condition holds.

import Diagnosis
import SQLiteFormat

/// The values of some columns for which it is known whether a condition holds.
struct KnownValues {
  /// How many are kept at most, and how many bytes each of them may have.
  private static let countMax = 1024
  private static let bytesMax = 64
  /// After how many values that are not known it is enough, where most are not.
  private static let missesMax = 4096

  private let shape: RowShape
  private let places: [Int]
  private var known: [[Value]: Bool] = [:]
  private var hits = 0
  private var misses = 0

  /// No value yet of the columns at some places.
  init(_ shape: RowShape, places: [Int]) {
    (self.shape, self.places) = (shape, places)
  }

  /// Whether it is worth to look: values recur, or it is too early to tell.
  private var isOfUse: Bool { misses < Self.missesMax || hits > misses }

  /// Whether the condition holds for a row; nil where that is not known.
  mutating func outcome(for stored: StoredRecord) -> Bool? {
    guard isOfUse, let values = values(of: stored), let outcome = known[values] else {
      misses += 1
      return nil
    }
    hits += 1
    return outcome
  }

  /// Takes in whether the condition holds for a row.
  mutating func insert(_ outcome: Bool, for stored: StoredRecord) {
    guard isOfUse, known.count < Self.countMax, let values = values(of: stored) else { return }
    known[values] = outcome
  }

  /// The values of a row; nil where they are too long to be kept, or cannot be read.
  private func values(of stored: StoredRecord) -> [Value]? {
    let fields = Array(stored.record.fields)
    guard places.reduce(0, { $0 + ($1 < fields.count ? fields[$1].length : 0) }) <= Self.bytesMax
    else { return nil }
    return try? places.map { try shape.storedValue(at: $0, of: fields, in: stored) }
  }
}

extension TableExpressions {
  /// The stored columns that an expression takes, as places in the table's records; nil where it
  /// takes what is no stored column.
  func storedPlaces(in expression: String, of table: ComputedTable) -> [Int]? {
    guard virtualColumns(in: [expression], of: table.description).isEmpty else { return nil }
    let names = Set(
      SQLTokens(parsing: expression).tokens.map { Name(SQLTokens([$0]).normalized) })
    guard names.isDisjoint(with: ["rowid", "_rowid_", "oid"]) else { return nil }
    return table.shape.stored.indices.filter { names.contains(table.shape.stored[$0].name) }
  }
}

extension ComputedTable {
  /// How the entries of an index follow from rows without SQLite; nil where its columns are not all
  /// stored.
  func plainShape(of key: Key) -> IndexShape? {
    let fields = key.columns.compactMap { $0.name.flatMap(shape.indexField) }
    guard fields.count == key.columns.count else { return nil }
    return IndexShape(
      name: key.index.name, fields: description.withoutRowID ? fields : fields + [.rowID])
  }
}
