// SPDX-License-Identifier: Apache-2.0
// Something wrong in a document that people edit, and where.

/// Something wrong in a document, and where.
package struct DocumentProblem: Error, Hashable, Sendable, Codable {
  /// Where it is.
  package let position: TextPosition
  /// What is wrong: lower case, no full stop.
  package let message: String

  /// Makes a problem.
  package init(_ message: String, at position: TextPosition) {
    self.message = message
    self.position = position
  }

  /// The problem as compilers write it: `file:line:column: what`.
  package func description(in file: String) -> String { "\(file):\(position): \(message)" }
}

extension RescueError {
  /// Problems of a document as one error, which shows the first and counts the others.
  package init(_ problems: [DocumentProblem], in file: String) {
    let first = problems.first?.description(in: file) ?? "\(file): not valid"
    let others =
      switch problems.count {
      case ...1: ""
      case 2: " (and 1 more problem)"
      default: " (and \(problems.count - 1) more problems)"
      }
    self.init(
      .invalidInput, first + others, meaning: "nothing was done",
      advice: "correct '\(file)' and try again")
  }
}

extension String {
  /// A text from a document in quotes, cut and made printable: what is quoted in a message may be
  /// hostile.
  package var quoted: String { "'" + harmless(limit: 60) + "'" }
}
