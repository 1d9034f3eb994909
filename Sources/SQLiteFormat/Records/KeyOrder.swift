// SPDX-License-Identifier: Apache-2.0
// The order of the entries of an index, as SQLite compares them.

/// The order of the entries of an index, or of the rows of a WITHOUT ROWID table.
///
/// "Datatypes in SQLite", section 4.1: NULL, then numbers, then text, then blobs.
public struct KeyOrder: Hashable, Sendable {
  /// How text is compared.
  public enum Collation: String, Hashable, Sendable {
    /// Byte by byte.
    case binary = "BINARY"
    /// Byte by byte, with ASCII letters of both cases alike.
    case noCase = "NOCASE"
    /// Byte by byte, without the spaces at the end.
    case trimmed = "RTRIM"
  }

  /// One column of the key.
  public struct Column: Hashable, Sendable {
    let collation: Collation
    let isDescending: Bool

    /// Makes a column.
    public init(_ collation: Collation = .binary, isDescending: Bool = false) {
      self.collation = collation
      self.isDescending = isDescending
    }
  }

  /// The columns that are compared; fields beyond them are not.
  public let columns: [Column]

  /// Makes an order.
  public init(_ columns: [Column]) {
    self.columns = columns
  }

  /// Whether one entry may directly precede another.
  ///
  /// Two entries may be alike only in columns that are not the whole key.
  public func allows(_ left: Record, before right: Record) -> Bool {
    let comparison = compare(left, right)
    if comparison != 0 { return comparison < 0 }
    let shared = min(left.fields.count, right.fields.count)
    return columns.count > shared || columns.count < max(left.fields.count, right.fields.count)
  }

  /// Negative, 0 or positive as one key comes before another, is alike, or comes after it, as far
  /// as both have values.
  public func compare(_ left: [Value], _ right: [Value]) -> Int {
    compare(left.count, right.count) { (left[$0], right[$0]) }
  }

  private func compare(_ left: Record, _ right: Record) -> Int {
    compare(left.fields.count, right.fields.count) {
      (left.value($0) ?? .null, right.value($0) ?? .null)
    }
  }

  private func compare(
    _ left: Int, _ right: Int, _ values: (Int) -> (left: Value, right: Value)
  ) -> Int {
    for (index, column) in columns.prefix(min(left, right)).enumerated() {
      let (first, second) = values(index)
      let comparison = first.compare(with: second, column.collation)
      if comparison != 0 { return column.isDescending ? -comparison : comparison }
    }
    return 0
  }
}

extension Value {
  /// Negative, 0 or positive as this value comes before another, is alike, or comes after it.
  package func compare(with other: Value, _ collation: KeyOrder.Collation) -> Int {
    switch (self, other) {
    case (.integer(let left), .integer(let right)): Self.sign(left, right)
    case (.real(let left), .real(let right)): Self.sign(left, right)
    case (.integer(let left), .real(let right)): Self.compare(left, with: right)
    case (.real(let left), .integer(let right)): -Self.compare(right, with: left)
    case (.text(let left), .text(let right)):
      switch collation {
      case .binary: Self.compare(left[...], right[...])
      case .trimmed: Self.compare(left.trimmed, right.trimmed)
      case .noCase: Self.compareFolded(left, right)
      }
    case (.blob(let left), .blob(let right)): Self.compare(left[...], right[...])
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

  private static func compare(_ left: Bytes.SubSequence, _ right: Bytes.SubSequence) -> Int {
    for (first, second) in zip(left, right) where first != second {
      return first < second ? -1 : 1
    }
    return sign(left.count, right.count)
  }

  /// SQLite's NOCASE looks at nothing behind a NUL but the length.
  private static func compareFolded(_ left: Bytes, _ right: Bytes) -> Int {
    for (first, second) in zip(left, right) {
      let folded = (first.lowercased, second.lowercased)
      if folded.0 != folded.1 { return folded.0 < folded.1 ? -1 : 1 }
      if first == 0 { break }
    }
    return sign(left.count, right.count)
  }
}

extension Bytes {
  fileprivate var trimmed: SubSequence {
    self[..<(lastIndex { $0 != 0x20 }.map { $0 + 1 } ?? 0)]
  }
}

extension UInt8 {
  fileprivate var lowercased: UInt8 { (0x41...0x5A).contains(self) ? self + 0x20 : self }
}
