// SPDX-License-Identifier: Apache-2.0
// The order of the entries of an index, as SQLite compares them.

/// The order of the entries of an index, or of the rows of a WITHOUT ROWID table.
///
/// "Datatypes in SQLite", section 4.1: NULL, then numbers, then text, then blobs.
package struct KeyOrder: Hashable, Sendable {
  /// How text is compared.
  package enum Collation: String, Hashable, Sendable {
    /// Byte by byte.
    case binary = "BINARY"
    /// Byte by byte, with ASCII letters of both cases alike.
    case noCase = "NOCASE"
    /// Byte by byte, without the spaces at the end.
    case trimmed = "RTRIM"

    /// The collation of a name; nil for one that only the app has.
    package init?(_ name: Name) {
      guard let found = Self.all.first(where: { Name($0.rawValue) == name }) else { return nil }
      self = found
    }

    private static let all: [Collation] = [.binary, .noCase, .trimmed]
  }

  /// How text of an encoding is compared.
  package struct TextOrder: Hashable, Sendable {
    let collation: Collation
    let encoding: TextEncoding

    /// Makes the order of a collation.
    package init(_ collation: Collation, _ encoding: TextEncoding = .utf8) {
      self.collation = collation
      self.encoding = encoding
    }

    /// Byte by byte.
    package static let binary = TextOrder(.binary)
    /// Whether bytes are compared, and not what they stand for.
    var isOfBytes: Bool { collation == .binary || encoding == .utf8 }
  }

  /// One column of the key.
  package struct Column: Hashable, Sendable {
    let text: TextOrder
    let isDescending: Bool

    /// Makes a column.
    package init(
      _ collation: Collation = .binary, _ encoding: TextEncoding = .utf8,
      isDescending: Bool = false
    ) {
      text = TextOrder(collation, encoding)
      self.isDescending = isDescending
    }
  }

  /// The columns that are compared; fields beyond them are not.
  package let columns: [Column]
  /// How many of the first columns no two entries share, unless one of them is NULL; nil where
  /// entries may share all but the whole key.
  private let uniqueCount: Int?

  /// Makes an order.
  package init(_ columns: [Column], uniqueCount: Int? = nil) {
    self.columns = columns
    self.uniqueCount = uniqueCount
  }

  /// Whether one entry may directly precede another.
  ///
  /// Two entries may be alike only in columns that are not the whole key.
  package func allows(_ left: Record, before right: Record) -> Bool {
    var (lefts, rights) = (left.fields, right.fields)
    var hasNull = false
    for (place, column) in columns.enumerated() {
      guard let first = lefts.next(), let second = rights.next(),
        let comparison = left.compare(first, with: right, second, column.text)
      else { return true }
      if comparison != 0 { return (comparison < 0) != column.isDescending }
      hasNull = hasNull || first.serialType == 0
      if place + 1 == uniqueCount, !hasNull { return false }
    }
    return columns.count < max(left.fieldCount, right.fieldCount)
  }

  /// Whether two entries have the same key where no two may have it.
  package func haveSameKey(_ left: Record, _ right: Record) -> Bool {
    guard let uniqueCount else { return false }
    var (lefts, rights) = (left.fields, right.fields)
    return columns.prefix(uniqueCount).allSatisfy { column in
      guard let first = lefts.next(), let second = rights.next(), first.serialType != 0 else {
        return false
      }
      return left.compare(first, with: right, second, column.text) == 0
    }
  }
}

extension KeyOrder {
  /// Negative, 0 or positive as one key comes before another, is alike, or comes after it, as far
  /// as both have values.
  package func compare(_ left: [Value], _ right: [Value]) -> Int {
    for (column, (first, second)) in zip(columns, zip(left, right)) {
      let comparison = first.compare(with: second, column.text)
      if comparison != 0 { return column.isDescending ? -comparison : comparison }
    }
    return 0
  }

  /// Whether one entry may directly precede another on the same page.
  func allows(
    _ left: borrowing LocatedFields, before right: borrowing LocatedFields, of bytes: Span<UInt8>
  ) -> Bool {
    var hasNull = false
    for (place, column) in columns.enumerated() {
      guard place < left.count, place < right.count else { return true }
      let comparison = bytes.compare(left[place], with: bytes, right[place], column.text)
      if comparison != 0 { return (comparison < 0) != column.isDescending }
      hasNull = hasNull || left[place].serialType == 0
      if place + 1 == uniqueCount, !hasNull { return false }
    }
    return columns.count < max(left.count, right.count)
  }
}

extension Record {
  /// Negative, 0 or positive as a field comes before one of another record, is alike, or comes
  /// after it; nil when that would take more memory, or reading, than it is worth.
  fileprivate func compare(
    _ field: Field, with other: Record, _ otherField: Field, _ text: KeyOrder.TextOrder
  ) -> Int? {
    if holds(field), other.holds(otherField) {
      return bytes.span.compare(field, with: other.bytes.span, otherField, text)
    }
    return try? compareRemote(field, with: other, otherField, text)
  }

  /// Compares values that may have to be read from their pages.
  private func compareRemote(
    _ field: Field, with other: Record, _ otherField: Field, _ text: KeyOrder.TextOrder
  ) throws(FormatError) -> Int? {
    if !isLong(field), !other.isLong(otherField) {
      let (left, right) = (try fetch(field), try other.fetch(otherField))
      return left.bytes.span.compare(left.field, with: right.bytes.span, right.field, text)
    }
    guard field.rank == otherField.rank else { return field.rank - otherField.rank }
    guard text.collation == .binary || field.isBlob else { return nil }
    return try compareLong(field, with: other, otherField)
  }

