// SPDX-License-Identifier: Apache-2.0
// A name in a schema, which compares as SQLite compares names.

/// The name of a table, column, index, view, trigger, collation, function or module.
///
/// Two names are the same where they differ in the case of A to Z only: SQLite folds nothing else,
/// and knows nothing of composed and decomposed letters. `É` and `é` are two columns.
public struct Name: Hashable, Sendable {
  /// The name as it was written.
  public let text: String

  /// Makes a name.
  public init(_ text: some StringProtocol) {
    self.text = String(text)
  }

  /// Whether two names are one to SQLite.
  public static func == (left: Name, right: Name) -> Bool {
    left.folded.elementsEqual(right.folded)
  }

  /// Adds what all spellings of the name share.
  public func hash(into hasher: inout Hasher) {
    for byte in folded { hasher.combine(byte) }
    hasher.combine(UInt8(0xFF))
  }

  /// Whether the name begins with another one.
  public func hasPrefix(_ prefix: Name) -> Bool { folded.starts(with: prefix.folded) }

  /// Whether SQLite keeps the name for itself: `sqlite_…`.
  public var isReserved: Bool { hasPrefix("sqlite_") }

  /// The name as SQLite compares it: A to Z folded, nothing else.
  public var foldedText: String { String(decoding: folded, as: UTF8.self) }

  private var folded: LazyMapSequence<String.UTF8View, UInt8> {
    text.utf8.lazy.map { (0x41...0x5A).contains($0) ? $0 | 0x20 : $0 }
  }
}

extension Name: Comparable {
  /// Orders names by their folded bytes.
  public static func < (left: Name, right: Name) -> Bool {
    left.folded.lexicographicallyPrecedes(right.folded)
  }
}

extension Name: ExpressibleByStringInterpolation, CustomStringConvertible {
  /// Makes a name of a literal.
  public init(stringLiteral text: String) { self.init(text) }

  /// The name as it was written.
  public var description: String { text }
}

extension Name: Codable, CodingKeyRepresentable {
  /// Reads a name from its text.
  public init(from decoder: any Decoder) throws {
    self.init(try decoder.singleValueContainer().decode(String.self))
  }

  /// Writes the name as its text.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(text)
  }

  /// The name as the key of an object.
  public var codingKey: any CodingKey { Key(stringValue: text) }

  /// Makes a name of the key of an object.
  public init(codingKey: some CodingKey) { self.init(codingKey.stringValue) }

  private struct Key: CodingKey {
    let stringValue: String
    var intValue: Int? { nil }

    init(stringValue: String) { self.stringValue = stringValue }
    init?(intValue: Int) { nil }
  }
}

extension Sequence<Name> {
  /// The names as text, one after the other.
  public func joined(separator: String = "") -> String {
    map(\.text).joined(separator: separator)
  }
}

extension Value {
  /// A name as a text in UTF-8.
  public static func text(_ name: Name) -> Value { .text(name.text) }
}
