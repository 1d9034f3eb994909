// SPDX-License-Identifier: Apache-2.0
// One record: a header of serial types, then the values.
//
// header size (varint, counts itself) · serial type (varint) × fields · values in the same order

/// One record, with its fields located but not decoded.
///
/// File format, section 2.1.
package struct Record: Sendable {
  /// One field: its serial type, and where its bytes lie.
  package struct Field: Hashable, Sendable {
    /// The serial type.
    package let serialType: Int
    /// Where the value starts, counted as in ``Record/bytes``; of a long record perhaps behind them.
    package let offset: Int
    /// The length of the value in bytes.
    package let length: Int

    /// Where the value ends.
    var end: Int { offset + length }

    /// Whether the value is text.
    package var isText: Bool { serialType >= 13 && serialType % 2 == 1 }
    /// Whether the value is a blob.
    package var isBlob: Bool { serialType >= 12 && serialType % 2 == 0 }
  }

  /// The longest payload that is held in memory whole; of a longer one, only its start.
  package static let wholeMax = 1 << 20
  /// How much of a longer payload is held: more than the longest header that SQLite makes, which
  /// has 98307 bytes.
  static let startMax = 1 << 17

  /// The bytes that the fields point into: a page, or a payload, or the start of a long one.
  package let bytes: Bytes
  /// How many fields there are.
  package let fieldCount: Int
  /// Where the serial types lie; the values follow.
  let types: Range<Int>
  /// The whole payload, where `bytes` are only its start.
  let payload: LongPayload?

  /// Reads a record that fills `range` of `bytes` exactly.
  ///
  /// - Throws: ``FormatError`` unless the header ends exactly where it says, no
  ///   serial type is reserved, and header and values add up to the payload.
  package init(_ bytes: Bytes, in range: Range<Int>) throws(FormatError) {
    guard range.upperBound <= bytes.count else {
      throw FormatError(.recordLength, offset: range.lowerBound)
    }
    try self.init(bytes, in: range, payload: nil)
  }

  /// Reads the record of a long payload, of which `start` are the first bytes.
  ///
  /// - Throws: ``FormatError`` as for a record that is all there.
  init(start: Bytes, of payload: LongPayload) throws(FormatError) {
    try self.init(start, in: 0..<payload.byteCount, payload: payload)
  }

  private init(
    _ bytes: Bytes, in range: Range<Int>, payload: LongPayload?
  ) throws(FormatError) {
    var count = 0
    types = try bytes.span.fields(ofRecordIn: range) { _ in count += 1 }
    fieldCount = count
    self.bytes = bytes
    self.payload = payload
  }

  /// The length of a value of a serial type; nil for the reserved types 10 and 11.
  @inline(__always)
  static func width(ofSerialType type: UInt64) -> Int? {
    switch type {
    case 0, 8, 9: 0
    case 1...4: Int(type)
    case 5: 6
    case 6, 7: 8
    case 10, 11: nil
    // A value is at most 2^31 bytes; larger types exist only in damaged headers.
    default: type > 0x1_0000_0000 ? Int.max : Int((type - 12) / 2)
    }
  }
}

extension Span where Element == UInt8 {
  /// Hands out the fields of a record that fills a range exactly, of which the end may lie behind
  /// these bytes.
  ///
  /// - Returns: Where the serial types lie.
  /// - Throws: ``FormatError`` unless the header ends exactly where it says, no serial type is
  ///   reserved, and header and values add up to the range.
  @inline(__always)
  func fields(
    ofRecordIn range: Range<Int>, _ body: (Record.Field) -> Void
  ) throws(FormatError) -> Range<Int> {
    let limit = Swift.min(range.upperBound, count)
    guard let (size, length) = varint(at: range.lowerBound, limit: limit),
      size >= UInt64(length), size <= UInt64(limit - range.lowerBound)
    else { throw FormatError(.recordHeader, offset: range.lowerBound) }
    let types = (range.lowerBound + length)..<(range.lowerBound + Int(size))
    var cursor = types.lowerBound
    var offset = types.upperBound
    while cursor < types.upperBound {
      guard let (type, length) = varint(at: cursor, limit: types.upperBound) else {
        throw FormatError(.recordHeader, offset: cursor)
      }
      guard let width = Record.width(ofSerialType: type) else {
        throw FormatError(.reservedSerialType, offset: cursor)
      }
      guard width <= range.upperBound - offset else {
        throw FormatError(.recordLength, offset: cursor)
      }
      body(Record.Field(serialType: Int(type), offset: offset, length: width))
      offset += width
      cursor += length
    }
    guard offset == range.upperBound else {
      throw FormatError(.recordLength, offset: range.lowerBound)
    }
    return types
  }
}

