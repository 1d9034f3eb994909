// SPDX-License-Identifier: Apache-2.0
// A table of aligned columns.

import DatabaseRescue

/// A table of aligned columns.
struct TextTable: Sendable {
  /// One column.
  struct Column: Sendable {
    /// The words above it.
    let title: String
    /// Whether it holds numbers, which are aligned at their end.
    var isNumeric = false
    /// Whether its cells may be cut to fit the terminal.
    ///
    /// Never said of codes and names
    /// that somebody has to type.
    var canShrink = false

    /// A column of words.
    static func text(_ title: String) -> Column { Column(title: title) }
    /// A column of numbers.
    static func number(_ title: String) -> Column { Column(title: title, isNumeric: true) }
    /// A column of words that may be cut.
    static func prose(_ title: String) -> Column { Column(title: title, canShrink: true) }
  }

  /// The columns.
  let columns: [Column]
  private(set) var rows: [[StyledText]] = []

  /// Makes an empty table.
  init(_ columns: [Column]) {
    self.columns = columns
  }

  /// Adds a row, one cell for each column.
  mutating func add(_ cells: [StyledText]) {
    precondition(cells.count == columns.count, "a row has one cell for each column")
    rows.append(cells)
  }

  /// The lines of the table.
  ///
  /// - Parameter width: The columns of the terminal; nil where nothing is to be cut.
  /// - Returns: The titles, if there are any, and a line for each row.
  func lines(width: Int?) -> [StyledText] {
    let titles = columns.map { StyledText(verbatim: $0.title, .heading) }
    let hasTitles = columns.contains { !$0.title.isEmpty }
    let all = (hasTitles ? [titles] : []) + rows
    var widths = columns.indices.map { index in all.map { $0[index].width }.max() ?? 0 }
    if let width { shrink(&widths, to: width) }
    return all.map { line($0, widths) }
  }

  private static let gap = 2
  private static let narrowest = 8

  private func shrink(_ widths: inout [Int], to width: Int) {
    var excess = widths.reduce(0, +) + Self.gap * (widths.count - 1) - width
    while excess > 0 {
      let shrinkable = widths.indices.filter {
        columns[$0].canShrink && widths[$0] > Self.narrowest
      }
      guard let widest = shrinkable.max(by: { widths[$0] < widths[$1] }) else { return }
      widths[widest] -= 1
      excess -= 1
    }
  }

  private func line(_ cells: [StyledText], _ widths: [Int]) -> StyledText {
    var line = StyledText(verbatim: "")
    for (index, cell) in cells.enumerated() {
      let cell = cell.truncated(to: widths[index])
      let space = StyledText(
        verbatim: String(repeating: " ", count: max(0, widths[index] - cell.width)))
      let isLast = index == cells.count - 1
      if index > 0 { line = line + StyledText(verbatim: String(repeating: " ", count: Self.gap)) }
      line =
        columns[index].isNumeric ? line + space + cell : isLast ? line + cell : line + cell + space
    }
    return line
  }
}
