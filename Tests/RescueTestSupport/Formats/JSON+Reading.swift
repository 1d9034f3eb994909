// SPDX-License-Identifier: Apache-2.0
// JSON as a test reads it: from text, by key and index, without a type for each document.

package import DatabaseRescue

/// A text that is no JSON.
package struct NotJSON: Error {
  /// The text.
  package let text: String
}

extension JSON {
  /// Reads one document.
  package init(_ text: String) throws {
    guard let read = JSON(reading: text.utf8) else { throw NotJSON(text: text) }
    self = read
  }

  /// Reads JSON Lines.
  package static func lines(_ text: String) throws -> [JSON] {
    try text.split(separator: "\n").map { try JSON(String($0)) }
  }

  /// The number of a whole number; nil for anything else.
  package var number: Int? { if case .integer(let number) = self { number } else { nil } }

  /// The flag; nil for anything else.
  package var bool: Bool? { if case .bool(let bool) = self { bool } else { nil } }
}
