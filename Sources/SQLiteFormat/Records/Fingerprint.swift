// SPDX-License-Identifier: Apache-2.0
// A digest of a set of keys that does not depend on their order: an index against its table.

/// A digest of a multiset of keys, independent of their order.
///
/// A table and an index over it that hold the same keys have equal fingerprints. Equal
/// numbers count as equal keys however they are stored, as SQLite compares them.
public struct Fingerprint: Hashable, Sendable {
  /// How many keys were added.
  public private(set) var count = 0
  private var sum: UInt64 = 0

  /// An empty set.
  public init() {}

  /// Adds the key that `key` describes.
  public mutating func add(_ key: KeyHash) {
    count += 1
    sum &+= key.digest
  }
}

/// The hash of one key, built field by field.
public struct KeyHash: Hashable, Sendable {
  private var state: UInt64 = 0x9E37_79B9_7F4A_7C15

  /// An empty key.
  public init() {}

  /// The hash with its bits spread, so that sums of hashes do not cancel.
  public var digest: UInt64 {
    var value = state
    value = (value ^ (value >> 30)) &* 0xBF58_476D_1CE4_E5B9
    value = (value ^ (value >> 27)) &* 0x94D0_49BB_1331_11EB
    return value ^ (value >> 31)
  }

  /// Adds an integer.
  public mutating func add(_ integer: Int64) {
    mix(1)
    mix(UInt64(bitPattern: integer))
  }

  /// Adds a value.
  public mutating func add(_ value: Value) {
    switch value {
    case .null: mix(0)
    case .integer(let integer): add(integer)
    case .real(let real): add(real)
    case .text(let bytes): add(bytes, 0..<bytes.count, tag: 3)
    case .blob(let bytes): add(bytes, 0..<bytes.count, tag: 4)
    }
  }

  /// Adds a field of a record; a field that holds nothing adds nothing and gives false.
  public mutating func add(_ record: Record, field index: Int) -> Bool {
    guard index < record.fields.count else { return false }
    let field = record.fields[index]
    guard field.serialType >= 12 else {
      add(record.value(index) ?? .null)
      return true
    }
    add(
      record.bytes, field.offset..<(field.offset + field.length),
      tag: field.serialType % 2 == 0 ? 4 : 3)
    return true
  }

  private mutating func add(_ real: Double) {
    // A real that is a whole number is stored as an integer in some places.
    if let integer = Int64(exactly: real) { return add(integer) }
    mix(2)
    mix(real.bitPattern)
  }

  private mutating func add(_ bytes: Bytes, _ range: Range<Int>, tag: UInt64) {
    mix(tag)
    mix(UInt64(range.count))
    var index = range.lowerBound
    while index + 8 <= range.upperBound {
      mix(UInt64(bytes.big32(at: index) ?? 0) << 32 | UInt64(bytes.big32(at: index + 4) ?? 0))
      index += 8
    }
    var rest: UInt64 = 0
    while index < range.upperBound, index < bytes.count {
      rest = rest << 8 | UInt64(bytes[index])
      index += 1
    }
    mix(rest)
  }

  private mutating func mix(_ word: UInt64) {
    state = (state ^ word) &* 0x9FB2_1C65_1E98_DF25
    state ^= state >> 32
  }
}