extension Record {
  /// The fields of a record in stored order, read from its header one by one.
  package struct Fields: Sequence, IteratorProtocol, Sendable {
    private let bytes: Bytes
    private let end: Int
    private var cursor: Int
    private var offset: Int

    @inline(__always)
    fileprivate init(_ record: borrowing Record) {
      bytes = record.bytes
      end = record.types.upperBound
      cursor = record.types.lowerBound
      offset = record.types.upperBound
    }

    /// The next field; nil behind the last one.
    @inline(__always)
    package mutating func next() -> Field? {
      // The header was proven when the record was made: nothing of it is missing here.
      guard cursor < end, let (type, length) = bytes.varint(at: cursor, limit: end),
        let width = Record.width(ofSerialType: type)
      else { return nil }
      defer {
        cursor &+= length
        offset &+= width
      }
      return Field(serialType: Int(truncatingIfNeeded: type), offset: offset, length: width)
    }
  }

  /// The fields in stored order.
  package var fields: Fields { Fields(self) }

  /// A field; nil where the record has no such field.
  package func field(_ index: Int) -> Field? {
    guard index >= 0, index < fieldCount else { return nil }
    var fields = fields
    for _ in 0..<index { _ = fields.next() }
    return fields.next()
  }

  /// The serial types as they are stored.
  package var typeBytes: Bytes { bytes.slice(types) }

  /// How long the record is, header and values.
  package var byteCount: Int {
    // The header's own length is a varint of one byte, seldom of two or three.
    let sizeLength = types.count < 127 ? 1 : types.count < 16382 ? 2 : 3
    return fields.reduce(types.upperBound) { $1.end } - types.lowerBound + sizeLength
  }

  /// Whether all values are in memory.
  package var isWhole: Bool { payload == nil }

  /// Whether the bytes are those of this record alone, and not of its page, where no record starts
  /// so early.
  package var isApart: Bool { types.lowerBound < 10 }

  /// The value of a field; nil where the record has no such field, or a long one cannot be read.
  package func value(_ index: Int) -> Value? {
    field(index).flatMap { try? value(of: $0) }
  }

  /// The value of a field, wholly in memory.
  ///
  /// - Throws: ``FormatError`` when the pages of a long value can no longer be read.
  package func value(of field: Field) throws(FormatError) -> Value {
    let (bytes, field) = try fetch(field)
    guard field.serialType >= 12 else { return Self.number(field, in: bytes) }
    guard field.end > bytes.count else {
      let content = bytes.slice(field.offset..<field.end)
      return field.isBlob ? .blob(content) : .text(content)
    }
    var content = Bytes()
    content.reserveCapacity(field.length)
    var pieces = pieces(of: field)
    while let piece = try pieces.next() { content.append(contentsOf: piece.bytes[piece.range]) }
    return field.isBlob ? .blob(content) : .text(content)
  }

  /// The value of a field that is neither text nor blob.
  private static func number(_ field: Field, in bytes: Bytes) -> Value {
    switch field.serialType {
    case 1...6:
      return bytes.signed(at: field.offset, width: field.length).map(Value.integer) ?? .null
    case 7:
      // SQLite stores no NaN, and reads one as NULL.
      let bits = bytes.signed(at: field.offset, width: 8) ?? 0
      let real = Double(bitPattern: UInt64(bitPattern: bits))
      return real.isNaN ? .null : .real(real)
    case 8: return .integer(0)
    case 9: return .integer(1)
    default: return .null
    }
  }

  /// All values in stored order, wholly in memory.
  ///
  /// - Throws: ``FormatError`` when the pages of a long value can no longer be read.
  package var values: [Value] {
    get throws(FormatError) {
      var values: [Value] = []
      values.reserveCapacity(fieldCount)
      for field in fields { values.append(try value(of: field)) }
      return values
    }
  }
}