  /// Compares values of which one has to be read from its pages: piece by piece, byte by byte.
  private func compareLong(
    _ field: Field, with other: Record, _ otherField: Field
  ) throws(FormatError) -> Int {
    let length = min(field.length, otherField.length)
    for start in stride(from: 0, to: length, by: Pieces.byteCount) {
      let end = min(length, start + Pieces.byteCount)
      let left = try read((field.offset + start)..<(field.offset + end))
      let right = try other.read((otherField.offset + start)..<(otherField.offset + end))
      let comparison = left.span.compare(left.indices, with: right.span, right.indices)
      if comparison != 0 { return comparison }
    }
    return field.length - otherField.length
  }
}

extension Record.Field {
  /// Where the field's storage class stands among the others, numbers being alike.
  fileprivate var rank: Int {
    switch serialType {
    case 12...: isBlob ? 3 : 2
    case 1...9: 1
    default: 0
    }
  }
}

extension Value {
  /// Negative, 0 or positive as this value comes before another, is alike, or comes after it.
  package func compare(with other: Value, _ text: KeyOrder.TextOrder) -> Int {
    switch (self, other) {
    case (.integer(let left), .integer(let right)): Self.sign(left, right)
    case (.real(let left), .real(let right)): Self.sign(left, right)
    case (.integer(let left), .real(let right)): Self.compare(left, with: right)
    case (.real(let left), .integer(let right)): -Self.compare(right, with: left)
    case (.text(let left), .text(let right)):
      left.span.compare(left.indices, with: right.span, right.indices, text)
    case (.blob(let left), .blob(let right)):
      left.span.compare(left.indices, with: right.span, right.indices, .binary)
    default: Self.sign(rank, other.rank)
    }
  }

  private var rank: Int {
    switch self {
    case .null: 0
    case .integer, .real: 1
    case .text: 2
    case .blob: 3
    }
  }

  private static func sign<Number: Comparable>(_ left: Number, _ right: Number) -> Int {
    left < right ? -1 : left > right ? 1 : 0
  }

  /// Compares without the rounding that a conversion to the other type would bring.
  private static func compare(_ integer: Int64, with real: Double) -> Int {
    guard let whole = Int64(exactly: real.rounded(.towardZero)) else { return real > 0 ? -1 : 1 }
    return integer == whole ? sign(Double(whole), real) : sign(integer, whole)
  }
}

extension Span where Element == UInt8 {
  /// Negative, 0 or positive as a field of these bytes comes before one of others, is alike, or
  /// comes after it.
  fileprivate func compare(
    _ field: Record.Field, with other: Span<UInt8>, _ otherField: Record.Field,
    _ text: KeyOrder.TextOrder
  ) -> Int {
    guard field.serialType >= 12, field.rank == otherField.rank else {
      let (number, otherNumber) = (number(field), other.number(otherField))
      if let number, let otherNumber { return number.compare(with: otherNumber, .binary) }
      // SQLite stores no NaN, and reads one as NULL.
      let rank = field.rank == 1 && number == nil ? 0 : field.rank
      return rank - (otherField.rank == 1 && otherNumber == nil ? 0 : otherField.rank)
    }
    return compare(
      field.offset..<field.end, with: other, otherField.offset..<otherField.end,
      field.isBlob ? .binary : text)
  }

  /// The number in a field; nil where it holds none.
  private func number(_ field: Record.Field) -> Value? {
    switch field.serialType {
    case 1...6: return .integer(signed(at: field.offset, width: field.length) ?? 0)
    case 7:
      let real = Double(bitPattern: big64(at: field.offset) ?? 0)
      return real.isNaN ? nil : .real(real)
    case 8: return .integer(0)
    case 9: return .integer(1)
    default: return nil
    }
  }

  /// Compares a range with one of other bytes, as a collation does.
  fileprivate func compare(
    _ range: Range<Int>, with other: Span<UInt8>, _ otherRange: Range<Int>,
    _ text: KeyOrder.TextOrder
  ) -> Int {
    guard text.isOfBytes else { return compareWide(range, with: other, otherRange, text) }
    return switch text.collation {
    case .binary: compare(range, with: other, otherRange)
    case .noCase: compareFolded(range, with: other, otherRange)
    case .trimmed: compare(trimmed(range), with: other, other.trimmed(otherRange))
    }
  }

  /// Compares a range byte by byte with one of other bytes.
  fileprivate func compare(
    _ range: Range<Int>, with other: Span<UInt8>, _ otherRange: Range<Int>
  ) -> Int {
    for index in 0..<Swift.min(range.count, otherRange.count) {
      let (left, right) = (self[range.lowerBound + index], other[otherRange.lowerBound + index])
      if left != right { return left < right ? -1 : 1 }
    }
    return range.count - otherRange.count
  }

  /// Compares byte by byte, with ASCII letters of both cases alike.
  ///
  /// SQLite's NOCASE looks at nothing behind a NUL but the length.
  private func compareFolded(
    _ range: Range<Int>, with other: Span<UInt8>, _ otherRange: Range<Int>
  ) -> Int {
    for index in 0..<Swift.min(range.count, otherRange.count) {
      let left = self[range.lowerBound + index].lowercased
      let right = other[otherRange.lowerBound + index].lowercased
      if left != right { return left < right ? -1 : 1 }
      if left == 0 { break }
    }
    return range.count - otherRange.count
  }

  /// A range without the spaces at its end.
  private func trimmed(_ range: Range<Int>) -> Range<Int> {
    var end = range.upperBound
    while end > range.lowerBound, self[end - 1] == 0x20 { end -= 1 }
    return range.lowerBound..<end
  }
}
