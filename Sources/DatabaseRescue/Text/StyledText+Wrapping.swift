// SPDX-License-Identifier: Apache-2.0
// Text that is too long for a line, cut between its words.

extension StyledText {
  /// The line as it is shown where there are so many columns, cut between words.
  ///
  /// One with a command in it, which may be pasted, is never cut.
  package func fitted(to columns: Int) -> [StyledText] {
    guard width > columns, !plain.contains("dbrescue ") else { return [self] }
    let indent = plain.prefix { $0 == " " }.count
    let parts = wrapped(to: max(40, columns - indent - 2))
    return parts.enumerated().map { place, part in
      StyledText(verbatim: String(repeating: " ", count: place == 0 ? indent : indent + 2)) + part
    }
  }

  /// The line cut between words into lines of at most so many columns.
  ///
  /// A word that is longer stands alone and is never cut: it may be a command to paste.
  func wrapped(to columns: Int) -> [StyledText] {
    guard width > columns else { return [self] }
    var lines: [StyledText] = []
    var line = StyledText(verbatim: "")
    // The blanks before the next word; at the end of a line they are left out.
    var gap = 0
    for piece in pieces {
      for (index, word) in piece.text.split(separator: " ", omittingEmptySubsequences: false)
        .enumerated()
      {
        if index > 0, !line.plain.isEmpty { gap += 1 }
        guard !word.isEmpty else { continue }
        if gap > 0, line.width + gap + String(word).columns > columns {
          lines.append(line)
          line = StyledText(verbatim: String(word), piece.style)
        } else {
          // The blanks before a piece are those of the one before it.
          let blanks = StyledText(
            verbatim: String(repeating: " ", count: gap), index > 0 ? piece.style : nil)
          line = line + blanks + StyledText(verbatim: String(word), piece.style)
        }
        gap = 0
      }
    }
    return lines + [line]
  }
}
