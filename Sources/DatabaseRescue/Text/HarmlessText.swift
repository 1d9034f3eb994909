// SPDX-License-Identifier: Apache-2.0
// The one rule for text from elsewhere, wherever it is shown: what is obeyed or not seen is spelled
// out, and what is too long is cut in its middle.

extension Unicode.Scalar {
  /// Whether terminals, browsers or editors act on it, or show nothing for it: controls, formats,
  /// ends of lines, variation selectors, tags, fillers, and what is no character.
  package var isObeyed: Bool {
    if value < 0x7F { return value < 0x20 }
    if properties.isDefaultIgnorableCodePoint { return true }
    return switch properties.generalCategory {
    case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate, .unassigned: true
    default: false
    }
  }
}

extension String {
  /// The most characters, counted in Unicode scalars, that a line of text has.
  package static let lineLimit = 1000

  /// This text with everything spelled out that is obeyed instead of shown, and its middle left
  /// out where it has more than `limit` Unicode scalars.
  package func harmless(limit: Int = .max) -> String {
    let scalars = unicodeScalars
    guard let cut = MiddleCut(of: scalars.count, to: limit) else {
      return Self.spelled(scalars[...])
    }
    return Self.spelled(scalars.prefix(cut.head)) + cut.mark
      + Self.spelled(scalars.suffix(cut.tail))
  }

  /// The text of a JSON document with the same scalars spelled out as JSON does it; what such a
  /// document breaks its lines with stays.
  package var harmlessJSON: String {
    guard unicodeScalars.contains(where: { $0.isObeyed && $0 != "\n" }) else { return self }
    var text = ""
    for scalar in unicodeScalars {
      guard scalar.isObeyed, scalar != "\n" else {
        text.unicodeScalars.append(scalar)
        continue
      }
      text += scalar.escapedInJSON
    }
    return text
  }

  private static func spelled(_ scalars: Substring.UnicodeScalarView) -> String {
    guard scalars.contains(where: \.isObeyed) else { return String(scalars) }
    return scalars.map { scalar in
      switch scalar {
      case "\n": "\\n"
      case "\t": "\\t"
      case _ where scalar.isObeyed: "\\u{\(String(scalar.value, radix: 16))}"
      default: String(scalar)
      }
    }.joined()
  }
}

extension Unicode.Scalar {
  /// The scalar as it is written in a JSON string, by its UTF-16.
  package var escapedInJSON: String {
    UTF16.encode(self)?.map { unit in
      let digits = String(unit, radix: 16)
      return "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
    }.joined() ?? ""
  }
}

/// Which scalars stay of a text that is too long, and what stands between them.
///
/// The middle goes, because names that differ often do so at their ends, and a message says at its
/// end what is wrong. Scalars, because one character can have any number of them.
package struct MiddleCut {
  /// How many stay at the start.
  package let head: Int
  /// How many stay at the end.
  package let tail: Int
  /// What says how many are gone.
  package let mark: String

  /// Cuts a text of so many scalars to `limit` with the mark; nil where it is short enough.
  package init?(of count: Int, to limit: Int) {
    guard count > limit else { return nil }
    // The digits of what is left out are no more than those of all.
    let kept = max(0, limit - "…( left out)…".unicodeScalars.count - String(count).count)
    tail = kept / 3
    head = kept - tail
    mark = "…(\(count - kept) left out)…"
  }
}
