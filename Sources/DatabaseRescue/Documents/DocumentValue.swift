// SPDX-License-Identifier: Apache-2.0
// A value of a document, and where it stands.

/// A value of a document, and where it stands.
struct DocumentValue {
  /// What a document has for values.
  enum Content {
    /// The values of keys; of a key that stands there twice, the first.
    case object([String: DocumentValue])
    case list([DocumentValue])
    case text(String)
    /// A number, nil where it is out of range, and whether it is a whole one of 64 bits.
    case number(Double?, isWhole: Bool)
    case flag(Bool)
    case null

    /// The kind in a few words.
    var name: String {
      switch self {
      case .object: "an object"
      case .list: "a list"
      case .text: "a string"
      case .number: "a number"
      case .flag: "true or false"
      case .null: "null"
      }
    }
  }

  let content: Content
  let position: TextPosition

  /// The values of an object's keys.
  var members: [String: DocumentValue]? {
    if case .object(let members) = content { members } else { nil }
  }
  /// The elements of a list.
  var elements: [DocumentValue]? {
    if case .list(let elements) = content { elements } else { nil }
  }
  /// The string.
  var text: String? { if case .text(let text) = content { text } else { nil } }
  /// `true` or `false`.
  var flag: Bool? { if case .flag(let flag) = content { flag } else { nil } }

  /// The strings of a list that has no other elements.
  var texts: [String]? {
    guard let elements else { return nil }
    let texts = elements.compactMap(\.text)
    return texts.count == elements.count ? texts : nil
  }

  /// The string as one of some words.
  func word<Kind: RawRepresentable<String>>() -> Kind? { text.flatMap { Kind(rawValue: $0) } }

  /// The value of a key.
  subscript(key: String) -> DocumentValue? { members?[key] }

  /// Where the value at the end of a path stands; where there is none, the nearest one above it.
  func position(of path: some Collection<any CodingKey>) -> TextPosition {
    guard let key = path.first else { return position }
    let next =
      if let index = key.intValue {
        elements.flatMap { $0.indices.contains(index) ? $0[index] : nil }
      } else {
        self[key.stringValue]
      }
    return next?.position(of: path.dropFirst()) ?? position
  }
}
