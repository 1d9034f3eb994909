// SPDX-License-Identifier: Apache-2.0
// What a document may contain: the keys, and the kind of each value.

/// What a value of a document may be.
///
/// A shape finds what a decoder cannot place: unknown, missing and duplicate
/// keys, values of the wrong kind, and words that are not among the allowed ones.
/// Duplicate keys are refused everywhere, under ``anything`` too.
package indirect enum DocumentShape: Hashable, Sendable {
  /// Any value.
  case anything
  /// A string.
  case text
  /// One of some words.
  case words([String])
  /// `true` or `false`.
  case flag
  /// Any number.
  case number
  /// A number of 64 bits without fraction and exponent.
  case integer
  /// A list of values of one shape.
  case list(DocumentShape)
  /// An object with keys of any name.
  case map(DocumentShape)
  /// An object with these keys. A key that is not required may be missing or `null`.
  case object([String: DocumentShape], required: Set<String> = [])

  /// What is expected, in a few words.
  var expectation: String {
    switch self {
    case .anything: "a value"
    case .text: "a string"
    case .words(let words): "one of " + words.map(\.quoted).joined(separator: ", ")
    case .flag: "true or false"
    case .number: "a number"
    case .integer: "a whole number of 64 bits"
    case .list: "a list"
    case .map, .object: "an object"
    }
  }

  /// Whether a value can have this shape, whatever is in it.
  func accepts(_ content: DocumentValue.Content) -> Bool {
    switch (self, content) {
    case (.anything, _), (.text, .text), (.words, .text), (.flag, .flag), (.number, .number),
      (.integer, .number(_, isWhole: true)), (.list, .list), (.map, .object), (.object, .object):
      true
    default: false
    }
  }

  /// The shape of the elements, where this is a list.
  var element: DocumentShape {
    if case .list(let element) = self { element } else { .anything }
  }
}
