// SPDX-License-Identifier: Apache-2.0
// Text for people: literal words are trusted, everything put between them is made harmless.

/// Text for people, with the few styles that the program knows.
///
/// Written as a string literal. What is interpolated may come from a hostile file:
/// control characters in it, which a terminal could obey, are made visible.
/// ```swift
/// console.print("verdict: \(verdict.word, .bad)")
/// ```
package struct StyledText: Hashable, Sendable, ExpressibleByStringInterpolation {
  /// What some words of a line are; how that looks is for the reader's side to decide.
  package enum Style: Hashable, Sendable, CaseIterable {
    /// The title of what follows.
    case heading
    /// All is as it should be.
    case good
    /// Something is not as it should be, and no row depends on it.
    case warning
    /// Something is broken or lost.
    case bad
    /// What only some want to know.
    case dim
    /// What to look at, such as a command to paste.
    case emphasised
  }

  /// Some words of one style.
  package struct Piece: Hashable, Sendable {
    /// The words.
    package var text: String
    /// What they are; nil for plain text.
    package var style: Style?
  }

  /// The words, in order.
  package private(set) var pieces: [Piece]

  /// Text of this program itself, taken as it is.
  package init(verbatim text: String, _ style: Style? = nil) {
    pieces = [Piece(text: text, style: style)]
  }

  /// Takes words of this program as they are.
  package init(stringLiteral value: String) {
    self.init(verbatim: value)
  }

  /// Takes words of this program, and what stands between them made harmless.
  package init(stringInterpolation: StringInterpolation) {
    pieces = stringInterpolation.pieces
  }

  /// What stands between the quotation marks.
  package struct StringInterpolation: StringInterpolationProtocol {
    /// The most of one value that is shown; a line has room for words beside it.
    private static let pieceLimit = String.lineLimit - 50

    fileprivate var pieces: [Piece] = []

    /// Makes room for the pieces.
    package init(literalCapacity: Int, interpolationCount: Int) {
      pieces.reserveCapacity(2 * interpolationCount + 1)
    }

    /// Adds words of this program.
    package mutating func appendLiteral(_ literal: String) {
      if !literal.isEmpty { pieces.append(Piece(text: literal)) }
    }

    /// Adds a value, made harmless.
    package mutating func appendInterpolation(
      _ value: some CustomStringConvertible, _ style: Style? = nil
    ) {
      pieces.append(Piece(text: value.description.harmless(limit: Self.pieceLimit), style: style))
    }

    /// Adds text that is harmless already.
    package mutating func appendInterpolation(_ text: StyledText) {
      pieces += text.pieces
    }
  }

  /// The words without their styles.
  package var plain: String { pieces.map(\.text).joined() }

  /// The number of columns that it takes on a terminal.
  package var width: Int { plain.columns }

  /// The text, cut where it is wider than so many columns; an ellipsis stands for the rest.
  package func truncated(to columns: Int) -> StyledText {
    guard width > columns else { return self }
    var room = columns - 1
    var result = StyledText(verbatim: "")
    for piece in pieces {
      var kept = ""
      for character in piece.text {
        let width = String(character).columns
        guard width <= room else {
          result.pieces.append(Piece(text: kept + (columns > 0 ? "…" : ""), style: piece.style))
          return result
        }
        room -= width
        kept.append(character)
      }
      result.pieces.append(Piece(text: kept, style: piece.style))
    }
    return result
  }

  /// The text as one line, whose middle is left out where it is longer than any line may be.
  package var asLine: StyledText {
    let count = pieces.reduce(0) { $0 + $1.text.unicodeScalars.count }
    guard let cut = MiddleCut(of: count, to: String.lineLimit) else { return self }
    var result = StyledText(verbatim: "")
    var position = 0
    for piece in pieces {
      let scalars = piece.text.unicodeScalars
      let start = scalars.prefix(max(0, cut.head - position))
      let end = scalars.suffix(max(0, position + scalars.count - max(position, count - cut.tail)))
      let isMarked = position < cut.head && position + scalars.count >= cut.head
      result.pieces.append(
        Piece(text: String(start) + (isMarked ? cut.mark : "") + String(end), style: piece.style))
      position += scalars.count
    }
    return result
  }

  package static func + (left: StyledText, right: StyledText) -> StyledText {
    var sum = left
    sum.pieces += right.pieces
    return sum
  }
}

extension String {
  /// The number of columns that the text takes on a terminal.
  package var columns: Int {
    reduce(0) { sum, character in sum + (character.isWide ? 2 : 1) }
  }

  /// The text with spaces up to so many columns.
  package func padded(to columns: Int) -> String {
    self + String(repeating: " ", count: max(0, columns - self.columns))
  }
}

extension Character {
  /// Whether it takes two columns: East Asian wide and full-width forms, and emoji.
  fileprivate var isWide: Bool {
    guard let scalar = unicodeScalars.first else { return false }
    if scalar.properties.isEmojiPresentation { return true }
    return switch scalar.value {
    case 0x1100...0x115F, 0x2E80...0x303E, 0x3041...0xA4CF, 0xAC00...0xD7A3, 0xF900...0xFAFF,
      0xFE30...0xFE6F, 0xFF00...0xFF60, 0xFFE0...0xFFE6, 0x20000...0x3FFFD:
      true
    default: false
    }
  }
}
