// SPDX-License-Identifier: Apache-2.0
// The only kind of text in a run record: a name that cannot be, or hold, a path.

/// A short name without its folder, safe to log and to print.
///
/// Folders tell who the user is, so everything up to the last slash or backslash
/// is dropped, whatever the text was meant to be. Control and format characters
/// go too, and what is longer than ``lengthLimit`` is cut. As no text enters a
/// run record in any other way, also when one is read, no record carries a path.
package struct PlainName: Hashable, Sendable, Codable, ExpressibleByStringLiteral,
  CustomStringConvertible
{
  /// The name.
  package let description: String

  /// The most Unicode scalars that a name has.
  package static let lengthLimit = 200

  /// Makes a name of any text.
  package init(_ text: String) {
    let scalars = text.unicodeScalars
    let start = scalars.lastIndex(where: Self.isSeparator).map { scalars.index(after: $0) }
    self.init(name: scalars[(start ?? scalars.startIndex)...])
  }

  /// Makes a name of what is the name already, but for what should not be in it.
  init(name: Substring.UnicodeScalarView) {
    let shown = name.lazy.filter { !$0.isObeyed }
    description = String(String.UnicodeScalarView(shown.prefix(Self.lengthLimit)))
  }

  /// Makes a name of a literal.
  package init(stringLiteral value: String) {
    self.init(value)
  }

  /// Reads a name; what should not be in it is dropped again.
  package init(from decoder: any Decoder) throws {
    self.init(try decoder.singleValueContainer().decode(String.self))
  }

  /// Writes the name as its text.
  package func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(description)
  }

  /// Slash and backslash, and the characters that only look like them.
  private static func isSeparator(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar {
    case "/", "\\", "\u{2044}", "\u{2215}", "\u{29F5}", "\u{29F8}", "\u{FE68}", "\u{FF0F}",
      "\u{FF3C}":
      true
    default: false
    }
  }
}
