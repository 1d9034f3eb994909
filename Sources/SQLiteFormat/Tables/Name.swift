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
    guard left.text.utf8.count == right.text.utf8.count else { return false }
    var others = right.text.utf8.makeIterator()
    for byte in left.text.utf8 {
      guard let other = others.next(), byte == other || byte.lowercased == other.lowercased else {
        return false
      }
    }
    return true
  }

  /// Adds what all spellings of the name share, eight bytes at a time.
  public func hash(into hasher: inout Hasher) {
    var word: UInt64 = 0
    var count = 0
    for byte in text.utf8 {
      word = word << 8 | UInt64(byte.lowercased)
      count += 1
      if count % 8 == 0 { hasher.combine(word) }
    }
    hasher.combine(word)
    hasher.combine(count)
  }

  /// Whether the name begins with another one.
  package func hasPrefix(_ prefix: Name) -> Bool { folded.starts(with: prefix.folded) }

  /// Whether these letters, in lower case, stand anywhere in the name.
  package func holds(_ letters: String) -> Bool {
    guard let first = letters.utf8.first else { return true }
    let bytes = text.utf8
    var start = bytes.startIndex
    while start < bytes.endIndex {
      if bytes[start].lowercased == first,
        bytes[start...].lazy.map({ $0.lowercased }).starts(with: letters.utf8)
      {
        return true
      }
      start = bytes.index(after: start)
    }
    return false
  }

  /// Whether SQLite keeps the name for itself: `sqlite_…`.
  package var isReserved: Bool { hasPrefix("sqlite_") }

  /// The name as SQLite compares it: A to Z folded, nothing else.
  package var foldedText: String { String(decoding: folded, as: UTF8.self) }

  private var folded: LazyMapSequence<String.UTF8View, UInt8> {
    text.utf8.lazy.map { $0.lowercased }
  }
}

extension UInt8 {
  /// The byte as SQLite compares it in names and under NOCASE: A to Z folded, nothing else.
  @inline(__always)
  package var lowercased: UInt8 { self >= 0x41 && self <= 0x5A ? self | 0x20 : self }
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
  ///
  /// - Throws: `DecodingError` where there is no text.
  public init(from decoder: any Decoder) throws {
    self.init(try decoder.singleValueContainer().decode(String.self))
  }

  /// Writes the name as its text.
  ///
  /// - Throws: What the encoder throws.
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
  package func joined(separator: String = "") -> String {
    map(\.text).joined(separator: separator)
  }
}

extension Value {
  /// A name as a text in UTF-8.
  package static func text(_ name: Name) -> Value { .text(name.text) }
}
