// SPDX-License-Identifier: Apache-2.0
// How the entries of an index follow from the rows of its table.

/// How the entries of an index follow from the rows of its table.
package struct IndexShape: Sendable {
  /// Where one field of an index entry comes from.
  package enum Field: Sendable {
    /// The rowid.
    case rowID
    /// A field of the table's record, or its default where the record is too short.
    case stored(Int, default: Value)
  }

  /// The index.
  package let name: Name
  /// The key's fields, in the index's order.
  package let fields: [Field]
  /// The place of each field in the table's record; nil for the rowid.
  private let places: [Int?]

  /// Makes a shape.
  package init(name: Name, fields: [Field]) {
    self.name = name
    self.fields = fields
    places = fields.map { if case .stored(let place, _) = $0 { place } else { nil } }
  }

  /// The hash of the entry that the index should have for a row.
  package func key(of stored: StoredRecord) -> KeyHash {
    var key = KeyHash()
    for field in fields {
      switch field {
      case .rowID: key.add(stored.rowID ?? 0)
      case .stored(let index, let defaultValue):
        if !key.add(stored.record, field: index) { key.add(defaultValue) }
      }
    }
    return key
  }

  /// Whether a row's entry has nothing but NULL before its rowid.
  package func isNull(in stored: StoredRecord) -> Bool {
    fields.allSatisfy { field in
      switch field {
      case .rowID: true
      case .stored(let index, let defaultValue):
        (stored.record.value(index) ?? defaultValue) == .null
      }
    }
  }

  /// The same for a row whose fields are located in bytes that are all there.
  @inline(__always)
  package func key(
    of located: borrowing LocatedFields, in bytes: Span<UInt8>, rowID: Int64?
  ) -> KeyHash {
    var key = KeyHash()
    for index in places.indices {
      guard let place = places[index] else {
        key.add(rowID ?? 0)
        continue
      }
      if place < located.count {
        key.add(located[place], of: bytes)
      } else if case .stored(_, let defaultValue) = fields[index] {
        key.add(defaultValue)
      }
    }
    return key
  }
}
