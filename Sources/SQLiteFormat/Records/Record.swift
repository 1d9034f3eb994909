// SPDX-License-Identifier: Apache-2.0
// One record: a header of serial types, then the values.
//
// header size (varint, counts itself) · serial type (varint) × fields · values in the same order

/// One record, with its fields located but not decoded.
///
/// File format, section 2.1.
public struct Record: Hashable, Sendable {
  /// One field: its serial type, and where its bytes lie.
  public struct Field: Hashable, Sendable {
    /// The serial type.
    public let serialType: Int
    /// Where the value starts in ``Record/bytes``.
    public let offset: Int
    /// The length of the value in bytes.
    public let length: Int
  }

  /// The bytes that the fields point into: a page, or an assembled payload.
  public let bytes: Bytes
  /// The fields in stored order.
  public let fields: [Field]

  /// Reads a record that fills `range` of `bytes` exactly.
  ///
  /// - Throws: ``FormatError`` unless the header ends exactly where it says, no
  ///   serial type is reserved, and header and values add up to the payload.
  public init(_ bytes: Bytes, in range: Range<Int>) throws(FormatError) {
    let limit = min(range.upperBound, bytes.count)
    guard let (size, length) = bytes.varint(at: range.lowerBound, limit: limit),
      size >= UInt64(length), size <= UInt64(range.count)
    else { throw FormatError(.recordHeader, offset: range.lowerBound) }
    let headerEnd = range.lowerBound + Int(size)
    var cursor = range.lowerBound + length
    var offset = headerEnd
    var fields: [Field] = []
    fields.reserveCapacity(Int(size) - length)
    while cursor < headerEnd {
      guard let (type, length) = bytes.varint(at: cursor, limit: headerEnd) else {
        throw FormatError(.recordHeader, offset: cursor)
      }
      guard let width = Self.width(ofSerialType: type) else {
        throw FormatError(.reservedSerialType, offset: cursor)
      }
      guard width <= range.upperBound - offset else {
        throw FormatError(.recordLength, offset: cursor)
      }
      fields.append(Field(serialType: Int(type), offset: offset, length: width))
      offset += width
      cursor += length
    }
    guard offset == range.upperBound else {
      throw FormatError(.recordLength, offset: range.lowerBound)
    }
    self.bytes = bytes
    self.fields = fields
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

  /// The value of a field; nil where the record has no such field.
  public func value(_ index: Int) -> Value? {
    guard index >= 0, index < fields.count else { return nil }
    let field = fields[index]
    switch field.serialType {
    case 0: return .null
    case 1...6:
      return bytes.signed(at: field.offset, width: field.length).map(Value.integer)
    case 7:
      // SQLite stores no NaN, and reads one as NULL.
      return bytes.signed(at: field.offset, width: 8).map {
        let real = Double(bitPattern: UInt64(bitPattern: $0))
        return real.isNaN ? .null : .real(real)
      }
    case 8: return .integer(0)
    case 9: return .integer(1)
    default:
      let content = bytes.slice(field.offset..<(field.offset + field.length))
      return field.serialType % 2 == 0 ? .blob(content) : .text(content)
    }
  }

  /// All values in stored order.
  public var values: [Value] { fields.indices.map { value($0) ?? .null } }
}
