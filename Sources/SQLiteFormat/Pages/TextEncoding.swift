// SPDX-License-Identifier: Apache-2.0
// The text encoding of a database, and names in it that are not valid text.

/// The text encoding of a database (file header, offset 56).
package enum TextEncoding: UInt32, Hashable, Sendable, CaseIterable {
  /// UTF-8.
  case utf8 = 1
  /// UTF-16, little-endian.
  case utf16le = 2
  /// UTF-16, big-endian.
  case utf16be = 3

  /// The name as `PRAGMA encoding` spells it.
  package var name: String {
    switch self {
    case .utf8: "UTF-8"
    case .utf16le: "UTF-16le"
    case .utf16be: "UTF-16be"
    }
  }

  /// Decodes text for people and for names: what is not valid becomes U+FFFD.
  package func string(_ bytes: Bytes) -> String {
    switch self {
    case .utf8: String(decoding: bytes, as: UTF8.self)
    case .utf16le, .utf16be: String(decoding: units(bytes), as: UTF16.self)
    }
  }

  /// Decodes a name or statement of a schema: what is not valid becomes scalars of private use, so
  /// that names of other bytes stay other names.
  package func distinctString(_ bytes: Bytes) -> String {
    switch self {
    case .utf8:
      return String(utf8: bytes) {
        Unicode.Scalar(Self.standInByte + UInt32($0)).map { String($0) } ?? ""
      }
    case .utf16le, .utf16be:
      let units = units(bytes)
      // SQLite passes over the first half of a unit at the end.
      return String(validating: units, as: UTF16.self) ?? Self.distinct(utf16: units)
    }
  }

  /// Whether something stands in a text for what was not valid.
  package static func hasStandIn(_ text: String) -> Bool {
    !text.utf8.allSatisfy { $0 < 0xF4 }
      && text.unicodeScalars.contains { scalar in
        (standInByte..<standInByte + 256).contains(scalar.value)
          || standInUnits.contains(scalar.value)
      }
  }

  /// The scalar for the byte 0.
  private static let standInByte: UInt32 = 0x10FE00
  /// The scalars for halves of surrogate pairs.
  private static let standInUnits: Range<UInt32> = 0x10F000..<0x10F800

  private static func distinct(utf16 units: [UInt16]) -> String {
    var text = String.UnicodeScalarView()
    var index = 0
    while index < units.count {
      let unit = units[index]
      index += 1
      if let scalar = Unicode.Scalar(UInt32(unit)) {
        text.append(scalar)
      } else if index < units.count, UTF16.isLeadSurrogate(unit),
        UTF16.isTrailSurrogate(units[index])
      {
        text.append(UTF16.decode(UTF16.EncodedScalar([unit, units[index]])))
        index += 1
      } else if let scalar = Unicode.Scalar(standInUnits.lowerBound + UInt32(unit) - 0xD800) {
        text.append(scalar)
      }
    }
    return String(text)
  }

  /// Encodes a string as this encoding stores it.
  package func bytes(_ string: String) -> Bytes {
    switch self {
    case .utf8: Bytes(string.utf8)
    case .utf16le: Bytes(string.utf16.flatMap { [UInt8($0 & 0xFF), UInt8($0 >> 8)] })
    case .utf16be: Bytes(string.utf16.flatMap { [UInt8($0 >> 8), UInt8($0 & 0xFF)] })
    }
  }

  /// Whether SQLite keeps a text of this encoding in a database of another one as it is, or in one of
  /// the same.
  ///
  /// What is not valid becomes U+FFFD there, and so do U+FFFE and U+FFFF of UTF-8; half a unit of
  /// UTF-16 at the end is dropped everywhere.
  package func keeps(_ bytes: some RandomAccessCollection<UInt8>, in other: TextEncoding) -> Bool {
    switch (self, other) {
    case (.utf8, .utf8): return true
    case (.utf8, _):
      guard !bytes.allSatisfy({ $0 < 0x80 }) else { return true }
      guard let text = String(validating: bytes, as: UTF8.self) else { return false }
      return !text.unicodeScalars.contains { $0.value == 0xFFFE || $0.value == 0xFFFF }
    case (_, .utf8):
      guard bytes.count.isMultiple(of: 2) else { return false }
      return String(validating: units(Bytes(bytes)), as: UTF16.self) != nil
    case (_, _): return bytes.count.isMultiple(of: 2)
    }
  }

  /// The UTF-16 code units in `bytes`.
  private func units(_ bytes: Bytes) -> [UInt16] {
    let low = self == .utf16be ? 1 : 0
    return stride(from: 0, to: bytes.count - bytes.count % 2, by: 2).map { index in
      UInt16(bytes[index + low]) | UInt16(bytes[index + 1 - low]) << 8
    }
  }
}

extension String {
  /// Decodes UTF-8, with something of their own in the place of bytes that are not valid.
  package init(utf8 bytes: some Collection<UInt8>, standIn: (UInt8) -> String) {
    if let text = String(validating: bytes, as: UTF8.self) {
      self = text
      return
    }
    self.init()
    var rest = bytes[...]
    while let first = rest.first {
      var iterator = rest.makeIterator()
      var parser = Unicode.UTF8.ForwardParser()
      switch parser.parseScalar(from: &iterator) {
      case .valid(let scalar):
        unicodeScalars.append(Unicode.UTF8.decode(scalar))
        rest = rest.dropFirst(scalar.count)
      case .error, .emptyInput:
        append(standIn(first))
        rest = rest.dropFirst()
      }
    }
  }
}
