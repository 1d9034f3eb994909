// SPDX-License-Identifier: Apache-2.0
// How styles look on a terminal: decided here and nowhere else.

import DatabaseRescue

extension StyledText {
  /// The text as it is written to a stream.
  func rendered(colored: Bool) -> String {
    guard colored else { return plain }
    return pieces.map { piece in
      piece.style.map { "\u{1B}[\($0.code)m\(piece.text)\u{1B}[0m" } ?? piece.text
    }.joined()
  }
}

extension StyledText.Style {
  /// The parameters of the terminal's "select graphic rendition".
  fileprivate var code: String {
    switch self {
    case .heading: "1"
    case .good: "32"
    case .warning: "33"
    case .bad: "1;31"
    case .dim: "2"
    case .emphasised: "36"
    }
  }
}
