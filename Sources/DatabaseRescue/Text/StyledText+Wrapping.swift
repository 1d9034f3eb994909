// SPDX-License-Identifier: Apache-2.0
// Text that is too long for a line, cut between its words.

extension StyledText {
  /// The line cut between words into lines of at most so many columns.
  ///
  /// A word that is longer stands alone and is never cut: it may be a command to paste.
  func wrapped(to columns: Int) -> [StyledText] {
    guard width > columns else { return [self] }
    var lines: [StyledText] = []
    var line = StyledText(verbatim: "")
    for piece in pieces {
      for (index, word) in piece.text.split(separator: " ", omittingEmptySubsequences: false)
        .enumerated()
      {
        let space = index > 0 && !line.plain.isEmpty ? " " : ""
        if index > 0, !line.plain.isEmpty, line.width + 1 + String(word).columns > columns {
          lines.append(line)
          line = StyledText(verbatim: String(word), piece.style)
        } else {
          line = line + StyledText(verbatim: space + word, piece.style)
        }
      }
    }
    return lines + [line]
  }
}
