// SPDX-License-Identifier: Apache-2.0
// A place in a text that people edit, as their editor counts it.

/// A place in a text: line and column, both from 1.
///
/// A line ends at LF, CR or CR LF; a column is one Unicode scalar.
package struct TextPosition: Hashable, Sendable, Codable, Comparable, CustomStringConvertible {
  /// The line, from 1.
  package let line: Int
  /// The column, from 1.
  package let column: Int

  /// The start of a text.
  package static let start: TextPosition = TextPosition(line: 1, column: 1)

  /// Orders positions as they follow each other in the text.
  package static func < (left: TextPosition, right: TextPosition) -> Bool {
    (left.line, left.column) < (right.line, right.column)
  }

  /// The position as compilers write it, such as `12:5`.
  package var description: String { "\(line):\(column)" }
}
