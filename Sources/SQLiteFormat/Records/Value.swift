// SPDX-License-Identifier: Apache-2.0
// One value of one row, exactly as stored.

/// A value in one of SQLite's five storage classes.
///
/// Text is kept as the bytes that are stored, in the encoding of its database:
/// it may contain NUL and sequences that are not valid in that encoding, and
/// both survive.
package enum Value: Hashable, Sendable {
  /// NULL.
  case null
  /// A signed integer.
  case integer(Int64)
  /// An IEEE 754 double; compare `bitPattern` where −0.0 matters.
  case real(Double)
  /// Text, in the encoding of the database it came from.
  case text(Bytes)
  /// Bytes.
  case blob(Bytes)

  /// Text from a Swift string, in UTF-8.
  package static func text(_ string: String) -> Value {
    .text(Bytes(string.utf8))
  }

  /// The text as a string, when this is text that is valid UTF-8.
  package var utf8String: String? {
    guard case .text(let bytes) = self else { return nil }
    return String(validating: bytes, as: UTF8.self)
  }

  /// The integer, when this is one.
  package var integerValue: Int64? {
    guard case .integer(let value) = self else { return nil }
    return value
  }
}
