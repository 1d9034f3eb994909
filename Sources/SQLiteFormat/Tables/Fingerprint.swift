// SPDX-License-Identifier: Apache-2.0
// A digest of a set of keys that does not depend on their order: an index against its table.

/// A digest of a multiset of keys, independent of their order.
///
/// A table and an index over it that hold the same keys have equal fingerprints. Equal
/// numbers count as equal keys however they are stored, as SQLite compares them.
package struct Fingerprint: Hashable, Sendable {
  /// How many keys were added.
  package private(set) var count = 0
  private var sum: UInt64 = 0

  /// An empty set.
  package init() {}

  /// Adds the key that `key` describes.
  package mutating func add(_ key: KeyHash) {
    count += 1
    sum &+= key.digest
  }

  /// Adds the keys of another set.
  package mutating func add(_ other: Fingerprint) {
    count += other.count
    sum &+= other.sum
  }
}

/// The hash of one key, built field by field.
package struct KeyHash: Hashable, Sendable {
  private var state: UInt64 = 0x9E37_79B9_7F4A_7C15

  /// An empty key.
  package init() {}

  /// The hash of all fields of a record.
  package init(_ record: Record) {
    for field in record.fields { add(record, field) }
  }

  /// The hash of fields whose bytes are all there.
  @inline(__always)
  init(_ fields: borrowing LocatedFields, of bytes: Span<UInt8>) {
    for index in 0..<fields.count { add(fields[index], of: bytes) }
  }

  /// The hash with its bits spread, so that sums of hashes do not cancel.
  package var digest: UInt64 {
    var value = state
    value = (value ^ (value >> 30)) &* 0xBF58_476D_1CE4_E5B9
    value = (value ^ (value >> 27)) &* 0x94D0_49BB_1331_11EB
    return value ^ (value >> 31)
  }

  /// Adds an integer.
  package mutating func add(_ integer: Int64) {
    mix(1)
    mix(UInt64(bitPattern: integer))
  }

  /// Adds a value.
  package mutating func add(_ value: Value) {
    switch value {
    case .null: mix(0)
    case .integer(let integer): add(integer)
    case .real(let real): add(real)
    case .text(let bytes): add(bytes, tag: 3)
    case .blob(let bytes): add(bytes, tag: 4)
    }
  }

  /// Adds a field of a record; a field that holds nothing adds nothing and gives false.
  package mutating func add(_ record: Record, field index: Int) -> Bool {
    guard let field = record.field(index) else { return false }
    add(record, field)
    return true
  }

  /// Adds a field of a record.
  package mutating func add(_ record: Record, _ field: Record.Field) {
    if record.holds(field) { return add(field, of: record.bytes.span) }
    do {
      try addRemote(record, field)
    } catch {
      // A value that cannot be read is like no other.
      mix(5)
    }
  }

  /// Adds a field whose bytes are all there.
  @inline(__always)
  mutating func add(_ field: Record.Field, of bytes: Span<UInt8>) {
    switch field.serialType {
    case 1...6: add(bytes.signed(at: field.offset, width: field.length) ?? 0)
    case 7:
      let real = Double(bitPattern: bytes.big64(at: field.offset) ?? 0)
      // SQLite reads a NaN as NULL.
      if real.isNaN { mix(0) } else { add(real) }
    case 8: add(0 as Int64)
    case 9: add(1 as Int64)
    case 12...:
      mix(field.isBlob ? 4 : 3)
      mix(UInt64(field.length))
      mix(bytes, field.offset..<field.end)
    default: mix(0)
    }
  }

  /// Adds a field as it is stored: values that are equal and stored otherwise differ.
  mutating func addStored(_ field: Record.Field, of bytes: Span<UInt8>) {
    mix(UInt64(field.serialType))
    mix(bytes, field.offset..<field.end)
  }

  /// Adds that a record ends before a field.
  mutating func addMissing() { mix(.max) }

  /// Adds a value that has to be read from its pages.
  private mutating func addRemote(
    _ record: Record, _ field: Record.Field
  ) throws(FormatError) {
    guard record.isLong(field) else {
      let (bytes, field) = try record.fetch(field)
      return add(field, of: bytes.span)
    }
    mix(field.isBlob ? 4 : 3)
    mix(UInt64(field.length))
    var pieces = record.pieces(of: field)
    while let piece = try pieces.next() { mix(piece.bytes.span, piece.range) }
  }

  private mutating func add(_ real: Double) {
    // A real that is a whole number is stored as an integer in some places.
    if let integer = Int64(exactly: real) { return add(integer) }
    mix(2)
    mix(real.bitPattern)
  }

  private mutating func add(_ bytes: Bytes, tag: UInt64) {
    mix(tag)
    mix(UInt64(bytes.count))
    mix(bytes.span, 0..<bytes.count)
  }

  /// Adds bytes, eight at a time; pieces of one value may follow each other after a multiple
  /// of eight.
  private mutating func mix(_ bytes: Span<UInt8>, _ range: Range<Int>) {
    var index = range.lowerBound
    while index <= range.upperBound - 8 {
      mix(bytes.big64(at: index) ?? 0)
      index += 8
    }
    guard index < range.upperBound else { return }
    var rest: UInt64 = 0
    while index < range.upperBound, index < bytes.count {
      rest = rest << 8 | UInt64(bytes[index])
      index += 1
    }
    mix(rest)
  }

  @inline(__always)
  private mutating func mix(_ word: UInt64) {
    state = (state ^ word) &* 0x9FB2_1C65_1E98_DF25
    state ^= state >> 32
  }
}
