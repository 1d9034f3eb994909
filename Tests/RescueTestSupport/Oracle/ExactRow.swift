// SPDX-License-Identifier: Apache-2.0
// Rows compared bit by bit, with a message that says where two tables part.

package import SQLiteFormat

/// A row with its values exactly as they are stored: −0.0 is not 0.0, and text is bytes.
package struct ExactRow: Hashable, Sendable, CustomStringConvertible {
  /// The rowid; nil where the table has none, or none that SQL can name.
  package var rowID: Int64?
  /// The values; text in the encoding of the database.
  package var values: [Value]

  /// Makes a row.
  package init(rowID: Int64? = nil, _ values: [Value]) {
    self.rowID = rowID
    self.values = values
  }

  /// Compares everything, REALs by their bits.
  package static func == (left: ExactRow, right: ExactRow) -> Bool {
    left.rowID == right.rowID && left.values.count == right.values.count
      && zip(left.values, right.values).allSatisfy { $0.isIdentical(to: $1) }
  }

  /// Hashes what `==` compares.
  package func hash(into hasher: inout Hasher) {
    hasher.combine(rowID)
    for value in values {
      if case .real(let real) = value {
        hasher.combine(real.bitPattern)
      } else {
        hasher.combine(value)
      }
    }
  }

  /// The row for a person; long values are shortened.
  package var description: String {
    let shown = values.map(\.shown).joined(separator: ", ")
    return rowID.map { "rowid \($0): (\(shown))" } ?? "(\(shown))"
  }

  /// A text that sorts rows of a table, and is equal only for equal rows.
  fileprivate var sortKey: [UInt64] {
    [UInt64(bitPattern: rowID ?? 0) ^ (1 << 63)] + values.flatMap(\.sortKey)
  }
}

/// The first difference between two tables' rows, in any order; nil when they are the same rows.
///
/// The message shows values: for tests only.
package func firstDifference(expected: [ExactRow], actual: [ExactRow]) -> String? {
  let left = expected.map { ($0.sortKey, $0) }.sorted { $0.0.lexicographicallyPrecedes($1.0) }
  let right = actual.map { ($0.sortKey, $0) }.sorted { $0.0.lexicographicallyPrecedes($1.0) }
  for (one, other) in zip(left, right) where one.1 != other.1 {
    let counts = "\(expected.count) rows expected, \(actual.count) found"
    if one.1.rowID != nil, one.1.rowID == other.1.rowID {
      return "\(counts); expected \(one.1), found \(other.1)\(column(one.1, other.1))"
    }
    let isMissing = one.0.lexicographicallyPrecedes(other.0)
    return "\(counts); \(isMissing ? "missing \(one.1)" : "not expected \(other.1)")"
  }
  if let missing = left.dropFirst(right.count).first { return "missing \(missing.1)" }
  if let extra = right.dropFirst(left.count).first { return "not expected \(extra.1)" }
  return nil
}

/// Which column two rows first differ in.
private func column(_ expected: ExactRow, _ actual: ExactRow) -> String {
  guard expected.values.count == actual.values.count else {
    return "; \(expected.values.count) values expected, \(actual.values.count) found"
  }
  let index = zip(expected.values, actual.values).enumerated()
    .first { !$0.element.0.isIdentical(to: $0.element.1) }?.offset
  return index.map { "; they differ in column \($0)" } ?? ""
}

extension Value {
  /// Whether two values are of one type and the same to the last bit.
  package func isIdentical(to other: Value) -> Bool {
    if case .real(let left) = self, case .real(let right) = other {
      return left.bitPattern == right.bitPattern
    }
    return self == other
  }

  /// The value for a person: its type, and its beginning where it is long.
  fileprivate var shown: String {
    switch self {
    case .null: "NULL"
    case .integer(let value): String(value)
    case .real(let value): "\(value) [\(String(value.bitPattern, radix: 16))]"
    case .text(let bytes): "text of \(bytes.count): \(Self.hex(bytes)) '\(Self.start(bytes))'"
    case .blob(let bytes): "blob of \(bytes.count): \(Self.hex(bytes))"
    }
  }

  private static func start(_ bytes: Bytes) -> String {
    String(decoding: bytes.prefix(24), as: UTF8.self) + (bytes.count > 24 ? "…" : "")
  }

  private static func hex(_ bytes: Bytes) -> String {
    let digits = bytes.prefix(12).map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }
    return digits.joined() + (bytes.count > 12 ? "…" : "")
  }

  fileprivate var sortKey: [UInt64] {
    switch self {
    case .null: [0]
    case .integer(let value): [1, UInt64(bitPattern: value)]
    case .real(let value): [2, value.bitPattern]
    case .text(let bytes): [3, UInt64(bytes.count)] + bytes.map { UInt64($0) }
    case .blob(let bytes): [4, UInt64(bytes.count)] + bytes.map { UInt64($0) }
    }
  }
}
